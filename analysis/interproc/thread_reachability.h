/* SPDX-License-Identifier: MIT */
/* Which functions one thread may run: the call graph, with the code that is not seen as a node of
 * its own.
 *
 * A call through a pointer, and one to a function that another module defines, lead to that code;
 * from there a thread may get to every function whose address is taken, and to those that other
 * modules can call. */
#ifndef ANALYSIS_INTERPROC_THREAD_REACHABILITY_H
#define ANALYSIS_INTERPROC_THREAD_REACHABILITY_H

#include "analysis/interproc/effects.h"
#include "analysis/cfg/graph.h"
#include "base/vec.h"

enum { THREADS_UNSEEN = 0 };    /* the node of the code that is not seen; others are Func indices */

typedef struct {
	Graph calls;
	Bits all;       /* every node */
	Bits taken;     /* functions that a call through a pointer may go to */
	Bits outside;   /* functions that other modules may call, by name or through a pointer */
	bool open;      /* there may be others: this one shows functions to them, or uses theirs */
} Threads;

Threads *threads_build(const Module *m, const Effects *e, Arena *a);
typedef VEC(uint32_t) Nodes;
/* Adds to seen, and to the list, node `from` and those that lie behind it along the edges
 * (calls.succ: callees; calls.pred: callers), as far as they are in `within` and not in seen
 * yet. */
void threads_flood(const Adj *edges, uint32_t from, Bits within, Bits seen, Nodes *list);

#endif
