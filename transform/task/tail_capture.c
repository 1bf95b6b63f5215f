/* SPDX-License-Identifier: MIT */
/* Tail capture: the task is the path and the rest of its iteration (docs/design.md 6.6).
 *
 * If the rest of the iteration reads what the path computes, the owner cannot run it. So the task
 * runs it, up to the end of a post-dominator of the path, the *join*, and the owner continues with
 * the branch that ends the join. Lanes that skip the path run the rest as common code. What the
 * owner needs from there on, usually the loop's index and its test, it computes itself (liveout.c).
 *
 * Correctness: a run of the path executes the same blocks with the same values as before, on the
 * task's registers, up to the join's branch: between the path and the join there is no exit and no
 * back edge of the loop, so nothing depends on where the owner is. After the join the owner has
 * what it had before, and what it runs there in this iteration shares no memory with what the task
 * runs of the rest (plan_rest_order, whatever is promised: `independent` refers to the path and the
 * rest, not to two pieces of the rest). That the path shares no memory with either is the
 * annotation's promise. */
#include "transform/legality/legality.h"
#include "transform/legality/motion_legality.h"
#include "transform/plan/plan.h"
#include "transform/task/task.h"

Bits
part_live_behind(const Plan *x, const Part *k)
{
	const Fn *fn = x->fn;
	Bits live = bits_new(x->scratch, fn->f->nsym);

	if (!k->join) {
		bits_copy(live, fn->live->in[k->path->next]);
		return live;
	}
	FN_SUCC(fn, k->join, to)
		bits_or(live, fn->live->in[to]);
	uint32_t t = cfg_terminator(fn->cfg, k->join);
	if (!t)
		return live;
	FN_REFS(fn, t, r)
		if (!r->written && fn_is_reg(fn, r->sym))
			bits_set(live, fn_local(fn, r->sym));
	return live;
}

/* Whether control may flow from the block to the header, out of the common code, or into a path.
 * Such a block is the last possible join. */
static bool
ends_iteration(const Plan *x, uint32_t b)
{
	FN_SUCC(x->fn, b, to)
		if (to == plan_header(x) || !to || !bits_has(x->own, to) ||
			!loop_contains(x->fn->loops, x->site->loop, to))
			return true;
	return x->fn->cfg->blocks[b].nsucc == 0;
}

/* Adds to `seen` the blocks that are reachable from b before `until`; false if an iteration may end
 * there instead. */
static bool
comes_to(const Plan *x, uint32_t b, uint32_t until, Bits seen)
{
	Bits within = bits_new(x->scratch, x->fn->cfg->nblocks);
	bool all = true;

	BITS_EACH(i, x->own)
		if (i != until && i != b)
			bits_set(within, i);
	FN_SUCC(x->fn, b, to)
		if (to != until)
			cfg_flood(x->fn->cfg, to, false, within, seen);
	BITS_EACH(i, seen)
		all &= !ends_iteration(x, i);
	return all;
}

static bool
in_loop_itself(const Plan *x, uint32_t b)
{
	return x->fn->loops->loop_of[b] == x->site->loop && b != plan_header(x);
}

/* Returns the nearest block that every path from block b reaches; 0 if there is none in the
 * iteration. */
static uint32_t
next_join(const Plan *x, uint32_t b, Bits between)
{
	const Cfg *g = x->fn->cfg;

	if (ends_iteration(x, b))
		return 0;
	for (uint32_t i = g->rpo_index[b] + 1; i < g->nrpo; i++) {
		uint32_t to = g->rpo[i];
		if (!bits_has(x->own, to) || !in_loop_itself(x, to))
			continue;
		bits_clear(between);
		if (comes_to(x, b, to, between))
			return to;
	}
	return 0;
}

/* Whether the join ends with a branch, or with no terminator, so that the owner can execute its
 * end. */
