/* SPDX-License-Identifier: MIT */
/* Counted loops: those whose trip count is known when they begin.
 *
 * Such a loop has one way out, a branch on a comparison that stands before an iteration or behind
 * it; what is compared goes on by a fixed step, and its bound does not change. Registers that go on
 * by fixed steps are its *inductions*: their value in iteration t is that at the loop's beginning
 * and t times the step.
 */
#ifndef ANALYSIS_LOOPS_TRIP_COUNT_H
#define ANALYSIS_LOOPS_TRIP_COUNT_H

#include "analysis/dataflow/function.h"

typedef enum { TRIPS_LT, TRIPS_LE, TRIPS_GT, TRIPS_GE, TRIPS_NE } Trips_cmp;

typedef struct {
	uint32_t sym;
	int64_t step;           /* fits 32 bits */
	uint32_t stmt;          /* by which it goes on */
} Induction;

/* A value in iteration t: of steps[step], and so much. */
typedef struct { uint32_t step; int64_t plus; } Trips_value;

typedef struct {
	const Fn *fn;
	uint32_t loop;
	uint32_t last;          /* the block whose branch leaves the loop */
	uint32_t behind;        /* and leads here */
	bool top;               /* it stands before the iteration, else behind it */
	Induction *steps; uint32_t nsteps;

	Trips_value tested;     /* the loop goes on while (tested cmp bound) */
	Trips_cmp cmp;
	/* an immediate, or a register that does not change: index into Module.opnds */
	uint32_t bound;
	bool is_signed;
	uint32_t bytes;         /* of what is compared: 4 or 8 */

	bool may_miss;          /* that alone is wrong: its step need not lead to its bound */
	const char *wrong;      /* it is no such loop: why not; else NULL */
	const char *advice;     /* what to do about it; or NULL */
	uint32_t at;            /* the statement in the way */
} Trips;

/* Looks at a loop. */
Trips *trips_find(const Fn *fn, uint32_t loop, Arena *a);
/* The value that a definition in the loop has in iteration t. False: it is none of an induction and
 * a constant. */
bool trips_value(const Trips *t, uint32_t def, Trips_value *out);
/* Is the block one of those that every iteration begins with, up to the test or a branch? */
bool trips_is_top(const Trips *t, uint32_t block);
/* The induction of a register, as its number in steps; UINT32_MAX: it has none. */
uint32_t trips_induction(const Trips *t, uint32_t sym);
/* How many iterations are there always? 0: that is not known, or they are more than 4,096. */
uint32_t trips_count(const Trips *t);

#endif
