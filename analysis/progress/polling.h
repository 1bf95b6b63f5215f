/* SPDX-License-Identifier: MIT */
/* Polling loops: loops that may run until another thread writes memory. */
#ifndef ANALYSIS_PROGRESS_POLLING_H
#define ANALYSIS_PROGRESS_POLLING_H

#include "analysis/dataflow/slice.h"

/* which reads count */
typedef enum {
	POLLING_CHANGES, /* all reads of memory that another thread may write */
	/* those by which a thread can wait for another one: weak loads only in a loop that may also
	 * synchronise with it */
	POLLING_ANY,
	/* reads that look intended to see another thread's write: volatile, atomic, relaxed and
	 * acquire accesses, and loads that a compiler would otherwise have hoisted; in a loop with
	 * a fence all reads */
	POLLING_LIKELY
} Polling;

/* Adds the statements of the loop that read memory which another thread may write, and on which
 * the loop's exit conditions depend. Adds none for a loop that ends whatever it reads
 * (termination.h). */
void polling_find(const Fn *fn, uint32_t loop, Polling level, Stmts *polls);
/* Whether a function that the call statement may run has such a loop. pointed: those that a call
 * through a pointer may reach; others of these are not searched. */
bool polling_in_call(const Fn *fn, uint32_t call, Bits pointed, Polling level, Arena *a);
/* Whether the function has such a loop, or calls a function that has, or that is unknown. */
bool polling_in_function(const Fn *fn, Polling level);

#endif
