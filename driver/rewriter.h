/* SPDX-License-Identifier: MIT */
/* Transforms the PTX of programs that were not built with ptxccc, with the options in the
 * environment variable CCC_FLAGS. */
#ifndef DRIVER_REWRITER_H
#define DRIVER_REWRITER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "lib/ptxccc.h"

typedef struct {
	ptxccc *lib;
	char *words;            /* CCC_FLAGS, split */
	const char *report_to;  /* file of the report; NULL: none */
	uint64_t sum;           /* of CCC_FLAGS and the profiles */
	bool counts;            /* modules are made to count, for a profile */
	bool timed;             /* the program times both versions of a kernel */
} Rewriter;

typedef struct {
	unsigned loops, transformed;
	Buf why;                /* why the whole module is left unchanged; empty if it is not */
	bool rounding;          /* because another assembler may round differently */
	Buf warnings;           /* about annotations: lines for a terminal */
} Rewritten;

/* Whether a variable is set to something other than 0. */
bool rewriter_variable(const char *name);
/* Reads CCC_FLAGS and the profiles that it names. Returns false and appends the reason to why if
 * they cannot be used. */
bool rewriter_open(Rewriter *r, Buf *why);
void rewriter_close(Rewriter *r);
/* Returns the file that the library is in: this program's, if it is linked statically. */
const char *rewriter_library(void);
/* Returns a number that changes whenever results may: a sum of this program, the library,
 * CCC_FLAGS and the profiles. */
uint64_t rewriter_version(const Rewriter *r);
/* Modules count from now on, and nothing is transformed. */
void rewriter_count(Rewriter *r);
/* Modules have two versions of a kernel from now on, where its gain is not certain (--timed). */
void rewriter_time(Rewriter *r);
/* Transforms a module. Returns the text, which lives until the next call, and sets *out_len; NULL
 * if the module is to be used as it is. `done` is zero initially; its buffers are freed
 * by the caller, with rewritten_release(). */
const char *rewriter_transform(Rewriter *r, const char *name, const char *ptx, size_t len,
	size_t *out_len, Rewritten *done);
void rewritten_release(Rewritten *done);
/* Adds the last module to the report, if one is wanted. The file exists then even without sites. */
void rewriter_report(const Rewriter *r);

#endif
