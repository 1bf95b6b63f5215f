/* SPDX-License-Identifier: MIT */
/* Can it be shown that a plan changes no result? Asked of loops with `proven`, whose annotation
 * promises nothing: what alias_warnings.c and forward_progress.c warn of is refused here, and
 * nothing is guessed.
 *
 * Of loops only bound plans can stand, without a pool and without sides: each lane runs its own
 * iterations in their order. What may differ then is when lanes run, beside each other and for
 * `ahead` beside themselves. The iterations of a task loop are threads, which have no order, so
 * their paths may be collected; but a thread's own order is kept: what runs behind its path, and
 * may now run before it, uses no memory that the path writes, nor writes any that the path reads,
 * nor stands a fence in one of the two (alias_warnings.c: plan_rest_apart).
 *
 * Beside each other: lanes of one warp wait for each other at votes, so a lane that waits at a vote
 * does not run although nothing in the original keeps it. The accesses of a transformed kernel are
 * those of the original under some schedule; the kernel could only fail to end. Then a lane L of M
 * is in some loop of the region for ever, and takes the innermost such loop. Each loop that lanes
 * run is one of these (analysis/progress/polling.c, termination.c), or the plan is refused:
 *   - Whether L leaves does not depend on memory that another thread may write. Then L also stays
 *     if the lanes that wait run on, and the original does not end under that schedule.
 *   - An access advances through memory with each iteration. Then L leaves its array. The original
 *     does so, too, under a schedule that lets the others run afterwards.
 *   - L retries a compare-and-swap, or draws from a counter, and others write that word for ever.
 *     If these threads are in loops of this list, they write for ever in the original, too. The
 *     other case is not excluded: a thread outside of the loop that waits for one of M and writes
 *     the word in each iteration of its waiting. It stops L only if it always writes between the
 *     two accesses of L, and so could stop it in the original.
 * Block barriers and operations of the warp are refused of any bound plan (motion_legality.c).
 *
 * Beside themselves: who looks ahead reads what an own part reads before paths of earlier
 * iterations have run. These may write none of it, nor order it against what other threads write.
 * Volatile and atomic accesses whose results are used are refused, for acquire order. Memory that
 * nobody writes while the kernel runs (ld.global.nc, constants, parameters) is no EFF_READ at all;
 * of other memory, two variables that the program declares are apart if the addresses are based on
 * them alone (analysis/memory/provenance.c). Pointers that come in two parameters are not: a
 * kernel may
 * get one array twice.
 *
 * The carried registers, and what else `ahead` needs, are proven by lookahead_legality.c whoever
 * asks.
 */
#include "transform/legality/legality.h"
#include "transform/legality/memory_access_class.h"
#include "transform/plan/plan.h"

static Verdict
promise(const Plan *x, Verdict v)
{
	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"'proven' promises nothing; if this is harmless, remove 'proven'");
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Does the statement read a value that other threads write to be read at some time? */
static bool
is_ordered(const Plan *x, uint32_t stmt)
{
	bool used = ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_CALL;

	FN_DEFS_OF_STMT(x->fn, stmt, d)
		used |= fn_is_used(x->fn, d);
	return used && access_looks(x, stmt);
}

static Verdict
nothing_ordered(const Plan *x)
{
	BITS_EACH(b, x->site->blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (fn_stmt(x->fn, s)->kind == STMT_INSN && is_ordered(x, s))
				return promise(x, verdict(x->arena, D_HAZARD,
					fn_stmt(x->fn, s)->at.pos,
					"policy '%s' changes the order of a thread's accesses, and other threads may write what is read here",
					annot_policies[x->policy].name));
	return VERDICT_YES;
}

/* ---- what is read ahead ---------------------------------------------------------------------- */

static Verdict
meets(const Plan *x, const Access *path, const Access *own)
{
	const char *does = path->fence ? "has a fence" : "writes memory";

	return promise(x, verdict_note(verdict(x->arena, D_HAZARD,
		fn_stmt(x->fn, own->stmt)->at.pos,
		"the path %s, and the test of later iterations, which look-ahead runs earlier, reads memory that may be the same",
		does), x->arena, fn_stmt(x->fn, path->stmt)->at.pos, "in the path, here"));
}

static Verdict
nothing_read_changes(const Plan *x)
{
	Accesses path = { 0 }, own = { 0 };
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->fn->loops->loops[x->site->loop].blocks)
		accesses_find_proven(x, b, bound_beyond(x, b) ? &path : &own);
	for (uint32_t i = 0; i < path.n; i++)
		for (uint32_t j = 0; j < own.n && !verdict_no(v); j++)
			if (own.at[j].reads && (path.at[i].fence ||
				(path.at[i].writes &&
					!access_apart(&path.at[i], &own.at[j]))))
				v = meets(x, &path.at[i], &own.at[j]);
	vec_free(&path);
	vec_free(&own);
	return v;
}

/* ---- the whole ------------------------------------------------------------------------------- */

Verdict
plan_proven(const Plan *x, Promise needs)
{
	Promise has = plan_marker(x)->annot.kind == ANNOT_GRID ? NEEDS_TASKS : NEEDS_NOTHING;
	Verdict v;

	if (needs > has || x->bound.unified)
		return promise(x, verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"policy '%s' needs iterations that are independent",
			annot_policies[x->policy].name));
	if (verdict_no(v = plan_waits_for_nobody(x)))
		return promise(x, v);
	if ((needs == NEEDS_TASKS || x->policy == POLICY_AHEAD) &&
		verdict_no(v = nothing_ordered(x)))
		return v;
	if (needs == NEEDS_TASKS && verdict_no(v = plan_rest_apart(x)))
		return promise(x, v);
	return x->policy == POLICY_AHEAD ? nothing_read_changes(x) : VERDICT_YES;
}
