/* SPDX-License-Identifier: MIT */
/* Predicates on plans that several steps use. */
#include "transform/plan/plan.h"

bool
plan_has_proven_clause(const Plan *x)
{
	bool nothing = annot_has(&plan_marker(x)->annot, CLAUSE_PROVEN);

	for (uint32_t i = 0; i < x->site->npaths; i++)
		nothing |= annot_has(
			&x->fn->m->markers[x->site->paths[i]->marker].annot, CLAUSE_PROVEN);
	return nothing;
}

bool
plan_iterations_independent(const Plan *x, const Region *inner)
{
	return x->fn->m->markers[inner->marker].annot.kind == ANNOT_FOR_VAR;
}

const Region *
plan_path_around(const Plan *x, const Region *inner)
{
	const Region *found = NULL;

	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Region *p = x->site->paths[i];
		if (bits_has(p->blocks, inner->entry) &&
			(!found || bits_has(found->blocks, p->entry)))
			found = p;
	}
	return found;
}

bool
plan_expands_in_path(const Plan *x, const Region *inner)
{
	const Region *path = plan_path_around(x, inner);
	Annot_policy inside = policy_requested_by(&x->fn->m->markers[inner->marker].annot);

	if (!path || !plan_iterations_independent(x, inner))
		return false;
	Annot_policy around = policy_requested_by(&x->fn->m->markers[path->marker].annot);
	if (around == POLICY_AUTO && inside == POLICY_AUTO)
		return x->selection.nests;
	return (around == POLICY_STACK || around == POLICY_QUEUE) &&
		(inside == POLICY_EXPAND || inside == POLICY_AUTO);
}

bool
task_region_has_loops(const Plan *x, const Task_region *k)
{
	const Loops *l = x->fn->loops;

	BITS_EACH(b, k->blocks)
		if (l->loop_of[b] != l->loop_of[k->path->entry])
			return true;
	return false;
}

/* The additional vote lengthens rounds with work, which is negligible beside a path with loops. */
bool
plan_tests_vote_first(const Plan *x, const Task_region *k)
{
	return !k->by_iteration && !x->fallback.enabled &&
		(plan_expansion_in(x, (uint32_t)(k - x->regions) + 1) ||
			task_region_has_loops(x, k));
}
