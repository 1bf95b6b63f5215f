/* SPDX-License-Identifier: MIT */
/* Counted loops: those whose trip count is known when they are entered.
 *
 * Such a loop has one exit, a branch on a comparison before or after each iteration; the compared
 * value changes by a fixed step, and its bound is loop-invariant. Registers that change by fixed
 * steps are induction variables: the value in iteration t is the initial value plus t times the
 * step. */
#ifndef ANALYSIS_LOOPS_TRIP_COUNT_H
#define ANALYSIS_LOOPS_TRIP_COUNT_H

#include "analysis/dataflow/function.h"

enum { MOST_RELOADS = 8 };

typedef enum { TRIPS_LT, TRIPS_LE, TRIPS_GT, TRIPS_GE, TRIPS_NE } Trip_compare;

typedef struct {
	uint32_t sym;
	int64_t step;           /* fits 32 bits */
	uint32_t stmt;          /* statement that updates it */
} Induction;

/* a value in iteration t: that of steps[step], plus a constant */
typedef struct { uint32_t step; int64_t plus; } Trip_value;

typedef struct {
	const Fn *fn;
	uint32_t loop;
	uint32_t last;          /* block whose branch leaves the loop */
	uint32_t exit_block;    /* target of that exit edge */
	bool top;               /* the test is before the iteration, else after it */
	Induction *steps; uint32_t nsteps;

	Trip_value tested;      /* the loop continues while (tested cmp bound) */
	Trip_compare cmp;
	/* an immediate or a loop-invariant register: index into Module.opnds */
	uint32_t bound;
	bool is_signed;
	uint32_t bytes;         /* size of the compared values: 4 or 8 */

	bool may_miss;          /* the only obstacle: the step might skip the bound */
	/* the only obstacle: these statements load the bound again, at loop-invariant addresses */
	uint32_t reloads[MOST_RELOADS], nreloads;
	/* the bound's register has been loaded before the loop, too, by the same load; else every
	 * iteration executes the statements, which are in execution order, and reads none of their
	 * registers before */
	bool bound_is_loaded;
	const char *wrong;      /* why it is not a counted loop; NULL if it is one */
	const char *advice;     /* what the user can do about it, or NULL */
	uint32_t at;            /* statement that is the obstacle */
} Trip_count;

/* Analyses a loop. */
Trip_count *trip_count_analyse(const Fn *fn, uint32_t loop, Arena *a);
/* Computes the value that a definition in the loop has in iteration t. False: it is not an
 * induction variable plus a constant. */
bool trip_count_value(const Trip_count *t, uint32_t def, Trip_value *out);
/* Whether every iteration begins with the block, among others, before the test or a branch. */
bool trip_count_test_is_at_top(const Trip_count *t, uint32_t block);
/* Returns the induction variable of a register as an index into steps; UINT32_MAX if there is
 * none. */
uint32_t trip_count_induction(const Trip_count *t, uint32_t sym);
/* Whether the definition is executed once in every iteration and writes the whole register. */
bool trip_count_def_is_in_every_iteration(const Trip_count *t, uint32_t def);
/* Fills in t->reloads with the statements that compute the bound read by stmt. False: it may change
 * for another reason, or no statement loads it (bound_reload.c). */
bool trip_count_find_reloads(Trip_count *t, uint32_t stmt);
/* Whether the statement is one of t->reloads. */
bool trip_count_is_reload(const Trip_count *t, uint32_t stmt);
/* Returns the constant trip count; 0 if it is unknown or exceeds 4,096. */
uint32_t trip_count_constant(const Trip_count *t);

#endif
