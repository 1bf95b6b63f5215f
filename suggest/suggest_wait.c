/* SPDX-License-Identifier: MIT */
/* Where lanes could wait for each other: what cannot be collected, or gains too little by it, is
 * planned once more as a prediction (Damani et al.: Speculative Reconvergence for Improved SIMT
 * Efficiency, CGO 2020, section 4.5). That takes no promise, so it is told of what is refused, too.
 *
 * Their measure is the cost of the code that lanes would run together, beside that of the code
 * around it, which fewer lanes than now run at a time; ours is what the model says (cost_model.c).
 */
#include "suggest/suggest_plan.h"

/* Is it to be planned as a prediction? So is a path whose lanes shall wait in any case. */
static bool
is_open(const Suggestion *r)
{
	return r->c->loop && r->c->kind != ADVICE_UNIFORM && (r->known || r->refused) &&
		(r->waits || !(r->done && advice_worth(r->expected)));
}

void
suggestions_predict(Suggestions *w)
{
	Suggestion *before = arena_array(w->arena, w->all.n + 1u, sizeof *before);
	Annot_kind *kind = arena_array(w->arena, w->all.n + 1u, sizeof *kind);

	for (uint32_t i = 0; i < w->all.n; i++) {
		Candidate *c = &w->all.at[i];
		before[i] = w->of[i];
		kind[i] = c->annot;
		if (!is_open(&w->of[i]))
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
