/* SPDX-License-Identifier: MIT */
/* Whether the loop and the path may be transformed at all. docs/design.md 6.7 lists what is
 * refused.
 *
 * All checks are about code, not values: which blocks form the common code (the blocks of the
 * region that reach the loop's header, without the path), its exit edges, and whether a statement
 * has an effect that a helper must not have in another lane's place, or waits for lanes that wait
 * at a vote (motion_legality.h). */
#include "transform/legality/legality.h"
#include "transform/legality/motion_legality.h"
#include "transform/plan/plan.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Computes the common code: the blocks that a lane reaches from the begin marker, skipping the
 * paths, and from which it reaches the header. */
static void
find_own(Plan *x)
{
	const Cfg *g = x->fn->cfg;
	Bits may = bits_new(x->scratch, g->nblocks);

	x->own = bits_new(x->arena, g->nblocks);
	cfg_flood(g, plan_header(x), true, x->site->blocks, may);
	for (uint32_t i = 0; i < x->nparts; i++)
		bits_and_not(may, x->parts[i].path->blocks);
	cfg_flood(g, x->site->entry, false, may, x->own);
	for (uint32_t i = 0; i < x->nparts; i++)
		cfg_flood(g, x->parts[i].path->next, false, may, x->own);
}

static void
add_way(Plan *x, Way w)
{
	for (uint32_t i = 0; i < x->nways; i++)
		if (x->ways[i].block == w.block && x->ways[i].stmt == w.stmt)
			return;
	x->ways[x->nways++] = w;
}

/* Finds the exit edges of the common code: to blocks that cannot return, and where threads end. A
 * trap ends the whole grid and is left alone. */
static void
find_ways(Plan *x)
{
	const Cfg *g = x->fn->cfg;
	uint32_t cap = 0;

	BITS_EACH(b, x->own)
		cap += g->blocks[b].nsucc;
	x->ways = arena_array(x->arena, cap + 1, sizeof *x->ways);
	BITS_EACH(b, x->own)
		FN_SUCC(x->fn, b, s) {
			uint32_t t = cfg_terminator(g, b);
			if (s == 0 && ptx_op(x->fn->m, fn_stmt(x->fn, t)) != OP_TRAP)
				add_way(x, (Way){ 0, t });
			else if (s && !bits_has(x->own, s) && !plan_in_path(x, s))
				add_way(x, (Way){ s, 0 });
		}
}

/* Returns the position to report for a block: that of its first statement. */
static uint32_t
block_pos(const Plan *x, uint32_t b)
{
	return fn_stmt(x->fn, x->fn->cfg->blocks[b].stmt)->at.pos;
}

