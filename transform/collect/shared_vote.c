/* SPDX-License-Identifier: MIT */
/* Paths of which an iteration takes one at most share a vote (docs/design.md 6.2).
 *
 * Each path that is collected by a queue has a vote of its own in every round, and pushes with the
 * few lanes that want it. Where no iteration comes by two of the paths, as by the cases of a
 * switch, a lane has one task in hand at most, and a number says of which path. So the bits of that
 * number are voted on, one vote for each, which is less than one for each path; all lanes push at
 * once, each to its path's queue; and lane k of the warp counts the tasks of path k. This is for
 * the copy for full warps alone, which has a lane for every number.
 *
 * needs:    queues without threshold, whose paths stand in the own part, GROUP_LEAST to 31
 * refuses: paths that are not shown to exclude each other; several own parts a round
 * correct because (names of labels and sections are collect.tpl's, section `group`):
 *   - Two paths exclude each other if no way in an iteration leads from behind one to the other's
 *   entry, in either order (apart_by_flow); or if the branches to them compare one value, of one
 *   definition that an iteration runs once at most, with literals of different values, and each
 *   leads to its path where they are equal (apart_by_test).
 *   - So `want` is come to once at most between two votes, and %~which is the number of the task
 *   in hand, or 0. Lanes without one vote 0, are in nobody's %~slot but each other's, and push
 *   nothing (%~mine). All of M are full: lane k exists for each k.
 *   - Of lanes with the same number the ballots' bits are those of the number, so what is left of
 *   the mask when each ballot, or its complement, was and-ed to it are those with that number:
 *   %~slot counts those below, behind the tasks that wait, %~n in lane k all of path k.
 *   - Each count is less than 32 at the vote, since it is lessened by 32 where it is not less
 *   behind it, when at most 32 were added; so slots are below 64, as those of a queue are, and a
 *   path of which 32 tasks wait runs those of slots count to count + 31, when count is the lessened
 *   one.
 *   - Between a push and its pop stands the barrier behind `ready`, of that round or of a later
 *   one; between a pop and the next push the one at the vote. Which paths run all lanes know by one
 *   ballot, and `ran` of one leads to the next.
 *   - Who leaves for the other copy tells the tops (`to_others`): lane k's count is the number of
 *   tasks in the rows of path k, from slot 0, as the other copy has them.
 * cost:     a round: 6 instructions for each bit, about 20, and 3 for each path; a queue's vote is
 *           about 14 for each path
 * before / after: docs/transformation.md
 */
#include "transform/collect/collect.h"
#include "transform/plan/plan.h"

/* Paths that are worth it: where each has its vote behind the iteration; where it has it in its
 * place. */
enum { LEAST_APART = 3, LEAST_IN_STEP = 6, LANES_FOR_PATHS = WARP - 1 };

/* What an iteration that comes to the path has compared: this definition's value, with a literal
 * that is equal. */
typedef struct { uint32_t def; uint64_t literal; } Test;

/* The only definition that reaches the statement's use of the register; 0: there is none. */
static uint32_t
only_def(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	uint32_t u = defuse_use(fn, stmt, sym);

	return u && fn_use(fn, u)->ndef == 1 ? fn->defuse->reach[fn_use(fn, u)->def] : 0;
}

/* Is the definition run once at most in an iteration? */
static bool
is_of_iteration(const Plan *x, uint32_t def)
{
	const Loops *l = x->fn->loops;
	uint32_t stmt = fn_def(x->fn, def)->stmt, block = stmt ? fn_block(x->fn, stmt) : 0;

	return stmt && fn_def(x->fn, def)->kills &&
		(l->loop_of[block] == x->site->loop ||
			!bits_has(l->loops[x->site->loop].blocks, block));
}

static bool
is_whole(Type t)
{
	return t >= TYPE_B8 && t <= TYPE_S64 && t != TYPE_B128;
}

/* Does the comparison hold where its operands are equal, and only there; where they are not? */
static bool
compares(const Module *m, const Stmt *s, bool equal)
{
	return s->kind == STMT_INSN && ptx_op(m, s) == OP_SETP && !s->guard && s->nopnd == 3 &&
		is_whole(ptx_insn_type(m, s)) && ptx_has(m, s, equal ? "eq" : "ne") &&
		m->opnds[ptx_operand(m, s, 0)].kind == OPND_SYM &&
		m->opnds[ptx_operand(m, s, 1)].kind == OPND_SYM &&
		m->opnds[ptx_operand(m, s, 2)].kind == OPND_IMM;
}

static bool
find_test(const Plan *x, const Part *k, Test *t)
{
	const Fn *fn = x->fn;
	const Stmt *branch = fn_stmt(fn, k->cut.stmt);
	uint32_t p = only_def(fn, k->cut.stmt, branch->sym);
	bool holds = (branch->guard == 2) == k->cut.want_falls; /* as a wish has it (emit_path.c) */
	bool real = true;

	if (!p || !is_of_iteration(x, p))
		return false;
	uint32_t setp = fn_def(fn, p)->stmt;
	const Stmt *s = fn_stmt(fn, setp);
	if (!compares(fn->m, s, holds))
		return false;
	t->def = only_def(fn, setp, fn->m->opnds[ptx_operand(fn->m, s, 1)].sym);
	if (!ptx_imm(fn->m, &fn->m->opnds[ptx_operand(fn->m, s, 2)], &t->literal, &real) || real)
		return false;
	t->literal &= ~UINT64_C(0) >> (64 - 8 * ptx_type_size(ptx_insn_type(fn->m, s)));
	return t->def && is_of_iteration(x, t->def);
}

static bool
apart_by_test(const Plan *x, Part *a, Part *b)
{
	Test t, u;

	return !a->join && !b->join && plan_branch(x, a) && plan_branch(x, b) &&
		find_test(x, a, &t) && find_test(x, b, &u) &&
		t.def == u.def && t.literal != u.literal;
}

/* Does a way in one iteration lead from part a's path to the entry of b's? */
static bool
leads_to(const Plan *x, const Part *a, const Part *b)
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
exclude(const Plan *x, Part *a, Part *b)
{
	return (!leads_to(x, a, b) && !leads_to(x, b, a)) || apart_by_test(x, a, b);
}

static bool
in_group(const Part *k)
{
	return k->policy == POLICY_QUEUE && !k->outer && !k->steps && !k->threshold;
}

void
plan_group(Plan *x)
{
	uint32_t least = x->lockstep.on ? LEAST_IN_STEP : LEAST_APART;

	if (!x->two_copies || x->turns > 1 || x->nrows || x->nparts < least ||
		x->nparts > LANES_FOR_PATHS || (x->asked.says_retreat && x->asked.retreat))
		return;
	for (uint32_t i = 0; i < x->nparts; i++)
		if (!in_group(&x->parts[i]))
			return;
	for (uint32_t i = 0; i < x->nparts; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!exclude(x, &x->parts[i], &x->parts[j]))
				return;
	x->grouped = true;
	x->lockstep.on = false;
}
