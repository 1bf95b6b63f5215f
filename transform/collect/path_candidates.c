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
threshold(const Plan *x, const Annot *path)
{
	const Annot *loop = &plan_marker(x)->annot,
		    *a = annot_has(path, CLAUSE_THRESHOLD) ? path : loop;
	uint32_t n = annot_has(a, CLAUSE_THRESHOLD) ? a->number[CLAUSE_THRESHOLD] : WARP;

	return n < WARP ? n : 0;
}

static Verdict
candidate(const Plan *x, Part *k, const Region *path)
{
	const Marker *m = &x->fn->m->markers[path->marker];
	uint32_t pos = fn_stmt(x->fn, m->stmt)->at.pos;

	*k = (Part){ .path = path,
		.blocks = path->blocks,
		.span = path->blocks,
		.policy = slots[x->otherwise] ? x->otherwise : POLICY_STACK,
		.turns = x->otherwise_n };
	if (plan_asked(&m->annot) != POLICY_AUTO) {
		k->policy = plan_asked(&m->annot);
		k->turns = m->annot.number[CLAUSE_POLICY];
	}
	k->turns = k->policy == POLICY_QUEUE && k->turns ? k->turns : 1;
	k->threshold = threshold(x, &m->annot);
	k->independent = x->independent || annot_has(&m->annot, CLAUSE_INDEPENDENT);
	k->slots = slots[k->policy];
	if (!loop_contains(x->fn->loops, x->site->loop, path->entry))
		return verdict(x->arena, D_PATH, pos,
			"the compiler split the annotated loop into several, and this path is not in the costliest one");
	if (region_empty(x->fn, path) && !region_switch(x->fn, path))
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
entangled(const Region *a, const Region *b)
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
check_entangled(Choice *c, uint32_t i)
{
	for (uint32_t j = 0; j < i && !verdict_no(c->why[i]); j++)
		if (!verdict_no(c->why[j]) && entangled(c->all[j].path, c->all[i].path))
			c->why[i] = verdict(c->x->arena, D_CONTROL,
				fn_stmt(c->x->fn, marker_of(c, i)->stmt)->at.pos,
				"it shares code with the path of line %u",
				marker_of(c, j)->cuda.line);
}

/* Whether iterations of the inner loop are collected as tasks: if it is annotated with `while`,
 * or with `for var` and the site has no annotated paths. */
static bool
by_steps(const Plan *x, const Region *rounds)
{
	return rounds->in_order ||
		(x->fn->m->markers[rounds->marker].annot.kind == ANNOT_FOR_VAR && !x->site->npaths);
}

bool
plan_collectable(const Plan *x)
{
	bool any = x->site->npaths > 0;

	for (uint32_t i = 0; i < x->site->nrounds; i++)
		any |= by_steps(x, x->site->rounds[i]);
	return any;
}

bool
path_is_requested(const Plan *x, const Annot *a)
{
	return plan_asked(a) != POLICY_AUTO || plan_asked(&plan_marker(x)->annot) != POLICY_AUTO ||
		x->opt->policy != POLICY_AUTO;
}

Choice
path_candidates(Plan *x)
{
	Choice c = { .x = x, .n = x->site->npaths };

	for (uint32_t i = 0; i < x->site->nrounds; i++)
		c.n += by_steps(x, x->site->rounds[i]);
	c.all = arena_array(x->arena, c.n, sizeof *c.all);
	c.why = arena_array(x->arena, c.n, sizeof *c.why);
	c.of = arena_array(x->arena, c.n, sizeof *c.of);
	x->parts = arena_array(x->arena, c.n + x->site->nrounds, sizeof *x->parts);
	for (uint32_t i = 0; i < x->site->npaths; i++)
		c.why[i] = candidate(x, &c.all[i], x->site->paths[i]);
	for (uint32_t i = 0, n = x->site->npaths; i < x->site->nrounds; i++)
		if (by_steps(x, x->site->rounds[i])) {
			c.why[n] = candidate(
				x, &c.all[n], plan_rounds_whole(x, x->site->rounds[i]));
			/* lanes without a task would have to come back to the vote, too */
			c.all[n].threshold = 0;
			c.all[n++].steps = true;
		}
	for (uint32_t i = 0; i < c.n; i++)
		check_entangled(&c, i);
	return c;
}
