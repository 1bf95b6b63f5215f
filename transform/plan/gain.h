/* SPDX-License-Identifier: MIT */
/* What a policy is expected to gain at a site, in issue slots of a warp for an iteration
 * (docs/choosing.md). */
#ifndef TRANSFORM_PLAN_GAIN_H
#define TRANSFORM_PLAN_GAIN_H

#include <stdbool.h>

typedef struct {
	double before, after;   /* slots; after is 0 if nothing is known of the policy */
	double shared;          /* of those behind it what a launch without a longest lane takes */
	/* what it is worth at the worst and the best share of lanes that is taken for possible */
	double least, most;
	bool measured;          /* by a profile */
	bool retreats;          /* it is counted with that warps go on in the loop as it was */
} Gain;

static inline double gain_ratio(const Gain *g) { return g->after > 0 ? g->before / g->after : 0; }

#endif
