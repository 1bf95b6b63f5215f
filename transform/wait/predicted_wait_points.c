/* SPDX-License-Identifier: MIT */
/* Wait points of several predictions in one loop, side by side or nested. Lanes wait at each of
 * these statements and inner loops until the annotated number of lanes is there. At the loop's
 * header, and after each of these inner loops, lanes are counted but do not wait
 * (RULE_INNERMOST, wait_plan.c).
 *
 * With one barrier for each prediction, nested predictions conflict: a lane that waits at the
 * inner barrier may be needed at the outer one (Damani et al., CGO 2020, 4.3, deconfliction,
 * where lanes leave one barrier for the other). Here one vote covers all wait points. It
 * releases the innermost one that has enough lanes, because these lanes have advanced furthest.
 * If there is none, it releases the lanes that do not wait. If all lanes wait, it releases the
 * outermost one, from which lanes can reach the inner ones. */
#include "transform/plan/plan.h"
#include "transform/wait/wait.h"

/* Whether the annotation asks lanes to wait for a number of lanes. */
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

/* Returns the wait point in front of that block, or NULL. */
static Bound_place *
place_at(const Bound *b, uint32_t block)
{
	for (uint32_t i = 0; i < b->nplaces; i++)
		if (b->places[i].block == block)
			return &b->places[i];
	return NULL;
}

/* Returns the number of stops that contain the region, including itself. */
static uint32_t
rank(const Plan *x, const Region *r)
{
	uint32_t n = 0;

	for (; r != x->site; r = r->parent)
		for (uint32_t i = 0; i < x->bound.nstops; i++)
			n += x->bound.stops[i] == r;
	return n;
}

/* Whether every iteration executes the block. */
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

/* If two stops start at the same block, the number of lanes of the first one applies. */
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
	/* with iteration draws, lanes meet after each iteration */
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
