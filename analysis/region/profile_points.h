/* SPDX-License-Identifier: MIT */
/* The cuts of a function, and the places at which they are counted.
 *
 * A cut is the region of an annotation that some lanes may come to and others not: a path, an arm,
 * an inner loop. Who counts, be it the emulator (simt/decode/profile_counts.c) or instrumented code
 * (transform/instrument/instrument.c), counts lanes that arrive together:
 *
 *	comes   lanes come to the annotated loop around it; nowhere, if there is none
 *	begins  an iteration of the annotated loop around it begins; of a cut in no annotated loop:
 *	        the function
 *	enters  lanes come to the cut
 *	turns   of an inner loop: an iteration of it begins
 *	leaves  of an inner loop: lanes have left it
 *	ends    lanes have left the cut: how often they ran its blocks is added up
 *
 * Blocks of a cut are counted with which loops' iterations and long arms of branches begin, if
 * nobody can tell how often they are run: those in it, but in no cut inside of it. What an
 * annotated loop runs besides its cuts, its own part, counts as one more cut, to which all lanes
 * come in each iteration, if it has such blocks, or atomic operations.
 */
#ifndef ANALYSIS_REGION_PROFILE_POINTS_H
#define ANALYSIS_REGION_PROFILE_POINTS_H

#include "analysis/region/execution_counts.h"

typedef struct { uint32_t *at, n; } Block_list;

typedef struct {
	uint32_t loop;          /* 0: an arm */
	Bits blocks;            /* run as often as that; those of loops in them more often */
	Block_list turns;
} Cut_block;

/* Blocks; one that begins with a marker counts those that come to the marker. */
typedef struct {
	const Region *region;
	Block_list comes, begins, enters, turns, leaves, ends;
	Cut_block *blocks; uint32_t nblocks;
	Bits own;               /* all its blocks, but those of cuts inside of it */
	/* in these: atomic operations that may be on global memory; are there loads of it? */
	uint32_t *atomics, natomics;
	bool loads;
	bool repeats;           /* lanes come to its ends once in a run: runs can be compared */
} Cut_places;

typedef struct { Cut_places *at; uint32_t n; } Cuts;

/* The cuts of a function, in the order of their markers. None if its markers do not match. */
Cuts cuts_find(const Fn *fn, Arena *a);
/* The same of the function's regions. */
Cuts cuts_of(const Fn *fn, const Regions *rs, Arena *a);
/* Where trips of a loop are counted that need not be annotated. */
Cut_places cuts_loop(const Fn *fn, uint32_t loop, Arena *a);
/* The blocks of a cut, or of an annotated loop's own part, in order: at most FREQUENCY_BLOCKS. */
uint32_t cuts_blocks(const Fn *fn, const Region *r, Cut_block *blocks, Arena *a);

#endif
