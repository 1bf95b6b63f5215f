/* SPDX-License-Identifier: MIT */
/* Measured execution counts of one profile point of an annotated loop. A profile point is a path or
 * an inner loop, identified by the region of its begin marker.
 *
 * Planning queries by region, because markers are renumbered when the text before them changes
 * (pre_passes.c, task_loop_set.c). The provider identifies the profile point by position, inline
 * chain and code. */
#ifndef ANALYSIS_REGION_EXECUTION_COUNTS_H
#define ANALYSIS_REGION_EXECUTION_COUNTS_H

#include "analysis/region/region.h"

/* Executions of a block. runs: by all lanes. longest: by the lane with most executions of those
 * that entered the profile point together, summed. squares: squares of each lane's count, counts
 * limited to MAX_SQUARED_COUNT. most: the largest count. last: the largest count of each launch,
 * summed. changes: squares of the differences between a lane's count and its count in its previous
 * execution of the profile point, limited in the same way. */
typedef struct { uint64_t runs, longest, squares, most, launch_maxima, changes; } Block_counts;

enum {
	/* blocks counted per profile point; further ones are not counted */
	MAX_COUNTED_BLOCKS = 16,
	MAX_SQUARED_COUNT = 11585 /* limit such that the squares of a warp's lanes fit 32 bits */
};

/* Atomic operations on global memory in `runs` executions of a profile point (of an inner loop:
 * iterations). done: by lanes. compared: those compared with the last one of another block at the
 * same statement. same: those of them on the same line of 128 bytes. */
typedef struct { uint64_t runs, done, compared, same; } Atomic_counts;

/* Sectors of 32 bytes that loads of global memory requested in `runs` executions, and the L1 misses
 * among them (simt/memory/cache_model.c). */
typedef struct { uint64_t runs, sectors, missed; } Load_counts;

typedef struct {
	/* iterations of the annotated loop by lanes; and by warps: times that lanes of a warp
	 * executed an iteration together */
	uint64_t iterations, warp_iterations;
	/* times that lanes entered that loop, and warps; 0: unknown */
	uint64_t entries, warp_entries;
	/* times that lanes left that loop by an exit with long code of its own (exit_code.h), and
	 * that warps did, whose lanes left in the same iteration; 0: none did, or it is unknown */
	uint64_t exits, warp_exits;
	/* launches of the kernel with the profile point; 0: unknown, or it is in a function */
	uint64_t launches;
	/* threads of the largest block of those launches; 0: unknown */
	uint64_t largest_block;
	/* multiprocessors of the GPU that ran those launches, at most; 0: unknown */
	uint64_t multiprocessors;
	/* one in 2^sampling blocks of those launches counted */
	uint64_t sampling;
	/* executions of the profile point by lanes; by warps with at least one such lane */
	uint64_t lanes, warps;
	/* warps by the number of lanes that reached the profile point together; [0]: rounds -
	 * warps */
	uint64_t histogram[33];
	/* inner loop: iterations of all lanes; of the longest of the lanes that entered together,
	 * summed; of the longest lane of each launch. 0: it is a path */
	uint64_t trips, longest, launch_maxima;
	/* times that lanes of a warp ran an iteration of an inner loop together, in addition to
	 * `longest`: lanes that entered together have run apart since; 0: none, or it is unknown */
	uint64_t apart;
	/* iterations of an inner loop, or executions of a path, in a whole execution of the
	 * annotated loop, of all lanes; of the lane with most of those that entered that together,
	 * summed; 0: unknown */
	uint64_t whole_trips, whole_longest;
	/* times that lanes reached the profile point again in the same call */
	uint64_t repeated;
	/* blocks of the profile point (Counted_block), totals; the first nblocks are known */
	uint32_t nblocks;
	Block_counts blocks[MAX_COUNTED_BLOCKS];
	/* without those of nested profile points; runs == 0: not counted, or there are none */
	Atomic_counts atomics;
	Load_counts loads;
} Execution_counts;

/* Executions of a statement: how often it was issued, and by how many lanes in all; of a branch,
 * how often it was issued as one, and how often lanes of a warp took different edges. */
typedef struct { uint64_t warps, lanes, branches, divergent; } Stmt_counts;

/* Returns the counts of a profile point, or NULL if there are none. They live as long as the passes
 * run. */
typedef const Execution_counts *Execution_counts_of(void *user, const Fn *fn, const Region *point);

#endif
