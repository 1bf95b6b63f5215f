/* SPDX-License-Identifier: MIT */
/* The profile points of a function, and the blocks where they are counted.
 *
 * A profile point is the region of an annotation that only some lanes may reach: a path, an arm, an
 * inner loop. The counting code, in the emulator (simt/decode/profile_counts.c) or in instrumented
 * code (transform/instrument/instrument.c), counts lanes that arrive together at:
 *
 *	reached		lanes enter the annotated loop around it; empty if there is none
 *	iteration_starts an iteration of that loop begins; without an annotated loop: the
 *			function begins
 *	exits		lanes leave that loop by an exit with code of its own (exit_code.h)
 *	entered		lanes enter the profile point
 *	trips		inner loop: an iteration begins
 *	ended		lanes have left the profile point: the counts of its iterations and
 *			blocks are added up
 *
 * Blocks at the beginning of inner loops' iterations and of long arms are counted too, if their
 * executions cannot be derived; only those that are in the profile point but in no nested one. The
 * common code of an annotated loop is one more profile point, which all lanes reach in each
 * iteration, if it has such blocks or atomic operations. That of a loop without a path or an inner
 * loop is one, too, if its exits lead to separate code (exit_code.h), and includes that code. */
#ifndef ANALYSIS_REGION_PROFILE_POINTS_H
#define ANALYSIS_REGION_PROFILE_POINTS_H

#include "analysis/region/execution_counts.h"

typedef struct { uint32_t *at, n; } Block_list;

typedef struct {
	uint32_t loop;          /* 0: an arm */
	/* executed as often as `trips`; blocks of nested loops more often */
	Bits blocks;
	Block_list trips;
} Counted_block;

/* Where one profile point is counted, as blocks; a block that begins with a marker counts the lanes
 * that reach the marker. */
typedef struct {
	const Region *region;
	Block_list reached, iteration_starts, exits, entered, trips, ended;
	Counted_block *blocks; uint32_t nblocks;
	Bits own_blocks;        /* all its blocks except those of nested profile points */
	/* in own: atomic operations that may be on global memory, and whether there are loads from
	 * it */
	uint32_t *atomics, natomics;
	bool loads;
	/* lanes reach its ends once per execution, so executions can be compared */
	bool comparable;
	/* counts only the iterations of an inner loop, or the executions of a path, in a whole
	 * execution of the annotated loop around it, which is entered and ended then */
	bool whole;
} Profile_point;

typedef struct { Profile_point *at; uint32_t n; } Profile_points;

/* Returns the profile points of a function in the order of their markers; none if its markers do
 * not match. */
Profile_points profile_points_find(const Fn *fn, Arena *a);
/* Returns the successors of the blocks outside of them, where their lanes meet. */
Block_list profile_exit_targets(const Fn *fn, Bits blocks, Arena *a);
/* Returns the counted blocks of a profile point, or of an annotated loop's common code, in order:
 * at most MAX_COUNTED_BLOCKS. */
uint32_t profile_point_blocks(const Fn *fn, const Region *r, Counted_block *blocks, Arena *a);

#endif
