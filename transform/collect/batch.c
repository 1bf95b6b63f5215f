/* SPDX-License-Identifier: MIT */
/* Decides how many copies of the loop are emitted, and the batch size of queue(U)
 * (docs/design.md 6.2). There is one copy for full warps and one for all other groups. In the
 * former, a round may execute the common code of several iterations before the votes.
 *
 * A batch gains if the loads of its iterations overlap. In lockstep a load is predicated by
 * %~in, because lanes whose loop has ended execute the code too. Its destination keeps its old
 * value on those lanes, so the next iteration's load to the same register would wait for it.
 * Each iteration of the batch therefore has registers of its own for the values that begin and
 * end within an iteration: those that the common code defines, and that are neither live at the
 * loop's header or an exit nor part of a reduction. */
#include "transform/collect/collect.h"
#include "transform/plan/plan.h"

enum { LONG = 2000 };   /* limit for the instructions of one copy of the loop */

static uint32_t
count_insns(const Fn *fn, Bits blocks)
{
	uint32_t n = 0;

	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(fn, b, s)
			n += fn_stmt(fn, s)->kind == STMT_INSN;
	return n;
}

/* Whether ptxas expands the atomic operation to a loop. It does so in shared memory for all
 * types but 32-bit integers, and for types narrower than 4 bytes. */
static bool
becomes_loop(const Module *m, const Stmt *s)
{
	Op op = ptx_op(m, s);
	Type t = op == OP_ATOM || op == OP_RED ? ptx_insn_type(m, s) : TYPE_B32;
	bool word = t == TYPE_B32 || t == TYPE_U32 || t == TYPE_S32;

	return !word && (ptx_space(m, s) == SPACE_SHARED || ptx_type_size(t) < 4);
}

/* For sm_90, the ptxas of CUDA 12.3 and 12.4 (PTX 8.4 and older) lets lanes leave such a loop
 * one by one, and does not make them wait before a vote with a literal mask. They do wait before
 * a vote whose mask is in a register (docs/measurements/compatibility.md). */
static bool
ptxas_splits_votes(const Plan *x)
{
	const Fn *fn = x->fn;

	if (fn->m->target != 90 || fn->m->version > 84)
		return false;
	BITS_EACH(b, fn->loops->loops[x->site->loop].blocks)
		FN_BLOCK_STMTS(fn, b, k) {
			const Stmt *s = fn_stmt(fn, k);
			if (s->kind == STMT_INSN && becomes_loop(fn->m, s))
				return true;
		}
	return false;
}

static void
choose_copies(Plan *x, uint32_t copied)
{
	x->copies.insns = copied;
	x->copies.two = copied <= LONG && !x->opt->debug.one_copy && !ptxas_splits_votes(x);
}

/* If a mask is in a register, ptxas cannot know that it is full, nor, inside another loop, that
 * all lanes have the same one, and spends a branch or more on each barrier and vote. Full warps
 * therefore have a copy of the loop with literal masks. A long loop gains little by it, and its
 * code size would double. */
void
plan_loop_copies(Plan *x)
{
	uint32_t n = count_insns(x->fn, x->common.blocks);

	for (uint32_t i = 0; i < x->nregions; i++)
		n += count_insns(x->fn, x->regions[i].blocks);
	for (uint32_t i = x->nregions; i < x->nregions + x->nexpansions; i++)
		n += 2 * count_insns(x->fn, x->regions[i].blocks) +
			count_insns(x->fn, x->regions[i].lane_loop->blocks_after);
	choose_copies(x, n);
	x->collect->lockstep.enabled &= x->copies.two;
}

/* The same for waiting policies. Look-ahead iterations are further copies of the common code, in
 * groups once predicated and once not. */
void
plan_wait_loop_copies(Plan *x)
{
	uint32_t n = count_insns(x->fn, x->fn->loops->loops[x->site->loop].blocks);

	if (x->lookahead)
		n += n * (x->lookahead->group_size ? 2 * x->lookahead->group_size : 1);
	choose_copies(x, n);
}

/* Returns why a batch of that many iterations is impossible; NULL if it is possible. */
static const char *
why_not_batched(const Plan *x, uint32_t iterations)
{
	if (!x->copies.two)
		return "the loop is long";
	if (!x->collect->lockstep.enabled)
		return "its votes come after the iteration, because its code outside the paths is not straight-line";
	for (uint32_t i = 0; i < x->nregions; i++) {
		if (x->regions[i].outer)
			return "one of its paths is nested in another";
		if (x->regions[i].policy != POLICY_QUEUE)
			return "one of its paths is not collected by a queue";
	}
	return x->copies.insns + (iterations - 1) * count_insns(x->fn, x->common.blocks) > LONG ?
		"that would make the loop too long" :
		NULL;
}

static void
add_defined_registers(const Plan *x, uint32_t stmt, Bits regs)
{
	FN_DEFS_OF_STMT(x->fn, stmt, d) {
		const Sym *y = &x->fn->m->syms[fn_def(x->fn, d)->sym];
		bool inner = y->decl >= x->fn->f->stmt &&
			y->decl < x->fn->f->stmt + x->fn->f->nstmt && fn_depth(x->fn, y->decl) > 0;
		if (!inner)
			bits_set(regs, fn_local(x->fn, fn_def(x->fn, d)->sym));
	}
}

/* Computes the registers whose values begin and end within an iteration of the common code. */
static void
find_batch_registers(Plan *x)
{
	const Fn *fn = x->fn;
	Bits own = x->collect->batch_registers = bits_new(x->arena, fn->f->nsym);

	BITS_EACH(b, x->common.blocks)
		if (loop_contains(fn->loops, x->site->loop, b))
			FN_BLOCK_STMTS(fn, b, s)
				add_defined_registers(x, s, own);
	for (uint32_t i = 0; i < x->nregions; i++) {
		const Task *t = &x->regions[i].task;
		for (uint32_t s = 0; s < t->nslice; s++)
			add_defined_registers(x, t->slice[s], own);
		for (uint32_t r = 0; r < t->nreductions; r++)
			bits_and_not(own, t->reductions[r].web);
	}
	bits_and_not(own, fn->live->in[plan_header(x)]);
	for (uint32_t i = 0; i < x->common.nexits; i++)
		bits_and_not(own, fn->live->in[x->common.exits[i].block]);
}

void
plan_batch(Plan *x)
{
	Collect_plan *c = x->collect;
	uint32_t asked = 1;

	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].batch > asked)
			asked = x->regions[i].batch;
	const char *why = asked > 1 ? why_not_batched(x, asked) : NULL;
	c->batch = why ? 1 : asked;
	for (uint32_t i = 0; i < x->nregions; i++)
		if (x->regions[i].policy == POLICY_QUEUE)
			x->regions[i].slots = (c->batch + 1) * WARP;
	if (c->batch > 1)
		find_batch_registers(x);
	if (why)
		*vec_push(&x->hints) = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"'queue(%u)' is carried out as 'queue(1)' here: %s", asked, why);
}
