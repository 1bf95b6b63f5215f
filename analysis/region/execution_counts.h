/* SPDX-License-Identifier: MIT */
/* How often a cut of an annotated loop is come to, as it was measured (a profile). A cut is a path,
 * or an inner loop, as the region of its begin marker.
 *
 * Whoever plans asks by region, since markers are numbered anew when the text in front of them
 * changes (pre_passes.c, task_loop_set.c). Who answers knows the cut by its place, inline chain
 * and code.
 */
#ifndef ANALYSIS_REGION_EXECUTION_COUNTS_H
#define ANALYSIS_REGION_EXECUTION_COUNTS_H

#include "analysis/region/region.h"

/* How often a block is run: by all lanes; in each run of its cut by the warp's lane that does most
 * often, summed; the squares of each lane's number, one above FREQUENCY_LARGE counting as that; the
 * largest number, and that of each launch, summed; and the squares of the differences between a
 * lane's number and that of its run of the cut before, as those. */
typedef struct { uint64_t runs, longest, squares, most, last, changes; } Frequency_block;

enum {
	FREQUENCY_BLOCKS = 16,  /* more than so many of a cut are not counted */
	FREQUENCY_LARGE = 11585 /* the squares of a warp's lanes have room in 32 bits */
};

/* Atomic operations on global memory that lanes did in so many runs of a cut (of an inner loop, in
 * iterations); those that were compared with the last one of another block at the same place of the
 * code; of them those of the same line of 128 bytes. */
typedef struct { uint64_t runs, done, compared, same; } Frequency_atomics;

/* Sectors of 32 bytes that loads of global memory asked for in so many runs, as those, and those
 * that a first cache had not (simt/memory/cache_model.c). */
typedef struct { uint64_t runs, sectors, missed; } Frequency_loads;

typedef struct {
	/* iterations of the annotated loop, a lane's each; and a warp's: times that lanes of a
	 * warp ran an iteration of it together */
	uint64_t iterations, rounds;
	/* times that lanes came to that loop; and warps. 0: not known */
	uint64_t entries, entered;
	/* launches of the kernel that the cut stands in; 0: not known, it stands in a function */
	uint64_t launches;
	/* of those: lanes that came to the cut; warps of which at least one lane did */
	uint64_t lanes, warps;
	/* warps by how many of their lanes came to the cut together; [0]: rounds - warps */
	uint64_t histogram[33];
	/* of an inner loop: trips of all lanes that came to it; those of the lane with most, of
	 * each warp; those of the lane with most, of each launch. 0: it is a path */
	uint64_t trips, longest, last;
	/* times that lanes came to the cut that had come to it before, in the same call */
	uint64_t again;
	/* blocks of the cut (Cut_block), in all that came; so many are known */
	uint32_t nblocks;
	Frequency_block blocks[FREQUENCY_BLOCKS];
	/* without those of cuts inside; runs are 0: not counted, or there are none */
	Frequency_atomics atomics;
	Frequency_loads loads;
} Frequency;

/* What is known of the cut; NULL: nothing. It lives as long as the passes run. */
typedef const Frequency *Frequency_of(void *user, const Fn *fn, const Region *cut);

#endif
