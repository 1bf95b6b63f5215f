/* SPDX-License-Identifier: MIT */
/* Decides whether the lanes execute the common code in lockstep.
 *
 * If every iteration reaches the branches to the paths, and all other branches leave the loop,
 * the lanes can execute one iteration of common code per round together. A vote then replaces
 * each branch to a path, an update of %~in replaces each exit, and the common code becomes
 * straight-line code without divergent branches. Compared to votes at the back edge this avoids
 * the branch by which parked lanes skip the iteration, the convergence barriers that ptxas puts
 * around such branches, and copies of the context.
 *
 * A parked lane executes the chain too, with stale registers (docs/proofs/collect.md, C26).
 * Statements that access memory, or that write a register that is live at an exit, are
 * predicated by %~in. %^want is combined with %~in, so a parked lane never has a pending task.
 *
 * A branch may lead to a path on one side or, in an `if`/`else`, on both; the next block of the
 * chain is the one at which its paths end. Nested paths are not in the chain: their votes follow
 * the vote of the enclosing path. */
#include "analysis/contraction/contraction.h"
#include "transform/collect/collect.h"
#include "transform/legality/rounding.h"
#include "transform/plan/plan.h"

/* Finds the branch to the path. The compiler may have put computations into blocks between the
 * branch and the path's marker; each of these must be the only predecessor of the next
 * (vote_branch.prefix). The sets of a plan are kept as sparse ones: there may be thousands of plans
 * in a large function. */
static bool
find_vote_branch(const Plan *x, Task_region *k, Bits prefix)
{
	const Fn *fn = x->fn;
	const Cfg *g = fn->cfg;
	uint32_t e = k->path->entry, u;
	for (;; e = u) {
		u = g->blocks[e].npred == 1 ? cfg_pred(g, e)[0] : 0;
		if (!u || !bits_has(x->common.blocks, u) ||
			!loop_contains(fn->loops, x->site->loop, u))
			return false;
		if (g->blocks[u].nsucc != 1)
			break;
		if (u == plan_header(x) || u > e)
			return false;
		bits_set(prefix, u);
	}
	uint32_t t = cfg_terminator(g, u);
	if (!t || g->blocks[u].nsucc != 2 || ptx_op(fn->m, fn_stmt(fn, t)) != OP_BRA ||
		!fn_stmt(fn, t)->guard)
		return false;
	k->vote_branch.stmt = t;
	k->vote_branch.block = u;
	k->vote_branch.other_target = cfg_succ(g, u)[cfg_succ(g, u)[0] == e];
	k->vote_branch.path_falls_through = e == u + 1;
	return true;
}

bool
plan_find_vote_branch(const Plan *x, Task_region *k)
{
	Bits prefix = bits_new(x->scratch, x->fn->cfg->nblocks);

	k->vote_branch = (Vote_branch){ 0 };
	const bool found = find_vote_branch(x, k, prefix);
	k->vote_branch.prefix = bits_freeze(x->arena, prefix);
	return found;
}

/* Returns the region that the other side of the branch to region k leads to, or NULL. */
static const Task_region *
other_region_of_branch(const Plan *x, const Task_region *k)
{
	for (uint32_t i = 0; i < x->nregions; i++) {
		const Task_region *o = &x->regions[i];
		if (o != k && !o->outer && o->vote_branch.stmt == k->vote_branch.stmt)
			return o;
	}
	return NULL;
}

/* Whether the other side of the branch leads to the block at which the owner continues after the
 * path, directly or through another path. */
static bool
sides_meet_after_path(const Plan *x, const Task_region *k)
{
	const Task_region *other = other_region_of_branch(x, k);
	uint32_t over = k->vote_branch.other_target;

	if (other)
		return other->path->next == k->path->next;
	return bits_has(x->common.blocks, over) &&
		region_first_nonempty(x->fn, x->site->loop, over) == k->path->next;
}

