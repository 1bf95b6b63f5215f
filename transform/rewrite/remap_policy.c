/* SPDX-License-Identifier: MIT */
/* What `auto` takes to exchange work in front of a branch, and whether it pays (docs/choosing.md).
 *
 * Head-or-Tail costs least, and is for two paths. Partition by ballots costs less than Data Group
 * Indexing, which takes less shared memory where there are few paths. As it is, a warp runs each
 * path: in a divergent branch nearly every warp has lanes for each. Sorted, W warps have no more
 * than W + ways - 1 pairs of a warp and a way, none of the paths being one. What an exchange costs
 * was fitted to bench/ccc_tdr.cu.
 */
#include "analysis/cost/static_cost.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/remap.h"

/* Issue slots of a warp. */
enum { WORD = 6, HOT = 130, PARTITION = 150, PARTITION_PATH = 38, DGI = 100, DGI_PATH = 105 };
enum { USUAL_THREADS = 256 };

/* Do the tasks of the largest block find room by this policy, which the plan gets? */
static bool
fits(Plan *x, const Room *room, Annot_policy policy)
{
	x->policy = x->parts[0].policy = policy;
	return remap_bytes(x, room) <= room->shared;
}

static double
exchange(const Plan *x)
{
	uint32_t words = x->remap->nresults, n = x->remap->npaths;

	for (uint32_t i = 0; i < x->parts[0].task.nslots; i++)
		words += (x->parts[0].task.slots[i].size + 3u) / 4;
	return WORD * words +
		(x->policy == POLICY_HOT         ? HOT :
			x->policy == POLICY_DGI ? DGI + DGI_PATH * n :
						  PARTITION + PARTITION_PATH * n);
}

/* Issue slots of a warp for the paths: as they are, and with an exchange in front. */
static void
expect(const Plan *x, double *before, double *after)
{
	const Remap *r = x->remap;
	uint32_t threads = x->frame.threads < USUAL_THREADS ? x->frame.threads : USUAL_THREADS;
	double warps = (threads + WARP - 1) / WARP;
	uint32_t ways = r->npaths + (r->nbypass > 0);

	*before = 0;
	for (uint32_t i = 0; i < r->npaths; i++)
		*before += effort_blocks(x->fn, r->paths[i]->blocks, r->paths[i]->entry).issue;
	*after = exchange(x) + *before / ways * (warps + ways - 1) / warps;
}

Verdict
remap_choose(Plan *x, const Room *room)
{
	double before, after;

	if (x->remap->npaths <= 2)
		fits(x, room, POLICY_HOT);
	else if (!fits(x, room, POLICY_PARTITION) && !fits(x, room, POLICY_DGI))
		fits(x, room, POLICY_PARTITION);
	expect(x, &before, &after);
	if (after < before || x->opt->choose == CHOOSE_ALWAYS)
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_NO_GAIN, DIAG_NOWHERE,
			"no gain is expected: policy '%s' would take %.0f issue slots of a warp instead of %.0f",
			annot_policies[x->policy].name, after, before),
		x->arena, DIAG_NOWHERE, "'policy(%s)' exchanges work anyway",
		annot_policies[x->policy].name);
}
