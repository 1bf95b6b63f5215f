/* SPDX-License-Identifier: MIT */
/* Tail capture: the task is the path and the rest of its iteration (docs/design.md 6.6).
 *
 * If the rest of the iteration reads what the path computes, the owner cannot run it. So the task
 * runs it, up to the end of a post-dominator of the path, the *join*, and the owner continues with
 * the branch that ends the join. Lanes that skip the path run the rest as common code. What the
 * owner needs from there on, usually the loop's index and its test, it computes itself (liveout.c).
 *
 * Correctness (docs/proofs/collect.md, C16): a run of the path executes the same blocks with the
 * same values as before, on the task's registers, up to the join's branch: between the path and the
 * join there is no exit and no back edge of the loop, so nothing depends on where the owner is.
 * After the join the owner has what it had before, and what it runs there in this iteration shares
 * no memory with what the task runs of the rest (plan_check_rest_order, whatever is promised:
 * `independent` refers to the path and the rest, not to two pieces of the rest). That the path
 * shares no memory with either is the annotation's promise. */
#include "transform/legality/legality.h"
#include "transform/legality/motion_legality.h"
#include "transform/plan/plan.h"
#include "transform/task/task.h"

Bits
task_region_live_out(const Plan *x, const Task_region *k)
{
	const Fn *fn = x->fn;
	Bits live = bits_new(x->scratch, fn->f->nsym);

	if (!k->tail_end) {
		bits_copy(live, fn->live->in[k->path->next]);
		return live;
	}
	FN_SUCC(fn, k->tail_end, to)
		bits_or(live, fn->live->in[to]);
	uint32_t t = cfg_terminator(fn->cfg, k->tail_end);
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
block_ends_iteration(const Plan *x, uint32_t b)
{
	FN_SUCC(x->fn, b, to)
		if (to == plan_header(x) || !to || !bits_has(x->common.blocks, to) ||
			!loop_contains(x->fn->loops, x->site->loop, to))
			return true;
	return x->fn->cfg->blocks[b].nsucc == 0;
}

/* Adds to `seen` the blocks that are reachable from b before `until`; false if an iteration may end
 * there instead. */
static bool
flood_until(const Plan *x, uint32_t b, uint32_t until, Bits seen)
{
	Bits within = bits_new(x->scratch, x->fn->cfg->nblocks);
	bool all = true;

	BITS_EACH(i, x->common.blocks)
		if (i != until && i != b)
			bits_set(within, i);
	FN_SUCC(x->fn, b, to)
		if (to != until)
			cfg_flood(x->fn->cfg, to, false, within, seen);
	BITS_EACH(i, seen)
		all &= !block_ends_iteration(x, i);
	return all;
}

static bool
block_is_in_this_loop(const Plan *x, uint32_t b)
{
	return x->fn->loops->loop_of[b] == x->site->loop && b != plan_header(x);
}

/* Returns the nearest block that every path from block b reaches; 0 if there is none in the
 * iteration. */
static uint32_t
find_next_join(const Plan *x, uint32_t b, Bits between)
{
	const Cfg *g = x->fn->cfg;

	if (block_ends_iteration(x, b))
		return 0;
	for (uint32_t i = g->rpo_index[b] + 1; i < g->nrpo; i++) {
		uint32_t to = g->rpo[i];
		if (!bits_has(x->common.blocks, to) || !block_is_in_this_loop(x, to))
			continue;
		bits_clear(between);
		if (flood_until(x, b, to, between))
			return to;
	}
	return 0;
}

/* Whether the join ends with a branch, or with no terminator, so that the owner can execute its
 * end. */
static bool
block_ends_by_branch(const Plan *x, uint32_t b)
{
	uint32_t t = cfg_terminator(x->fn->cfg, b);

	return !t || ptx_op(x->fn->m, fn_stmt(x->fn, t)) == OP_BRA;
}

/* ---- statements that only the owner needs ---------------------------------------------------- */

/* Whether a statement of the task that is not idle itself reads what the statement writes. */
static bool
result_is_read(const Plan *x, const Task_region *k, uint32_t stmt)
{
	const Fn *fn = x->fn;

	FN_DEFS_OF_STMT(fn, stmt, d)
		FN_USES(fn, d, u) {
			uint32_t by = fn_use(fn, u)->stmt;
			if (bits_has(k->task_blocks, fn_block(fn, by)) &&
				by != cfg_terminator(fn->cfg, k->tail_end) &&
				!bits_has(k->dead, fn_local_stmt(fn, by)))
				return true;
		}
	return false;
}

/* Whether the statement folds a value into a reduction. */
static bool
stmt_folds(const Plan *x, const Task_region *k, uint32_t stmt)
{
	FN_WRITES(x->fn, stmt, r)
		for (uint32_t i = 0; i < k->task.nreductions; i++)
			if (fn_is_reg(x->fn, r->sym) &&
				bits_has(k->task.reductions[i].web, fn_local(x->fn, r->sym)))
				return true;
	return false;
}

/* Mostly finds the index and its test. */
void
tail_find_dead_stmts(const Plan *x, Task_region *k)
{
	const Fn *fn = x->fn;

	k->dead = bits_new(x->arena, fn->f->nstmt);
	BITS_EACH(b, k->task_blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				ptx_flags(fn->m, fn_stmt(fn, s)) & OPF_PURE && !stmt_folds(x, k, s))
				bits_set(k->dead, fn_local_stmt(fn, s));
	for (bool more = true; more;) {
		more = false;
		BITS_EACH(i, k->dead)
			if (result_is_read(x, k, fn->f->stmt + i)) {
				bits_unset(k->dead, i);
				more = true;
			}
	}
}

bool
tail_needs_register(const Plan *x, const Task_region *k, uint32_t sym)
{
	BITS_EACH(b, k->task_blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			FN_READS(x->fn, s, r)
				if (r->sym == sym && !bits_has(k->dead, fn_local_stmt(x->fn, s)) &&
					s != cfg_terminator(x->fn->cfg, k->tail_end))
					return true;
	return false;
}

/* ---- joins ----------------------------------------------------------------------------------- */

/* Starts the task's extension. The path is followed by empty blocks that contain only its end
 * marker. */
static void
begin_tail(const Plan *x, Task_region *k, Bits between)
{
	Bits span = bits_new(x->arena, x->fn->cfg->nblocks),
	     blocks = bits_new(x->arena, x->fn->cfg->nblocks);

	bits_copy(span, k->task_blocks);
	bits_copy(blocks, k->blocks);
	BITS_EACH(b, span)
		FN_SUCC(x->fn, b, to)
			for (uint32_t e = to; e && !bits_has(span, e) && e != k->path->next &&
				cfg_block_empty(x->fn->cfg, e);
				e = cfg_succ(x->fn->cfg, e)[0])
				bits_set(between, e);
	k->task_blocks = span;
	k->blocks = blocks;
}

bool
tail_extend(Plan *x, Task_region *k)
{
	Bits between = bits_new(x->scratch, x->fn->cfg->nblocks);
	uint32_t to = k->tail_end ? find_next_join(x, k->tail_end, between) : k->path->next;

	if (!to || !bits_has(x->common.blocks, to) || !block_is_in_this_loop(x, to) ||
		!block_ends_by_branch(x, to))
		return false;
	if (!k->tail_end)
		begin_tail(x, k, between);
	k->tail_end = to;
	bits_set(between, to);
	bits_or(k->task_blocks, between);
	bits_or(k->blocks, between);
	return true;
}

Verdict
tail_check_legal(const Plan *x, Task_region *k)
{
	Verdict v = VERDICT_YES;

	k->scratch = !k->by_iteration && blocks_local_is_scratch(x, k->task_blocks);
	BITS_EACH(b, k->task_blocks)
		if (!verdict_is_no(v))
			v = block_check_movable(
				x, b, MOTION_OTHER_LANE | MOTION_DELAYED, k->scratch);
	if (!verdict_is_no(v))
		v = plan_check_rest_order(x, k);
	return v;
}
