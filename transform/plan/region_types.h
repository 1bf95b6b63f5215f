/* SPDX-License-Identifier: MIT */
/* Task regions: the parts of a loop whose execution moves to other lanes or to another time. */
#ifndef TRANSFORM_PLAN_REGION_TYPES_H
#define TRANSFORM_PLAN_REGION_TYPES_H

#include "analysis/loops/trip_count.h"
#include "analysis/region/region.h"
#include "transform/plan/task_types.h"

/* The branch to a path; the place of the vote in lockstep. */
typedef struct {
	uint32_t stmt;          /* guarded bra */
	uint32_t block;
	bool path_falls_through; /* the path is the fall-through successor */
	uint32_t other_target;  /* successor that skips the path */
	Bits prefix;            /* blocks between the branch and the path's marker */
} Vote_branch;

/* A lane loop: an inner loop whose iterations are spread over the lanes. Says what a helper runs,
 * and which of the loop's live-outs the owner computes itself. */
typedef struct {
	const Trip_count *trips;
	/* statements that helpers run, by fn_local_stmt; without pure loop control */
	Bits executed;
	/* at run time, rows shorter than 32 stay with their owners if the longest is at most this
	 * many sixteenths of a warp's mean; 0: no test */
	uint32_t most_uneven;
	/* remainders shorter than a warp are concatenated; iterations write no memory */
	bool packs, read_only;
	bool conditional;       /* a branch other than the loop's own test may skip the loop */
	uint32_t unroll;        /* consecutive passes over a long row in the copy for full warps */
	uint32_t owner_unroll;  /* unroll factor of rows that stay with their owners: 1, 2 or 4 */
	/* by index into task.computed: values that are stepped along with the loop's index */
	Bits stepped;
	/* in a path: its blocks before and after the meeting point of the lane loop */
	Bits blocks_before, blocks_after;
	/* live-out definitions; induction variables come last */
	uint32_t *live_outs; uint32_t nlive_outs;
} Lane_loop;

/* A task region: a path that is collected, or an inner loop that is expanded. May be nested in the
 * path of another region. */
typedef struct {
	const Region *path;
	const Lane_loop *lane_loop; /* for an inner loop; NULL: a path */
	uint32_t outer;     /* number of the enclosing region, from 1; 0: the common code */
	/* A task is one iteration of an inner loop. The lane that has run it holds the next
	 * iteration as its new task. */
	bool by_iteration;
	/* blocks that a task runs: those of the path, and with tail capture those after it up to
	 * `tail_end` */
	Bits task_blocks;
	/* with tail capture, the last block of the task, without the branch that ends it
	 * (tail_capture.c); 0: the owner continues after the path */
	uint32_t tail_end;
	/* with tail capture: statements of task_blocks, by fn_local_stmt, that the task does not
	 * need */
	Bits dead;
	Bits blocks;        /* `task_blocks` without the blocks of nested regions */
	Annot_policy policy;
	uint32_t batch;     /* requested batch size: iterations of common code per vote */
	uint32_t threshold; /* lanes that must have a task before the region runs; 0: all */
	uint32_t slots;     /* capacity of the buffer, in tasks */
	Task task;
	/* for the fallback: change of a warp's credit in a round in which some lane has a task of
	 * this region, in a round in which none has, and for each run of the region */
	int32_t credit_wanted, credit_idle, credit_run;
	/* the function's .local memory that the path names is used by the path alone */
	bool scratch;
	bool independent;   /* clause: no code after the path reads what the path writes */
	Vote_branch vote_branch;
} Task_region;

#endif
