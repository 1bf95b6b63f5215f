/* SPDX-License-Identifier: MIT */
/* What decides whether a policy gains, if no profile has counted it. The model assumes how many
 * lanes need a path, how long inner loops are and how uneven, and that all lanes of a warp are in
 * the loop. If it loses at one end of what these may be and gains at the other, a report names the
 * limit between them instead of a mean, which a program need not be near to. */
#include <string.h>
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

enum { HALVINGS = 6 };

/* Ends: one of 32 lanes has all iterations; an eighth of a warp's lanes is in the loop. Iterations
 * of a warp's longest lane, if unknown. */
static const double MOST_UNEVEN = 32, FEW_LEFT = 1.0 / 8, LONGEST = 32;

typedef void Assumption(Cost_site *s, Cost_region *regions, double x);

typedef struct {
	const Cost_site *site;
	Annot_policy policy;
	uint32_t n;
	uint32_t from, to;      /* the lanes at which it gains under the usual assumptions */
	Buf *out;
} Question;

static bool
has_assumed_trips(const Cost_region *k)
{
	return k->in_policy && k->inner && !k->measured && k->trips <= 0;
}

static void
assume_spread(Cost_site *s, Cost_region *regions, double x)
{
	for (uint32_t i = 0; i < s->nregions; i++)
		if (has_assumed_trips(&regions[i]))
			regions[i].share.spread = x;
}

/* The same if all lanes run it. */
static void
assume_spread_of_all(Cost_site *s, Cost_region *regions, double x)
{
	assume_spread(s, regions, x);
	for (uint32_t i = 0; i < s->nregions; i++)
		regions[i].always |= has_assumed_trips(&regions[i]);
}

static void
assume_lanes(Cost_site *s, Cost_region *regions, double x)
{
	(void)regions;
	s->lanes.entered = 1;
	s->lanes.mean = x;
	s->iterations = s->iterations > 0 ? s->iterations : LONGEST;
}

static bool
gains_if(const Question *q, Assumption *assume, double x)
{
	Cost_region regions[COST_REGIONS];
	Cost_site s = *q->site;

	memcpy(regions, s.regions, s.nregions * sizeof *regions);
	s.regions = regions;
	assume(&s, regions, x);
	const Speedup g = speedup_of(&s, q->policy, q->n);
	return speedup_ratio(&g) >= 1 && g.lanes_from && g.lanes_from <= q->from &&
		g.lanes_to >= q->to;
}

/* Finds the value between two at which the policy begins to gain. Returns false unless it loses at
 * the first one and gains at the second. */
static bool
find_limit(const Question *q, Assumption *assume, double loses, double gains, double *limit)
{
	if (gains_if(q, assume, loses) || !gains_if(q, assume, gains))
		return false;
	for (uint32_t i = 0; i < HALVINGS; i++) {
		double x = (loses + gains) / 2;
		if (gains_if(q, assume, x))
			gains = x;
		else
			loses = x;
	}
	*limit = gains;
	return true;
}

static void
begin_condition(const Question *q)
{
	buf_puts(q->out, q->out->n ? ", and " : "");
}

static void
ask_trip_counts(const Question *q)
{
	bool any = false;
	double limit = 0, of_all = 0;

	for (uint32_t i = 0; i < q->site->nregions; i++)
		any |= has_assumed_trips(&q->site->regions[i]);
	if (!any)
		return;
	bool depends = find_limit(q, assume_spread, 1, MOST_UNEVEN, &limit);
	depends |= find_limit(q, assume_spread_of_all, 1, MOST_UNEVEN, &of_all);
	if (!depends)
		return;
	limit = max_double(limit, of_all);
	begin_condition(q);
	buf_printf(q->out,
		"the longest lane of a warp has at least %.1f times the mean trip count", limit);
}

/* Under the other policies a lane that has left delays none. */
static void
ask_lanes_in_loop(const Question *q)
{
	double limit;

	if (q->policy != POLICY_WAIT || !q->site->lanes.may_leave ||
		!find_limit(q, assume_lanes, FEW_LEFT, 1, &limit))
		return;
	begin_condition(q);
	buf_printf(q->out, "at least %.0f lanes of a warp are in the loop in the mean iteration",
		limit * WARP_LANES + 0.5);
}

static void
ask_lanes(const Question *q, const Speedup *g)
{
	if (!g->lanes_from || g->least >= 1)
		return;
	begin_condition(q);
	if (g->lanes_from == 1)
		buf_printf(q->out, "at most %u of 32 lanes need it", g->lanes_to);
	else if (g->lanes_to == WARP_LANES - 1)
		buf_printf(q->out, "at least %u of 32 lanes need it", g->lanes_from);
	else if (g->lanes_from == g->lanes_to)
		buf_printf(q->out, "about %u of 32 lanes need it", g->lanes_from);
	else
		buf_printf(q->out, "%u to %u of 32 lanes need it", g->lanes_from, g->lanes_to);
}

const char *
speedup_open_question(
	const Cost_site *s, Annot_policy policy, uint32_t n, double least_trips, Arena *a)
{
	const Speedup g = speedup_of(s, policy, n);
	Buf b = { 0 };
	const Question q = { s, policy, n, g.lanes_from, g.lanes_to, &b };

	if (g.measured || g.after <= 0)
		return NULL;
	ask_lanes(&q, &g);
	if (least_trips > 0) {
		begin_condition(&q);
		buf_printf(q.out, "its inner loops have at least %.1f iterations", least_trips);
	}
	ask_trip_counts(&q);
	ask_lanes_in_loop(&q);
	const char *text = b.n ? arena_strndup(a, b.at, b.n) : NULL;
	buf_free(&b);
	return text;
}
