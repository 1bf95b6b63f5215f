/* SPDX-License-Identifier: MIT */
/* Can the lanes of the loop walk in lockstep?
 *
 * If every iteration comes by the branch to the path, and has no other branch but those that
 * leave the loop, then all lanes can walk through it together, each round one iteration: the vote
 * stands where the branch stood, and a parked lane runs along. It computes on its stale
 * registers, which harms nobody, but must touch no memory and change nothing that is live where
 * it left: such statements are predicated with %^in. The loop is then straight-line code: a way
 * out of it is an update of %^in, and no branch depends on the lane. Against the vote at the back
 * edge this saves the branch that sends parked lanes round the loop, the convergence barriers
 * that ptxas puts around such branches, and copies of the context.
 *
 * Correct because: parked lanes run only pure code besides; want is and-ed with in, so that a
 * lane that left before the vote votes for nothing; registers live at a way out are written under
 * in alone, so a parked lane's stay as they were when it left.
 */
#include "transform/plan.h"

/* The branch to the path, whose other way is where the owner goes on, and the blocks between it
 * and the path's marker, where the compiler may have put computations: each the only way to the
 * next. */
static bool
find_branch(Plan *x, const Part *k)
{
	const Fn *fn = x->fn;
	const Cfg *g = fn->cfg;
	uint32_t e = k->path->entry, u;
	x->lockstep.prefix = bits_new(x->arena, g->nblocks);
	for (;; e = u) {
		u = g->blocks[e].npred == 1 ? cfg_pred(g, e)[0] : 0;
		if (!u || !bits_has(x->own, u) || !loop_contains(fn->loops, x->site->loop, u))
			return false;
		if (g->blocks[u].nsucc != 1)
			break;
		if (u == plan_header(x) || u > e)
			return false;
		bits_set(x->lockstep.prefix, u);
	}
	uint32_t t = cfg_terminator(g, u);
	if (!t || g->blocks[u].nsucc != 2 || ptx_op(fn->m, fn_stmt(fn, t)) != OP_BRA ||
		!fn_stmt(fn, t)->guard)
		return false;
	uint32_t other = cfg_succ(g, u)[cfg_succ(g, u)[0] == e];
	if (!bits_has(x->own, other) ||
		region_resolve(fn, x->site->loop, other) != k->path->next)
		return false;
	x->lockstep.branch = t;
	x->lockstep.branch_block = u;
	x->lockstep.pass_over = other;
	x->lockstep.want_falls = e == u + 1;
	return true;
}

/* The block of C that follows b in every iteration that goes on; 0 if there is no single one. */
static uint32_t
only_successor(const Plan *x, uint32_t b)
{
	uint32_t found = 0;

	FN_SUCC(x->fn, b, s) {
		if (s == 0 || !bits_has(x->own, s) || bits_has(x->lockstep.prefix, s))
			continue;
		if (found)
			return 0;
		found = s;
	}
	return found;
}

/* Is C's part of the loop one chain from the header through the branch back to the header? */
static bool
find_chain(Plan *x)
{
	uint32_t b = plan_header(x), all = 0;
	bool branch = false;
	x->lockstep.chain = arena_array(x->arena, x->fn->cfg->nblocks, sizeof *x->lockstep.chain);
	do {
		x->lockstep.chain[x->lockstep.nchain++] = b;
		branch |= b == x->lockstep.branch_block;
		b = only_successor(x, b);
	} while (b && b != plan_header(x) && x->lockstep.nchain < x->fn->cfg->nblocks);
	BITS_EACH(i, x->own)
		all += loop_contains(x->fn->loops, x->site->loop, i);
	return b == plan_header(x) && branch &&
		x->lockstep.nchain + bits_count(x->lockstep.prefix) == all;
}

/* Does the statement write one of the registers in `live`? */
static bool
writes_live(const Fn *fn, uint32_t stmt, Bits live)
{
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (bits_has(live, fn_local(fn, fn_def(fn, d)->sym)))
			return true;
	return false;
}

/* Can the statement stand in the chain? Notes it when it must run under a predicate: %^in,
 * because memory or registers in `live` must not be touched by a parked lane, or, before the
 * path, %^want. */
static bool
check_stmt(Plan *x, uint32_t stmt, Bits live)
{
	const Stmt *s = fn_stmt(x->fn, stmt);
	uint32_t flags = s->kind == STMT_INSN ? ptx_flags(x->fn->m, s) : 0;
	if (flags & OPF_BRANCH)
		return ptx_op(x->fn->m, s) == OP_BRA;
	if (s->kind != STMT_INSN)
		return true;
	if (flags & OPF_EXIT)
		return s->guard && ptx_op(x->fn->m, s) != OP_TRAP;
	if (flags & (OPF_CALL | OPF_CROSS | OPF_BARRIER | OPF_STACK | OPF_CARRY))
		return false;
	if (flags & OPF_PURE && !writes_live(x->fn, stmt, live))
		return true;
	bits_set(x->lockstep.predicated, fn_local_stmt(x->fn, stmt));
	return !s->guard;
}

static bool
slice_spares_context(const Plan *x, const Task *t)
{
	for (uint32_t i = 0; i < t->nslice; i++)
		FN_DEFS_OF_STMT(x->fn, t->slice[i], d)
			if (t->from[fn_local(x->fn, fn_def(x->fn, d)->sym)] == IN_SAVED)
				return false;
	return true;
}

/* Can every statement of the own part's loop stand in the chain? */
static bool
check_stmts(Plan *x)
{
	const Fn *fn = x->fn;
	Bits live = bits_new(x->arena, fn->f->nsym), passed = bits_new(x->arena, fn->f->nsym);

	for (uint32_t i = 0; i < x->nways; i++)
		bits_or(live, fn->live->in[x->ways[i].block]); /* of block 0: the results */
	bits_copy(passed, live);
	bits_or(passed, fn->live->in[x->lockstep.pass_over]);
	x->lockstep.predicated = bits_new(x->arena, fn->f->nstmt);
	BITS_EACH(b, x->own) {
		if (!loop_contains(fn->loops, x->site->loop, b))
			continue;
		FN_BLOCK_STMTS(fn, b, s)
			if (!check_stmt(x, s, bits_has(x->lockstep.prefix, b) ? passed : live))
				return false;
	}
	return true;
}

void
plan_lockstep(Plan *x, const Part *k)
{
	x->lockstep.on = find_branch(x, k) && find_chain(x) && slice_spares_context(x, &k->task) &&
		check_stmts(x);
}
