/* SPDX-License-Identifier: MIT */
/* Whether a plan provably changes no result. Called for loops with `proven`, whose annotation
 * promises nothing: accesses that alias_warnings.c and forward_progress.c only warn of are refused
 * here.
 *
 * For loops, only waiting policies without iteration draw and unification qualify: each lane runs
 * its own iterations in order. What may differ is when lanes run relative to each other and, for
 * `ahead`, relative to themselves. The iterations of a task loop are threads, which have no order,
 * so their paths may be collected; but each thread's own order is kept: the code after its path,
 * which may now run before it, uses no memory that the path writes, writes none that the path
 * reads, and neither of the two has a fence, acquire or release, also in functions that it calls
 * (alias_warnings.c: plan_check_rest_disjoint).
 *
 * Relative to each other: lanes of a warp wait for each other at votes, so a lane may be delayed by
 * something that is not in the original. The accesses of a transformed kernel are those of the
 * original under some schedule, so the kernel could only fail to terminate. Then a lane L of M
 * stays forever in some loop of the region; take the innermost such loop. Each executed loop is one
 * of the following (analysis/progress/polling.c, termination.c, forward_progress.c), or the plan is
 * refused:
 * - Whether L leaves does not depend on memory that another thread may write. Then L also stays if
 *   the waiting lanes run on, and the original does not terminate under that schedule.
 * - An access advances through memory with each iteration. Then L leaves its array. So does the
 *   original, under a schedule that lets the others run afterwards.
 * - L retries a compare-and-swap, or draws from a counter, and others write that word forever. If
 *   those threads are in loops of this list, they write forever in the original, too. One case is
 *   not excluded: a thread outside the loop waits for a lane of M and writes the word in each
 *   iteration of its waiting. It stops L only if it always writes between the two accesses of L,
 *   and so could stop it in the original.
 * - The lanes of M meet in each iteration, and each vote releases all lanes that are in. Then all
 *   of these run on, and the lanes that have left do nothing that another thread can observe. So
 *   the original does not terminate either, under the schedule in which those lanes end (W19).
 *
 * Block barriers and warp operations are refused for every waiting policy (motion_legality.c).
 *
 * Relative to themselves: a lane that looks ahead performs reads of common code before the paths of
 * earlier iterations have run. These paths may write none of that memory, nor order it against
 * writes of other threads. Volatile and atomic accesses whose results are used are refused, because
 * they may have acquire order. Memory that no thread writes while the kernel runs (ld.global.nc,
 * constants, parameters) is not an EFF_READ. In other memory, two variables that the program
 * declares are distinct if the addresses derive from them alone (analysis/memory/provenance.c), and
 * so are accesses that name global memory and accesses that name shared memory. Pointers from two
 * parameters are not: a kernel may be passed one array twice.
 *
 * lookahead_legality.c proves what else `ahead` needs, such as the carried registers, for all
 * loops. */
#include "transform/legality/legality.h"
#include "transform/legality/memory_access_class.h"
#include "transform/plan/plan.h"

static Verdict
need_promise(const Plan *x, Verdict v)
{
	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"'proven' promises nothing; if this is harmless, remove 'proven'");
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Whether the statement reads a value that other threads write for synchronization. */
static bool
is_ordered(const Plan *x, uint32_t stmt)
{
	bool used = ptx_op(x->fn->m, fn_stmt(x->fn, stmt)) == OP_CALL;

	FN_DEFS_OF_STMT(x->fn, stmt, d)
		used |= fn_is_used(x->fn, d);
	return used && access_polls(x, stmt);
}

static Verdict
check_no_ordered_reads(const Plan *x)
{
	BITS_EACH(b, x->site->blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (fn_stmt(x->fn, s)->kind == STMT_INSN && is_ordered(x, s))
				return need_promise(x, verdict(x->arena, D_HAZARD,
					fn_stmt(x->fn, s)->at.pos,
					"policy '%s' changes the order of a thread's accesses, and other threads may write what is read here",
					annot_policies[x->policy].name));
	return VERDICT_YES;
}

/* ---- look-ahead ------------------------------------------------------------------------------ */

static Verdict
accesses_conflict(const Plan *x, const Access *path, const Access *own)
{
	const char *does = path->fence ? "has a fence or acquire" : "writes memory";

	Verdict v = verdict_note(
		verdict(x->arena, D_HAZARD, fn_stmt(x->fn, own->stmt)->at.pos,
			"the path %s, and the test of later iterations, which look-ahead runs earlier, reads memory that may be the same",
			does),
		x->arena, fn_stmt(x->fn, path->stmt)->at.pos, "in the path, here");

	return need_promise(x, access_note_fence(x, path, v));
}

static Verdict
check_reads_stable(const Plan *x)
{
	Accesses path = { 0 }, own = { 0 };
	Verdict v = VERDICT_YES;

	BITS_EACH(b, x->fn->loops->loops[x->site->loop].blocks)
		accesses_collect_proven(x, b, block_is_path_only(x, b) ? &path : &own);
	for (uint32_t i = 0; i < path.n; i++)
		for (uint32_t j = 0; j < own.n && !verdict_is_no(v); j++)
			if (own.at[j].reads && (path.at[i].fence ||
				(path.at[i].writes &&
					!accesses_disjoint(&path.at[i], &own.at[j]))))
				v = accesses_conflict(x, &path.at[i], &own.at[j]);
	vec_free(&path);
	vec_free(&own);
	return v;
}

/* ---- entry point ----------------------------------------------------------------------------- */

Verdict
plan_check_proven(const Plan *x, Promise needs)
{
	Promise has = plan_marker(x)->annot.kind == ANNOT_GRID ? NEEDS_TASKS : NEEDS_NOTHING;
	Verdict v;

	if (needs > has || (x->lookahead && x->lookahead->unified))
		return need_promise(x, verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"policy '%s' needs iterations that are independent",
			annot_policies[x->policy].name));
	if (verdict_is_no(v = plan_check_forward_progress(x)))
		return need_promise(x, v);
	if ((needs == NEEDS_TASKS || x->policy == POLICY_AHEAD) &&
		verdict_is_no(v = check_no_ordered_reads(x)))
		return v;
	if (needs == NEEDS_TASKS && verdict_is_no(v = plan_check_rest_disjoint(x)))
		return need_promise(x, v);
	return x->policy == POLICY_AHEAD ? check_reads_stable(x) : VERDICT_YES;
}
