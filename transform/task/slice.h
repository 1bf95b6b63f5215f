/* SPDX-License-Identifier: MIT */
/* Slices: statements that compute a value and may do so at another place. */
#ifndef TRANSFORM_TASK_SLICE_H
#define TRANSFORM_TASK_SLICE_H

#include "analysis/dataflow/slice.h"
#include "transform/plan/plan.h"

enum { SLICE_MAX = 64 }; /* statements; longer slices are work, not bookkeeping */

typedef struct {
	const Plan *x;
	const Task_region *k;
	uint32_t *list; /* capacity SLICE_MAX; in execution order */
	uint32_t n;
} Stmt_slice;

/* Adds the statements that compute definition d, chosen by a rule whose user data is the slice.
 * False if that is not possible or too long; the slice is unchanged then. */
bool slice_add(Stmt_slice *s, uint32_t d, Slice_rule *rule);
/* Whether the slice contains the statement. */
bool slice_has(const Stmt_slice *s, uint32_t stmt);
/* Whether the definition can be computed at another place: unconditional, without effect, memory or
 * clock, to a register that is in scope everywhere. */
bool slice_def_is_pure(const Plan *x, uint32_t d);
/* Whether the statement loads a parameter of an entry function, which all threads share at all
 * times. */
bool slice_is_param_load(const Fn *fn, uint32_t stmt);
/* Whether the register is declared inside the region, where the declaration is copied with the
 * code, or in a scope that ends before the region. */
bool slice_register_is_declared_inside(const Plan *x, uint32_t sym);

#endif