static bool
find_vote_branches(Plan *x, Lockstep *l)
{
	Bits prefix = bits_new(x->scratch, x->fn->cfg->nblocks);
	bool found = true;

	for (uint32_t i = 0; i < x->nregions && found; i++) {
		if (x->regions[i].outer)
			continue;
		found = plan_find_vote_branch(x, &x->regions[i]);
		bits_or(prefix, x->regions[i].vote_branch.prefix);
	}
	l->prefix = bits_freeze(x->arena, prefix);
	if (!found)
		return false;
	for (uint32_t i = 0; i < x->nregions; i++)
		if (!x->regions[i].outer && !sides_meet_after_path(x, &x->regions[i]))
			return false;
	return true;
}

/* Returns a region whose branch ends block b, or NULL. */
static const Task_region *
region_branched_at(const Plan *x, uint32_t b)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (!x->regions[i].outer && x->regions[i].vote_branch.block == b)
			return &x->regions[i];
	return NULL;
}

/* Returns the block of common code that follows b in every iteration that stays in the loop; 0
 * if it is not unique. */
static uint32_t
only_common_successor(const Plan *x, const Lockstep *l, uint32_t b)
{
	const Task_region *k = region_branched_at(x, b);
	uint32_t found = 0;

	if (k && other_region_of_branch(x, k))
		return bits_has(x->common.blocks, k->path->next) ? k->path->next : 0;
	FN_SUCC(x->fn, b, s) {
		if (s == 0 || !bits_has(x->common.blocks, s) || bits_has(l->prefix, s))
			continue;
		if (found)
			return 0;
		found = s;
	}
	return found;
}

/* Whether the common code of the loop is one chain from the header through all branches back to
 * the header. Empty blocks that are only reached through a path may be missing from it. */
static bool
find_chain(const Plan *x, Lockstep *l)
{
	uint32_t b = plan_header(x), votes = 0, all = 0;
	Bits seen = bits_new(x->scratch, x->fn->cfg->nblocks);

	l->chain = arena_array(x->arena, bits_count(x->common.blocks), sizeof *l->chain);
	do {
		l->chain[l->nchain++] = b;
		bits_set(seen, b);
		for (uint32_t i = 0; i < x->nregions; i++)
			votes += !x->regions[i].outer && x->regions[i].vote_branch.block == b;
		b = only_common_successor(x, l, b);
	} while (b && !bits_has(seen, b));
	for (uint32_t i = 0; i < x->nregions; i++)
		votes += x->regions[i].outer != 0;
	bits_or(seen, l->prefix);
	BITS_EACH(i, x->common.blocks)
		all += loop_contains(x->fn->loops, x->site->loop, i) && !bits_has(seen, i) &&
			(x->nregions == 1 || !cfg_block_empty(x->fn->cfg, i));
	return b == plan_header(x) && votes == x->nregions && all == 0;
}

/* Whether the statement writes one of the registers in `live`. */
static bool
writes_live(const Fn *fn, uint32_t stmt, Bits live)
{
	FN_DEFS_OF_STMT(fn, stmt, d)
		if (bits_has(live, fn_local(fn, fn_def(fn, d)->sym)))
			return true;
	return false;
}

/* Whether the statement can be in the chain. Records in lockstep.predicated that it must be
 * predicated: by %~in, because it accesses memory or writes a register in `live`, or, between a
 * branch and its path, by %^want. */
static bool
check_chain_stmt(const Plan *x, Lockstep *l, uint32_t stmt, Bits live)
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
	bits_set(l->predicated, fn_local_stmt(x->fn, stmt));
	return !s->guard;
}

static bool
slice_preserves_context(const Plan *x, const Task *t)
{
	for (uint32_t i = 0; i < t->nslice; i++)
		FN_DEFS_OF_STMT(x->fn, t->slice[i], d)
			if (task_input_kind(t, fn_def(x->fn, d)->sym) == INPUT_SAVED)
				return false;
	return true;
}

/* Returns the registers that statements of block b must not change on lanes that do not execute
 * it: those that are live at an exit and, between a branch and its path, those that are live on
 * the branch's other side. */
