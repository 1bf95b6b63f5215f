/* SPDX-License-Identifier: MIT */
/* What the clauses of an annotated loop, and of its costliest path and inner loop, say to a plan. The last one holds. */
#include "transform/plan.h"

static void
hint(Plan *x, Verdict v)
{
	*vec_push(&x->hints) = v;
}

static void
read_policy(Plan *x, const Annot *a)
{
	const char *name = annot_policies[a->policy].name;
	uint32_t n = a->number[CLAUSE_POLICY];

	x->policy = a->policy;
	x->policy_n = n;
	if (!annot_policies[a->policy].acts)
		hint(x,
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy '%s' is not in this version: using 'auto'", name));
	else if (n > 1 && a->policy == POLICY_QUEUE)
		hint(x,
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"'%s(%u)' is not in this version: using '%s(1)'", name, n, name));
	if (!annot_policies[a->policy].acts)
		x->policy = POLICY_AUTO;
}

static Verdict
ignored(const Plan *x, Annot_clause c)
{
	Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
		"clause '%s' is not in this version: ignored", annot_clauses[c].name);

	if (c != CLAUSE_DYNAMIC)
		return v;
	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"blocks take every G-th one: a counter to fetch from would have to be zero at each launch, and launches of one kernel may overlap");
}

static void
read_clauses(Plan *x, const Annot *a)
{
	if (annot_has(a, CLAUSE_POLICY))
		read_policy(x, a);
	for (uint32_t i = 0; i < CLAUSE_COUNT; i++)
		if (annot_has(a, (Annot_clause)i) && !annot_clauses[i].acts)
			hint(x, ignored(x, (Annot_clause)i));
	x->independent |= annot_has(a, CLAUSE_INDEPENDENT);
	for (uint32_t i = 0; i < a->nlists; i++)
		if (a->lists[i].clause == CLAUSE_REDUCTION)
			x->reorder |= UINT32_C(1) << a->lists[i].op;
	if (annot_has(a, CLAUSE_REASSOCIATE))
		x->reorder = UINT32_MAX;
	if (annot_has(a, CLAUSE_THREADS))
		x->says_threads = a->number[CLAUSE_THREADS];
}

void
plan_clauses(Plan *x)
{
	bool expands = x->opt->policy == POLICY_EXPAND;

	if (annot_policies[x->opt->policy].acts && (expands ? x->site->nrounds : x->site->npaths))
		x->policy = x->opt->policy;
	read_clauses(x, &plan_marker(x)->annot);
	if (x->site->npaths)
		read_clauses(x, &x->fn->m->markers[x->site->paths[0]->marker].annot);
	if (x->site->nrounds)
		read_clauses(x, &x->fn->m->markers[x->site->rounds[0]->marker].annot);
}
