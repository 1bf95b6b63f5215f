/* SPDX-License-Identifier: MIT */
/* Can it be shown that a plan changes no result? Asked of loops with `proven`, whose annotation
 * promises nothing: what hints.c and spins.c warn of is refused here, and nothing is guessed.
 *
 * Of loops only bound plans can stand, without a pool and without sides: each lane runs its own
 * iterations in their order. What may differ then is when lanes run, beside each other and for
 * `ahead` beside themselves. The iterations of a task loop are threads, which have no order, so
 * their paths may be collected; but a thread's own order is kept: what runs behind its path, and
 * may now run before it, uses no memory that the path writes, nor writes any that the path reads,
 * nor stands a fence in one of the two (hints.c: plan_rest_apart).
 *
 * Beside each other: lanes of one warp wait for each other at votes. That can keep a lane waiting
 * that would have gone on, so nobody may wait for memory that another lane changes: nothing in the
 * loop asks what an atomic or volatile access found, but for counts, nor calls a function that
 * does. (Which branches come of it, and whether they wait, is not asked: that goes by control as
 * well as by data.) Block barriers and operations of the warp are refused of any bound plan
 * (movable.c). So nothing in the loop waits for another thread's write, and a program without data
 * races cannot see when each of its accesses comes.
 *
 * Beside themselves: who looks ahead reads what an own part reads before paths of earlier
 * iterations have run. These may write none of it, nor order it against what other threads write.
 * Memory that nobody writes while the kernel runs (ld.global.nc, constants, parameters) is no
 * EFF_READ at all; of other memory, two variables that the program declares are apart if the
 * addresses are based on them alone (analysis/provenance.c). Pointers that come in two parameters
 * are not: a kernel may get one array twice.
 *
 * The carried registers, and what else `ahead` needs, are proven by ahead.c whoever asks.
 */
#include "transform/access.h"
#include "transform/bound.h"
#include "transform/passes.h"

static Verdict
promise(const Plan *x, Verdict v)
{
	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"'proven' promises nothing; if that does no harm, leave it away");
}

/* ---- who waits ------------------------------------------------------------------------------- */

static bool
asks(const Plan *x, uint32_t stmt)
{
	bool used = ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_CALL;

	FN_DEFS_OF_STMT(x->fn, stmt, d)
		used |= fn_is_used(x->fn, d);
	return used && access_looks(x, stmt);
}

static Verdict
nobody_waits(const Plan *x)
{
	BITS_EACH(b, x->site->blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (fn_stmt(x->fn, s)->kind == STMT_INSN && asks(x, s))
				return promise(x, verdict(x->arena, D_SPIN,
					fn_stmt(x->fn, s)->at.pos,
					"the loop asks here what is found in memory that others change, and may wait for another lane"));
	return VERDICT_YES;
}

/* ---- what is read ahead ---------------------------------------------------------------------- */

static Verdict
meets(const Plan *x, const Access *path, const Access *own)
{
	const char *does = path->fence ? "has a fence" : "writes memory";

	return promise(x, verdict_note(verdict(x->arena, D_HAZARD,
		fn_stmt(x->fn, own->stmt)->at.pos,
		"the path %s, and the test of later iterations, which are looked at before, reads memory that nothing shows to be another",
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
plan_proven(const Plan *x)
{
	Promise has = plan_marker(x)->annot.kind == ANNOT_GRID ? NEEDS_TASKS : NEEDS_NOTHING,
		needs = pass_of(x->policy)->needs;
	Verdict v;

	if (needs > has || x->bound.unified)
		return promise(x, verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"policy '%s' needs iterations that are independent",
			annot_policies[x->policy].name));
	if (verdict_no(v = nobody_waits(x)))
		return v;
	if (needs == NEEDS_TASKS && verdict_no(v = plan_rest_apart(x)))
		return promise(x, v);
	return x->policy == POLICY_AHEAD ? nothing_read_changes(x) : VERDICT_YES;
}
