/* SPDX-License-Identifier: MIT */
/* Selects the policy of remapping for `auto`, and decides whether it gains (docs/choosing.md).
 *
 * Head-or-Tail is the cheapest policy, but limited to two paths. Partition by ballots is cheaper
 * than Data Group Indexing, which uses less shared memory if there are few paths. Without
 * remapping, nearly every warp at a divergent branch has lanes for each path and executes all of
 * them. After sorting, W warps have at most W + ways - 1 pairs of a warp and a way, where taking
 * no path is a way too. The costs of an exchange are calibrated on bench/ccc_tdr.cu.
 *
 * A loop with an unknown trip count is assumed to be long: the annotation says that the branch
 * costs much, nothing need be promised, and what an exchange costs does not grow with the loop. */
#include "analysis/cost/static_cost.h"
#include "transform/plan/describe_pragma.h"
#include "transform/remap/remap.h"

/* Issue slots of a warp. */
enum { WORD = 6, HOT = 130, PARTITION = 150, PARTITION_PATH = 38, DGI = 100, DGI_PATH = 105 };
enum { USUAL_THREADS = 256 };
enum { LONG = 4 }; /* times COST_LOOP_WEIGHT iterations */

/* Makes this the plan's policy. Returns whether the tasks of the largest block fit into shared
 * memory. */
static bool
policy_fits(Plan *x, const Shared_budget *budget, Annot_policy policy)
{
	x->policy = x->regions[0].policy = policy;
	return remap_shared_bytes(x, budget) <= budget->shared;
}

double
remap_sort_cost(const Plan *x, uint32_t npaths)
{
	if (x->policy == POLICY_HOT || (x->remap->selects_policy && npaths <= 2))
		return HOT;
	return x->policy == POLICY_DGI ? DGI + DGI_PATH * npaths :
					 PARTITION + PARTITION_PATH * npaths;
}

static double
exchange_cost(const Plan *x)
{
	uint32_t words = x->remap->nresults;

	for (uint32_t i = 0; i < x->regions[0].task.nslots; i++)
		words += (x->regions[0].task.slots[i].size + 3u) / 4;
	return WORD * words + remap_sort_cost(x, x->remap->npaths);
}

/* Returns the blocks of a path: of its statement, or without one all up to the join. */
static Bits
path_blocks(const Plan *x, const Remap_path *p)
{
	return p->statement ? p->statement->blocks : remap_path_blocks(x, p, 1);
}

/* Whether the block is in a loop of the path whose trip count is unknown. */
static bool
block_is_repeated(const Plan *x, uint32_t b)
{
	const Loops *l = x->fn->loops;
	uint32_t around = l->loop_of[x->remap->head];

	for (uint32_t i = l->loop_of[b]; i && i != around; i = l->loops[i].parent)
		if (!l->loops[i].trips)
			return true;
	return false;
}

double
remap_cost_of_blocks(const Plan *x, Bits blocks, uint32_t entry)
{
	double all = run_cost_of_blocks(x->fn, blocks, entry).issue;
	Bits once = bits_new(x->scratch, x->fn->cfg->nblocks);

	BITS_EACH(b, blocks)
		if (!block_is_repeated(x, b))
			bits_set(once, b);
	return all + (LONG - 1) * (all - run_cost_of_blocks(x->fn, once, entry).issue);
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
		*before += remap_cost_of_blocks(x, path_blocks(x, &r->paths[i]), r->paths[i].entry);
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
		x->arena, DIAG_NOWHERE, "to exchange work anyway, write %s",
		describe_pragma(x, x->site, annot_policies[x->policy].name));
}
