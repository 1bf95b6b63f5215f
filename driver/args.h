/* SPDX-License-Identifier: MIT */
/* Kernel arguments in the syntax of ptxrun's --arg (docs/ptxrun.1).
 *
 * ptxrun and bench/simt_h200.c share this code, so that the emulator and a GPU start from the
 * same bytes. */
#ifndef DRIVER_ARGS_H
#define DRIVER_ARGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	uint32_t size;          /* as a parameter, in bytes */
	/* value of a scalar; address of a buffer, which the caller sets before args_lay_out */
	uint64_t bits;
	bool buffer;
	uint64_t bytes;         /* size of a buffer, in bytes */
	const char *fill;       /* "zero", "rand:3", ...; part of the label */
	const char *label;      /* the text that was parsed */
} Arg;

/* A parameter's place within the parameter block, in bytes. */
typedef struct { uint32_t offset, size; } Arg_place;

/* Parses "TYPE:VALUE" or "buf:BYTES[:FILL]". Returns false if s is neither. s must outlive a. */
bool arg_parse(Arg *a, const char *s);
/* Parses an unsigned integer of at most `most`, in C notation. Returns false if s is none. */
bool arg_number(uint64_t *to, const char *s, uint64_t most);
/* Parses "X[,Y[,Z]]" within CUDA's limits for a grid; no component may be 0, omitted ones are 1. */
bool arg_dims(uint32_t d[3], const char *s);
/* Whether the buffer is uninitialised when the kernel starts: "none". */
bool arg_unwritten(const Arg *a);
/* Fills a buffer's bytes, initially zero, as a->fill says. Returns NULL, or an error message. */
const char *arg_fill(const Arg *a, uint8_t *to);
/* Writes n arguments into the parameter block; several arguments may fill one struct. Returns
 * NULL, or an error message. */
const char *args_lay_out(
	const Arg *a, uint32_t n, const Arg_place *places, uint32_t nplaces, uint8_t *params);
/* Computes the hash of a buffer that is printed after a run. */
uint64_t arg_hash(const uint8_t *p, uint64_t n);

#endif
