/* SPDX-License-Identifier: MIT */
/* Selects how look-ahead iterations and selected iterations execute (policy `ahead`;
 * lookahead_legality.c decides whether they may).
 *
 * *In a row.* If the common code is one chain of blocks whose branches lead to a path or out of
 * the loop (lockstep.c), look-ahead iterations need no branches. A branch to a path becomes a
 * bit, a branch out of the loop updates %^go, and memory accesses are predicated by %^go.
 * Several iterations are emitted one after the other, so that their loads overlap and common
 * subexpressions are computed once. If the index shows that all lanes reach the last iteration
 * of a group, the group needs no predicates and no test but the last. Kernel parameters are read
 * without a predicate, as ptxas turns them into operands.
 *
 * *Straight.* A selected iteration takes the path, so no branch is left in it. It executes the
 * chain up to the path and the path, and ends there; ptxas removes what the path does not read.
 * This is sufficient if the rest of the iteration changes nothing but induction variables
 * (lookahead_legality.c), and if common code and path write disjoint registers, so that their
 * order does not matter. The iteration in which the lane leaves the loop is repeated without the
 * path, for its exit and its live-outs. The path must therefore not write memory that the common
 * code of the same iteration reads, which `independent` does not promise.
 *
 * *Whole.* Otherwise a selected iteration executes the loop body with its own branches, and
 * lanes meet after each. */
#include <stdlib.h>
#include "analysis/contraction/contraction.h"
#include "analysis/cost/static_cost.h"
#include "transform/collect/collect.h"
#include "transform/cost/cost.h"
#include "transform/legality/rounding.h"
#include "transform/plan/plan.h"
#include "transform/task/slice.h"
#include "transform/wait/wait.h"

/* LOADS: maximum group size if loads may miss. FEWEST: minimum. LONGEST: issue slots of a group. */
enum { LOADS = 8, FEWEST = 4, LONGEST = 512 };

static bool
block_is_in_loop(const Plan *x, uint32_t b)
{
	return loop_contains(x->fn->loops, x->site->loop, b);
}

/* Whether the statement loads a parameter by name. An address in a register may depend on the
 * iteration, and be beyond the parameter where a lane has left the loop. */
static bool
is_named_param_load(const Fn *fn, uint32_t stmt)
{
	bool named = slice_is_param_load(fn, stmt);

	FN_READS(fn, stmt, r)
		named &= !fn_is_reg(fn, r->sym);
	return named;
}

/* Whether the statement can be part of a row. Records in lookahead.guarded that it must be
 * predicated on lanes that have left the loop. */
static bool
stmt_can_be_straightened(Plan *x, uint32_t stmt)
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
	if (!(flags & OPF_PURE) && !is_named_param_load(x->fn, stmt))
		bits_set(x->lookahead->guarded, fn_local_stmt(x->fn, stmt));
	return flags & OPF_PURE || !s->guard;
}

/* Whether nothing else reads what the blocks between a branch and its path compute. Look-ahead
 * iterations omit these blocks. */
static bool
prefix_is_independent(const Plan *x)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, x->lookahead->lockstep.prefix)
		FN_BLOCK_STMTS(fn, b, s)
			FN_DEFS_OF_STMT(fn, s, d)
				FN_USES(fn, d, u) {
					uint32_t at = fn_block(fn, fn_use(fn, u)->stmt);
					if (block_is_in_loop(x, at) && !block_is_path_only(x, at) &&
						!bits_has(x->lookahead->lockstep.prefix, at))
						return false;
				}
	return true;
}

/* Whether look-ahead iterations round as the loop does, where they must (rounding.c). */
static bool
lookahead_rounding_matches(const Plan *x)
{
	if (!rounding_is_exact(x->opt, plan_has_proven_clause(x)))
		return true;
	for (uint32_t i = 0; i < x->lookahead->lockstep.nchain; i++)
		FN_BLOCK_STMTS(x->fn, x->lookahead->lockstep.chain[i], s)
			if (contraction_of(x->fn, s) == CONTRACT_ALWAYS &&
				predicates_match(x, s, x->lookahead->guarded))
				return false;
	return true;
}

