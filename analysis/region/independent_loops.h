/* SPDX-License-Identifier: MIT */
/* The loops whose annotations promise independent iterations, for the checks of that promise: in
 * the emulator (simt/checks/promise.c) and in instrumented code (transform/instrument/promise.c).
 *
 *	for, assign     yes, see below
 *	for var         yes, also in a kernel with `grid`, but not in a loop with `assign`, whose
 *	                policies keep the order of inner iterations
 *	while           no: its iterations run in order. Those of the loop around it are checked
 *	grid            no: its iterations are threads, which the race check compares
 *
 * A promise is checked if the compiler may use it (docs/annotations.md):
 *
 *	- not with `proven`, at the loop or at one of its paths
 *	- not under policies with which each thread runs its own iterations in order: converge,
 *	  wait, majority, live, cycle, flatten, ahead. A loop keeps this order if all annotations
 *	  inside it have such a policy, by a clause or by their kind (`delay`, `predict`), or, if
 *	  there are none, the loop itself. `assign` and `unify` reorder iterations under every
 *	  policy
 *	- not in text that was transformed, whose markers are `done`
 *	- not in layers, which are only counted */
#ifndef ANALYSIS_REGION_INDEPENDENT_LOOPS_H
#define ANALYSIS_REGION_INDEPENDENT_LOOPS_H

#include "analysis/region/profile_points.h"

typedef struct {
	const Region *region;
	uint32_t loop;          /* its loop in Loops */
	/* it has barriers or exchanges between lanes outside of its paths, whose code runs in the
	 * original order */
	bool in_step;
	bool outermost;         /* no other one is around it */
	Block_list starts;      /* where an iteration begins */
	Block_list exits;       /* where lanes have left it */
} Independent_loop;

typedef struct { Independent_loop *at; uint32_t n; } Independent_loops;

/* Returns them, outer ones first. */
Independent_loops independent_loops_find(const Fn *fn, Arena *a);
/* Whether an instruction of the loop stores one value in all iterations, or loads through the
 * non-coherent cache: it is independent of loads and stores, respectively. */
bool independent_loop_marks(const Fn *fn, uint32_t loop, uint32_t stmt, Arena *a);

#endif
