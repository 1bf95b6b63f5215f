/* SPDX-License-Identifier: MIT */
/* Maps blocks of machine code to PTX locations: places in the PTX with the same execution count.
 * Internal to simt/. */
#ifndef SIMT_SASS_BLOCK_MAP_H
#define SIMT_SASS_BLOCK_MAP_H

#include "analysis/cfg/natural_loops.h"
#include "simt/sass/listing.h"

typedef enum {
	LOCATION_NONE,
	LOCATION_BLOCK, /* PTX block .index */
	LOCATION_EDGE, /* edge from PTX block .index to its successor number .successor */
	LOCATION_GUARD, /* statement .index, by the lanes for which its guard is true */
	LOCATION_PREDICATED_OFF, /* the same, by those for which it is false */
	/* statement .index, by the lanes whose operands take the slow path; .successor 1: among
	 * those for which its guard is true */
	LOCATION_SLOW_PATH,
	LOCATION_FAST_PATH, /* the same, by those that take the quick path */
	LOCATION_UNROLLED /* piece .successor of a loop with PTX block .index: unroll_detect.h */
} Location_kind;

typedef struct {
	uint8_t kind; /* Location_kind */
	uint32_t index, successor;
	/* the block of machine code where this copy of the location begins: ptxas may create
	 * several copies, each of one or more blocks */
	uint32_t copy;
} Ptx_location;

typedef struct {
	Ptx_location *location; /* by block of machine code */
	/* the same: the PTX block whose branch it ends with; 0: none, or one introduced by ptxas */
	uint32_t *branch;
	/* the same: the LOCATION_GUARD or LOCATION_SLOW_PATH path of a statement at which lanes
	 * diverge, whose lanes reconverge there with the others; or none */
	Ptx_location *paths;
	Bits beginning; /* blocks where a copy of a location begins, after waits at most */
	Bits reconverging; /* blocks that issue once for each arriving group */
} Sass_block_map;

/* .stmt_of of the flow graph must be set. Lives in arena a. */
Sass_block_map *sass_block_map_build(const Sass_flow *f, const Cfg *g, const Dom *d, Arena *a);

/* Whether the places are equal; copies of them may differ. */
static inline bool
locations_equal(Ptx_location a, Ptx_location b)
{
	return a.kind == b.kind && a.index == b.index && a.successor == b.successor;
}

#endif
