/* SPDX-License-Identifier: MIT */
/* How lanes look ahead, and how they run what they have noted (policy `ahead`;
 * lookahead_legality.c says whether they may).
 *
 * In a row: if the own part is one chain of blocks, whose branches lead to a path or out of the
 * loop (lockstep.c), looking needs no branch. A branch to a path becomes a bit, one that leaves the
 * loop an update of %^go, and what touches memory runs under %^go. So several looks stand one
 * behind the other, their loads are under way together, and what they share is computed once. If
 * the index says that all lanes come to the last look of a group, the group needs none of that: no
 * test but the last, no count, no predicate. Parameters of a kernel are read without a predicate:
 * ptxas makes them operands.
 *
 * Straight: a noted iteration wants the path, that is known, so nothing is left to test. It is run
 * from the chain's begin to the path, without branches, and what the path does not read of it falls
 * to ptxas; behind the path it is over. That is all that it did if the rest of the iteration leaves
 * nothing behind but counts (lookahead_legality.c), and if no register is written by both the own
 * part and the path: so the order of the two does not show. The iteration by which the lane
 * leaves the loop is then run once more, without the path, for its way out and the values that it
 * brings there; so the path may write nothing that the own part reads even of the same iteration,
 * which 'independent' does not say.
 *
 * Else a noted iteration is run whole, on the loop's own branches, and lanes meet behind each.
 */
#include <stdlib.h>
#include "analysis/contraction/contraction.h"
#include "analysis/cost/static_cost.h"
#include "transform/collect/collect.h"
#include "transform/cost/cost.h"
#include "transform/legality/rounding.h"
#include "transform/plan/plan.h"
#include "transform/task/slice.h"
#include "transform/wait/wait.h"

/* LONGEST: issue slots of a group. */
enum { LOADS = 8, FEWEST = 4, LONGEST = 512 };

static bool
in_loop(const Plan *x, uint32_t b)
{
	return loop_contains(x->fn->loops, x->site->loop, b);
}

/* Can the statement stand in a row of looks? Notes it if it must not run on lanes that have
 * left. */
static bool
in_a_row(Plan *x, uint32_t stmt)
{
	const Stmt *s = fn_stmt(x->fn, stmt);
	uint32_t flags = s->kind == STMT_INSN ? ptx_flags(x->fn->m, s) : 0;

	if (s->kind != STMT_INSN)
		return true;
	if (flags & OPF_BRANCH)
		return ptx_op(x->fn->m, s) == OP_BRA;
	if (flags & OPF_EXIT)
		return s->guard && ptx_op(x->fn->m, s) != OP_TRAP;
	if (flags & (OPF_CALL | OPF_CROSS | OPF_BARRIER | OPF_STACK | OPF_CARRY))
		return false;
	if (!(flags & OPF_PURE) && !slice_param_load(x->fn, stmt))
		bits_set(x->bound.held, fn_local_stmt(x->fn, stmt));
	return flags & OPF_PURE || !s->guard;
}

/* What stands between the branch to a path and the path is not looked at: does anything else read
 * what it computes? */
static bool
prefix_apart(const Plan *x)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, x->lockstep.prefix)
		FN_BLOCK_STMTS(fn, b, s)
			FN_DEFS_OF_STMT(fn, s, d)
				FN_USES(fn, d, u) {
					uint32_t at = fn_block(fn, fn_use(fn, u)->stmt);
					if (in_loop(x, at) && !bound_beyond(x, at) &&
						!bits_has(x->lockstep.prefix, at))
						return false;
				}
	return true;
}

/* Do looks compute every bit as the loop does, if they must? (rounding.c) */
static bool
looks_round_alike(const Plan *x)
{
	if (!rounding_is_exact(x->opt, plan_promises_nothing(x)))
		return true;
	for (uint32_t i = 0; i < x->lockstep.nchain; i++)
		FN_BLOCK_STMTS(x->fn, x->lockstep.chain[i], s)
			if (contraction_of(x->fn, s) == CONTRACT_ALWAYS &&
				predicates_part(x, s, x->bound.held))
				return false;
	return true;
}