static Verdict
path_flow(const Plan *x, const Region *p)
{
	if (!p->next && p->other)
		return verdict_note(
			verdict(x->arena, D_CONTROL, block_pos(x, p->other),
				"it has several exits, and the path decides where its owner continues"),
			x->arena, DIAG_NOWHERE,
			"let the path end in one place: no 'continue', 'break' or 'return' in a part of it");
	if (!p->next)
		return verdict(x->arena, D_CONTROL, block_pos(x, p->entry), "it never ends");
	if (!loop_contains(x->fn->loops, x->site->loop, p->next))
		return verdict_note(verdict(x->arena, D_CONTROL, block_pos(x, p->next),
					    "it leaves the annotated loop"),
			x->arena, DIAG_NOWHERE, "move 'break', 'return' or 'goto' out of the path");
	return VERDICT_YES;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Whether the declaration creates a variable that a copy would duplicate. */
static bool
declares_memory(const Fn *fn, const Stmt *s)
{
	Space space = s->sym ? (Space)fn->m->syms[s->sym].space : SPACE_NONE;

	return space != SPACE_NONE && space != SPACE_REG && space != SPACE_PARAM;
}

/* Whether the block begins and ends in the scope of the loop and declares nothing there, since the
 * copy is one new scope. */
static Verdict
block_scopes(const Plan *x, uint32_t b)
{
	const Fn *fn = x->fn;
	const Block *k = &fn->cfg->blocks[b];
	uint32_t at = fn_depth(fn, plan_marker(x)->stmt);

	if (k->stmt < k->end && (fn_depth(fn, k->stmt) != at || fn_depth(fn, k->end) != at))
		return verdict(x->arena, D_CONTROL, block_pos(x, b),
			"a label or branch inside a nested scope of the loop");
	FN_BLOCK_STMTS(fn, b, s)
		if (fn_stmt(fn, s)->kind == STMT_DECL &&
			(fn_depth(fn, s) == at || declares_memory(fn, fn_stmt(fn, s))))
			return verdict(x->arena, D_CONTROL, fn_stmt(fn, s)->at.pos, "%s",
				fn_depth(fn, s) == at ?
					"a declaration inside the loop, outside braces" :
					"a variable declared inside the loop");
	return VERDICT_YES;
}

static Verdict
irreducible(const Plan *x)
{
	BITS_EACH(b, x->fn->loops->irreducible)
		if (bits_has(x->site->blocks, b))
			return verdict(x->arena, D_CONTROL, block_pos(x, b),
				"the loop has irreducible control flow: a cycle with several entries");
	return VERDICT_YES;
}

/* Whether no carry flag is live into or out of the block. A task cannot save the carry flag, and a
 * helper loses its own when it runs a task. The text between the copies of blocks does not touch
 * it. */
static Verdict
block_carry(const Plan *x, uint32_t b)
{
	const Cfg *g = x->fn->cfg;
	uint32_t read = x->fn->carry[b];

	for (uint32_t i = 0; i < g->blocks[b].nsucc && !read; i++)
		read = x->fn->carry[cfg_succ(g, b)[i]];
	if (!read)
		return VERDICT_YES;
	uint32_t at = cfg_block_of(g, read);
	return verdict(x->arena, D_CONTEXT, fn_stmt(x->fn, read)->at.pos, "%s",
		plan_in_path(x, at) || bits_has(x->own, at) ?
			"the carry flag that this reads is not set right before it" :
			"the carry flag that this reads after the loop was set before it or in it");
}

/* Returns the blocks of the common code and of the paths. */
static Bits
with_paths(const Plan *x)
{
	Bits all = bits_new(x->scratch, x->fn->cfg->nblocks);

	bits_copy(all, x->own);
	for (uint32_t i = 0; i < x->nparts; i++)
		bits_or(all, x->parts[i].path->blocks);
	return all;
}

/* ---- waiting policies ------------------------------------------------------------------------ */

Verdict
plan_legal_bound(Plan *x)
{
	Verdict v = irreducible(x);

	for (uint32_t i = 0; i < x->nparts && !verdict_no(v); i++)
		v = path_flow(x, x->parts[i].path);
	if (verdict_no(v))
		return v;
	find_own(x);
	find_ways(x);
	Bits all = with_paths(x);
	BITS_EACH(b, all) {
		if (verdict_no(v))
			break;
		if (!verdict_no(v = block_scopes(x, b)) && !verdict_no(v = block_carry(x, b)))
			v = movable(x, b, MOVE_WAIT, false);
	}
	return v;
}

/* ---- collecting policies --------------------------------------------------------------------- */

void
plan_own(Plan *x)
{
	x->nways = 0;
	find_own(x);
	find_ways(x);
}

Verdict
plan_target(const Plan *x)
{
	const char *leave = x->opt->leave ? x->opt->leave[x->fn->func] : NULL;

	if (leave)
		return verdict(x->arena, D_REGISTERS, DIAG_NOWHERE, "%s", leave);
	if (x->fn->m->registers)
		return verdict(x->arena, D_CONTEXT, DIAG_NOWHERE,
			"the module declares registers outside of functions");
	if (x->fn->m->target < 70 || x->fn->m->version < 62)
		return verdict(
			x->arena, D_TARGET, DIAG_NOWHERE, "it needs sm_70 and PTX 6.2 or later");
	return VERDICT_YES;
}

Verdict
blocks_legal(const Plan *x, Bits blocks, bool *scratch)
{
	Verdict v = VERDICT_YES;

	BITS_EACH(b, blocks)
		if (!verdict_no(v))
			v = block_scopes(x, b);
	*scratch = !verdict_no(v) && movable_scratch(x, blocks);
	BITS_EACH(b, blocks)
		if (!verdict_no(v) && !verdict_no(v = block_carry(x, b)))
			v = movable(x, b, MOVE_LANE | MOVE_LATER, *scratch);
	return v;
}

Verdict
part_legal(const Plan *x, Part *k)
{
	Verdict v;

	if (verdict_no(v = path_flow(x, k->path)) || verdict_no(v = irreducible(x)))
		return v;
	v = blocks_legal(x, k->path->blocks, &k->scratch);
	if (!k->steps)
		return v;
	if (!verdict_no(v) && k->scratch)
		v = verdict(x->arena, D_LOCAL, block_pos(x, k->path->entry),
			"it uses thread-local memory");
	k->scratch = false;
	if (v.kind == D_LOCAL && v.nnotes < VERDICT_NOTES)
		v = verdict_note(v, x->arena, DIAG_NOWHERE,
			"another lane may run its next iteration; '#pragma ccc path' over the whole inner loop keeps them on one");
	return v;
}

Verdict
own_legal(const Plan *x)
{
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->own)
		if (!verdict_no(v))
			v = block_scopes(x, b);
	BITS_EACH(b, x->own)
		if (!verdict_no(v) && !verdict_no(v = block_carry(x, b)))
			v = movable(x, b, MOVE_APART, false);
	return v;
}

Verdict
plan_legal(Plan *x, Part *k)
{
	Verdict v;

	plan_own(x);
	return verdict_no(v = part_legal(x, k)) ? v : own_legal(x);
}
