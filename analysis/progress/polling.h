/* SPDX-License-Identifier: MIT */
/* Loops that may run until another thread writes memory. */
#ifndef ANALYSIS_PROGRESS_POLLING_H
#define ANALYSIS_PROGRESS_POLLING_H

#include "analysis/dataflow/slice.h"

/* Which reads count. */
typedef enum {
	POLLING_ANY,    /* all reads of memory that another thread may write */
	/* those that look as if they were meant to see another thread's write: volatile, atomic,
	 * relaxed and acquire accesses, and loads that a compiler would not repeat otherwise; in a
	 * loop with a fence all reads */
	POLLING_LIKELY
} Polling;

/* Adds the statements of the loop that read memory which another thread may write, and that the
 * loop's exit conditions depend on. Adds none for a loop that ends whatever it reads
 * (termination.h). */
void polling_find(const Fn *fn, uint32_t loop, Polling level, Stmts *polls);
/* Does a function that the call statement may run have such a loop? */
bool polling_in_call(const Fn *fn, uint32_t call, Polling level, Arena *a);

#endif
