/* SPDX-License-Identifier: MIT */
/* What the clauses of an annotated loop, and of its paths and costliest inner loop, say to a plan. The last one holds, of paths that
 * of the costliest. */
#include "transform/plan.h"

static void
hint(Plan *x, Verdict v)
{
	*vec_push(&x->hints) = v;
}

/* What the clause asks for, as far as this version has it. */
static Annot_policy
read_policy(Plan *x, const Annot *a)
{
	const char *name = annot_policies[a->policy].name;
	uint32_t n = a->number[CLAUSE_POLICY];

	x->policy_n = n;
	if (!annot_policies[a->policy].acts)
		hint(x,
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy '%s' is not in this version: using 'auto'", name));
	return annot_policies[a->policy].acts ? a->policy : POLICY_AUTO;
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

/* Gives the policy that holds where the annotation is, which is `policy` if it names none. */
static Annot_policy
read_clauses(Plan *x, const Annot *a, Annot_policy policy)
{
	if (annot_has(a, CLAUSE_POLICY))
		policy = read_policy(x, a);
	for (uint32_t i = 0; i < CLAUSE_COUNT; i++)
		if (annot_has(a, (Annot_clause)i) && !annot_clauses[i].acts)
			hint(x, ignored(x, (Annot_clause)i));
	for (uint32_t i = 0; i < a->nlists; i++)
		if (a->lists[i].clause == CLAUSE_REDUCTION)
			x->reorder |= UINT32_C(1) << a->lists[i].op;
	if (annot_has(a, CLAUSE_REASSOCIATE))
		x->reorder = UINT32_MAX;
	if (annot_has(a, CLAUSE_THREADS))
		x->says_threads = a->number[CLAUSE_THREADS];
	return policy;
}

/* The marker of a path or inner loop, with hints at its place. */
static Annot_policy
read_path(Plan *x, const Region *path, Annot_policy policy)
{
	const Marker *k = &x->fn->m->markers[path->marker];
	uint32_t told = x->hints.n;

	policy = read_clauses(x, &k->annot, policy);
	for (; told < x->hints.n; told++)
		x->hints.at[told].at = k->cuda;
	return policy;
}

void
plan_clauses(Plan *x)
{
	const Annot *loop = &plan_marker(x)->annot;
	bool expands = x->opt->policy == POLICY_EXPAND;

	if (annot_policies[x->opt->policy].acts && (expands ? x->site->nrounds : x->site->npaths)) {
		x->otherwise = x->opt->policy;
		x->policy_n = x->opt->policy_n;
	}
	x->otherwise = read_clauses(x, loop, x->otherwise);
	x->otherwise_n = x->policy_n;
	x->independent = annot_has(loop, CLAUSE_INDEPENDENT);
	x->policy = x->otherwise;
	for (uint32_t i = x->site->npaths, n = x->policy_n; i-- > 0;) {
		x->policy_n = n;
		x->policy = read_path(x, x->site->paths[i], x->otherwise);
	}
	if (x->site->nrounds)
		x->policy = read_path(x, x->site->rounds[0], x->policy);
}
