/* SPDX-License-Identifier: MIT */
/* What a plan needs for one policy only. The pass of the policy allocates it and fills it in; plans
 * for other policies have none. Remap (remap_types.h) belongs to these types, too. */
#ifndef TRANSFORM_PLAN_POLICY_TYPES_H
#define TRANSFORM_PLAN_POLICY_TYPES_H

#include "transform/plan/region_types.h"

/* ---- stack, queue ---------------------------------------------------------------------------- */

/* Lockstep: the common code is one chain of blocks, the votes replace the branches to the paths,
 * and parked lanes execute the chain predicated off. */
typedef struct {
	bool enabled;
	/* the loop's blocks in execution order */
	uint32_t *chain;
	uint32_t nchain;
	Bits prefix;            /* blocks between the branches and the markers of their paths */
	/* statements, by fn_local_stmt, predicated by %~in, or in a prefix by %^want */
	Bits predicated;
} Lockstep;

/* What task collection needs, all of it for the copy for full warps. */
typedef struct {
	Lockstep lockstep;
	uint32_t batch;         /* batch size: queue(U) */
	bool shares_vote;       /* all regions share a vote */
	/* registers that each iteration of a batch has separately */
	Bits batch_registers;
} Collect_plan;

/* ---- waiting policies ------------------------------------------------------------------------ */

/* An induction variable: each iteration adds operand `by` to the register, or subtracts it. */
typedef struct {
	uint32_t sym;
	/* index into Module.opnds: a literal, or a loop-invariant register */
	uint32_t by;
	bool subtracts;
} Loop_counter;

/* Release rule: which lanes continue when lanes wait at several wait points. */
typedef enum {
	RULE_NONE,              /* no wait points */
	/* lanes at wait_block if there are N of them, or if all lanes in the loop are there; else
	 * the others */
	RULE_N,
	/* the same with half of the lanes in the loop instead of N */
	RULE_HALF,
	RULE_SHARE,             /* lanes at wait_block if they are N/32 of the lanes in the loop */
	/* lanes at wait_block if there are N; after the first lane has left the loop, all */
	RULE_MAJORITY,
	/* lanes at wait_block for N rounds, then the others for `second` rounds */
	RULE_ALTERNATE,
	/* with many wait points: the one with most lanes; each one for N rounds */
	RULE_LARGEST, RULE_ROTATE,
	/* the innermost one at which `least` lanes wait, else one whose lanes do not wait, else the
	 * outermost */
	RULE_INNERMOST
} Release_rule;

/* One of several wait points: lanes wait before the block. */
typedef struct {
	uint32_t block;
	/* RULE_INNERMOST: lanes needed to continue. Rank from 1, higher for inner points; 0: lanes
	 * do not wait here for others. */
	uint32_t threshold, rank;
} Wait_point;

/* Iteration draw: lanes take iterations from a sequence shared by all of M, or by the thread block
 * (dynamic_assignment.c). */
typedef struct {
	/* the loop as a task region: values that a drawn iteration takes from its owner */
	Task_region *region;
	Bits executed;          /* statements, by fn_local_stmt, that the drawing lane runs */
	/* statements that advance the owner's registers to its next iteration, in order */
	uint32_t *advance; uint32_t nadvance;
	uint32_t test;          /* branch that ends an iteration */
	uint32_t test_block;    /* block of `test` */
	uint32_t exit_block;    /* successor of `test` outside the loop */
	bool loops_if_true;     /* the loop continues if the branch's predicate holds */
	/* of the block (block_pool.c): the induction variables, and rows of shared memory for each
	 * owner's number of iterations, and for the counters */
	bool of_block;
	Loop_counter *counts; uint32_t ncounts;
	/* statements that compute their increments */
	uint32_t *recomputed; uint32_t nrecomputed;
	uint32_t trips_row, counter_row;
} Iteration_pool;

/* What a waiting policy needs (wait_plan.c). Every lane runs its own iterations, in order, and
 * waits for others before block `meet`. */
typedef struct {
	/* the annotated path or inner loop; NULL: the loop itself, or all paths */
	const Region *region;
	uint32_t meeting;       /* meeting point of all lanes */
	/* with two wait points, the other one: the entry of a path or the header of an inner
	 * loop */
	uint32_t wait_block;
	uint32_t wait_loop;     /* the inner loop that wait_block follows; 0: none */
	/* blocks that lanes execute before the first meeting, which have a separate copy; those
	 * between two meetings; for ahead: all of them */
	Bits first_blocks, round_blocks;
	/* regions at which lanes wait: the arms of a branch in order, or statements and loops; `at`
	 * is one of them */
	const Region **predicted; uint32_t npredicted;
	/* all wait points, if there are more than `meeting` and wait_block; by falling rank */
	Wait_point *points; uint32_t npoints;
	Release_rule rule;
	const Iteration_pool *pool; /* iteration draw; NULL: every lane runs its own iterations */
	uint32_t n, second;     /* look-ahead iterations; parameters of the release rule */
} Wait_plan;

/* What `ahead` needs beyond a Wait_plan (lookahead_legality.c, lookahead_copies.c). Lanes execute
 * the common code of later iterations early, and select the iterations that take a path. */
typedef struct {
	/* registers that an iteration without a path changes */
	Loop_counter *counts; uint32_t ncounts;
	/* statements that each iteration executes afresh, to compute the steps of `counts` */
	uint32_t *recomputed; uint32_t nrecomputed;
	Bits path_only;         /* blocks of the paths, and blocks that only paths reach */
	/* for each region, the block after it at which look-ahead continues */
	uint32_t *resume;
	Bits copied;            /* registers with a separate look-ahead copy */
	/* look-ahead iterations per branch-free group; 0: branches as in the loop */
	uint32_t group_size;
	Lockstep lockstep;      /* branch-free: the chain of blocks of an iteration */
	Bits guarded;           /* branch-free: statements, by fn_local_stmt, predicated by %^go */
	/* branch-free: trip count, which removes the tests within a group; NULL: unknown */
	const Trip_count *known_trips;
	uint32_t trip_count;    /* constant trip count where no N is requested; 0: unknown */
	/* a selected iteration runs only the slice that leads to the path, and the path */
	bool path_alone;
	/* lanes run the selected iterations of this region, then those of the others (unify.c);
	 * from 1; 0: iterations keep their order */
	uint32_t unified;
	bool meets_before_run;  /* lanes reconverge before each selected iteration */
	/* common statements that look-ahead omits (late_statements.c), by fn_local_stmt */
	Bits late;
} Lookahead_plan;

#endif
