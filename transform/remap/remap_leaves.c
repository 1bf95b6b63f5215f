/* SPDX-License-Identifier: MIT */
/* Nested branches as one remapping (Lin and others, section 3.1): the paths are the leaves of the
 * nest. The blocks from an arm's entry to a nested branch join the conditions, which each thread
 * executes before the meeting; the paths then begin where edges leave these blocks. A branch with
 * a `remap` of its own is always taken; another one if it is reached at once, and if what its
 * sides cost exceeds what the arm's beginning costs all warps. */
#include "transform/plan/plan.h"
#include "transform/remap/remap.h"

static Bits
empty_blocks(const Plan *x)
{
	return bits_new(x->scratch, x->fn->cfg->nblocks);
}

static bool
begins_path(const Remap *k, uint32_t b)
{
	return remap_path_at(k, b) < k->npaths;
}

/* ---- moving blocks to the conditions --------------------------------------------------------- */

/* Whether a thread may execute the block before the meeting, whose labels it sees: it waits for no
 * other, and the thread continues. */
static bool
block_is_movable(const Plan *x, uint32_t b)
{
	const Fn *fn = x->fn;
	const Block *blocks = fn->cfg->blocks;

	if (fn_depth(fn, blocks[b].stmt) != fn_depth(fn, blocks[x->remap->head].stmt))
		return false;
	FN_BLOCK_STMTS(fn, b, s)
		if (fn_stmt(fn, s)->kind == STMT_INSN &&
			fn_effects(fn, s) & (EFF_BARRIER | EFF_CROSS | EFF_UNKNOWN | EFF_EXTERN |
						    EFF_INDIRECT | EFF_EXIT))
			return false;
	return true;
}

/* Whether the blocks are movable, and entered only from each other and where paths begin: arms,
 * statements of r, or code without an annotation. */
static bool
blocks_are_movable(const Plan *x, const Region *r, Bits above)
{
	const Remap *k = x->remap;
	Bits task = remap_path_blocks(x, k->paths, k->npaths);

	for (uint32_t i = 0; i < k->npaths; i++)
		if (bits_has(above, k->paths[i].entry) && k->paths[i].statement &&
			k->paths[i].statement != r)
			return false;
	BITS_EACH(b, above) {
		if (!block_is_movable(x, b))
			return false;
		FN_PRED(x->fn, b, p)
			if (x->fn->cfg->rpo_index[p] != UINT32_MAX && !bits_has(above, p) &&
				(bits_has(task, p) || !begins_path(k, b)))
				return false;
	}
	return true;
}

static const Region *
statement_at(const Remap_statements *nested, uint32_t b)
{
	for (uint32_t i = 0; nested && i < nested->n; i++)
		if (nested->at[i]->entry == b)
			return nested->at[i];
	return NULL;
}

/* Adds the blocks that edges from `above` lead to, in reverse post-order. */
static uint32_t
add_leaves(const Plan *x, Bits above, const Remap_statements *nested, Remap_path *to, uint32_t n)
{
	const Cfg *g = x->fn->cfg;

	for (uint32_t i = 0; i < g->nrpo; i++) {
		uint32_t b = g->rpo[i];
		bool leaf = false;
		FN_PRED(x->fn, b, p)
			leaf |= bits_has(above, p);
		if (leaf && b != x->remap->join && !bits_has(above, b) &&
			!begins_path(x->remap, b) && n <= REMAP_MOST_PATHS)
			to[n++] = (Remap_path){ b, b, statement_at(nested, b) };
	}
	return n;
}

/* Moves the blocks, with which paths of r begin, to the conditions. nested: the statements that
 * they lead to; NULL if these are not annotated. Returns false, and changes nothing, if that is
 * impossible. */
static bool
move_to_conditions(Plan *x, const Region *r, Bits above, const Remap_statements *nested)
{
	Remap *k = x->remap;
	Remap_path *paths = arena_array(x->arena, REMAP_MOST_PATHS + 1, sizeof *paths);
	uint32_t n = 0;
	bool added = false;

	if (!blocks_are_movable(x, r, above))
		return false;
	for (uint32_t i = 0; i < k->npaths && n <= REMAP_MOST_PATHS; i++)
		if (!bits_has(above, k->paths[i].entry))
			paths[n++] = k->paths[i];
		else if (!added)
			n = add_leaves(x, above, nested, paths, n), added = true;
	Bits after = remap_path_blocks(x, paths, n);
	if (!added || !n || n > REMAP_MOST_PATHS || bits_has(after, k->head) ||
		bits_meet(after, above))
		return false;
	k->paths = paths;
	k->npaths = n;
	k->nest.found = true;
	return true;
}

/* ---- annotated branches ---------------------------------------------------------------------- */

static bool
is_off(const Plan *x, const Region *r)
{
	return annot_is_off(&x->fn->m->markers[r->marker].annot);
}

static bool
is_ordered_by_key(const Plan *x, const Region *r)
{
	return annot_has_key(&x->fn->m->markers[r->marker].annot);
}

/* Makes paths of the statements of an annotated branch in r. */
static bool
take_annotated(Plan *x, const Region *r, const Remap_statements *nested)
{
	const Remap *k = x->remap;
	Bits within = remap_path_blocks(x, k->paths, k->npaths), above = empty_blocks(x);

	for (uint32_t i = 0; i < nested->n; i++)
		bits_unset(within, nested->at[i]->entry);
	for (uint32_t i = 0; i < nested->n; i++)
		FN_PRED(x->fn, nested->at[i]->entry, p)
			cfg_flood(x->fn->cfg, p, true, within, above);
	return move_to_conditions(x, r, above, nested);
}

