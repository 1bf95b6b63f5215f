/* SPDX-License-Identifier: MIT */
/* Recognises reductions: registers that a loop only updates by an associative operation. */
#ifndef ANALYSIS_LOOPS_REDUCTION_H
#define ANALYSIS_LOOPS_REDUCTION_H

#include "analysis/dataflow/function.h"

/* Whether the statement, in a loop, combines register sym with a value that does not depend on it,
 * such that the order of the iterations does not matter (except for the last bits of floating-point
 * sums). */
bool reduction_is(const Fn *fn, uint32_t stmt, uint32_t sym);

/* A loop that keeps the largest or smallest value so far, as `if (v > most) most = v;` where the
 * compiler makes no `max` of it, and perhaps what belongs to it: `best = i`. */
typedef struct {
	uint32_t compare;       /* the comparison; 0: there is none */
	uint32_t value;         /* register of the value so far */
	uint32_t place;         /* of what belongs to it; 0: nothing */
} Extreme;

/* Finds an extreme of the loop whose value or place is register sym; sym 0: one with a place. */
Extreme reduction_extreme(const Fn *fn, uint32_t loop, uint32_t sym);
/* Returns what to write instead, so that it is a reduction. */
const char *reduction_advice(const Extreme *e);

#endif
