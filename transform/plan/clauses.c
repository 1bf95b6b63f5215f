/* SPDX-License-Identifier: MIT */
/* Reads the clauses of an annotated loop, its paths and its costliest inner loop into a plan. Later
 * ones override earlier ones; of several paths, the costliest decides. */
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"

/* Which clauses and kinds of loops a policy supports. */
static const struct {
	bool threshold;         /* threshold: number of lanes or tasks to wait for */
	bool assigns;           /* iteration draw (dynamic_assignment.c) */
} takes[POLICY_COUNT] = {
	[POLICY_STACK] = { .threshold = true },
	[POLICY_QUEUE] = { .threshold = true },
	[POLICY_CONVERGE] = { .assigns = true },
	[POLICY_FLATTEN] = { .assigns = true },
	[POLICY_WAIT] = { .threshold = true, .assigns = true },
	[POLICY_MAJORITY] = { .threshold = true, .assigns = true },
	[POLICY_LIVE] = { .threshold = true, .assigns = true },
	[POLICY_CYCLE] = { .assigns = true },
};

/* The policy that a kind of annotation implies; AUTO if none. */
static const Annot_policy means[ANNOT_KINDS] = {
	[ANNOT_DELAY] = POLICY_LIVE,
	[ANNOT_PREDICT] = POLICY_WAIT,
	[ANNOT_UNIFY] = POLICY_AHEAD,
};

static void
add_hint(Plan *x, Verdict v)
{
	*vec_push(&x->hints) = v;
}

Annot_policy
policy_requested_by(const Annot *a)
{
	if (annot_has(a, CLAUSE_POLICY) && a->policy != POLICY_AUTO &&
		pass_supports_policy(a->policy))
		return a->policy;
	return means[a->kind];
}

/* Reads the policy that the annotation requests, with its numbers. */
static Annot_policy
read_policy_clause(Plan *x, const Annot *a)
{
	const char *name = annot_policies[a->policy].name;
	uint32_t n = a->number[CLAUSE_POLICY];

	x->request.n = n;
	x->request.second = a->second;
	if (a->policy == POLICY_BLOCK && a->kind == ANNOT_ASSIGN)
		x->clauses.of_block = true;
	else if (a->policy == POLICY_BLOCK)
		add_hint(x,
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy 'block' is one of '#pragma ccc assign': using '%s'",
				annot_policies[means[a->kind]].name));
	else if (!pass_supports_policy(a->policy))
		add_hint(x,
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy '%s' is one of '#pragma ccc remap': using '%s'", name,
				annot_policies[means[a->kind]].name));
	return policy_requested_by(a);
}

bool
policy_draws_iterations(Annot_policy policy)
{
	return takes[policy].assigns;
}

/* Reads the clauses of an annotation. Returns its policy, or `policy` if it names none. */
static Annot_policy
read_clauses(Plan *x, const Annot *a, Annot_policy policy)
{
	if (annot_has(a, CLAUSE_POLICY) || policy_requested_by(a) != POLICY_AUTO)
		policy = read_policy_clause(x, a);
	if (annot_has(a, CLAUSE_THRESHOLD))
		x->request.threshold = a->number[CLAUSE_THRESHOLD];
	x->request.idle |= annot_has(a, CLAUSE_IDLE);
	if (annot_has(a, CLAUSE_RETREAT)) {
		x->request.has_retreat = true;
		x->request.retreat = a->number[CLAUSE_RETREAT];
	}
	for (uint32_t i = 0; i < a->nlists; i++)
		if (a->lists[i].clause == CLAUSE_REDUCTION)
			x->clauses.reorder |= UINT32_C(1) << a->lists[i].op;
	if (annot_has(a, CLAUSE_REASSOCIATE))
		x->clauses.reorder = UINT32_MAX;
	if (annot_has(a, CLAUSE_THREADS))
		x->clauses.max_threads = a->number[CLAUSE_THREADS];
	return policy;
}

/* Reads the annotation of a path or inner loop, and places the hints there. */
static Annot_policy
read_region_annotation(Plan *x, const Region *path, Annot_policy policy)
{
	const Marker *k = &x->fn->m->markers[path->marker];
	uint32_t told = x->hints.n;

	if (annot_has(&k->annot, CLAUSE_POLICY) || policy_requested_by(&k->annot) != POLICY_AUTO)
		x->request.region = path;
	policy = read_clauses(x, &k->annot, policy);
	for (; told < x->hints.n; told++)
		x->hints.at[told].at = k->cuda;
	return policy;
}

