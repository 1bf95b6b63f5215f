/* SPDX-License-Identifier: MIT */
/* Shared vote of paths that exclude each other (docs/design.md 6.2).
 *
 * With a queue for each path, each path has its own vote in every round, and few lanes push at a
 * time. If an iteration takes at most one of the paths, as with the cases of a switch, a lane
 * has at most one pending task, and its path's number identifies it. One vote for each bit of
 * that number then replaces one vote for each path. All lanes push at once, each to its path's
 * queue, and lane k of the warp holds the task count of path k. Only the copy for full warps
 * does this, because it has a lane for every number.
 *
 *   needs:    queues without threshold, whose paths are in the common code; at least
 *             MIN_REGIONS_DIVERGED or MIN_REGIONS_LOCKSTEP, at most 31
 *   refuses:  paths that are not shown to exclude each other; batches
 *   correct:  docs/proofs/collect.md, C21, for the vote itself (section `group` of collect.tpl)
 *
 * - Two paths exclude each other if within one iteration neither entry is reachable from the
 *   other path (path_reaches_entry()), or if the branches to them compare the same value with
 *   different literals, each taken on equality (tests_are_exclusive()). The value must have one
 *   definition that an iteration executes at most once.
 * - So a lane reaches `want` at most once between two votes; %~which is its task's number, or 0.
 *   Lanes with 0 form a group of their own, and push nothing (%~mine).
 * - The ballots restricted to lanes with the same number give %~slot, the rank behind the queued
 *   tasks, and in lane k %~n, the number of new tasks of path k.
 * - A count is below 32 at each vote, and at most 32 tasks are added. If it reaches 32, it is
 *   reduced by 32 and the path executes slots count to count + 31. Slots are thus below 64.
 * - The barrier at `ready` is between a push and its pop, the one at the vote between a pop and
 *   the next push. One ballot tells all lanes which paths execute, and `ran` of each leads to
 *   the next.
 * - `to_others` hands the counts to the other copy: lane k's count is the number of tasks in the
 *   rows of path k, from slot 0 on.
 *
 *   cost:     a round: 6 instructions for each bit, about 20, and 3 for each path; a queue's vote
 *             is about 14 for each path */
#include "transform/collect/collect.h"
#include "transform/plan/plan.h"

/* Minimum number of paths for a profit, if the votes would be at the back edge, or in lockstep. */
enum { MIN_REGIONS_DIVERGED = 3, MIN_REGIONS_LOCKSTEP = 6, LANES_FOR_PATHS = WARP - 1 };

/* Comparison that leads to a path: definition `def` of the compared value, and the literal that
 * it equals. */
typedef struct { uint32_t def; uint64_t literal; } Equality_test;

/* Returns the only definition that reaches the statement's use of the register, or 0. */
static uint32_t
only_def(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	uint32_t u = defuse_find_use(fn, stmt, sym);

	return u && fn_use(fn, u)->ndef == 1 ? fn->defuse->reach[fn_use(fn, u)->def] : 0;
}

/* Whether an iteration executes the definition at most once. */
static bool
def_is_executed_once(const Plan *x, uint32_t def)
{
	const Loops *l = x->fn->loops;
	uint32_t stmt = fn_def(x->fn, def)->stmt, block = stmt ? fn_block(x->fn, stmt) : 0;

	return stmt && fn_def(x->fn, def)->kills &&
		(l->loop_of[block] == x->site->loop ||
			!bits_has(l->loops[x->site->loop].blocks, block));
}

static bool
type_is_integer(Type t)
{
	return t >= TYPE_B8 && t <= TYPE_S64 && t != TYPE_B128;
}

/* Whether the statement compares for equality (equal), or for inequality, with a literal. */
static bool
tests_equality(const Module *m, const Stmt *s, bool equal)
{
	return s->kind == STMT_INSN && ptx_op(m, s) == OP_SETP && !s->guard && s->nopnd == 3 &&
		type_is_integer(ptx_insn_type(m, s)) && ptx_has(m, s, equal ? "eq" : "ne") &&
		m->opnds[ptx_operand(m, s, 0)].kind == OPND_SYM &&
		m->opnds[ptx_operand(m, s, 1)].kind == OPND_SYM &&
		m->opnds[ptx_operand(m, s, 2)].kind == OPND_IMM;
}

static bool
find_equality_test(const Plan *x, const Task_region *k, Equality_test *t)
{
	const Fn *fn = x->fn;
	const Stmt *branch = fn_stmt(fn, k->vote_branch.stmt);
	uint32_t p = only_def(fn, k->vote_branch.stmt, branch->sym);
	/* as in emit_want_update() of emit_path.c */
	bool holds = (branch->guard == 2) == k->vote_branch.path_falls_through;
	bool real = true;

	if (!p || !def_is_executed_once(x, p))
		return false;
	uint32_t setp = fn_def(fn, p)->stmt;
	const Stmt *s = fn_stmt(fn, setp);
	if (!tests_equality(fn->m, s, holds))
		return false;
	t->def = only_def(fn, setp, fn->m->opnds[ptx_operand(fn->m, s, 1)].sym);
	if (!ptx_imm(fn->m, &fn->m->opnds[ptx_operand(fn->m, s, 2)], &t->literal, &real) || real)
		return false;
	t->literal &= ~UINT64_C(0) >> (64 - 8 * ptx_type_size(ptx_insn_type(fn->m, s)));
	return t->def && def_is_executed_once(x, t->def);
}

static bool
tests_are_exclusive(const Plan *x, Task_region *a, Task_region *b)
{
	Equality_test t, u;

	return !a->tail_end && !b->tail_end && plan_find_vote_branch(x, a) &&
		plan_find_vote_branch(x, b) && find_equality_test(x, a, &t) &&
		find_equality_test(x, b, &u) && t.def == u.def && t.literal != u.literal;
}

/* Whether the entry of b's path is reachable from a's path within one iteration. */
static bool
path_reaches_entry(const Plan *x, const Task_region *a, const Task_region *b)
{
	const Fn *fn = x->fn;
	Bits within = bits_new(x->scratch, fn->cfg->nblocks);
	Bits seen = bits_new(x->scratch, fn->cfg->nblocks);

	BITS_EACH(i, x->site->blocks)
		if (i != plan_header(x))
			bits_set(within, i);
	cfg_flood(fn->cfg, a->path->entry, false, within, seen);
	return bits_has(seen, b->path->entry);
}

static bool
regions_are_exclusive(const Plan *x, Task_region *a, Task_region *b)
{
	return (!path_reaches_entry(x, a, b) && !path_reaches_entry(x, b, a)) ||
		tests_are_exclusive(x, a, b);
}

static bool
region_can_share_vote(const Task_region *k)
{
	return k->policy == POLICY_QUEUE && !k->outer && !k->by_iteration && !k->threshold;
}

void
plan_shared_vote(Plan *x)
{
	Collect_plan *c = x->collect;
	uint32_t least = c->lockstep.enabled ? MIN_REGIONS_LOCKSTEP : MIN_REGIONS_DIVERGED;

	if (!x->copies.two || c->batch > 1 || x->nexpansions || x->nregions < least ||
		x->nregions > LANES_FOR_PATHS || (x->request.has_retreat && x->request.retreat))
		return;
	for (uint32_t i = 0; i < x->nregions; i++)
		if (!region_can_share_vote(&x->regions[i]))
			return;
	for (uint32_t i = 0; i < x->nregions; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!regions_are_exclusive(x, &x->regions[i], &x->regions[j]))
				return;
	c->shares_vote = true;
	c->lockstep.enabled = false;
}
