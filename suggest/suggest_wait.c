/* SPDX-License-Identifier: MIT */
/* Suggests where lanes could wait for each other: candidates that cannot be collected, or gain too
 * little, are planned once more as predictions (Damani et al.: Speculative Reconvergence for
 * Improved SIMT Efficiency, CGO 2020, section 4.5). Predictions need no promise, so they also apply
 * to refused candidates.
 *
 * The paper compares the cost of the code that lanes would run together with that of the
 * surrounding code, which would run with fewer lanes; here the cost model decides
 * (cost_model.c). It also selects the number of lanes to wait for, of those that a report compares
 * (policy_choice.c). */
#include "suggest/suggest_plan.h"

/* Whether to plan the candidate as a prediction. This includes paths whose plan makes lanes wait
 * anyway. */
static bool
is_predictable(const Suggestion *r)
{
	return r->c->loop && r->c->kind != ADVICE_UNIFORM && (r->known || r->refused) &&
		(r->waits || !(r->done && advice_worth(r->expected)));
}

/* The number of lanes before the estimates are compared, and where they do not depend on it. */
static uint32_t
first_threshold(const Candidate *c)
{
	enum { STATEMENT = 16, MERGE = 24 };

	return c->kind == ADVICE_LOOP ? MERGE : STATEMENT;
}

/* Returns the number of lanes with the least expected time; that of the plan, if none is better. */
static uint32_t
best_threshold(const Suggestion *r)
{
	uint32_t least = UINT32_MAX, best = r->c->threshold, n;
	Annot_policy policy;

	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < r->noptions; i++) {
			const Report_option *o = &r->options[i];
			if (!annot_policy_read(o->policy, &policy, &n) || !o->after)
				continue;
			if (pass ? o->after < least : n == best) {
				least = o->after;
				best = n;
			}
		}
	return best;
}

/* Plans the predictions again whose best number of lanes is another one. */
static void
plan_best_thresholds(Suggestions *w)
{
	bool any = false;

	for (uint32_t i = 0; i < w->all.n; i++) {
		Candidate *c = &w->all.at[i];
		Suggestion *r = &w->of[i];
		uint32_t best = c->annot == ANNOT_PREDICT ? best_threshold(r) : 0;
		if (best == c->threshold)
			continue;
		c->threshold = best;
		*r = (Suggestion){ .c = c, .share = r->share };
		any = true;
	}
	if (any)
		suggestions_plan(w);
}

void
suggestions_plan_predictions(Suggestions *w)
{
	Suggestion *before = arena_array(w->arena, w->all.n + 1u, sizeof *before);
	Annot_kind *kind = arena_array(w->arena, w->all.n + 1u, sizeof *kind);

	for (uint32_t i = 0; i < w->all.n; i++) {
		Candidate *c = &w->all.at[i];
		before[i] = w->of[i];
		kind[i] = c->annot;
		if (!is_predictable(&w->of[i]))
			continue;
		c->annot = ANNOT_PREDICT;
		c->threshold = first_threshold(c);
		w->of[i] = (Suggestion){ .c = c, .share = before[i].share };
	}
	w->predicts = true;
	suggestions_plan(w);
	plan_best_thresholds(w);
	w->predicts = false;
	for (uint32_t i = 0; i < w->all.n; i++) {
		Candidate *c = &w->all.at[i];
		Suggestion *r = &w->of[i];
		if (c->annot != ANNOT_PREDICT)
			continue;
		if (r->done && advice_worth(r->expected))
			continue;
		c->annot = kind[i];
		*r = before[i];
	}
}
