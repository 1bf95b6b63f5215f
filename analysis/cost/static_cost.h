/* SPDX-License-Identifier: MIT */
/* Static cost of code: what a warp pays, weighted by loop depth. Only the order of the `cost_`
 * figures is meaningful; an `Effort` is in issue slots and is compared with the cost that a
 * transformation adds. */
#ifndef ANALYSIS_COST_STATIC_COST_H
#define ANALYSIS_COST_STATIC_COST_H

#include "analysis/dataflow/function.h"

#define COST_LOOP_WEIGHT 8 /* assumed trip count of a loop */

/* Parameters of a typical GPU. */
enum {
	COST_ISSUING = 4,       /* schedulers of a multiprocessor */
	COST_MULTIPROCESSORS = 128,
	COST_SCHEDULERS = COST_ISSUING * COST_MULTIPROCESSORS,
	COST_ROOM = 16 * COST_SCHEDULERS, /* warps of a launch that fills the GPU */
	/* cycles per instruction of a warp that is alone on its scheduler */
	COST_ALONE = 4,
	COST_UNROLLED = 4       /* iterations of an inner loop whose loads are in flight together */
};

/* DRAM bandwidth in bytes per cycle and multiprocessor: 3.35 TB/s for the 132 of an H100. */
#define COST_STREAM 12.8
/* Cycles of an atomic operation on a line of the L2 cache that other atomics use at the same
 * time. */
#define COST_SAME_LINE 1.5

/* Cost of an instruction; 0 for other statements. */
uint64_t cost_stmt(const Fn *fn, uint32_t stmt);
uint64_t cost_block(const Fn *fn, uint32_t block);
/* Cost of executing a set of blocks once, entered at entry: each block is weighted with
 * COST_LOOP_WEIGHT per loop level inside the set. */
uint64_t cost_blocks(const Fn *fn, Bits blocks, uint32_t entry);

/* What a warp spends when it executes some code once. The unit of a slot is one integer
 * addition. */
typedef struct {
	double issue;           /* issue slots, independent of the number of active lanes */
	/* accesses at addresses that differ between lanes; accesses in an arm inside a loop count
	 * half, since a lane takes one of the two */
	double memory;
	double constants;       /* words of constant memory read at addresses in registers */
	/* Computed by run_cost_loads. Of the accesses in `memory`: gathers have an address that
	 * depends on loaded data; indexed have an address computed from loaded data, in a loop from
	 * data loaded in that loop (otherwise the lane advances from its first address); exchanges
	 * are atomics whose result is used, updates those whose result is not. waits: length of the
	 * longest chain of dependent loads; chained: how much a second execution extends the
	 * chain. */
	double pointer_loads, indexed, exchanges, updates, dependent_loads, chained;
	/* of a path: dependent loads in its loops, in all their iterations; those of iterations
	 * whose loads are in flight together count once */
	double loop_loads;
	/* L1 misses in sectors, measured by a profile; replaces `indexed` */
	double missed;
} Run_cost;

/* Returns the extra slots of an instruction that reads more registers than can be read together. */
double cost_conflict(const Fn *fn, uint32_t stmt);
/* Returns the slots that one execution of a block saves because ptxas unrolls its loop. */
double cost_saved_by_unrolling(const Fn *fn, uint32_t block);
/* Returns the executions of the loop body per execution of code at the given loop depth: the
 * product of the trip counts, COST_LOOP_WEIGHT where the trip count is unknown. */
double loop_run_count(const Fn *fn, uint32_t loop, uint32_t depth);
/* Like cost_blocks, weighted by loop_run_count. */
Run_cost run_cost_of_blocks(const Fn *fn, Bits blocks, uint32_t entry);
/* Returns the executions of a block per execution of the code around it. */
typedef double Block_run_count(void *user, uint32_t block);
/* Like run_cost_of_blocks with given execution counts; run_cost_loads adds the memory figures. */
Run_cost run_cost_with_counts(const Fn *fn, Bits blocks, Block_run_count *runs, void *user);
void run_cost_loads(const Fn *fn, Bits blocks, Block_run_count *runs, void *user, Run_cost *w);
/* For an iteration of a loop that stores and then loads its bound again: raises w->chained, because
 * the next iteration cannot begin before that load. */
void run_cost_bound_wait(
	const Fn *fn, uint32_t loop, Block_run_count *runs, void *user, Run_cost *w);

/* Returns the effort of one execution of a block as a part of its innermost loop. */
Run_cost run_cost_of_block(const Fn *fn, uint32_t block);

/* run_cost_stored_bytes: bytes that a lane writes with stores that are coalesced.
 * run_cost_loaded_bytes: bytes that a lane reads in an iteration of the blocks and not before:
 * loads at addresses that are computed in the blocks and differ by a constant from lane to lane.
 * Loads at one register, such as the fields of an item or the neighbours in a stencil, count once;
 * items that are far apart count as a sector. */
double run_cost_stored_bytes(const Fn *fn, Bits blocks);
double run_cost_loaded_bytes(const Fn *fn, Bits blocks);

/* Whether, for each atomic operation of the blocks on global memory, one lane does those of all
 * active lanes. */
bool cost_atomics_combined(const Fn *fn, Bits blocks);

#endif
