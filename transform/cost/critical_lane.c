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
is_laid(const Gain_cut *k, Annot_policy policy)
{
	return k->taken && k->inner &&
		(policy == POLICY_EXPAND || (k->in_task && policy != POLICY_AUTO));
}

/* Slots that a policy adds to an iteration of a region that it transforms. */
static double
added(const Case *c, const Gain_cut *k, Annot_policy policy, uint32_t n)
{
	if (policy == POLICY_AUTO || !k->taken || !k->inner)
		return 0;
	if (is_laid(k, policy))
		return LAP;
	if (policy == POLICY_STACK || policy == POLICY_QUEUE)
		return gain_vote(policy, n ? n : 1, c->site->lockstep) + gain_task(policy, k);
	return TOGETHER;
}

/* Iterations of an inner loop whose loads overlap, if it is left unchanged. */
static double
unrolled(const Gain_cut *k, Annot_policy policy)
{
	return k->inner && (policy == POLICY_AUTO || !k->taken) ? COST_UNROLLED : 1;
}

/* Cycles of the longest run of a region in a launch. */
static double
longest_run(const Case *c, uint32_t i, Annot_policy policy, uint32_t n)
{
	const Gain_cut *k = &c->site->cuts[i];
	const Effort *w = &k->longest;
	double waits = at_least(w->waits / unrolled(k, policy), w->chained),
	       runs = is_laid(k, policy) ? k->last / WARP_LANES : k->last;

	return runs * (COST_ALONE * (w->issue + added(c, k, policy, n)) +
			      (double)WAIT * COST_ROOM / COST_SCHEDULERS * waits);
}

double
wanted_last(const Case *c, Annot_policy policy, uint32_t n)
{
	double most = 0, warps = at_least(c->site->warps, COST_ROOM);

	if (c->site->warps <= 0 || c->iterations <= 0)
		return 0;
	for (uint32_t i = 0; i < c->site->ncuts; i++)
		most = at_least(longest_run(c, i, policy, n), most);
	return most / (warps / COST_SCHEDULERS * c->iterations);
}
