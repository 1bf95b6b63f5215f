/* SPDX-License-Identifier: MIT */
/* A kernel's arguments as they stand on a command line: what ptxrun's --arg means, see
 * docs/ptxrun.1.
 *
 * ptxrun and bench/simt_h200.c share this, so that the emulator and a GPU start from the same
 * bytes.
 */
#ifndef DRIVER_ARGS_H
#define DRIVER_ARGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	uint32_t size;          /* bytes as a parameter */
	/* a scalar's value; a buffer's address, which the caller sets before args_place */
	uint64_t bits;
	bool buffer;
	uint64_t bytes;         /* of a buffer */
	const char *fill;       /* "zero", "rand:3", ...; part of the label */
	const char *label;      /* the text it was parsed from */
} Arg;

/* Where a parameter lies in the kernel's parameters, in bytes. */
typedef struct { uint32_t offset, size; } Arg_place;

/* Parses "TYPE:VALUE" or "buf:BYTES[:FILL]"; false if it is neither. s must outlive a. */
bool arg_parse(Arg *a, const char *s);
/* Parses a whole number up to `most`, in C's notation and without a sign; false: it is none. */
bool arg_number(uint64_t *to, const char *s, uint64_t most);
/* Parses "X[,Y[,Z]]", none of them 0 or more than CUDA allows a grid; those left out are 1. */
bool arg_dims(uint32_t d[3], const char *s);
/* A buffer that nobody has written when the kernel starts: "none". */
bool arg_unwritten(const Arg *a);
/* Fills a buffer's bytes, which are zero, as it says; NULL, or what is wrong. */
const char *arg_fill(const Arg *a, uint8_t *to);
/* Lays n arguments out as the parameters; several fill one that is a struct. NULL, or what is
 * wrong. */
const char *args_place(
	const Arg *a, uint32_t n, const Arg_place *places, uint32_t nplaces, uint8_t *params);
/* The hash of a buffer that is printed after a run. */
uint64_t arg_hash(const uint8_t *p, uint64_t n);

#endif
