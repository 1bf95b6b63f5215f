/* SPDX-License-Identifier: MIT */
/* Which functions one thread may run: the call graph, with one node for all unseen code.
 *
 * A call through a pointer and a call of a function that another module defines lead to the unseen
 * code; from there a thread may reach every function whose address is taken, and every function
 * that other modules can call. */
#ifndef ANALYSIS_INTERPROC_THREAD_REACHABILITY_H
#define ANALYSIS_INTERPROC_THREAD_REACHABILITY_H

#include "analysis/interproc/effects.h"
#include "analysis/cfg/graph.h"
#include "base/vec.h"

enum { THREADS_UNSEEN = 0 };    /* the node of the unseen code; others are Func indices */

typedef struct {
	Graph calls;
	Bits all;       /* every node */
	Bits address_taken; /* functions that a call through a pointer may reach */
	Bits outside;   /* functions that other modules may call, by name or through a pointer */
	/* there may be other modules: this one exports functions or uses external ones */
	bool open;
} Threads;

Threads *threads_build(const Module *m, const Effects *e, Arena *a);
typedef VEC(uint32_t) Nodes;
/* Adds to seen and to the list node `from` and all nodes reachable from it along the edges
 * (calls.succ: callees; calls.pred: callers) that are in `within` and not yet in seen. */
void threads_flood(const Adj *edges, uint32_t from, Bits within, Bits seen, Nodes *list);

#endif
