/* SPDX-License-Identifier: MIT */
/* The cuts of a function, and the places at which they are counted.
 *
 * A cut is the region of an annotation that some lanes may come to and others not: a path, an arm,
 * an inner loop. Who counts, be it the emulator (simt/cuts.c) or instrumented code
 * (transform/count.c), counts lanes that arrive together:
 *
 *	begins  an iteration of the annotated loop around it begins; of a cut in no annotated loop:
 *	        the function
 *	enters  lanes come to the cut
 *	turns   of an inner loop: an iteration of it begins
 *	leaves  of an inner loop: lanes have left it
 */
#ifndef ANALYSIS_CUTS_H
#define ANALYSIS_CUTS_H

#include "analysis/region.h"

typedef struct { uint32_t *at, n; } Block_list;

/* Blocks; one that begins with a marker counts those that come to the marker. */
typedef struct {
	const Region *region;
	uint32_t enters;
	Block_list begins, turns, leaves;
} Cut_places;

typedef struct { Cut_places *at; uint32_t n; } Cuts;

/* The cuts of a function, in the order of their markers. None if its markers do not match. */
Cuts cuts_find(const Fn *fn, Arena *a);
/* The same of the function's regions. */
Cuts cuts_of(const Fn *fn, const Regions *rs, Arena *a);

#endif
