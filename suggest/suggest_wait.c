/* SPDX-License-Identifier: MIT */
/* Suggests where lanes could wait for each other: candidates that cannot be collected, or gain too
 * little, are planned once more as predictions (Damani et al.: Speculative Reconvergence for
 * Improved SIMT Efficiency, CGO 2020, section 4.5). Predictions need no promise, so they also apply
 * to refused candidates.
 *
 * The paper compares the cost of the code that lanes would run together with that of the
 * surrounding code, which would run with fewer lanes; here the cost model decides
 * (cost_model.c). */
#include "suggest/suggest_plan.h"

/* Whether to plan the candidate as a prediction. This includes paths whose plan makes lanes wait
 * anyway. */
static bool
is_predictable(const Suggestion *r)
{
	return r->c->loop && r->c->kind != ADVICE_UNIFORM && (r->known || r->refused) &&
		(r->waits || !(r->done && advice_worth(r->expected)));
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
		w->of[i] = (Suggestion){ .c = c, .share = before[i].share };
	}
	w->predicts = true;
	suggestions_plan(w);
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
