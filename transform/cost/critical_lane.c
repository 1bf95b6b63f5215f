/* SPDX-License-Identifier: MIT */
/* What an iteration takes, where a launch is as long as its longest lane: the fourth of the things
 * that decide, beside slots, memory and waiting, which all warps share. See cost_model.h.
 *
 * A lane that has more to do than all others ends when nobody is left beside it. Its warp issues
 * a dependent instruction every fourth cycle (CUDA C++ Programming Guide, multiprocessor level:
 * 16 warps hide it), and waits for each load as long as it takes. How much that is a profile knows,
 * as the longest of each launch; and how many iterations there are in a launch, among which it is
 * divided: those of as many warps as there were, or as have room, since a launch that was counted
 * is often a small one of its kind.
 *
 * Policies that move iterations of an inner loop lay the longest row over the lanes of its warp.
 * Under all others each lane goes through its own ones, one after the other, with what the policy
 * adds.
 */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

static bool
is_laid(const Gain_cut *k, Annot_policy policy)
{
	return k->taken && k->inner &&
		(policy == POLICY_EXPAND || (k->in_task && policy != POLICY_AUTO));
}

/* Slots that a policy adds to an iteration of a cut that it takes. */
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

/* Iterations whose loads are under way together: of an inner loop that is left as it is. */
static double
unrolled(const Gain_cut *k, Annot_policy policy)
{
	return k->inner && (policy == POLICY_AUTO || !k->taken) ? COST_UNROLLED : 1;
}

/* Cycles of the longest run of a cut in a launch. */
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
