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
flood(const Plan *x, const Part *path, uint32_t b, Bits found)
{
	if (bits_has(path->blocks, b))
		cfg_flood(x->fn->cfg, b, false, path->blocks, found);
}

/* Whether another part is cut out of the path. */
static bool
has_inner(const Plan *x, uint32_t part)
{
	for (uint32_t i = 0; i < x->nparts + x->nrows; i++)
		if (x->parts[i].outer == part)
			return true;
	return false;
}

/* Checks that an execution of the path reaches the inner loop once, and continues after it. */
static Verdict
once(const Plan *x, const Part *path, const Part *k)
{
	const Fn *fn = x->fn;

	if (fn->loops->loops[k->path->loop].parent != x->site->loop)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"it is in another loop inside the path");
	if (path->steps || path->join)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"a task of the path around it is %s",
			path->steps ? "an iteration of an inner loop" :
				      "the rest of the iteration too");
	if (has_inner(x, k->outer))
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE,
			"the path around it has another part that is collected or expanded");
	if (path->path->entry == k->path->entry)
		return verdict(x->arena, D_LOOP, DIAG_NOWHERE, "the path begins with it");
	return VERDICT_YES;
}

static Verdict
make_rows(Plan *x, Part *k, const Region *rounds)
{
	const Annot *a = &x->fn->m->markers[rounds->marker].annot;
	Part *path = &x->parts[k->outer - 1];
	Bits blocks = bits_new(x->arena, x->fn->cfg->nblocks);
	Verdict v;

	if (verdict_no(v = once(x, path, k)) || verdict_no(v = part_legal(x, k)) ||
		verdict_no(v = plan_expand(x, k, a->number[CLAUSE_POLICY] != 0)))
		return v;
	bits_copy(blocks, path->blocks);
	bits_and_not(blocks, k->blocks);
	path->blocks = blocks;
	Rounds *r = arena_zalloc(x->arena, sizeof *r);
	*r = *k->rounds;
	r->front = bits_new(x->arena, x->fn->cfg->nblocks);
	r->back = bits_new(x->arena, x->fn->cfg->nblocks);
	flood(x, path, path->path->entry, r->front);
	if (r->trips->top)
		flood(x, path, k->path->next, r->front);
	flood(x, path, k->path->next, r->back);
	k->rounds = r;
	return VERDICT_YES;
}

static void
left_as_it_was(Plan *x, const Region *rounds, Verdict v)
{
	v.text = verdict(x->arena, v.kind, v.pos, "loop left unchanged: %s", v.text).text;
	v.at = x->fn->m->markers[rounds->marker].cuda;
	*vec_push(&x->hints) = v;
}

void
plan_rows_in_paths(Plan *x)
{
	for (uint32_t i = 0; i < x->site->nrounds; i++) {
		const Region *rounds = x->site->rounds[i], *path = plan_path_around(x, rounds);
		Part *k = &x->parts[x->nparts + x->nrows];
		if (!plan_asks_in_path(x, rounds))
			continue;
		*k = (Part){ .path = plan_rounds(x, rounds), .policy = POLICY_EXPAND };
		k->blocks = k->span = k->path->blocks;
		for (uint32_t p = 0; p < x->nparts; p++)
			if (x->parts[p].path == path)
				k->outer = p + 1;
		if (!k->outer) /* reported for the path */
			continue;
		Verdict v = make_rows(x, k, rounds);
		if (verdict_no(v))
			left_as_it_was(x, rounds, v);
		else
			x->nrows++;
	}
}