static bool
ends_by_branch(const Plan *x, uint32_t b)
{
	uint32_t t = cfg_terminator(x->fn->cfg, b);

	return !t || ptx_op(x->fn->m, fn_stmt(x->fn, t)) == OP_BRA;
}

/* ---- statements that only the owner needs ---------------------------------------------------- */

/* Whether a statement of the task that is not idle itself reads what the statement writes. */
static bool
is_read(const Plan *x, const Part *k, uint32_t stmt)
{
	const Fn *fn = x->fn;

	FN_DEFS_OF_STMT(fn, stmt, d)
		FN_USES(fn, d, u) {
			uint32_t by = fn_use(fn, u)->stmt;
			if (bits_has(k->span, fn_block(fn, by)) &&
				by != cfg_terminator(fn->cfg, k->join) &&
				!bits_has(k->idle, fn_local_stmt(fn, by)))
				return true;
		}
	return false;
}

/* Whether the statement folds a value into a reduction. */
static bool
folds(const Plan *x, const Part *k, uint32_t stmt)
{
	FN_WRITES(x->fn, stmt, r)
		for (uint32_t i = 0; i < k->task.nsums; i++)
			if (fn_is_reg(x->fn, r->sym) &&
				bits_has(k->task.sums[i].web, fn_local(x->fn, r->sym)))
				return true;
	return false;
}

/* Mostly finds the index and its test. */
void
jump_idle(const Plan *x, Part *k)
{
	const Fn *fn = x->fn;

	k->idle = bits_new(x->arena, fn->f->nstmt);
	BITS_EACH(b, k->span)
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE && !folds(x, k, s))
				bits_set(k->idle, fn_local_stmt(fn, s));
	for (bool more = true; more;) {
		more = false;
		BITS_EACH(i, k->idle)
			if (is_read(x, k, fn->f->stmt + i)) {
				bits_unset(k->idle, i);
				more = true;
			}
	}
}

bool
jump_needs(const Plan *x, const Part *k, uint32_t sym)
{
	BITS_EACH(b, k->span)
		FN_BLOCK_STMTS(x->fn, b, s)
			FN_READS(x->fn, s, r)
				if (r->sym == sym && !bits_has(k->idle, fn_local_stmt(x->fn, s)) &&
					s != cfg_terminator(x->fn->cfg, k->join))
					return true;
	return false;
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Starts the task's extension. The path is followed by empty blocks that contain only its end
 * marker. */
static void
begin(const Plan *x, Part *k, Bits between)
{
	Bits span = bits_new(x->arena, x->fn->cfg->nblocks),
	     blocks = bits_new(x->arena, x->fn->cfg->nblocks);

	bits_copy(span, k->span);
	bits_copy(blocks, k->blocks);
	BITS_EACH(b, span)
		FN_SUCC(x->fn, b, to)
			for (uint32_t e = to; e && !bits_has(span, e) && e != k->path->next &&
				cfg_block_empty(x->fn->cfg, e);
				e = cfg_succ(x->fn->cfg, e)[0])
				bits_set(between, e);
	k->span = span;
	k->blocks = blocks;
}

bool
jump_widen(Plan *x, Part *k)
{
	Bits between = bits_new(x->scratch, x->fn->cfg->nblocks);
	uint32_t to = k->join ? next_join(x, k->join, between) : k->path->next;

	if (!to || !bits_has(x->own, to) || !in_loop_itself(x, to) || !ends_by_branch(x, to))
		return false;
	if (!k->join)
		begin(x, k, between);
	k->join = to;
	bits_set(between, to);
	bits_or(k->span, between);
	bits_or(k->blocks, between);
	return true;
}

Verdict
jump_legal(const Plan *x, Part *k)
{
	Verdict v = VERDICT_YES;

	k->scratch = !k->steps && movable_scratch(x, k->span);
	BITS_EACH(b, k->span)
		if (!verdict_no(v))
			v = movable(x, b, MOVE_LANE | MOVE_LATER, k->scratch);
	if (!verdict_no(v))
		v = plan_rest_order(x, k);
	return v;
}
