/* SPDX-License-Identifier: MIT */
/* Task collection: a lane that takes the branch to a path saves the values that the path reads,
 * and continues; when enough lanes have done so, all lanes of the warp execute the path
 * (Khorasani, Gupta, Bhuyan: Efficient Warp Execution in Presence of Divergence with
 * Collaborative Context Collection, MICRO-48 2015, sections 2, 3.1, 3.3 and 3.4;
 * docs/design.md 6).
 *
 *   needs:    cfg dom loop live defuse uniform effects local region
 *   refuses:  what path_selection.c, legal.c, motion_legality.c, alias_warnings.c,
 *             forward_progress.c, task_inputs.c, liveout.c and shared_layout.c refuse, and
 *             targets without independent thread scheduling
 *   correct:  docs/proofs/collect.md, invariants C1 to C26; lines of collect.tpl cite them
 *   cost:     about 14 instructions per iteration, and the loads or stores of the context;
 *             7 registers and twice the context; the text has three copies of the loop, or
 *             two if it is long
 *   before / after: docs/transformation.md */
#include "analysis/cost/static_cost.h"
#include "transform/collect/collect.h"
#include "transform/expand/expand.h"
#include "transform/legality/legality.h"
#include "transform/task/shared_layout.h"

/* Refuses a kernel that also uses dynamic shared memory of unknown size, unless the block size
 * is given. */
static Verdict
check_memory_fits(const Plan *x, const Shared_budget *budget)
{
	if (!x->tasks.frame.warp_bytes || x->clauses.max_threads || !budget->dynamic)
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_SHARED, DIAG_NOWHERE,
			"the kernel has dynamic shared memory too, and how much a launch asks for is not known"),
		x->arena, DIAG_NOWHERE,
		"say 'threads(N)' if there is room for %u bytes for each 32 threads beside it, or give its size: --dynamic-shared=BYTES "
		"(cccnvcc: --ccc-dynamic-shared)",
		x->tasks.frame.warp_bytes);
}

static Cost
set_cost(const Plan *x)
{
	enum { ROUND = 14 };
	Cost c = { .common = cost_blocks(x->fn, x->common.blocks, x->site->entry) };

	for (uint32_t i = 0; i < x->nregions; i++) {
		const Task_region *k = &x->regions[i];
		if (!k->outer)
			c.path += k->tail_end ? cost_blocks(x->fn, k->task_blocks, k->path->entry) :
					    k->path->cost;
		c.collecting += ROUND + 2 * (uint64_t)k->task.nslots + k->task.nderived +
			k->task.ninvariants;
	}
	return c;
}

Verdict
collect_plan(Plan *x, const Shared_budget *budget)
{
	Verdict v;

	if (verdict_is_no(v = plan_check_target(x))) {
		x->regions = arena_zalloc(x->arena, sizeof *x->regions);
		x->regions[x->nregions++].path = x->site->npaths ?
			x->site->paths[0] :
			inner_loop_region(x, x->site->inner_loops[0]);
		return v;
	}
	if (verdict_is_no(v = plan_select_regions(x, budget->shared)))
		return v;
	x->collect = arena_zalloc(x->arena, sizeof *x->collect);
	plan_lockstep(x);
	plan_loop_copies(x);
	plan_batch(x);
	plan_shared_vote(x);
	if (verdict_is_no(v = frame_layout(x, budget->shared)) ||
		verdict_is_no(v = check_memory_fits(x, budget)))
		return v;
	plan_warn_hazards(x);
	plan_warn_promise(x);
	plan_fallback(x);
	x->cost = set_cost(x);
	return VERDICT_YES;
}