static Bits
live_on_inactive_lanes(const Plan *x, uint32_t b, Bits out)
{
	const Fn *fn = x->fn;
	Bits live = bits_new(x->scratch, fn->f->nsym);

	bits_copy(live, out);
	for (uint32_t i = 0; i < x->nregions; i++) {
		const Task_region *k = &x->regions[i];
		if (k->outer || !bits_has(k->vote_branch.prefix, b))
			continue;
		bits_or(live, fn->live->in[k->vote_branch.other_target]);
		if (other_region_of_branch(x, k))
			bits_or(live, fn->live->in[k->path->next]);
	}
	return live;
}

/* Whether every statement of the loop's common code can be in the chain. */
static bool
check_chain_stmts(const Plan *x, Lockstep *l)
{
	const Fn *fn = x->fn;
	Bits out = bits_new(x->scratch, fn->f->nsym);

	for (uint32_t i = 0; i < x->common.nexits; i++) /* block 0: the function's results */
		bits_or(out, fn->live->in[x->common.exits[i].block]);
	l->predicated = bits_new(x->scratch, fn->f->nstmt);
	BITS_EACH(b, x->common.blocks) {
		if (!loop_contains(fn->loops, x->site->loop, b))
			continue;
		Bits live =
			bits_has(l->prefix, b) ? live_on_inactive_lanes(x, b, out) : out;
		FN_BLOCK_STMTS(fn, b, s)
			if (!check_chain_stmt(x, l, s, live))
				return false;
	}
	return true;
}

bool
predicates_match(const Plan *x, uint32_t product, Bits predicated)
{
	const Fn *fn = x->fn;

	FN_DEFS_OF_STMT(fn, product, d)
		FN_USES(fn, d, u)
			for (uint32_t s = product + 1; s < fn_use(fn, u)->stmt; s++)
				if (bits_has(predicated, fn_local_stmt(fn, s)) &&
					contraction_block_end(fn->m, fn_stmt(fn, s), true) !=
						BLOCK_CONTINUES)
					return true;
	return false;
}

/* Whether a predicate on the statement changes what ptxas computes. */
static bool
predicate_matters(const Fn *fn, uint32_t stmt)
{
	return contraction_of(fn, stmt) == CONTRACT_ALWAYS || contraction_shows_sign(fn, stmt);
}

/* Whether the statements that a path recomputes, which the chain predicates, keep their results. */
static bool
slices_rounding_matches(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++) {
		const Task *task = &x->regions[i].task;
		for (uint32_t k = 0; !x->regions[i].outer && k < task->nslice; k++)
			if (predicate_matters(x->fn, task->slice[k]))
				return false;
	}
	return true;
}

/* Whether contraction gives the same results in the chain, if results must be exact
 * (rounding.c). */
static bool
chain_rounding_matches(const Plan *x, const Lockstep *l)
{
	const Fn *fn = x->fn;

	if (!rounding_is_exact(x->opt, plan_has_proven_clause(x)))
		return true;
	BITS_EACH(b, x->common.blocks)
		FN_BLOCK_STMTS(fn, b, s)
			if ((contraction_of(fn, s) == CONTRACT_ALWAYS &&
				    predicates_match(x, s, l->predicated)) ||
				(predicate_matters(fn, s) &&
					bits_has(l->predicated, fn_local_stmt(fn, s))))
				return false;
	return slices_rounding_matches(x);
}

static bool
slices_preserve_contexts(const Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++)
		if (!x->regions[i].outer && !slice_preserves_context(x, &x->regions[i].task))
			return false;
	return true;
}

bool
lockstep_chain(Plan *x, Lockstep *l)
{
	return find_vote_branches(x, l) && find_chain(x, l);
}

void
plan_lockstep(Plan *x)
{
	Lockstep *l = &x->collect->lockstep;

	/* a jump task's rest, or a repeated task, is executed by some lanes only */
	if (plan_has_tail_capture(x) || plan_has_iteration_tasks(x))
		return;
	l->enabled = lockstep_chain(x, l) && slices_preserve_contexts(x) &&
		check_chain_stmts(x, l) && chain_rounding_matches(x, l);
	l->predicated = l->enabled ? bits_freeze(x->arena, l->predicated) : (Bits){ 0 };
}