static bool
common_code_is_chain(Plan *x)
{
	if (!lockstep_chain(x, &x->lookahead->lockstep) || !prefix_is_independent(x))
		return false;
	x->lookahead->guarded = bits_new(x->arena, x->fn->f->nstmt);
	for (uint32_t i = 0; i < x->lookahead->lockstep.nchain; i++)
		FN_BLOCK_STMTS(x->fn, x->lookahead->lockstep.chain[i], s)
			if (!stmt_can_be_straightened(x, s))
				return false;
	return lookahead_rounding_matches(x);
}

/* Whether the path writes a register that the common code writes too. */
static bool
path_shares_registers(const Plan *x)
{
	const Lookahead_plan *a = x->lookahead;

	BITS_EACH(b, a->path_only) {
		FN_BLOCK_STMTS(x->fn, b, s)
			FN_DEFS_OF_STMT(x->fn, s, d)
				if (bits_has(a->copied, fn_local(x->fn, fn_def(x->fn, d)->sym)))
					return true;
	}
	return false;
}

/* Whether lanes may be diverged after the path. ptxas makes them reconverge after plain branches
 * only. */
static bool
path_may_diverge(const Plan *x)
{
	const Fn *fn = x->fn;

	BITS_EACH(b, x->lookahead->path_only) {
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

/* Whether look-ahead iterations access memory other than constant memory. */
static bool
lookahead_waits_for_memory(const Plan *x)
{
	for (uint32_t i = 0; i < x->lookahead->lockstep.nchain; i++)
		FN_BLOCK_STMTS(x->fn, x->lookahead->lockstep.chain[i], s)
			if (bits_has(x->lookahead->guarded, fn_local_stmt(x->fn, s)) &&
				ptx_space(x->fn->m, fn_stmt(x->fn, s)) != SPACE_CONST)
				return true;
	return false;
}

/* Returns the number of iterations in a group; n is a multiple of it. The limits bound the
 * registers of outstanding loads and the code size. */
static uint32_t
lookahead_group_size(const Plan *x, uint32_t n)
{
	Bits chain = bits_new(x->scratch, x->fn->cfg->nblocks);
	uint32_t g = lookahead_waits_for_memory(x) && n > LOADS ? LOADS : n;

	for (uint32_t i = 0; i < x->lookahead->lockstep.nchain; i++)
		bits_set(chain, x->lookahead->lockstep.chain[i]);
	double issue = run_cost_of_blocks(x->fn, chain, plan_header(x)).issue;
	while (n % g != 0 || (g > 1 && g * issue > LONGEST))
		g--;
	return g < FEWEST && n * issue <= LONGEST ? n : g;
}

/* ---- counted loops --------------------------------------------------------------------------- */

/* Returns the loop's trip count analysis if it can prove that a group stays in the loop, or
 * NULL. */
static const Trip_count *
group_can_stay(const Plan *x)
{
	const Trip_count *t = trip_count_analyse(x->fn, x->site->loop, x->arena);
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
	return fits && bits_has(x->lookahead->copied, fn_local(x->fn, i->sym)) ? t : NULL;
}

void
plan_lookahead_copies(Plan *x)
{
	Wait_plan *b = x->wait;
	Lookahead_plan *a = x->lookahead;
	bool chain = common_code_is_chain(x);

	a->known_trips = chain ? group_can_stay(x) : NULL;
	a->trip_count = a->known_trips && (x->selection.is_auto || !x->request.n) ?
		x->fn->loops->loops[x->site->loop].trips :
		0;
	b->n = lookahead_batch_size(x, b->n);
	a->group_size = chain ? lookahead_group_size(x, b->n) : 0;
	a->known_trips = a->group_size > 1 ? a->known_trips : NULL;
	a->path_alone = a->group_size && x->nregions == 1 && !path_shares_registers(x) &&
		!verdict_is_no(plan_check_memory_disjoint(x));
	a->meets_before_run = !a->path_alone || path_may_diverge(x);
}
