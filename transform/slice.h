/* SPDX-License-Identifier: MIT */
/* Slices: the statements that compute a value and can do so at another place. */
#ifndef TRANSFORM_SLICE_H
#define TRANSFORM_SLICE_H

#include "transform/plan.h"

#define MAX_SLICE 64 /* statements; longer ones are work, not bookkeeping */

typedef struct {
	const Plan *x;
	const Part *k;
	uint32_t *list; /* room for MAX_SLICE statements */
	uint32_t n;
} Slice;

/* Is the statement in it? */
bool slice_has(const Slice *s, uint32_t stmt);
/* Can the definition be computed at another place: no effect, no memory, written always, to a
 * register known everywhere? */
bool slice_pure(const Plan *x, const Def *def);
/* Is the register declared in braces inside the region? Then the declaration is copied with the
 * code that needs it. */
bool slice_declared_inside(const Plan *x, uint32_t sym);

/* The registers that a statement reads. */
typedef struct {
	const Fn *fn;
	uint32_t regs[16];
	uint32_t n;
	bool ok; /* no more than there is room for, and no special register that changes with time */
} Slice_reads;
void slice_reads(const Fn *fn, uint32_t stmt, Slice_reads *r);

#endif