static void
add_merged(Remap *k, const Remap_statements *nested)
{
	for (uint32_t i = 0; i < nested->n && k->nest.nmerged < REMAP_MOST_PATHS; i++)
		k->nest.merged[k->nest.nmerged++] = nested->at[i]->marker;
}

/* Takes the annotated branches in r, the outer ones first. */
static void
take_nested(Plan *x, const Region *r)
{
	Remap *k = x->remap;

	for (const Region *c = r->child; c; c = c->sibling) {
		if (c->kind != REGION_REMAPPED || is_off(x, c) || is_ordered_by_key(x, c) ||
			!remap_is_first(x->fn, c))
			continue;
		Remap_statements nested = remap_statements(x->fn, c);
		if (take_annotated(x, r, &nested))
			add_merged(k, &nested);
	}
	for (const Region *c = r->child; c; c = c->sibling)
		take_nested(x, c);
}

/* ---- other branches -------------------------------------------------------------------------- */

/* Whether the branch that ends the block is the nested one that `policy(none)` excludes. */
static bool
branch_is_excluded(const Plan *x, const Region *r, uint32_t block)
{
	for (const Region *c = r->child; c; c = c->sibling) {
		uint32_t h = x->fn->dom->idom[c->entry];
		while (h && x->fn->cfg->blocks[h].nsucc < 2)
			h = x->fn->dom->idom[h];
		if (c->kind == REGION_REMAPPED && is_off(x, c) && h == block)
			return true;
		if (branch_is_excluded(x, c, block))
			return true;
	}
	return false;
}

/* Returns the divergent branch that is reached at once from b, with the blocks up to it; 0 if there
 * is none. */
static uint32_t
next_branch(const Plan *x, uint32_t b, Bits above)
{
	const Cfg *g = x->fn->cfg;
	const uint32_t *loop_of = x->fn->loops->loop_of;

	while (b != x->remap->join && loop_of[b] == loop_of[x->remap->head]) {
		bits_set(above, b);
		if (g->blocks[b].nsucc > 1)
			return bits_has(x->fn->uniform->branch, b) ? b : 0;
		uint32_t next = 0;
		FN_SUCC(x->fn, b, s)
			next = s;
		if (!next)
			return 0;
		b = next;
	}
	return 0;
}

/* Whether the branch only tests whether the loop behind it has any iterations. */
static bool
branch_guards_loop(const Plan *x, uint32_t branch)
{
	const Fn *fn = x->fn;
	bool leads_past = false, leads_to_loop = false;

	FN_SUCC(fn, branch, s) {
		uint32_t b = s;
		leads_past |= b == fn->dom->ipdom[branch];
		while (fn->cfg->blocks[b].nsucc == 1 &&
			fn->loops->loop_of[b] == fn->loops->loop_of[branch])
			b = cfg_succ(fn->cfg, b)[0];
		leads_to_loop |= fn->loops->loop_of[b] != fn->loops->loop_of[branch];
	}
	return leads_past && leads_to_loop;
}

/* Whether warps that take one side of the branch save more than an exchange with one more path
 * costs, and the blocks above the branch if all warps execute them. Each path is assumed to be as
 * frequent as the others, and each side of the branch. */
static bool
branch_is_worth_it(const Plan *x, uint32_t branch, Bits above)
{
	const Fn *fn = x->fn;
	uint32_t join = fn->dom->ipdom[branch], first = 0, sides = 0;
	uint32_t n = x->remap->npaths;
	double prefix, saved = 0, share = 1.0 / n,
			       more = remap_sort_cost(x, n + 1) - remap_sort_cost(x, n);

	BITS_EACH(b, above)
		if (!first || fn->cfg->rpo_index[b] < fn->cfg->rpo_index[first])
			first = b;
	prefix = remap_cost_of_blocks(x, above, first);
	FN_SUCC(fn, branch, s) {
		Bits within = remap_blocks_except(x, join), side = empty_blocks(x);
		bits_unset(within, x->remap->join);
		cfg_flood(fn->cfg, s, false, within, side);
		sides++;
		if (bits_any(side))
			saved += remap_cost_of_blocks(x, side, s);
	}
	saved *= (sides - 1.0) / sides;
	return saved * share > prefix * (1 - share) + more;
}

/* Takes the branches that the paths begin with, except those in annotated branches. */
static void
take_others(Plan *x)
{
	Remap *k = x->remap;

	for (uint32_t i = 0; i < k->npaths; i++) {
		Bits above = empty_blocks(x);
		uint32_t branch = next_branch(x, k->paths[i].entry, above);
		bool excluded = !branch || branch_guards_loop(x, branch);
		for (uint32_t a = 0; a < k->narms && !excluded; a++)
			excluded = branch_is_excluded(x, k->arms[a], branch);
		if (!excluded && branch_is_worth_it(x, branch, above) &&
			move_to_conditions(x, k->paths[i].statement, above, NULL))
			i = UINT32_MAX; /* begins again */
	}
}

void
remap_find_leaves(Plan *x)
{
	Remap *k = x->remap;

	k->nest.merged = arena_array(x->arena, REMAP_MOST_PATHS, sizeof *k->nest.merged);
	for (uint32_t i = 0; i < k->narms; i++)
		take_nested(x, k->arms[i]);
	if (x->policy != POLICY_HOT)
		take_others(x);
}
