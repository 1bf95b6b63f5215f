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

/* Whether the annotation requests waiting for a number of lanes. */
static bool
region_asks_for_count(const Plan *x, const Region *r)
{
	const Annot *a = &x->fn->m->markers[r->marker].annot;

	return a->kind != ANNOT_DELAY && policy_requested_by(a) == POLICY_WAIT;
}

static void
add_predicted_regions(Plan *x, Region *const *all, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (all[i] != x->wait->region && region_asks_for_count(x, all[i]))
			x->wait->predicted[x->wait->npredicted++] = all[i];
}

void
plan_predicted_regions(Plan *x)
{
	const Region *s = x->site;
	Wait_plan *b = x->wait;

	b->predicted = arena_array(
		x->arena, 1 + s->npaths + s->ninner_loops + s->ninner, sizeof *b->predicted);
	b->predicted[0] = b->region;
	b->npredicted = 1;
	if (!region_asks_for_count(x, b->region))
		return;
	add_predicted_regions(x, s->paths, s->npaths);
	add_predicted_regions(x, s->inner_loops, s->ninner_loops);
	add_predicted_regions(x, s->inner, s->ninner);
}

/* Returns the wait point before the block, or NULL. */
static Wait_point *
wait_point_at(const Wait_plan *b, uint32_t block)
{
	for (uint32_t i = 0; i < b->npoints; i++)
		if (b->points[i].block == block)
			return &b->points[i];
	return NULL;
}

/* Returns the number of predicted regions that contain the region, including itself. */
static uint32_t
nesting_rank(const Plan *x, const Region *r)
{
	uint32_t n = 0;

	for (; r != x->site; r = r->parent)
		for (uint32_t i = 0; i < x->wait->npredicted; i++)
			n += x->wait->predicted[i] == r;
	return n;
}

/* If two predicted regions start at the same block, the first one's number of lanes applies. */
static void
add_predicted_point(Plan *x, const Region *r)
{
	Wait_plan *b = x->wait;
	uint32_t block =
		r->kind == REGION_INNER_LOOP ? x->fn->loops->loops[r->loop].header : r->entry;

	if (wait_point_at(b, block))
		return;
	Wait_point p = {
		.block = block, .threshold = wait_region_threshold(x, r), .rank = nesting_rank(x, r)
	};
	uint32_t at = b->npoints++;
	for (; at > 0 && b->points[at - 1].rank < p.rank; at--)
		b->points[at] = b->points[at - 1];
	b->points[at] = p;
}

static void
add_other_point(Wait_plan *b, uint32_t block)
{
	if (!wait_point_at(b, block))
		b->points[b->npoints++] = (Wait_point){ .block = block };
}

Verdict
plan_predicted_wait_points(Plan *x)
{
	Wait_plan *b = x->wait;
	/* with iteration draws, lanes meet after each iteration */
	bool met = plan_marker(x)->annot.kind == ANNOT_ASSIGN;

	b->points = arena_array(x->arena, 2 * b->npredicted + 1, sizeof *b->points);
	for (uint32_t i = 0; i < b->npredicted; i++)
		add_predicted_point(x, b->predicted[i]);
	for (uint32_t i = 0; i < b->npredicted; i++) {
		uint32_t behind = b->predicted[i]->kind == REGION_INNER_LOOP ?
			wait_inner_loop_exit(x, b->predicted[i]->loop) : 0;
		if (!behind)
			continue;
		add_other_point(b, behind);
		met |= fn_in_every_iteration(x->fn, x->site->loop, behind);
	}
	if (!met)
		add_other_point(b, plan_header(x));
	b->meeting = b->points[b->npoints - 1].block;
	return VERDICT_YES;
}
