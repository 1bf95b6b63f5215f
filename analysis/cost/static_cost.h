/* SPDX-License-Identifier: MIT */
/* Static cost of code: what a warp pays, loops weighted. Of `cost_` figures only the order is used;
 * `Effort` are issue slots, which are compared with what a transformation adds. */
#ifndef ANALYSIS_COST_STATIC_COST_H
#define ANALYSIS_COST_STATIC_COST_H

#include "analysis/dataflow/function.h"

#define COST_LOOP_WEIGHT 8 /* assumed trip count of a loop */

/* A GPU, for who has what a launch takes. */
enum {
	COST_ISSUING = 4,       /* schedulers of a multiprocessor */
	COST_SCHEDULERS = COST_ISSUING * 128,
	COST_ROOM = 16 * COST_SCHEDULERS, /* warps of a launch that fills it */
	COST_ALONE = 4,         /* cycles of an instruction of a warp with none beside it */
	COST_UNROLLED = 4       /* iterations of an inner loop whose loads are under way together */
};

/* Bytes that memory behind the caches gives a multiprocessor in a cycle: 4.8 TB/s, for 132. */
#define COST_STREAM 18.4
/* Cycles of an atomic operation in a line of the second cache that has others to do. */
#define COST_SAME_LINE 1.5

/* Of an instruction; 0 for other statements. */
uint64_t cost_stmt(const Fn *fn, uint32_t stmt);
uint64_t cost_block(const Fn *fn, uint32_t block);
/* Cost of a set of blocks run once, entered at entry: each block times COST_LOOP_WEIGHT a loop
 * level inside the set. */
uint64_t cost_blocks(const Fn *fn, Bits blocks, uint32_t entry);

/* What a warp does when it runs some code once; one slot is an integer addition. */
typedef struct {
	double issue;           /* slots, however many lanes run it */
	/* accesses at places of the lane's own; half of those in an arm, in a loop, since each
	 * lane takes one of two */
	double memory;
	double constants;       /* words of constant memory at places that registers name */
	/* by effort_loads: of those, accesses at places that hang on what was read just before;
	 * those that were computed of it, in a loop of what it has read itself: else its lanes
	 * walk on from there; atomic ones that ask what they found, and those that do not; loads
	 * in a row, of which each waits for the one before it, and of these so many as wait for
	 * the run before, too */
	double gathers, indexed, exchanges, updates, waits, chained;
	/* by a profile, in place of `indexed`: sectors that the first cache has not */
	double missed;
} Effort;

/* Slots that an instruction waits for its operands: of more registers than can be read together. */
double cost_conflict(const Fn *fn, uint32_t stmt);
/* What a run of a block takes less than its instructions, since ptxas unrolls the loop. */
double cost_spared(const Fn *fn, uint32_t block);
/* How often an iteration of a loop is run, in a run of the code that stands in so many of the loops
 * around it: each always so often as is known of it, or else COST_LOOP_WEIGHT times. */
double effort_runs(const Fn *fn, uint32_t loop, uint32_t depth);
/* As cost_blocks, by effort_runs. */
Effort effort_blocks(const Fn *fn, Bits blocks, uint32_t entry);
/* How often a block is run, in a run of the code around it. */
typedef double Block_runs(void *user, uint32_t block);
/* As effort_blocks, where that is known; and what is asked of memory, too. */
Effort effort_known(const Fn *fn, Bits blocks, Block_runs *runs, void *user);
void effort_loads(const Fn *fn, Bits blocks, Block_runs *runs, void *user, Effort *w);

/* One run of a block, as a part of the innermost loop around it. */
Effort effort_block(const Fn *fn, uint32_t block);

/* Bytes that a lane's stores there fill, beside those of the lanes beside it. */
double effort_filled(const Fn *fn, Bits blocks);

#endif
