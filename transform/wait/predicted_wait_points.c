/* SPDX-License-Identifier: MIT */
/* Predictions of one loop, beside and inside each other: lanes wait at each of these statements and
 * inner loops until as many do as its annotation says, and at places where they wait for nobody: at
 * the loop's begin, and behind each of the inner loops (wait_plan.c, RULE_INNERMOST).
 *
 * Barriers of nested predictions get into each other's way: who waits at the inner one may be
 * needed at the outer one. (Damani et al., CGO 2020, 4.3, deconfliction: the lanes leave one
 * barrier for the other.) One vote for all places has nothing to leave: inner places come first,
 * for the lanes there have come furthest; where nowhere as many stand as should, those go on who
 * wait for nobody; and if all wait, the outermost, from where others may come to the inner places.
 */
#include "transform/plan/plan.h"
#include "transform/wait/wait.h"

/* Does the annotation ask for lanes that wait until so many do? */
static bool
asks(const Plan *x, const Region *r)
{
	const Annot *a = &x->fn->m->markers[r->marker].annot;

	return a->kind != ANNOT_DELAY && plan_asked(a) == POLICY_WAIT;
}

static void
add_all(Plan *x, Region *const *all, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (all[i] != x->bound.at && asks(x, all[i]))
			x->bound.stops[x->bound.nstops++] = all[i];
}

void
plan_stops(Plan *x)
{
	const Region *s = x->site;
	Bound *b = &x->bound;

	b->stops = arena_array(x->arena, 1 + s->npaths + s->nrounds + s->ninner, sizeof *b->stops);
	b->stops[0] = b->at;
	b->nstops = 1;
	if (!asks(x, b->at))
		return;
	add_all(x, s->paths, s->npaths);
	add_all(x, s->rounds, s->nrounds);
	add_all(x, s->inner, s->ninner);
}

/* The place in front of that block; NULL: there is none. */
static Bound_place *
place_at(const Bound *b, uint32_t block)
{
	for (uint32_t i = 0; i < b->nplaces; i++)
		if (b->places[i].block == block)
			return &b->places[i];
	return NULL;
}

/* How many of the stops is the region in, itself among them? */
static uint32_t
rank(const Plan *x, const Region *r)
{
	uint32_t n = 0;

	for (; r != x->site; r = r->parent)
		for (uint32_t i = 0; i < x->bound.nstops; i++)
			n += x->bound.stops[i] == r;
	return n;
}

/* Does every iteration come by the block? */
static bool
in_each(const Plan *x, uint32_t block)
{
	const Fn *fn = x->fn;

	FN_PRED(fn, plan_header(x), b)
		if (loop_contains(fn->loops, x->site->loop, b) &&
			!dom_dominates(fn->dom, block, b))
			return false;
	return true;
}

/* Of two stops that begin with one block the first one's number holds. */
static void
add_stop(Plan *x, const Region *r)
{
	Bound *b = &x->bound;
	uint32_t block = r->kind == REGION_ROUNDS ? x->fn->loops->loops[r->loop].header : r->entry;

	if (place_at(b, block))
		return;
	Bound_place p = { .block = block, .least = bound_least(x, r), .rank = rank(x, r) };
	uint32_t at = b->nplaces++;
	for (; at > 0 && b->places[at - 1].rank < p.rank; at--)
		b->places[at] = b->places[at - 1];
	b->places[at] = p;
}

static void
add_rest(Bound *b, uint32_t block)
{
	if (!place_at(b, block))
		b->places[b->nplaces++] = (Bound_place){ .block = block };
}

Verdict
plan_stop_places(Plan *x)
{
	Bound *b = &x->bound;
	/* where lanes draw, they meet behind each iteration */
	bool met = plan_marker(x)->annot.kind == ANNOT_ASSIGN;

	b->places = arena_array(x->arena, 2 * b->nstops + 1, sizeof *b->places);
	for (uint32_t i = 0; i < b->nstops; i++)
		add_stop(x, b->stops[i]);
	for (uint32_t i = 0; i < b->nstops; i++) {
		uint32_t behind = b->stops[i]->kind == REGION_ROUNDS ?
			bound_behind(x, b->stops[i]->loop) : 0;
		if (!behind)
			continue;
		add_rest(b, behind);
		met |= in_each(x, behind);
	}
	if (!met)
		add_rest(b, plan_header(x));
	b->meet = b->places[b->nplaces - 1].block;
	return VERDICT_YES;
}
