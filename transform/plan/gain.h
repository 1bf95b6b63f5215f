/* SPDX-License-Identifier: MIT */
/* Expected gain of a policy at a site, in issue slots of a warp for one iteration
 * (docs/choosing.md). */
#ifndef TRANSFORM_PLAN_GAIN_H
#define TRANSFORM_PLAN_GAIN_H

#include <stdbool.h>

/* A resource that bounds most of the original loop's time: if it were free, the loop would take
 * less than half of it. */
typedef enum {
	BOUND_NONE,             /* issue slots, or several */
	BOUND_ACCESSES,         /* uncoalesced accesses */
	BOUND_LATENCY,          /* dependent loads */
	BOUND_ATOMICS,          /* atomic operations on one line of memory */
	BOUND_BANDWIDTH         /* of memory behind the caches */
} Time_bound;

typedef struct {
	double before, after;   /* issue slots; `after` is 0 if unknown */
	/* what the launch would take without its critical lane, if memory had no limit */
	double shared;
	/* lower bound of `after` by the bandwidth of memory behind the caches, for as many resident
	 * warps as before */
	double streamed;
	Time_bound limit;       /* of `before`, by a profile */
	double limited;         /* the share of `before` that would not remain without it */
	/* speedup at the worst and at the best plausible share of lanes */
	double least, most;
	/* of a task loop: tasks of a larger launch than the counted ones that is expected to gain;
	 * 0: none is, or they are that large */
	double needed_tasks;
	/* not measured: the fewest and the most of the assumed lanes of 32 at which it gains; 0: at
	 * none. question: what decides whether it gains (open_question.c); NULL: nothing */
	uint32_t lanes_from, lanes_to;
	const char *question;
	bool measured;          /* execution counts come from a profile */
	/* of sites left unchanged: not measured, and an inner loop's trip count is assumed */
	bool assumes_trips;
	/* measured: no lane would wait, so the policy only costs */
	bool no_effect;
	/* the estimate assumes that warps may fall back to the original loop */
	bool has_fallback;
} Speedup;

static inline double
speedup_ratio(const Speedup *g)
{
	return g->after > 0 ? g->before / g->after : 0;
}

#endif
