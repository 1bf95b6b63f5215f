/* SPDX-License-Identifier: MIT */
/* fatbin.h: reads fat binaries, in a running program (the runtime) or in a file
 * (tests/unit/fatbin_main.c).
 *
 * A fat binary is a container of entries: PTX and machine code for several architectures,
 * compressed or not.
 */
#ifndef DRIVER_RT_FATBIN_H
#define DRIVER_RT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/source.h"

#define FATBIN_MAGIC 0xba55ed50u

typedef enum { FATBIN_PTX = 1, FATBIN_ELF = 2 } Fatbin_kind;

/* An entry, as it stands in its container. */
typedef struct {
	uint32_t kind, arch;    /* 90: for sm_90 */
	uint64_t flags;
	uint64_t bytes, plain;  /* how many stand there, and how many they are when decompressed */
	const uint8_t *at;
} Fatbin_entry;

/* The first entry of the container at p, of which room bytes can be read (SIZE_MAX: not known);
 * *end is behind the last one. NULL: there is no container at p, or it is longer than that. */
const uint8_t *fatbin_open(const uint8_t *p, size_t room, const uint8_t **end);
/* The entry at *at, which moves behind it. False: there is none, or none that can be read. */
bool fatbin_next(const uint8_t **at, const uint8_t *end, Fatbin_entry *e);
/* What the entry holds, decompressed, and a NUL behind it; give it back by xfree. NULL: *why says
 * what the user can do. */
char *fatbin_contents(const Fatbin_entry *e, const char **why);
/* Is the entry compressed by what is not installed here? */
bool fatbin_unreadable(const Fatbin_entry *e);

/* Is it a program's fat binary: a container, or the wrapper of one? */
bool fatbin_is(const void *p);
/* The k-th part of a program's fat binary, from 0: its container, or, of linked device code, that
 * of a translation unit. NULL: there are no more. */
const void *fatbin_part(const void *fatbin, uint32_t k);
/* The targets of the PTX in a part: f(user, 90) for each sm_90. False if it is none, with what is
 * wrong in *why. */
typedef void Fatbin_visit(void *user, uint32_t arch);
bool fatbin_targets(const void *part, Fatbin_visit *f, void *user, const char **why);
/* Reads the PTX of an architecture into src; its name is program.sm_90.ptx. False: *why says what
 * the user can do. */
bool fatbin_ptx(const void *part, uint32_t arch, const char *program, Source *src,
	const char **why);

#endif
