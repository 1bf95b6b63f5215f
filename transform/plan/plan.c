/* SPDX-License-Identifier: MIT */
/* Predicates on plans that several steps use. */
#include "transform/plan/plan.h"

bool
plan_promises_nothing(const Plan *x)
{
	bool nothing = annot_has(&plan_marker(x)->annot, CLAUSE_PROVEN);

	for (uint32_t i = 0; i < x->site->npaths; i++)
		nothing |= annot_has(
			&x->fn->m->markers[x->site->paths[i]->marker].annot, CLAUSE_PROVEN);
	return nothing;
}

bool
plan_run_apart(const Plan *x, const Region *rounds)
{
	return x->fn->m->markers[rounds->marker].annot.kind == ANNOT_FOR_VAR;
}

const Region *
plan_path_around(const Plan *x, const Region *rounds)
{
	const Region *found = NULL;

	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Region *p = x->site->paths[i];
		if (bits_has(p->blocks, rounds->entry) &&
			(!found || bits_has(found->blocks, p->entry)))
			found = p;
	}
	return found;
}

bool
plan_asks_in_path(const Plan *x, const Region *rounds)
{
	const Region *path = plan_path_around(x, rounds);
	Annot_policy inner = plan_asked(&x->fn->m->markers[rounds->marker].annot);

	if (!path || !plan_run_apart(x, rounds))
		return false;
	Annot_policy around = plan_asked(&x->fn->m->markers[path->marker].annot);
	if (around == POLICY_AUTO && inner == POLICY_AUTO)
		return x->joins;
	return (around == POLICY_STACK || around == POLICY_QUEUE) && inner == POLICY_EXPAND;
}

bool
plan_has_loops(const Plan *x, const Part *k)
{
	const Loops *l = x->fn->loops;

	BITS_EACH(b, k->blocks)
		if (l->loop_of[b] != l->loop_of[k->path->entry])
			return true;
	return false;
}

/* The additional vote lengthens rounds with work, which is negligible beside a path with loops. */
bool
plan_asks_first(const Plan *x, const Part *k)
{
	return !k->steps && !x->retreat.on &&
		(plan_rows_in(x, (uint32_t)(k - x->parts) + 1) || plan_has_loops(x, k));
}
