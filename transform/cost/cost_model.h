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
 *	divergent_arms.c code that only some of the lanes need
 *	memory_traffic.c traffic between L2 and memory
 *	critical_lane.c  the critical lane of a launch */
#ifndef TRANSFORM_COST_COST_MODEL_H
#define TRANSFORM_COST_COST_MODEL_H

#include "transform/cost/speedup.h"

enum {
	WARP_LANES = 32,
	/* slots of an exposed load latency: 512 cycles, shared by 16 warps */
	LOAD_LATENCY_SLOTS = 32,
	RECONVERGENCE_SLOTS = 10, /* slots of a meeting of lanes */
	WINDOW_OVERHEAD = 5     /* slots of a pass over 32 iterations of a row */
};

typedef enum { RESOURCE_ISSUE, RESOURCE_MEMORY, RESOURCE_LATENCY, NRESOURCES } Resource;

typedef struct {
	const Cost_site *site;
	Execution_share shares[COST_REGIONS]; /* shares of all lanes, by index into site->regions */
	Execution_share exit;   /* of the exits' code: site->exit.share, or what is assumed */
	/* imbalance between lanes that remains when a lane's iterations are summed: one over the
	 * root of their number, as a factor of the distance from an inner loop's mean trip count to
	 * the longest */
	double uneven;
	double iterations;      /* a warp's iterations per execution of the loop; 0: unknown */
	bool measured;          /* the shares come from a profile */
	/* resource being summed: issue slots, memory accesses of lanes, or dependent loads */
	Resource resource;
} Cost_query;

/* Time of an iteration; of it, what neither the critical lane nor the bandwidth of memory bounds;
 * 0: unknown. term: its squared terms, by Time_bound, BOUND_NONE for the others; traffic: the bound
 * by the bandwidth of memory. */
typedef struct { double all, shared, traffic, term[BOUND_BANDWIDTH]; } Policy_time;

Policy_time model_original(const Cost_query *c);
/* Returns the time of the original loop if a resource were free. */
double time_without(const Policy_time *t, Time_bound limit);
Policy_time model_policy(const Cost_query *c, Annot_policy policy, uint32_t n);
double model_power(double x, uint32_t n);
/* Time of an iteration on the critical lane, relative to the launch; 0: unknown. */
double model_critical_lane(const Cost_query *c, Annot_policy policy, uint32_t n);

/* ---- demand for c->want under a policy ------------------------------------------------------- */

/* Demand of the regions that the policy transforms, including common code. */
double model_collected(const Cost_query *c, Annot_policy policy, uint32_t n);
double model_expanded(const Cost_query *c);
/* Returns the share of the warps whose rows the test of expand(choose) at run time spreads over the
 * lanes. *kept: by how much the longest row exceeds the mean in the others. */
double model_share_spread(const Cost_region *k, const Execution_share *h, double *kept);
/* expand, if that test keeps rows with their owners. */
double model_expand_declined(const Cost_query *c);
double model_lookahead(const Cost_query *c, uint32_t n);
/* Returns the lanes of a warp that run path i together in a selected iteration. */
double lanes_selected(const Cost_query *c, uint32_t i, uint32_t n);
/* Lanes meet after n iterations of the inner loop. */
double model_flattened(const Cost_query *c, uint32_t n);
/* Demand of streaming loads and of written sectors on the bandwidth of memory behind the caches. */
double model_memory_traffic(const Cost_query *c, Annot_policy policy);
/* Issue slots in which atomic operations on the line that has most of them are executed. */
double model_same_line(const Cost_query *c, Annot_policy policy, uint32_t n);
/* Returns how often a warp runs common code for each of its iterations of the original loop. */
double flattened_common_runs(const Cost_query *c, uint32_t n);
/* Demand of path i if lanes wait before it until there are n of them. */
double model_waiting(const Cost_query *c, uint32_t i, uint32_t n);
/* Whether n lanes always reach the paths together, so that none waits. */
bool waiting_changes_nothing(const Cost_query *c, uint32_t n);

/* ---- building blocks of the policies --------------------------------------------------------- */

/* Iterates over the regions that the policy transforms. */
#define EACH_POLICY_REGION(c, i) \
	for (uint32_t i = 0; i < (c)->site->nregions; i++) \
		if ((c)->site->regions[i].in_policy)

/* model_run: a run by `lanes` unrelated lanes. model_common_code: common code.
 * model_common_code_runs: the same if that many groups of a warp's lanes run it apart.
 * model_adjacent_lanes: a run by all lanes with coalesced accesses, except those at addresses read
 * from memory. */
double model_run(const Cost_query *c, const Cost_region *k, double lanes);
/* Slots that unrelated lanes need in addition to the mean lane's: those of the slowest one, and of
 * arms that any of them executes. */
double model_extra_slots(const Cost_region *k, double lanes);
/* An iteration of an inner loop by the lanes that are in it: of `entered` lanes that entered it,
 * `mean` in the mean. Each further lane adds less to the probability that any executes an arm, so
 * iterations by many and by few lanes execute fewer arms than as many iterations by the mean. */
double model_iteration(const Cost_query *c, const Cost_region *k, double entered, double mean);
double model_common_code(const Cost_query *c);
double model_common_code_runs(const Cost_query *c, double runs);
double model_adjacent_lanes(const Cost_query *c, const Run_cost *w);
/* A run of region i by `lanes` unrelated lanes; for a path, including nested regions that the
 * policy leaves unchanged. */
double model_region_run(const Cost_query *c, uint32_t i, double lanes);
/* Region i in an iteration of the original loop, with all nested regions; without them. */
double model_region_unchanged(const Cost_query *c, uint32_t i);
double model_region_without_inner(const Cost_query *c, uint32_t i);
/* One of n consecutive runs, whose independent loads overlap. one: demand of a run in isolation. */
double model_overlapped_run(const Cost_query *c, const Run_cost *w, double one, double n);
/* Issue slots of the common code. */
double common_code_slots(const Cost_site *s);

static inline double max_double(double x, double least) { return x > least ? x : least; }

/* Demand of n additional instructions. */
static inline double
issue_slots(const Cost_query *c, double n)
{
	return c->resource == RESOURCE_ISSUE ? n : 0;
}

/* Returns the lanes of a warp that run the region together in the original loop. */
static inline double
lanes_together(const Execution_share *h)
{
	return h->warps > 0 ? WARP_LANES * h->lanes / h->warps : 0;
}

/* Returns the lanes of a warp that execute an iteration; those of all groups, if it has several. */
static inline double
lanes_of_iteration(const Cost_site *s)
{
	double lanes = WARP_LANES * s->lanes.mean * max_double(s->groups, 1);

	return lanes > 0 && lanes < WARP_LANES ? max_double(lanes, 1) : WARP_LANES;
}

/* Returns the trip count of an inner loop's slowest lane in a warp, per iteration. */
static inline double
longest_trip_count(const Execution_share *h)
{
	return h->warps * h->trips * h->spread;
}

#endif
