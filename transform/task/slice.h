/* SPDX-License-Identifier: MIT */
/* Slices: the statements that compute a value and can do so at another place. */
#ifndef TRANSFORM_TASK_SLICE_H
#define TRANSFORM_TASK_SLICE_H

#include "analysis/dataflow/slice.h"
#include "transform/plan/plan.h"

enum { SLICE_MOST = 64 }; /* statements; longer ones are work, not bookkeeping */

typedef struct {
	const Plan *x;
	const Part *k;
	uint32_t *list; /* room for SLICE_MOST statements, in the order in which they run */
	uint32_t n;
} Slice;

/* Adds what computes definition d by a rule, whose user is the slice. False: there is none, or it
 * would be too long; the slice is as it was. */
bool slice_add(Slice *s, uint32_t d, Slice_rule *rule);
/* Is the statement in it? */
bool slice_has(const Slice *s, uint32_t stmt);
/* Can the definition be computed at another place: no effect, no memory, no clock, written always,
 * to a register known everywhere? */
bool slice_pure(const Plan *x, uint32_t d);
/* Is it a load of an entry's parameter: the same for all threads, whenever it is done? */
bool slice_param_load(const Fn *fn, uint32_t stmt);
/* Is the register declared inside the region, where the declaration is copied with the code that
 * needs it, or in braces that end in front of it? */
bool slice_declared_inside(const Plan *x, uint32_t sym);

#endif
