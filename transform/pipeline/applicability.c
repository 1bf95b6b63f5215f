/* SPDX-License-Identifier: MIT */
/* Whether a policy applies to a site. See select_policy.h. */
#include "transform/collect/collect.h"
#include "transform/pipeline/select_policy.h"
#include "transform/plan/plan.h"

static Annot_kind
annotation_kind(const Plan *x, const Region *r)
{
	return x->fn->m->markers[r->marker].annot.kind;
}

bool
plan_policy_applies(const Plan *x, Annot_policy policy)
{
	switch (policy) {
	case POLICY_EXPAND:
		return x->site->ninner_loops &&
			plan_iterations_independent(x, x->site->inner_loops[0]);
	case POLICY_FLATTEN: return x->site->ninner_loops > 0;
	case POLICY_STACK:
	case POLICY_QUEUE: return plan_has_collectable_region(x);
	case POLICY_CONVERGE: return x->site->loop != 0;
	case POLICY_WAIT:
	case POLICY_MAJORITY:
	case POLICY_LIVE:
	case POLICY_CYCLE: return x->site->npaths || x->site->ninner_loops;
	default: return x->site->npaths > 0;
	}
}

static bool
has_inner_loop(const Plan *x)
{
	const Loops *l = x->fn->loops;

	for (uint32_t i = 1; i < l->nloops; i++)
		if (x->site->loop && l->loops[i].parent == x->site->loop)
			return true;
	return false;
}

Verdict
plan_why_inapplicable(const Plan *x)
{
	uint32_t pos = fn_stmt(x->fn, plan_marker(x)->stmt)->at.pos;

	if (!x->site->npaths && !x->site->ninner_loops && x->site->refused_paths)
		return verdict(x->arena, D_COUNT, pos, "%s",
			x->site->off_paths ? "policy(none)" : "no path in the loop");
	if (!x->site->npaths && !x->site->ninner_loops)
		return verdict_note(verdict(x->arena, D_PATH, pos, "no path in it"), x->arena,
			DIAG_NOWHERE, "%s",
			has_inner_loop(x) ?
				"put '#pragma ccc while' over the loop in it, if its trip count differs between lanes, or '#pragma ccc if' over the divergent branch" :
				"put '#pragma ccc if' over the divergent branch; if there is one, the compiler left no branch there");
	bool inner = x->policy == POLICY_EXPAND || x->policy == POLICY_FLATTEN;
	if (x->policy == POLICY_EXPAND && x->site->ninner_loops)
		return verdict_note(
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"the iterations of a '%s' loop may need each other, and 'expand' runs them at the same time",
				annot_kinds[annotation_kind(x, x->site->inner_loops[0])].words),
			x->arena, DIAG_NOWHERE, "if they are independent, say 'for var'");
	return verdict_note(
		verdict(x->arena, D_POLICY, DIAG_NOWHERE, "policy '%s' needs %s",
			annot_policies[x->policy].name,
			inner ? "an inner loop whose trip count differs from lane to lane" :
				"a path"),
		x->arena, DIAG_NOWHERE, "put '#pragma ccc %s' over it", inner ? "for var" : "if");
}

/* Only with look-ahead do lanes know which arms of a branch their iterations take. */
static Verdict
check_not_unified(const Plan *x)
{
	const Region *r = NULL;

	for (uint32_t i = 0; i < x->site->npaths && !r; i++)
		if (annotation_kind(x, x->site->paths[i]) == ANNOT_UNIFY)
			r = x->site->paths[i];
	if (!r || x->policy == POLICY_AHEAD)
		return VERDICT_YES;
	return verdict_note(
		verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"policy '%s' does not go with the '#pragma ccc unify' of line %u",
			annot_policies[x->policy].name, x->fn->m->markers[r->marker].cuda.line),
		x->arena, DIAG_NOWHERE, "'ahead' does; with others, say '#pragma ccc if else'");
}

Verdict
plan_check_not_drawn(const Plan *x)
{
	if (plan_marker(x)->annot.kind != ANNOT_ASSIGN || policy_draws_iterations(x->policy))
		return check_not_unified(x);
	return verdict_note(
		verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"policy '%s' does not go with '#pragma ccc assign'",
			annot_policies[x->policy].name),
		x->arena, DIAG_NOWHERE,
		"'converge', 'flatten', 'wait', 'majority', 'live' and 'cycle' do; to collect paths, say '#pragma ccc for'");
}
