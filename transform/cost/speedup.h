/* SPDX-License-Identifier: MIT */
/* The cost model: expected gain of a policy at a site (docs/choosing.md has its rules,
 * docs/measurements/cost-model.md its accuracy).
 *
 * All figures are issue slots of a warp for an iteration of the annotated loop; one slot is an
 * integer addition. Memory demand and latency are converted to slots (cost_model.h). Cache
 * behaviour is known from a profile only, since code does not show how far away its data are. */
#ifndef TRANSFORM_COST_SPEEDUP_H
#define TRANSFORM_COST_SPEEDUP_H

#include "analysis/cost/static_cost.h"
#include "base/annot.h"
#include "base/longest.h"
#include "transform/plan/gain.h"

/* Which lanes execute a region. */
typedef struct {
	double lanes;           /* share of all lanes that execute it in an iteration: 0 to 1 */
	/* share of all warps in which at least one lane does; above 1 in an original loop whose
	 * lanes run iterations in groups */
	double warps;
	/* for an inner loop: trip count of a lane that executes it; trip count of the slowest lane
	 * of a warp, as a multiple of that */
	double trips, spread;
	/* iterations of an inner loop that a warp of the original loop runs in addition to those of
	 * its slowest lane, as a multiple of these: its lanes run apart */
	double apart;
	/* iterations of an inner loop, or runs of a path, in a whole execution of the annotated
	 * loop, of the lane of a warp with most, per iteration of that loop; 0: unknown */
	double whole;
} Execution_share;

/* Code of an inner loop's iteration that not every iteration executes. */
typedef struct {
	double slots;           /* of an execution */
	double share;           /* of all lanes' iterations that execute it */
} Cost_arm;

/* A path or inner loop. */
typedef struct {
	/* effort of one lane: of a run without nested regions, or of an iteration of an inner
	 * loop */
	Run_cost work;
	/* additional slots of a run: by the lanes that execute it together; by unrelated lanes,
	 * divided by expected_maximum_above of their number; upper limit for those */
	double divergence, uneven, most;
	const Cost_arm *arms; uint32_t narms;
	double words;           /* 32-bit words that a task saves */
	double task_extra;      /* slots of a task for recomputed values and folds */
	double stored_bytes;    /* bytes that a lane's coalesced stores write */
	/* atomic operations of a warp's iteration that go to one line of memory, one for each lane;
	 * 0: unknown. combined: ptxas lets one lane do those of all active lanes */
	double same_line;
	bool combined;
	/* tail capture: a task runs the rest of its iteration and stores there */
	bool has_tail;
	uint32_t outer;         /* number of the enclosing path's region, from 1; 0: none */
	bool inner;             /* it is an inner loop */
	double trips;           /* its constant trip count; 0: unknown */
	bool in_policy;         /* the policy transforms it; otherwise it is unchanged */
	bool nested;            /* it is expanded within the runs of the enclosing path */
	/* collected: warps first vote on whether any lane has a task, and a round without one ends
	 * then */
	bool asked_first;
	bool packs;             /* expanded: remainders shorter than a warp are concatenated */
	/* expanded: at run time, rows shorter than 32 stay with their owners if the longest is at
	 * most this multiple of the mean; 0: no test */
	double most_uneven;
	bool always;            /* every iteration executes it */
	bool measured;          /* the share comes from a profile */
	/* if not: only the spread of an inner loop that is assumed; 0: as in docs/choosing.md */
	Execution_share share;
	/* on the critical lane of a launch: effort of a run, and 1; for an inner loop, effort of an
	 * iteration and trip count of a run. 0: unknown, or as on any other lane */
	Run_cost longest;
	double last;
} Cost_region;

/* Shares of a warp's lanes: those that enter the loop together, and the mean in an iteration;
 * mean 0: unknown. may_leave: lanes may have different trip counts. */
typedef struct { double entered, mean; bool may_leave; } Lanes_in_loop;

