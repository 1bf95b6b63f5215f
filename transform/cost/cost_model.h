/* SPDX-License-Identifier: MIT */
/* Resource demand of an iteration of a loop, for given shares of lanes: its time, in issue slots of
 * a warp (for speedup.c).
 *
 * Issue slots, the memory system and latency are used concurrently. The largest demand dominates,
 * but demands of similar size interfere, so the total is the root of the sum of their squares. The
 * bandwidth of memory behind the caches is a lower bound of the total.
 *
 *	cost_model.c     the loop as it is, and the total
 *	cost_collect.c   policies under which other lanes run the work: stack, queue, expand
 *	cost_wait.c      waiting policies: ahead, flatten, wait
 *	critical_lane.c  the critical lane of a launch */
#ifndef TRANSFORM_COST_COST_MODEL_H
#define TRANSFORM_COST_COST_MODEL_H

#include "transform/cost/speedup.h"

enum {
	WARP_LANES = 32,
	/* slots of an exposed load latency: 512 cycles, shared by 16 warps */
	WAIT = 32,
	TOGETHER = 30,          /* slots of a meeting of lanes */
	LAP = 5                 /* slots of a pass over 32 iterations of a row */
};

typedef enum { ISSUE, MEMORY, WAITS, NWANTS } Want;

typedef struct {
	const Gain_site *site;
	Gain_share of[GAIN_CUTS]; /* shares of all lanes, by index into site->cuts */
	/* imbalance between lanes that remains when a lane's iterations are summed: one over the
	 * root of their number, as a factor of the distance from an inner loop's mean trip count to
	 * the longest */
	double uneven;
	double iterations;      /* a warp's iterations per execution of the loop; 0: unknown */
	bool measured;          /* the shares come from a profile */
	/* resource being summed: issue slots, memory accesses of lanes, or dependent loads */
	Want want;
} Case;

double wanted_as_it_is(const Case *c);
/* Demand under a policy with parameter n; 0: unknown. */
double wanted_by(const Case *c, Annot_policy policy, uint32_t n);
double wanted_power(double x, uint32_t n);
/* Time of an iteration on the critical lane, relative to the launch; 0: unknown. */
double wanted_last(const Case *c, Annot_policy policy, uint32_t n);

/* ---- demand for c->want under a policy ------------------------------------------------------- */

/* Demand of the regions that the policy transforms, including common code. */
double wanted_collected(const Case *c, Annot_policy policy, uint32_t n);
double wanted_expanded(const Case *c);
/* expand, if the warp's test at run time keeps rows with their owners. */
double wanted_kept(const Case *c);
double wanted_looked_ahead(const Case *c, uint32_t n);
double wanted_flattened(const Case *c);
/* Demand of path i if lanes wait before it until there are n of them. */
double wanted_stood(const Case *c, uint32_t i, uint32_t n);

/* ---- building blocks of the policies --------------------------------------------------------- */

/* Iterates over the regions that the policy transforms. */
#define EACH_TAKEN(c, i) \
	for (uint32_t i = 0; i < (c)->site->ncuts; i++) \
		if ((c)->site->cuts[i].taken)

/* wanted_run: a run by `lanes` unrelated lanes. wanted_own: common code. wanted_beside: a run by
 * all lanes with coalesced accesses, except those at addresses read from memory. */
double wanted_run(const Case *c, const Gain_cut *k, double lanes);
double wanted_own(const Case *c);
double wanted_beside(const Case *c, const Effort *w);
/* A run of region i by `lanes` unrelated lanes; for a path, including nested regions that the
 * policy leaves unchanged. */
double wanted_run_of(const Case *c, uint32_t i, double lanes);
/* Region i in an iteration of the original loop, with all nested regions; without them. */
double wanted_left_whole(const Case *c, uint32_t i);
double wanted_left(const Case *c, uint32_t i);
/* Returns the runs of a path by full warps per iteration. The remainder after the last one counts
 * as half a run. */
double wanted_runs(const Case *c, const Gain_share *h);
/* One of n consecutive runs, whose independent loads overlap. one: demand of a run in isolation. */
double wanted_in_row(const Case *c, const Effort *w, double one, double n);
/* Issue slots of the common code. */
double wanted_own_slots(const Gain_site *s);

static inline double at_least(double x, double least) { return x > least ? x : least; }

/* Demand of n additional instructions. */
static inline double slots(const Case *c, double n) { return c->want == ISSUE ? n : 0; }

/* Returns the lanes of a warp that run the region together in the original loop. */
static inline double
together(const Gain_share *h)
{
	return h->warps > 0 ? WARP_LANES * h->lanes / h->warps : 0;
}

/* Returns the trip count of an inner loop's slowest lane in a warp, per iteration. */
static inline double longest(const Gain_share *h) { return h->warps * h->trips * h->spread; }

#endif
