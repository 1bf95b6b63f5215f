/* SPDX-License-Identifier: MIT */
/* Expansion of inner loops inside collected paths (docs/design.md 6.10).
 *
 * The path's tasks are collected as usual. When they execute, all lanes of M reach the meeting
 * point before the inner loop, including lanes without a task or without a row. So the rows of
 * 32 tasks are distributed over the lanes in one round, whereas few lanes would have a row
 * otherwise.
 *
 * docs/proofs/expand.md applies to these rows; the lane that executes the task is the row's
 * owner (docs/proofs/collect.md, C22). */
#include "transform/expand/expand.h"
#include "transform/legality/legality.h"
#include "transform/plan/plan.h"

/* Computes the blocks of the path that are reachable from b without the inner loop. */
static void
flood_path(const Plan *x, const Task_region *path, uint32_t b, Bits found)
{
	if (bits_has(path->blocks, b))
		cfg_flood(x->fn->cfg, b, false, path->blocks, found);
}

/* Whether another region is cut out of the path. */
static bool
has_nested_region(const Plan *x, uint32_t number)
{
	for (uint32_t i = 0; i < x->nregions + x->nexpansions; i++)
		if (x->regions[i].outer == number)
			return true;
	return false;
}

/* Checks that an execution of the path reaches the inner loop once, and continues after it. */
static Verdict
loop_executes_once(const Plan *x, const Task_region *path, const Task_region *k)
{
	const Fn *fn = x->fn;

	if (fn->loops->loops[k->path->loop].parent != x->site->loop)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"it is in another loop inside the path");
	if (path->by_iteration || path->tail_end)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"a task of the path around it is %s",
			path->by_iteration ? "an iteration of an inner loop" :
				      "the rest of the iteration too");
	if (has_nested_region(x, k->outer))
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"the path around it has another part that is collected or expanded");
	if (path->path->entry == k->path->entry)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE, "the path begins with it");
	return VERDICT_YES;
}

static Verdict
make_expansion(Plan *x, Task_region *k, const Region *inner)
{
	const Annot *a = &x->fn->m->markers[inner->marker].annot;
	Task_region *path = &x->regions[k->outer - 1];
	Bits blocks = bits_new(x->arena, x->fn->cfg->nblocks);
	Verdict v;

	if (verdict_is_no(v = loop_executes_once(x, path, k)) ||
		verdict_is_no(v = task_region_check_legal(x, k)) ||
		verdict_is_no(v = plan_lane_loop(x, k, a->number[CLAUSE_POLICY] != 0)))
		return v;
	bits_copy(blocks, path->blocks);
	bits_and_not(blocks, k->blocks);
	path->blocks = blocks;
	Lane_loop *r = arena_zalloc(x->arena, sizeof *r);
	*r = *k->lane_loop;
	r->blocks_before = bits_new(x->arena, x->fn->cfg->nblocks);
	r->blocks_after = bits_new(x->arena, x->fn->cfg->nblocks);
	flood_path(x, path, path->path->entry, r->blocks_before);
	if (r->trips->top)
		flood_path(x, path, k->path->next, r->blocks_before);
	flood_path(x, path, k->path->next, r->blocks_after);
	k->lane_loop = r;
	return VERDICT_YES;
}

static void
hint_not_expanded(Plan *x, const Region *inner, Verdict v)
{
	v.text = verdict(x->arena, v.kind, v.pos, "loop left unchanged: %s", v.text).text;
	v.at = x->fn->m->markers[inner->marker].cuda;
	*vec_push(&x->hints) = v;
}

void
plan_nested_expansions(Plan *x)
{
	for (uint32_t i = 0; i < x->site->ninner_loops; i++) {
		const Region *inner = x->site->inner_loops[i], *path = plan_path_around(x, inner);
		Task_region *k = &x->regions[x->nregions + x->nexpansions];
		if (!plan_expands_in_path(x, inner))
			continue;
		*k = (Task_region){ .path = inner_loop_region(x, inner), .policy = POLICY_EXPAND };
		k->blocks = k->task_blocks = k->path->blocks;
		for (uint32_t p = 0; p < x->nregions; p++)
			if (x->regions[p].path == path)
				k->outer = p + 1;
		if (!k->outer) /* reported for the path */
			continue;
		Verdict v = make_expansion(x, k, inner);
		if (verdict_is_no(v))
			hint_not_expanded(x, inner, v);
		else
			x->nexpansions++;
	}
}