/* The size of a launch. warps: on a GPU of COST_MULTIPROCESSORS; 0: unknown. in_task_loop: the
 * policy adds a task loop (grid.tpl). Of such a loop: is_counted: a profile has its number of
 * tasks; needed_tasks: those of a launch with LARGE_LAUNCH iterations, on the GPU that counted; 0:
 * unknown. */
typedef struct {
	double warps; bool in_task_loop, is_counted; double needed_tasks;
} Launch_size;

typedef struct {
	/* an iteration without the regions: by all lanes that run it together; by one lane */
	Run_cost common, of_lane;
	/* code of the loop's exits (exit_code.h); its share: lanes that leave in an iteration by
	 * such an exit, and warps with at least one of them */
	Cost_region exit;
	double stored_bytes;    /* bytes that its stores write, as for a region */
	double loaded_bytes;    /* bytes that a lane's streaming loads read in an iteration */
	const Cost_region *regions; uint32_t nregions;
	/* in the original loop, the lanes of a warp run an iteration in this many groups, if more
	 * than 1 */
	double groups;
	double iterations;      /* a warp's iterations per execution of the loop; 0: unknown */
	Lanes_in_loop lanes;
	Launch_size launch;
	double same_line; bool combined; /* as for a region, of the common code */
	/* memory bandwidth of a multiprocessor in bytes per cycle; 0: unknown */
	double bandwidth;
	/* the launch determines the trip count: the loop is over all tasks */
	bool over_tasks;
	bool lockstep;          /* the common code runs in lockstep (lockstep.c) */
	bool draws;             /* flatten: lanes draw iterations from those of the warp */
	bool shares_vote;       /* queues: all transformed paths share one vote */
	/* ahead: look-ahead iterations are branch-free (lookahead_copies.c) */
	bool branch_free;
	/* ahead: mean number of slots that a look-ahead iteration saves where all lanes are known
	 * to stay */
	double saved_slots;
	bool path_alone;        /* ahead: selected iterations run only the slice and the path */
	bool meets_before_run;  /* ahead: lanes meet before each selected iteration */
	bool has_fallback;      /* warps that lose can fall back to the original loop */
	bool fallback_requested; /* the fallback is requested, however little may be lost */
} Cost_site;

enum {
	/* iterations of a task loop in a launch that is large enough to collect */
	LARGE_LAUNCH = 4,
	COST_REGIONS = 64
}; /* sites with more regions are not modelled */

double newton_sqrt(double x);
/* Returns by what factor the slowest lane of a warp exceeds the mean more than the slowest of one
 * of `groups` groups of its lanes, if lanes are unrelated. */
double slowest_of_warp(double groups);
/* Whether a is better than b, and whether it is about as good as the best option. If the critical
 * lane or the bandwidth of memory bounds both, the remaining time decides. */
bool speedup_is_better(const Speedup *a, const Speedup *b);
bool speedup_is_near(const Speedup *a, const Speedup *best);
/* Whether the gain justifies transforming a loop. */
bool speedup_suffices(const Speedup *g);
/* Returns which resource bounds most of the original loop's time, its share and what to change;
 * NULL: none does, or there is no profile. (time_limit.c) */
const char *speedup_limit_text(const Speedup *g, Arena *a);
/* Returns what decides whether a policy gains that no profile has counted, as the rest of "gains if
 * ..."; NULL: nothing that the model assumes does. least_trips: iterations of inner loops from which
 * it gains; 0: any. (open_question.c) */
const char *speedup_open_question(
	const Cost_site *s, Annot_policy policy, uint32_t n, double least_trips, Arena *a);
/* vote_overhead: overhead of a collecting policy's round for the votes of a path, for a batch of n.
 * task_overhead: overhead of a task. */
double vote_overhead(Annot_policy policy, double n, bool lockstep);
double task_overhead(Annot_policy policy, const Cost_region *k);
/* lookahead_overhead: overhead of a look-ahead iteration. selected_overhead: overhead of a selected
 * iteration besides its path. */
double lookahead_overhead(const Cost_site *s);
double selected_overhead(const Cost_site *s);
/* Returns the expected gain of a policy with parameter n. */
Speedup speedup_of(const Cost_site *s, Annot_policy policy, uint32_t n);

#endif
