/* SPDX-License-Identifier: MIT */
/* Time of an iteration if the critical lane bounds the launch: the fourth component, besides issue
 * slots, memory and latency, which all warps share. See cost_model.h.
 *
 * The lane with the most work finishes alone. Its warp issues a dependent instruction every fourth
 * cycle (CUDA C++ Programming Guide, multiprocessor level: 16 warps hide it), and is exposed to the
 * full latency of each load. A profile records the critical lane of each launch, and the number of
 * iterations of a launch, among which its time is divided. The number of warps is the counted one,
 * but at least as many as the GPU holds, since counted launches are often small.
 *
 * Policies that move iterations of an inner loop spread the longest row over the lanes of its warp.
 * Under all others each lane runs its own iterations in order, with the policy's overhead. */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

static bool
region_is_expanded(const Cost_region *k, Annot_policy policy)
{
	return k->in_policy && k->inner &&
		(policy == POLICY_EXPAND || (k->nested && policy != POLICY_AUTO));
}

/* Slots that a policy adds to an iteration of a region that it transforms. */
static double
added_slots(const Cost_query *c, const Cost_region *k, Annot_policy policy, uint32_t n)
{
	if (policy == POLICY_AUTO || !k->in_policy || !k->inner)
		return 0;
	if (region_is_expanded(k, policy))
		return WINDOW_OVERHEAD;
	if (policy == POLICY_STACK || policy == POLICY_QUEUE)
		return vote_overhead(policy, n ? n : 1, c->site->lockstep) +
			task_overhead(policy, k);
	return RECONVERGENCE_SLOTS;
}

/* Iterations of an inner loop whose loads overlap, if it is left unchanged. */
static double
overlapped_iterations(const Cost_region *k, Annot_policy policy)
{
	return k->inner && (policy == POLICY_AUTO || !k->in_policy) ? COST_UNROLLED : 1;
}

/* Cycles of the longest run of a region in a launch. */
static double
longest_run(const Cost_query *c, uint32_t i, Annot_policy policy, uint32_t n)
{
	const Cost_region *k = &c->site->regions[i];
	const Run_cost *w = &k->longest;
	double waits = max_double(
		       w->dependent_loads / overlapped_iterations(k, policy), w->chained),
	       runs = region_is_expanded(k, policy) ? k->last / WARP_LANES : k->last;

	return runs * (COST_ALONE * (w->issue + added_slots(c, k, policy, n)) +
			      (double)LOAD_LATENCY_SLOTS * COST_ROOM / COST_SCHEDULERS * waits);
}

double
model_critical_lane(const Cost_query *c, Annot_policy policy, uint32_t n)
{
	double most = 0, warps = max_double(c->site->launch.warps, COST_ROOM);

	if (c->site->launch.warps <= 0 || c->iterations <= 0)
		return 0;
	for (uint32_t i = 0; i < c->site->nregions; i++)
		most = max_double(longest_run(c, i, policy, n), most);
	return most / (warps / COST_SCHEDULERS * c->iterations);
}