static void
hint_ignored_threshold(Plan *x, const Marker *k)
{
	if (!annot_has(&k->annot, CLAUSE_THRESHOLD))
		return;
	Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
		"clause 'threshold' says nothing to policy '%s': ignored",
		annot_policies[x->policy].name);
	v.at = k->cuda;
	add_hint(x, v);
}

/* Adds a hint for `threshold` at an inner loop with one iteration per task: such iterations run
 * when all lanes have one. */
static void
hint_inner_threshold(Plan *x)
{
	for (uint32_t i = 0; i < x->nregions; i++) {
		const Marker *k = task_region_marker(x, &x->regions[i]);
		if (!x->regions[i].by_iteration || !annot_has(&k->annot, CLAUSE_THRESHOLD))
			continue;
		Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'threshold' says nothing to an inner loop that is collected by iterations: ignored");
		v.at = k->cuda;
		add_hint(x, v);
	}
}

/* Adds a hint for `coalesced` at paths that do not begin with a coalesced load. */
static void
hint_no_stay(Plan *x)
{
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		if (!annot_has(&k->annot, CLAUSE_COALESCED) || x->site->paths[i]->stay)
			continue;
		Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'coalesced': the path's first load is not one of places side by side");
		v.at = k->cuda;
		add_hint(x, v);
	}
}

void
plan_hint_ignored_clauses(Plan *x)
{
	hint_no_stay(x);
	hint_inner_threshold(x);
	if (takes[x->policy].threshold)
		return;
	hint_ignored_threshold(x, plan_marker(x));
	for (uint32_t i = 0; i < x->site->npaths; i++)
		hint_ignored_threshold(x, &x->fn->m->markers[x->site->paths[i]->marker]);
}

bool
plan_policy_is_implied(const Plan *x)
{
	const Region *r = x->request.region;
	const Annot *a = r ? &x->fn->m->markers[r->marker].annot : NULL;

	return a && !annot_has(a, CLAUSE_POLICY) && x->policy == means[a->kind];
}

bool
plan_leaves_policy_to_auto(const Plan *x)
{
	const Region *r = x->request.region;
	const Annot *loop = &plan_marker(x)->annot;
	const Annot *a = r ? &x->fn->m->markers[r->marker].annot : NULL;

	if (a)
		return annot_has(a, CLAUSE_POLICY) && a->policy == POLICY_AUTO;
	return loop->kind == ANNOT_ASSIGN && x->opt->policy == POLICY_AUTO &&
		policy_requested_by(loop) == POLICY_AUTO;
}

void
plan_read_clauses(Plan *x)
{
	const Annot *loop = &plan_marker(x)->annot;
	bool expands = x->opt->policy == POLICY_EXPAND;
	Annot_policy policy = x->selection.default_policy;

	if (pass_supports_policy(x->opt->policy) &&
		(loop->kind != ANNOT_ASSIGN || policy_draws_iterations(x->opt->policy)) &&
		(x->site->ninner_loops || (x->site->npaths && !expands))) {
		policy = x->opt->policy;
		x->request.n = x->opt->policy_n;
	}
	x->policy = x->selection.default_policy = policy = read_clauses(x, loop, policy);
	x->selection.default_n = x->request.n;
	x->clauses.independent = annot_has(loop, CLAUSE_INDEPENDENT);
	const Policy_request asked = x->request;
	for (uint32_t i = x->site->npaths; i-- > 0;) {
		x->request = asked;
		x->policy = read_region_annotation(x, x->site->paths[i], policy);
	}
	for (uint32_t i = x->site->ninner_loops; i-- > 0;) {
		const Region *inner = x->site->inner_loops[i];
		const Policy_request path = x->request;
		if (plan_expands_in_path(x, inner)) { /* this policy does not apply to the loop */
			read_region_annotation(x, inner, x->policy);
			x->request = path;
		} else if (i == 0 || inner->in_order) {
			x->policy = read_region_annotation(x, inner, x->policy);
		}
	}
	if (loop->kind == ANNOT_ASSIGN && x->policy == POLICY_AUTO)
		x->policy = x->site->ninner_loops ? POLICY_FLATTEN : POLICY_CONVERGE;
}
