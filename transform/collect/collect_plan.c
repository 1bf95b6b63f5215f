/* SPDX-License-Identifier: MIT */
/* Task collection: a lane that takes the branch to a path saves the values that the path reads, and
 * continues; when enough lanes have done so, all lanes of the warp execute the path (Khorasani,
 * Gupta, Bhuyan: Efficient Warp Execution in Presence of Divergence with Collaborative Context
 * Collection, MICRO-48 2015, sections 2, 3.1, 3.3 and 3.4; docs/design.md 6).
 *
 * needs:    cfg dom loop live defuse uniform effects local region
 * refuses: what path_selection.c, legal.c, motion_legality.c, alias_warnings.c,
 * forward_progress.c, task_inputs.c, liveout.c and
 *           shared_layout.c refuse, and targets without independent thread scheduling
 * correct:  docs/proofs/collect.md, invariants C1 to C26; lines of collect.tpl cite them
 * cost:     an iteration: about 14 instructions and the loads or stores of the context; registers:
 *           7 and the context twice; the text has the loop three times, twice where it is long
 * before / after: docs/transformation.md
 */
#include "analysis/cost/static_cost.h"
#include "transform/collect/collect.h"
#include "transform/expand/expand.h"
#include "transform/legality/legality.h"
#include "transform/task/shared_layout.h"

/* Is there room for the tasks beside what launches take? */
static Verdict
fits(const Plan *x, const Room *room)
{
	if (!x->frame.warp_bytes || x->says_threads || !room->dynamic)
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_SHARED, DIAG_NOWHERE,
			"the kernel has dynamic shared memory too, and how much a launch asks for is not known"),
		x->arena, DIAG_NOWHERE,
		"say 'threads(N)' if there is room for %u bytes for each 32 threads beside it, or give its size: --dynamic-shared=BYTES "
		"(cccnvcc: --ccc-dynamic-shared)",
		x->frame.warp_bytes);
}

static Cost
cost(const Plan *x)
{
	enum { ROUND = 14 };
	Cost c = { .own = cost_blocks(x->fn, x->own, x->site->entry) };

	for (uint32_t i = 0; i < x->nparts; i++) {
		const Part *k = &x->parts[i];
		if (!k->outer)
			c.path += k->join ? cost_blocks(x->fn, k->span, k->path->entry) :
					    k->path->cost;
		c.collecting += ROUND + 2 * (uint64_t)k->task.nslots + k->task.ncomputed +
			k->task.nkept;
	}
	return c;
}

Verdict
ccc_plan(Plan *x, const Room *room)
{
	Verdict v;

	if (verdict_no(v = plan_target(x))) {
		x->parts = arena_zalloc(x->arena, sizeof *x->parts);
		x->parts[x->nparts++].path =
			x->site->npaths ? x->site->paths[0] : plan_rounds(x, x->site->rounds[0]);
		return v;
	}
	if (verdict_no(v = plan_parts(x, room->shared)))
		return v;
	plan_lockstep(x);
	plan_copies(x);
	plan_turns(x);
	plan_group(x);
	if (verdict_no(v = frame_make(x, room->shared)) || verdict_no(v = fits(x, room)))
		return v;
	plan_hints(x);
	plan_retreat(x);
	x->cost = cost(x);
	return VERDICT_YES;
}
