/* SPDX-License-Identifier: MIT */
/* Collects the candidates of path selection: every annotated path of the loop, and the inner loops
 * that are collected by iteration. A candidate that overlaps a costlier one, that the compiler has
 * moved out of the loop, or whose policy does not collect, is refused at once.
 */
#include "transform/collect/collect.h"
#include "transform/collect/path_selection.h"
#include "transform/expand/expand.h"

/* Slots of the collecting policies. Each policy has a section in collect.tpl. */
static const uint32_t slots[POLICY_COUNT] = {
	[POLICY_STACK] = WARP,          /* all lanes of M but one may have a queued task */
	/* fewer tasks than lanes in M before the push, and one more of each lane; for batches
	 * see batch.c */
	[POLICY_QUEUE] = 2 * WARP,
};

/* Returns the path's threshold, or else the loop's; 0: all lanes. */
static uint32_t
path_threshold(const Plan *x, const Annot *path)
{
	const Annot *loop = &plan_marker(x)->annot,
		    *a = annot_has(path, CLAUSE_THRESHOLD) ? path : loop;
	uint32_t n = annot_has(a, CLAUSE_THRESHOLD) ? a->number[CLAUSE_THRESHOLD] : WARP;

	return n < WARP ? n : 0;
}

static Verdict
init_candidate(const Plan *x, Task_region *k, const Region *path)
{
	const Marker *m = &x->fn->m->markers[path->marker];
	uint32_t pos = fn_stmt(x->fn, m->stmt)->at.pos;
	Annot_policy policy = x->selection.default_policy;

	*k = (Task_region){ .path = path,
		.blocks = path->blocks,
		.task_blocks = path->blocks,
		.policy = slots[policy] ? policy : POLICY_STACK,
		.batch = x->selection.default_n };
	if (policy_requested_by(&m->annot) != POLICY_AUTO) {
		k->policy = policy_requested_by(&m->annot);
		k->batch = m->annot.number[CLAUSE_POLICY];
	}
	k->batch = k->policy == POLICY_QUEUE && k->batch ? k->batch : 1;
	k->threshold = path_threshold(x, &m->annot);
	k->independent = x->clauses.independent || annot_has(&m->annot, CLAUSE_INDEPENDENT);
	k->slots = slots[k->policy];
	if (!loop_contains(x->fn->loops, x->site->loop, path->entry))
		return verdict(x->arena, D_PATH, pos,
			"the compiler split the annotated loop into several, and this path is not in the costliest one");
	if (region_is_empty(x->fn, path) && !region_switch_of_case(x->fn, path))
		return verdict(x->arena, D_PATH, pos, "the compiler removed it");
	if (!k->slots)
		return verdict(x->arena, D_POLICY, pos,
			"policy '%s' cannot be combined with '%s', which the loop's costliest path has",
			annot_policies[k->policy].name, annot_policies[x->policy].name);
	return VERDICT_YES;
}

/* Whether two paths share blocks, although neither contains the other. The compiler may have
 * merged code of both. */
static bool
paths_overlap(const Region *a, const Region *b)
{
	if (a->entry == b->entry)
		return true;
	if (bits_has(a->blocks, b->entry))
		return !bits_within(b->blocks, a->blocks);
	if (bits_has(b->blocks, a->entry))
		return !bits_within(a->blocks, b->blocks);
	return bits_meet(a->blocks, b->blocks);
}

static void
check_overlap(Region_selection *c, uint32_t i)
{
	for (uint32_t j = 0; j < i && !verdict_is_no(c->why[i]); j++)
		if (!verdict_is_no(c->why[j]) && paths_overlap(c->all[j].path, c->all[i].path))
			c->why[i] = verdict(c->x->arena, D_CONTROL,
				fn_stmt(c->x->fn, candidate_marker(c, i)->stmt)->at.pos,
				"it shares code with the path of line %u",
				candidate_marker(c, j)->cuda.line);
}

/* Whether iterations of the inner loop are collected as tasks: if it is annotated with `while`,
 * or with `for var` and the site has no annotated paths. */
static bool
is_collected_by_iteration(const Plan *x, const Region *inner)
{
	return inner->in_order ||
		(x->fn->m->markers[inner->marker].annot.kind == ANNOT_FOR_VAR && !x->site->npaths);
}

bool
plan_has_collectable_region(const Plan *x)
{
	bool any = x->site->npaths > 0;

	for (uint32_t i = 0; i < x->site->ninner_loops; i++)
		any |= is_collected_by_iteration(x, x->site->inner_loops[i]);
	return any;
}

bool
path_is_requested(const Plan *x, const Annot *a)
{
	return policy_requested_by(a) != POLICY_AUTO ||
		policy_requested_by(&plan_marker(x)->annot) != POLICY_AUTO ||
		x->opt->policy != POLICY_AUTO;
}

Region_selection
collect_path_candidates(Plan *x)
{
	Region_selection c = { .x = x, .n = x->site->npaths };

	for (uint32_t i = 0; i < x->site->ninner_loops; i++)
		c.n += is_collected_by_iteration(x, x->site->inner_loops[i]);
	c.all = arena_array(x->arena, c.n, sizeof *c.all);
	c.why = arena_array(x->arena, c.n, sizeof *c.why);
	c.of = arena_array(x->arena, c.n, sizeof *c.of);
	x->regions = arena_array(x->arena, c.n + x->site->ninner_loops, sizeof *x->regions);
	for (uint32_t i = 0; i < x->site->npaths; i++)
		c.why[i] = init_candidate(x, &c.all[i], x->site->paths[i]);
	for (uint32_t i = 0, n = x->site->npaths; i < x->site->ninner_loops; i++)
		if (is_collected_by_iteration(x, x->site->inner_loops[i])) {
			c.why[n] = init_candidate(
				x, &c.all[n], inner_loop_region_whole(x, x->site->inner_loops[i]));
			/* lanes without a task would have to come back to the vote, too */
			c.all[n].threshold = 0;
			c.all[n++].by_iteration = true;
		}
	Bits seen = bits_new(x->scratch, x->fn->cfg->nblocks);
	for (uint32_t i = 0; i < c.n; i++) {
		if (bits_meet(c.all[i].path->blocks, seen))
			check_overlap(&c, i);
		bits_or(seen, c.all[i].path->blocks);
	}
	return c;
}
