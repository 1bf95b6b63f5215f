/* SPDX-License-Identifier: MIT */
/* The time of atomic operations on one line of memory. */
#include "transform/cost/cost_model.h"

/* Lanes that execute a path's atomic operations together. If a loop of the path keeps lanes for
 * different times, lanes of different iterations are assumed to reach what follows it apart.
 * Selected iterations of look-ahead are not run by full warps. */
static double
atomic_lanes(const Cost_query *c, uint32_t i, Annot_policy policy, uint32_t n)
{
	const Cost_region *k = &c->site->regions[i];
	bool in_step = policy == POLICY_AUTO || policy == POLICY_CONVERGE;
	bool collects = policy == POLICY_STACK || policy == POLICY_QUEUE || policy == POLICY_EXPAND;

	if (!k->combined || (!in_step && !collects && k->divergence > 0))
		return 1;
	if (policy == POLICY_AHEAD && k->in_policy)
		return max_double(lanes_selected(c, i, n ? n : WARP_LANES), 1);
	if (!in_step && k->in_policy && !k->inner)
		return WARP_LANES;
	return max_double(lanes_together(&c->shares[i]), 1);
}

/* Atomic operations of the common code in a warp's iteration. Combined ones are one for each group
 * of lanes that runs it together, if any lane of the group has one. */
static double
common_atomics(const Cost_query *c, Annot_policy policy, uint32_t n)
{
	double all = c->site->same_line;
	double groups = policy == POLICY_FLATTEN ? flattened_common_runs(c, n ? n : 1) : 1;

	if (!c->site->combined)
		return all;
	groups = groups < WARP_LANES ? max_double(groups, 1) : WARP_LANES;
	return groups * (1 - model_power(1 - all / WARP_LANES, (uint32_t)(WARP_LANES / groups)));
}

/* L2 executes atomic operations on one line serially. The time is in cycles in which all schedulers
 * could issue. Regions have different lines, so only the one with most operations counts. A policy
 * changes nothing, unless one lane does the operations of all active lanes together. */
double
model_same_line(const Cost_query *c, Annot_policy policy, uint32_t n)
{
	double most = common_atomics(c, policy, n);

	for (uint32_t i = 0; i < c->site->nregions; i++)
		most = max_double(
			most, c->site->regions[i].same_line / atomic_lanes(c, i, policy, n));
	return COST_SAME_LINE * COST_SCHEDULERS * most;
}
