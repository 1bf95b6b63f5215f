/* SPDX-License-Identifier: MIT */
/* What an iteration of a loop wants of the machine, for known shares of lanes: the time that it
 * takes, in issue slots of a warp (for speedup.c).
 *
 * Issue slots, the memory system and waiting go on beside each other, and what is wanted most
 * decides; but they hinder each other where they are about the same, so it is the root of the sum
 * of their squares. Memory behind the caches has time beside all that, or has not: an iteration
 * takes no less than it does.
 *
 *	cost_model.c        the loop as it is, and the sum
 *	cost_collect.c  policies by which other lanes run the work: stack, queue, expand
 *	cost_wait.c  those by which each lane keeps its iterations: ahead, flatten, wait
 *	critical_lane.c   the lane of a launch for which all others wait
 */
#ifndef TRANSFORM_COST_COST_MODEL_H
#define TRANSFORM_COST_COST_MODEL_H

#include "transform/cost/speedup.h"

enum {
	WARP_LANES = 32,
	WAIT = 32,              /* slots of a load that is waited for: 512 cycles, among 16 warps */
	TOGETHER = 30,          /* slots of a meeting of lanes */
	LAP = 5                 /* of 32 iterations of a row that the warp walks */
};

typedef enum { ISSUE, MEMORY, WAITS, NWANTS } Want;

typedef struct {
	const Gain_site *site;
	Gain_share of[GAIN_CUTS]; /* shares of all lanes, by cut */
	/* of the distance from an inner loop's mean to the longest that is left between the sums of
	 * all of a lane's iterations: one over the root of their number */
	double uneven;
	double iterations;      /* of a warp, each time that it comes to the loop; 0: not known */
	bool measured;          /* the shares are a profile's */
	Want want;              /* what is counted now: slots, lanes' accesses, or loads in a row */
} Case;

double wanted_as_it_is(const Case *c);
/* Under a policy, n being its number; 0: nothing is known of it. */
double wanted_by(const Case *c, Annot_policy policy, uint32_t n);
double wanted_power(double x, uint32_t n);
/* What an iteration takes, in the time of a launch that its longest lane takes; 0: not counted. */
double wanted_last(const Case *c, Annot_policy policy, uint32_t n);

/* ---- of what is counted now, under a policy -------------------------------------------------- */

/* Of the cuts that the policy takes, and the own part with them. */
double wanted_collected(const Case *c, Annot_policy policy, uint32_t n);
double wanted_expanded(const Case *c);
/* expand: the warp looks whether that pays, and it does not. */
double wanted_kept(const Case *c);
double wanted_looked_ahead(const Case *c, uint32_t n);
double wanted_flattened(const Case *c);
/* Lanes stand in front of path i until n of them do. */
double wanted_stood(const Case *c, uint32_t i, uint32_t n);

/* ---- what policies are counted by ------------------------------------------------------------ */

/* The cuts that the policy takes. */
#define EACH_TAKEN(c, i) \
	for (uint32_t i = 0; i < (c)->site->ncuts; i++) \
		if ((c)->site->cuts[i].taken)

/* A run by so many unrelated lanes; of the own part; by all lanes, whose places are side by side,
 * but for those that were read from memory. */
double wanted_run(const Case *c, const Gain_cut *k, double lanes);
double wanted_own(const Case *c);
double wanted_beside(const Case *c, const Effort *w);
/* A run of cut i by so many unrelated lanes; if it is a path with the cuts in it that the policy
 * leaves. */
double wanted_run_of(const Case *c, uint32_t i, double lanes);
/* Cut i with all cuts in it as it is, in an iteration; without them. */
double wanted_left_whole(const Case *c, uint32_t i);
double wanted_left(const Case *c, uint32_t i);
/* Runs of a path by full warps in an iteration: what is left behind the last one is half a run. */
double wanted_runs(const Case *c, const Gain_share *h);
/* One of so many runs in a row, which wait together for what none needs from the one before. */
double wanted_in_row(const Case *c, const Effort *w, double one, double n);
/* The own part's issue slots. */
double wanted_own_slots(const Gain_site *s);

static inline double at_least(double x, double least) { return x > least ? x : least; }

/* What is added, which is instructions. */
static inline double slots(const Case *c, double n) { return c->want == ISSUE ? n : 0; }

/* The lanes that run it together, where their warp leaves them where they are. */
static inline double
together(const Gain_share *h)
{
	return h->warps > 0 ? WARP_LANES * h->lanes / h->warps : 0;
}

/* Iterations of an inner loop of a warp's lane that has most, in an iteration. */
static inline double longest(const Gain_share *h) { return h->warps * h->trips * h->spread; }

#endif
