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
hint(Plan *x, Verdict v)
{
	*vec_push(&x->hints) = v;
}

Annot_policy
plan_asked(const Annot *a)
{
	if (annot_has(a, CLAUSE_POLICY) && a->policy != POLICY_AUTO && pass_does(a->policy))
		return a->policy;
	return means[a->kind];
}

/* Reads the policy that the annotation requests, with its numbers. */
static Annot_policy
read_policy(Plan *x, const Annot *a)
{
	const char *name = annot_policies[a->policy].name;
	uint32_t n = a->number[CLAUSE_POLICY];

	x->asked.n = n;
	x->asked.second = a->second;
	if (!pass_does(a->policy))
		hint(x,
			verdict(x->arena, D_POLICY, DIAG_NOWHERE,
				"policy '%s' is one of '#pragma ccc remap': using '%s'", name,
				annot_policies[means[a->kind]].name));
	return plan_asked(a);
}

bool
plan_assigns(Annot_policy policy)
{
	return takes[policy].assigns;
}

/* Reads the clauses of an annotation. Returns its policy, or `policy` if it names none. */
static Annot_policy
read_clauses(Plan *x, const Annot *a, Annot_policy policy)
{
	if (annot_has(a, CLAUSE_POLICY) || plan_asked(a) != POLICY_AUTO)
		policy = read_policy(x, a);
	if (annot_has(a, CLAUSE_THRESHOLD))
		x->asked.threshold = a->number[CLAUSE_THRESHOLD];
	x->asked.idle |= annot_has(a, CLAUSE_IDLE);
	if (annot_has(a, CLAUSE_RETREAT)) {
		x->asked.says_retreat = true;
		x->asked.retreat = a->number[CLAUSE_RETREAT];
	}
	for (uint32_t i = 0; i < a->nlists; i++)
		if (a->lists[i].clause == CLAUSE_REDUCTION)
			x->reorder |= UINT32_C(1) << a->lists[i].op;
	if (annot_has(a, CLAUSE_REASSOCIATE))
		x->reorder = UINT32_MAX;
	if (annot_has(a, CLAUSE_THREADS))
		x->says_threads = a->number[CLAUSE_THREADS];
	return policy;
}

/* Reads the annotation of a path or inner loop, and places the hints there. */
static Annot_policy
read_path(Plan *x, const Region *path, Annot_policy policy)
{
	const Marker *k = &x->fn->m->markers[path->marker];
	uint32_t told = x->hints.n;

	if (annot_has(&k->annot, CLAUSE_POLICY) || plan_asked(&k->annot) != POLICY_AUTO)
		x->asked.by = path;
	policy = read_clauses(x, &k->annot, policy);
	for (; told < x->hints.n; told++)
		x->hints.at[told].at = k->cuda;
	return policy;
}

static void
ignored_threshold(Plan *x, const Marker *k)
{
	if (!annot_has(&k->annot, CLAUSE_THRESHOLD))
		return;
	Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
		"clause 'threshold' says nothing to policy '%s': ignored",
		annot_policies[x->policy].name);
	v.at = k->cuda;
	hint(x, v);
}

/* Adds a hint for `threshold` at an inner loop with one iteration per task: such iterations run
 * when all lanes have one. */
static void
threshold_of_steps(Plan *x)
{
	for (uint32_t i = 0; i < x->nparts; i++) {
		const Marker *k = part_marker(x, &x->parts[i]);
		if (!x->parts[i].steps || !annot_has(&k->annot, CLAUSE_THRESHOLD))
			continue;
		Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'threshold' says nothing to an inner loop that is collected by iterations: ignored");
		v.at = k->cuda;
		hint(x, v);
	}
}

/* Adds a hint for `coalesced` at paths that do not begin with a coalesced load. */
static void
nothing_stays(Plan *x)
{
	for (uint32_t i = 0; i < x->site->npaths; i++) {
		const Marker *k = &x->fn->m->markers[x->site->paths[i]->marker];
		if (!annot_has(&k->annot, CLAUSE_COALESCED) || x->site->paths[i]->stay)
			continue;
		Verdict v = verdict(x->arena, D_POLICY, DIAG_NOWHERE,
			"clause 'coalesced': the path's first load is not one of places side by side");
		v.at = k->cuda;
		hint(x, v);
	}
}

void
plan_clauses_ignored(Plan *x)
{
	nothing_stays(x);
	threshold_of_steps(x);
	if (takes[x->policy].threshold)
		return;
	ignored_threshold(x, plan_marker(x));
	for (uint32_t i = 0; i < x->site->npaths; i++)
		ignored_threshold(x, &x->fn->m->markers[x->site->paths[i]->marker]);
}

void
plan_clauses(Plan *x)
{
	const Annot *loop = &plan_marker(x)->annot;
	bool expands = x->opt->policy == POLICY_EXPAND;

	if (pass_does(x->opt->policy) &&
		(loop->kind != ANNOT_ASSIGN || plan_assigns(x->opt->policy)) &&
		(x->site->nrounds || (x->site->npaths && !expands))) {
		x->otherwise = x->opt->policy;
		x->asked.n = x->opt->policy_n;
	}
	x->otherwise = read_clauses(x, loop, x->otherwise);
	x->otherwise_n = x->asked.n;
	x->independent = annot_has(loop, CLAUSE_INDEPENDENT);
	x->policy = x->otherwise;
	const Asked asked = x->asked;
	for (uint32_t i = x->site->npaths; i-- > 0;) {
		x->asked = asked;
		x->policy = read_path(x, x->site->paths[i], x->otherwise);
	}
	for (uint32_t i = x->site->nrounds; i-- > 0;) {
		const Region *rounds = x->site->rounds[i];
		const Asked path = x->asked;
		if (plan_asks_in_path(x, rounds)) { /* this policy does not apply to the loop */
			read_path(x, rounds, x->policy);
			x->asked = path;
		} else if (i == 0 || rounds->in_order) {
			x->policy = read_path(x, rounds, x->policy);
		}
	}
	if (loop->kind == ANNOT_ASSIGN && x->policy == POLICY_AUTO)
		x->policy = x->site->nrounds ? POLICY_FLATTEN : POLICY_CONVERGE;
}
