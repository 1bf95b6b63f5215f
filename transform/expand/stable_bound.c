/* SPDX-License-Identifier: MIT */
/* Whether the bound of an expanded loop has one value during the loop, although each iteration
 * loads it again (analysis/loops/bound_reload.c). Then the owner loads it once, before the loop
 * (docs/proofs/expand.md, X14).
 *
 * The annotation promises that an iteration reads nothing that another one writes, and the bound's
 * loads belong to every iteration. Writes by other threads do not matter to plain loads: they are
 * data races unless the loop synchronises with the other thread. So this file refuses loads that
 * may see such writes, loops that synchronise, and loops that break the promise visibly. */
#include "analysis/memory/iteration_dependence.h"
#include "transform/expand/expand.h"
#include "transform/legality/memory_access_class.h"
#include "transform/task/slice.h"

/* The loop, and a load of its bound. */
typedef struct { const Plan *x; const Trip_count *t; uint32_t load; } Reload_check;

static Verdict
refuse_reload(const Reload_check *c, const char *why)
{
	const Plan *x = c->x;

	return verdict_note(
		verdict(x->arena, D_LOOP, fn_stmt(x->fn, c->load)->at.pos,
			"its bound is read again in each iteration%s", why),
		x->arena, DIAG_NOWHERE,
		"if it does not change, copy the bound to a local variable before the loop");
}

/* ---- other threads --------------------------------------------------------------------------- */

static bool
loop_synchronises(const Plan *x, Bits blocks)
{
	BITS_EACH(b, blocks)
		FN_BLOCK_STMTS(x->fn, b, s)
			if (fn_effects(x->fn, s) & (EFF_ORDER | EFF_BARRIER))
				return true;
	return false;
}

/* ---- the loop's own writes ------------------------------------------------------------------- */

/* Returns a statement of the loop that may write what the load reads, judging by the addresses; 0
 * if there is none. Accesses to unknown memory are covered by the promise. */
static uint32_t
find_write(const Reload_check *c, Bits blocks)
{
	const Plan *x = c->x;
	const Access load = access_of_stmt(x, c->load);
	Accesses all = { 0 };
	Forms forms;
	uint32_t found = 0;

	forms_init(&forms, x->fn, x->scratch);
	Iteration_access read = iteration_access(&forms, c->t->loop, c->load);
	BITS_EACH(b, blocks)
		accesses_collect(x, b, &all);
	for (uint32_t i = 0; i < all.n && !found; i++) {
		const Access *a = &all.at[i];
		if (!a->writes || !a->base.n || !load.base.n || accesses_disjoint(a, &load))
			continue;
		Iteration_access write = iteration_access(&forms, c->t->loop, a->stmt);
		if (iteration_dependence(&forms, c->t->loop, &write, &read) != DEPENDENCE_NONE)
			found = a->stmt;
	}
	vec_free(&all);
	forms_release(&forms);
	return found;
}

/* ---- the bound ------------------------------------------------------------------------------- */

static Verdict
check_load(const Reload_check *c, Bits blocks)
{
	static const char *const fresh[] = { "cv", "cg", NULL };
	const Plan *x = c->x;
	uint32_t write;

	if (!(fn_effects(x->fn, c->load) & EFF_READ))
		return VERDICT_YES;
	if (fn_effects(x->fn, c->load) & EFF_SPIN ||
		ptx_has_any(x->fn->m, fn_stmt(x->fn, c->load), fresh))
		return refuse_reload(c, ", by a load that may see writes of other threads");
	if (loop_synchronises(x, blocks))
		return refuse_reload(c, ", and the loop synchronises with other threads, which may change it");
	if ((write = find_write(c, blocks)) == 0)
		return VERDICT_YES;
	return verdict_note(refuse_reload(c, ", and an iteration may change it"), x->arena,
		fn_stmt(x->fn, write)->at.pos, "written here");
}

Verdict
plan_check_reloads(const Plan *x, const Trip_count *t)
{
	Bits blocks = x->fn->loops->loops[t->loop].blocks;
	Verdict v = VERDICT_YES;

	for (uint32_t i = 0; i < t->nreloads && !verdict_is_no(v); i++) {
		Reload_check c = { x, t, t->reloads[i] };
		v = check_load(&c, blocks);
		FN_DEFS_OF_STMT(x->fn, c.load, d)
			if (slice_register_is_declared_inside(x, fn_def(x->fn, d)->sym))
				v = refuse_reload(&c, "");
	}
	return v;
}
