/* SPDX-License-Identifier: MIT */
/* Where lanes could wait for each other: what cannot be collected, or gains too little by it, is
 * planned once more as a prediction (Damani et al.: Speculative Reconvergence for Improved SIMT
 * Efficiency, CGO 2020, section 4.5). That takes no promise, so it is told of what is refused, too.
 *
 * Their measure is the cost of the code that lanes would run together, beside that of the code
 * around it, which fewer lanes than now run at a time; here both are issue slots, and what the vote
 * of a round takes is counted, too. How many lanes come is not known: the shares are those of
 * docs/choosing.md. What it is worth at an inner loop is the model's (wanted.c).
 */
#include "analysis/cost.h"
#include "transform/suggest_plan.h"

/* Lanes that wait; issue slots of a round. */
enum { LANES = 32, STATEMENT = 16, MERGE = 24, A_ROUND = 8 };

uint32_t
suggestion_threshold(const Candidate *c)
{
	return c->kind == ADVICE_LOOP ? MERGE : STATEMENT;
}

/* How often any of a warp's lanes comes, if each does with probability p. */
static double
any_of_warp(double p)
{
	double none = 1 - p;

	for (uint32_t n = 1; n < LANES; n *= 2)
		none *= none;
	return 1 - none;
}

static void
add(Gain *g, double before, double after)
{
	double worth = before / after;

	g->least = g->after == 0 || worth < g->least ? worth : g->least;
	g->most = worth > g->most ? worth : g->most;
	g->before += before;
	g->after += after;
}

/* A rare part: at most half as many as should wait for others. */
static Gain
of_statement(double own, double path)
{
	static const double lanes[] = { 1, 4, 8, 16, 24, 31 };
	Gain g = { 0 };

	for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
		bool rare = lanes[i] < STATEMENT;
		double rounds = rare ? LANES / (LANES - STATEMENT / 2.) : 1,
		       runs = rare ? lanes[i] / STATEMENT : 1;
		add(&g, own + path * any_of_warp(lanes[i] / LANES),
			own * rounds + path * runs + A_ROUND * (rounds + runs));
	}
	return g;
}

/* Of a statement. */
static Gain
gain_of_waiting(const Candidate *c, Arena *a)
{
	const Fn *fn = c->fn;
	const Loop *around = &fn->loops->loops[c->loop];
	Bits rest = bits_new(a, fn->cfg->nblocks);
	double part = effort_blocks(fn, c->blocks, c->first).issue;

	bits_copy(rest, around->blocks);
	bits_and_not(rest, c->blocks);
	double own = effort_blocks(fn, rest, around->header).issue;
	return of_statement(own, part);
}

/* May it be worth waiting at? Not where a profile knows how many lanes come. */
static bool
is_open(const Suggestion *r)
{
	return r->c->loop && r->c->kind != ADVICE_UNIFORM && (r->known || r->refused) &&
		!r->measured && !(r->done && advice_worth(r->expected));
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
		if (c->kind != ADVICE_LOOP) /* of loops the model knows it */
			r->gain = gain_of_waiting(c, w->arena);
		suggestion_expect(r);
		if (r->done && advice_worth(r->expected))
			continue;
		c->annot = kind[i];
		*r = before[i];
	}
}
