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
find_common_blocks(Plan *x)
{
	const Cfg *g = x->fn->cfg;
	Bits may = bits_new(x->scratch, g->nblocks);

	x->common.blocks = bits_new(x->arena, g->nblocks);
	cfg_flood(g, plan_header(x), true, x->site->blocks, may);
	for (uint32_t i = 0; i < x->nregions; i++)
		bits_and_not(may, x->regions[i].path->blocks);
	cfg_flood(g, x->site->entry, false, may, x->common.blocks);
	for (uint32_t i = 0; i < x->nregions; i++)
		cfg_flood(g, x->regions[i].path->next, false, may, x->common.blocks);
}

static void
add_exit_edge(Plan *x, Exit_edge w)
{
	for (uint32_t i = 0; i < x->common.nexits; i++)
		if (x->common.exits[i].block == w.block && x->common.exits[i].stmt == w.stmt)
			return;
	x->common.exits[x->common.nexits++] = w;
}

/* Returns the blocks of the common code and of the paths. */
static Bits
common_and_path_blocks(const Plan *x)
{
	Bits all = bits_new(x->scratch, x->fn->cfg->nblocks);

	bits_copy(all, x->common.blocks);
	for (uint32_t i = 0; i < x->nregions; i++)
		bits_or(all, x->regions[i].path->blocks);
	return all;
}

/* Finds the exit edges of the common code: to blocks that cannot return, and where threads end. A
 * trap ends the whole grid and is left alone. */
static void
find_exit_edges(Plan *x)
{
	const Cfg *g = x->fn->cfg;
	const Bits inside = common_and_path_blocks(x);
	uint32_t cap = 0;

	BITS_EACH(b, x->common.blocks)
		cap += g->blocks[b].nsucc;
	x->common.exits = arena_array(x->arena, cap + 1, sizeof *x->common.exits);
	BITS_EACH(b, x->common.blocks)
		FN_SUCC(x->fn, b, s) {
			uint32_t t = cfg_terminator(g, b);
			if (s == 0 && ptx_op(x->fn->m, fn_stmt(x->fn, t)) != OP_TRAP)
				add_exit_edge(x, (Exit_edge){ 0, t });
			else if (s && !bits_has(inside, s))
				add_exit_edge(x, (Exit_edge){ s, 0 });
		}
}

/* Returns the position to report for a block: that of its first statement. */
static uint32_t
block_pos(const Plan *x, uint32_t b)
{
	return fn_stmt(x->fn, x->fn->cfg->blocks[b].stmt)->at.pos;
}

static Verdict
check_path_flow(const Plan *x, const Region *p)
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
check_scopes(const Plan *x, uint32_t b)
{
	const Fn *fn = x->fn;
	const Block *k = &fn->cfg->blocks[b];
	uint32_t at = fn_depth(fn, plan_marker(x)->stmt);

	if (k->stmt < k->end && (fn_depth(fn, k->stmt) != at || fn_depth(fn, k->end) != at))
		return verdict(x->arena, D_CONTROL, block_pos(x, b),
			"a label or branch inside a nested scope of the loop");
	FN_BLOCK_STMTS(fn, b, s)
		if ((fn_stmt(fn, s)->kind == STMT_DECL || fn_stmt(fn, s)->kind == STMT_PROTO) &&
			(fn_depth(fn, s) == at || declares_memory(fn, fn_stmt(fn, s))))
			return verdict(x->arena, D_CONTROL, fn_stmt(fn, s)->at.pos, "%s",
				fn_depth(fn, s) == at ?
					"a declaration inside the loop, outside braces" :
					"a variable declared inside the loop");
	return VERDICT_YES;
}

static Verdict
check_reducible(const Plan *x)
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
check_carry_flag(const Plan *x, uint32_t b)
{
	const Cfg *g = x->fn->cfg;
	uint32_t read = x->fn->carry[b];

	for (uint32_t i = 0; i < g->blocks[b].nsucc && !read; i++)
		read = x->fn->carry[cfg_succ(g, b)[i]];
	if (!read)
		return VERDICT_YES;
	uint32_t at = cfg_block_of(g, read);
	return verdict(x->arena, D_CONTEXT, fn_stmt(x->fn, read)->at.pos, "%s",
		plan_block_in_region(x, at) || bits_has(x->common.blocks, at) ?
			"the carry flag that this reads is not set right before it" :
			"the carry flag that this reads after the loop was set before it or in it");
}

/* ---- waiting policies ------------------------------------------------------------------------ */

Verdict
plan_check_waiting(Plan *x)
{
	Verdict v = check_reducible(x);

	for (uint32_t i = 0; i < x->nregions && !verdict_is_no(v); i++)
		v = check_path_flow(x, x->regions[i].path);
	if (verdict_is_no(v))
		return v;
	find_common_blocks(x);
	find_exit_edges(x);
	Bits all = common_and_path_blocks(x);
	BITS_EACH(b, all) {
		if (verdict_is_no(v))
			break;
		if (!verdict_is_no(v = check_scopes(x, b)) &&
			!verdict_is_no(v = check_carry_flag(x, b)))
			v = block_check_movable(x, b, MOTION_WAITS, false);
	}
	return v;
}

/* ---- collecting policies --------------------------------------------------------------------- */

void
plan_common_code(Plan *x)
{
	x->common.nexits = 0;
	find_common_blocks(x);
	find_exit_edges(x);
}

Verdict
plan_check_target(const Plan *x)
{
	const char *leave = x->opt->funcs.refused ? x->opt->funcs.refused[x->fn->func] : NULL;

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
blocks_check_legal(const Plan *x, Bits blocks, bool *scratch)
{
	Verdict v = VERDICT_YES;

	BITS_EACH(b, blocks)
		if (!verdict_is_no(v))
			v = check_scopes(x, b);
	*scratch = !verdict_is_no(v) && blocks_local_is_scratch(x, blocks);
	BITS_EACH(b, blocks)
		if (!verdict_is_no(v) && !verdict_is_no(v = check_carry_flag(x, b)))
			v = block_check_movable(x, b, MOTION_OTHER_LANE | MOTION_DELAYED, *scratch);
	return v;
}

Verdict
task_region_check_legal(const Plan *x, Task_region *k)
{
	Verdict v;

	if (verdict_is_no(v = check_path_flow(x, k->path)) || verdict_is_no(v = check_reducible(x)))
		return v;
	v = blocks_check_legal(x, k->path->blocks, &k->scratch);
	if (!k->by_iteration)
		return v;
	if (!verdict_is_no(v) && k->scratch)
		v = verdict(x->arena, D_LOCAL, block_pos(x, k->path->entry),
			"it uses thread-local memory");
	k->scratch = false;
	if (v.kind == D_LOCAL && v.nnotes < VERDICT_NOTES)
		v = verdict_note(v, x->arena, DIAG_NOWHERE,
			"another lane may run its next iteration; '#pragma ccc path' over the whole inner loop keeps them on one");
	return v;
}

Verdict
common_code_check_legal(const Plan *x)
{
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->common.blocks)
		if (!verdict_is_no(v))
			v = check_scopes(x, b);
	BITS_EACH(b, x->common.blocks)
		if (!verdict_is_no(v) && !verdict_is_no(v = check_carry_flag(x, b)))
			v = block_check_movable(x, b, MOTION_DIVERGED, false);
	return v;
}

Verdict
plan_check_legal(Plan *x, Task_region *k)
{
	Verdict v;

	plan_common_code(x);
	return verdict_is_no(v = task_region_check_legal(x, k)) ? v : common_code_check_legal(x);
}
