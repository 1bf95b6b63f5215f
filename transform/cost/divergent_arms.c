/* SPDX-License-Identifier: MIT */
/* Slots that lanes of a warp need in addition to the mean lane's if they run code together: those
 * of the slowest one, and of arms that not all of them execute. See cost_model.h. */
#include "transform/cost/cost_model.h"

/* Returns the probability that any of the lanes executes an arm; linear between whole numbers of
 * lanes. */
static double
any_lane(double share, double lanes)
{
	uint32_t whole = (uint32_t)lanes;

	return 1 - model_power(1 - share, whole) * (1 - (lanes - whole) * share);
}

double
model_extra_slots(const Cost_region *k, double lanes)
{
	double most = k->uneven * expected_maximum_above(lanes);
	double sum = k->most < most ? k->most : most;

	for (uint32_t i = 0; i < k->narms; i++) {
		double share = k->arms[i].share;
		sum += k->arms[i].slots * max_double(any_lane(share, lanes) - share, 0);
	}
	return sum;
}

/* The longest lane is in the loop until its end. The others decrease as (1 - t)^decay in the time t
 * of the loop, such that the mean is the given one. */
static double
extra_slots_while_lanes_leave(const Cost_region *k, double entered, double mean)
{
	enum { STEPS = 64 };
	double others = entered - 1, decay = others / (mean - 1) - 1, sum = 0;

	for (uint32_t left = STEPS; left; left--) {
		sum += model_extra_slots(k, 1 + others);
		others *= decay < left ? 1 - decay / left : 0;
	}
	return sum / STEPS;
}

double
model_iteration(const Cost_query *c, const Cost_region *k, double entered, double mean)
{
	if (c->resource != RESOURCE_ISSUE || !k->narms || mean <= 1 || entered <= mean)
		return model_run(c, k, mean);
	return k->work.issue + extra_slots_while_lanes_leave(k, entered, mean);
}
