/* SPDX-License-Identifier: MIT */
/* Selects the policy of remapping for `auto`, and decides whether it gains (docs/choosing.md).
 *
 * Head-or-Tail is the cheapest policy, but limited to two paths. Partition by ballots is cheaper
 * than Data Group Indexing, which uses less shared memory if there are few paths. Without
 * remapping, nearly every warp at a divergent branch has lanes for each path and executes all of
 * them. After sorting, W warps have at most W + ways - 1 pairs of a warp and a way, where taking
 * no path is a way too. The costs of an exchange are calibrated on bench/ccc_tdr.cu. */
#include "analysis/cost/static_cost.h"
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"

/* Issue slots of a warp. */
enum { WORD = 6, HOT = 130, PARTITION = 150, DGI = 100, DGI_PATH = 105 };
enum { USUAL_THREADS = 256 };

/* Makes this the plan's policy. Returns whether the tasks of the largest block fit into shared
 * memory. */
static bool
policy_fits(Plan *x, const Shared_budget *budget, Annot_policy policy)
{
	x->policy = x->regions[0].policy = policy;
	return remap_shared_bytes(x, budget) <= budget->shared;
}

static double
exchange_cost(const Plan *x)
{
	uint32_t words = x->remap->nresults, n = x->remap->npaths;

	for (uint32_t i = 0; i < x->regions[0].task.nslots; i++)
		words += (x->regions[0].task.slots[i].size + 3u) / 4;
	return WORD * words +
		(x->policy == POLICY_HOT         ? HOT :
			x->policy == POLICY_DGI ? DGI + DGI_PATH * n :
						  PARTITION + REMAP_COST_OF_PATH * n);
}

/* Returns the issue slots of a path: of its statement, or without one of all of it. */
static double
path_cost(const Plan *x, uint32_t path)
{
	const Remap_path *p = &x->remap->paths[path];
	Bits within = bits_new(x->scratch, x->fn->cfg->nblocks),
	     blocks = bits_new(x->scratch, x->fn->cfg->nblocks);

	if (p->statement)
		return run_cost_of_blocks(x->fn, p->statement->blocks, p->entry).issue;
	FN_BLOCKS(x->fn, b)
		if (b != x->remap->join)
			bits_set(within, b);
	cfg_flood(x->fn->cfg, p->entry, false, within, blocks);
	return run_cost_of_blocks(x->fn, blocks, p->entry).issue;
}

/* Predicts the issue slots of a warp for the paths, without and with an exchange. */
static void
estimate_cost(const Plan *x, double *before, double *after)
{
	const Remap *r = x->remap;
	const Frame *f = &x->tasks.frame;
	uint32_t threads = f->threads < USUAL_THREADS ? f->threads : USUAL_THREADS;
	double warps = (threads + WARP - 1) / WARP;
	uint32_t groups = r->npaths + (r->bypass.n > 0);

	*before = 0;
	for (uint32_t i = 0; i < r->npaths; i++)
		*before += path_cost(x, i);
	*after = exchange_cost(x) + *before / groups * (warps + groups - 1) / warps;
}

Verdict
remap_select_policy(Plan *x, const Shared_budget *budget)
{
	double before, after;

	if (x->remap->npaths <= 2)
		policy_fits(x, budget, POLICY_HOT);
	else if (!policy_fits(x, budget, POLICY_PARTITION) && !policy_fits(x, budget, POLICY_DGI))
		policy_fits(x, budget, POLICY_PARTITION);
	estimate_cost(x, &before, &after);
	if (after < before || x->opt->auto_mode == AUTO_ALWAYS)
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_NO_GAIN, DIAG_NOWHERE,
			"no gain is expected: policy '%s' would take %.0f issue slots of a warp instead of %.0f",
			annot_policies[x->policy].name, after, before),
		x->arena, DIAG_NOWHERE, "'policy(%s)' exchanges work anyway",
		annot_policies[x->policy].name);
}
