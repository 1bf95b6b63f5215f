/* SPDX-License-Identifier: MIT */
/* Tail capture (flow jump): the task is the path and the rest of its iteration
 * (docs/design.md 6.6).
 *
 * If the rest of the iteration reads what the path computes, the owner cannot execute it. The
 * task then executes it too, up to the end of the *join*, a block that every execution from the
 * path reaches. The owner continues with the branch at the end of the join. Lanes that do not
 * take the path execute the rest as common code. The owner computes the values that it needs
 * from the join on, usually the loop's index and test, for itself (liveout.c).
 *
 * This is correct (docs/proofs/collect.md, C16) for two reasons. Between the path and the join
 * no edge leaves the loop or leads to its header, so the task executes the original blocks with
 * the original values, on its own registers and independently of the owner's progress. After the
 * join the owner has its original values, and its code in this iteration shares no memory with
 * the part of the rest that the task executes: plan_rest_order() checks this even with
 * `independent`, which is a promise about the path and the rest, not about two pieces of the
 * rest. That the path shares no memory with either is the annotation's promise. */
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

/* Does control come from the block back to the header, out of the own part, or into a path? Then it
 * is the last join there may be. */
static bool
ends_iteration(const Plan *x, uint32_t b)
{
	FN_SUCC(x->fn, b, to)
		if (to == plan_header(x) || !to || !bits_has(x->own, to) ||
			!loop_contains(x->fn->loops, x->site->loop, to))
			return true;
	return x->fn->cfg->blocks[b].nsucc == 0;
}

/* The blocks that control comes to from behind block b before it comes to `until`, into `seen`;
 * false: it may get elsewhere. */
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

/* The first block that every way from block b comes to; 0: there is none in the iteration. */
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

/* Does the join end by a branch, if by anything, which its owner can run in the task's stead? */
static bool
ends_by_branch(const Plan *x, uint32_t b)
{
	uint32_t t = cfg_terminator(x->fn->cfg, b);

	return !t || ptx_op(x->fn->m, fn_stmt(x->fn, t)) == OP_BRA;
}

/* ---- what only the owner needs --------------------------------------------------------------- */

/* Does something in the task that is not idle itself read what the statement writes? */
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

/* Does the statement fold something into a reduction? */
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

/* The index and its test, mostly. */
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

/* Behind the path there are blocks first that hold its end marker alone. */
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
