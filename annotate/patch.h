/* SPDX-License-Identifier: MIT */
/* A patch of the sources with the annotations that a build advises (fixes.h). */
#ifndef ANNOTATE_PATCH_H
#define ANNOTATE_PATCH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

typedef struct {
	uint32_t line, col;
	uint32_t end;           /* last line to enclose in braces; 0: none */
	const char *word, *file, *text;
} Insertion;

/* An annotation of a loop or kernel and of a statement in it. */
typedef struct {
	double expected;        /* speedup of the kernel */
	const char *loop, *site; /* places, "a.cu:12"; loop NULL: the source cannot be annotated */
	Insertion at[2];
	const char *rows;       /* of the table (base/advice.h) */
	const char *refused;    /* why it is not in the patch; NULL: it is */
} Patch_fix;
typedef VEC(Patch_fix) Patch_fixes;

/* patch_records.c */

/* Reads records, without duplicates: code is compiled for several architectures, and headers in
 * several sources. The texts are in arena a. */
void patch_read(const char *records, Arena *a, Patch_fixes *to);

/* Prints the table, and the reasons of refusals, to standard error. */
void patch_print_table(const Patch_fixes *of);

/* patch.c */

/* Writes a unified diff of all fixes that are not refused, with paths relative to the current
 * folder. Refuses those that the sources do not allow. */
void patch_write(Patch_fixes *of, Buf *out);

#endif
