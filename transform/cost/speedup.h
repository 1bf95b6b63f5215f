/* SPDX-License-Identifier: MIT */
/* What a policy is expected to gain at a site: a model (docs/choosing.md has its rules, and how far
 * they are from what was measured).
 *
 * All figures are issue slots of a warp for an iteration of the annotated loop; one is an integer
 * addition. What the memory system is asked for, and what is waited for, is counted in the same
 * (cost_model.h). Of caches the model knows what a profile has counted: how far away is what a lane
 * reads nobody can see in the code.
 */
#ifndef TRANSFORM_COST_SPEEDUP_H
#define TRANSFORM_COST_SPEEDUP_H

#include "analysis/cost/static_cost.h"
#include "base/annot.h"
#include "base/longest.h"
#include "transform/plan/gain.h"

/* Which lanes come to a cut. */
typedef struct {
	double lanes;           /* of all, that come to it in an iteration: 0 to 1 */
	double warps;           /* of all, of which at least one lane does */
	/* of an inner loop: iterations of a lane that comes to it; the longest of a warp's lanes,
	 * as a multiple of that */
	double trips, spread;
} Gain_share;

/* A path, or an inner loop. */
typedef struct {
	Effort work;            /* of a run without the cuts in it, by a lane; of one iteration */
	/* slots that a run takes more: by the lanes that come to it together; by any others, over
	 * longest_above of their number; by them at the most */
	double more, uneven, most;
	double words;           /* 32-bit words that a task saves */
	double besides;         /* slots of a task for what it computes again and folds */
	double filled;          /* bytes that a lane's stores fill, beside its neighbours' */
	bool rest;              /* a task runs the rest of its iteration, and fills them there */
	uint32_t outer;         /* the cut in whose path it stands, from 1; 0: none */
	bool inner;             /* it is an inner loop: */
	double trips;           /* its iterations, always; 0: nobody knows */
	bool taken;             /* the policy is about it; else it stays as it is */
	bool in_task;           /* it is expanded, in the runs of the path around it */
	/* collected: it is asked first whether anybody wants it; a round which nobody wants is over
	 * then */
	bool asked_first;
	bool rests;             /* expanded: what fills no warp is laid end to end */
	bool always;            /* every iteration comes to it */
	bool known;             /* measured: */
	Gain_share share;
	/* by the lane of a launch that takes longest: a run, and 1; of an inner loop an iteration,
	 * and how many it has in a run. 0: not counted, or as any other's */
	Effort longest;
	double last;
} Gain_cut;

typedef struct {
	Effort own;               /* an iteration without the cuts */
	double filled;          /* bytes that its stores fill, as a cut's */
	const Gain_cut *cuts; uint32_t ncuts;
	double iterations;      /* of a warp, each time that it comes to the loop; 0: not counted */
	double warps;           /* of a launch; 0: not counted */
	/* atomic operations of a warp's iteration that go to one line of memory, of the cut that
	 * has most of them; 0: not counted */
	double same_line;
	/* bytes that memory gives a multiprocessor in a cycle; 0: not known */
	double stream;
	bool tasks;             /* that is up to the launch: the loop is one over all tasks */
	bool lockstep;          /* votes stand at the branches (lockstep.c) */
	bool grouped;           /* queues: all paths that the policy takes have one vote */
	bool row;               /* ahead: looks need no branch (lookahead_copies.c) */
	/* ahead: slots that a look has less, in the mean, where all lanes are known to stay */
	double spared;
	bool straight;          /* ahead: noted iterations run the path alone */
	bool gathers;           /* ahead: lanes meet in front of each */
	bool retreats;          /* warps that lose can go on in the loop as it was */
	bool asked;             /* and shall, however little they may lose */
} Gain_site;

enum { GAIN_CUTS = 64 }; /* more than so many at a site: nothing is known */

double gain_root(double x);
/* Is it worth to transform a loop? */
bool gain_suffices(const Gain *g);
/* What a round of a collecting policy adds for the votes of a path, of n own parts a round; and a
 * task for itself. */
double gain_vote(Annot_policy policy, double n, bool lockstep);
double gain_task(Annot_policy policy, const Gain_cut *k);
/* What looking ahead adds to an iteration; and what a noted one takes beside its path. */
double gain_look(const Gain_site *s);
double gain_noted(const Gain_site *s);
/* n: the policy's number. */
Gain gain_of(const Gain_site *s, Annot_policy policy, uint32_t n);

#endif