static bool
is_chain(Plan *x)
{
	if (!lockstep_chain(x) || !prefix_apart(x))
		return false;
	x->bound.held = bits_new(x->arena, x->fn->f->nstmt);
	for (uint32_t i = 0; i < x->lockstep.nchain; i++)
		FN_BLOCK_STMTS(x->fn, x->lockstep.chain[i], s)
			if (!in_a_row(x, s))
				return false;
	return looks_round_alike(x);
}

/* Does the path write a register that the own part writes too? */
static bool
shares_registers(const Plan *x)
{
	BITS_EACH(b, x->bound.beyond) {
		FN_BLOCK_STMTS(x->fn, b, s)
			FN_DEFS_OF_STMT(x->fn, s, d)
				if (bits_has(
					    x->bound.looks, fn_local(x->fn, fn_def(x->fn, d)->sym)))
					return true;
	}
	return false;
}

/* May lanes be apart behind the path, though ptxas brings lanes together behind a branch? */
static bool
parts_lanes(const Plan *x)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, x->bound.beyond) {
		if (fn->loops->loop_of[b] != x->site->loop)
			return true;
		FN_BLOCK_STMTS(fn, b, s)
			if (fn_stmt(fn, s)->kind == STMT_INSN &&
				(ptx_op(fn->m, fn_stmt(fn, s)) == OP_CALL ||
					ptx_op(fn->m, fn_stmt(fn, s)) == OP_BRX))
				return true;
	}
	return false;
}

/* Do looks wait for memory of which each lane may read another place? */
static bool
waits(const Plan *x)
{
	for (uint32_t i = 0; i < x->lockstep.nchain; i++)
		FN_BLOCK_STMTS(x->fn, x->lockstep.chain[i], s)
			if (bits_has(x->bound.held, fn_local_stmt(x->fn, s)) &&
				ptx_space(x->fn->m, fn_stmt(x->fn, s)) != SPACE_CONST)
				return true;
	return false;
}

/* How many looks stand in a row: all of n take turns in groups of so many. Loads that are under way
 * have registers. */
static uint32_t
group(const Plan *x, uint32_t n)
{
	Bits chain = bits_new(x->scratch, x->fn->cfg->nblocks);
	uint32_t g = waits(x) && n > LOADS ? LOADS : n;

	for (uint32_t i = 0; i < x->lockstep.nchain; i++)
		bits_set(chain, x->lockstep.chain[i]);
	double look = effort_blocks(x->fn, chain, plan_header(x)).issue;
	while (n % g != 0 || (g > 1 && g * look > LONGEST))
		g--;
	return g < FEWEST && n * look <= LONGEST ? n : g;
}

/* ---- a loop of so many iterations ------------------------------------------------------------ */

/* Can a group of looks be known to stay in the loop? */
static const Trips *
sure(const Plan *x)
{
	const Trips *t = trips_find(x->fn, x->site->loop, x->arena);
	const Opnd *bound = t->wrong ? NULL : &x->fn->m->opnds[t->bound];

	if (t->wrong || t->tested.step >= t->nsteps ||
		(bound->kind != OPND_IMM && bound->kind != OPND_SYM) || bound->sel)
		return NULL;
	const Induction *i = &t->steps[t->tested.step];
	bool nears = t->cmp == TRIPS_NE ||
		(t->cmp == TRIPS_LT || t->cmp == TRIPS_LE ? i->step > 0 : i->step < 0);
	bool fits = nears && i->step != 0 && llabs(i->step) * WARP <= INT32_MAX &&
		t->tested.plus == (int32_t)t->tested.plus &&
		ptx_type_size((Type)x->fn->m->syms[i->sym].type) == t->bytes;
	return fits && bits_has(x->bound.looks, fn_local(x->fn, i->sym)) ? t : NULL;
}

void
plan_looks(Plan *x)
{
	Bound *b = &x->bound;
	bool chain = is_chain(x);

	b->sure = chain ? sure(x) : NULL;
	b->trips = b->sure && (x->open || !x->asked.n) ?
		x->fn->loops->loops[x->site->loop].trips :
		0;
	b->n = bound_batch(b, b->n);
	b->group = chain ? group(x, b->n) : 0;
	b->sure = b->group > 1 ? b->sure : NULL;
	b->straight = b->group && x->nparts == 1 && !shares_registers(x) &&
		!verdict_no(plan_memory_apart(x));
	b->gathers = !b->straight || parts_lanes(x);
}
