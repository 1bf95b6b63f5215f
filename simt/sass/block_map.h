/* SPDX-License-Identifier: MIT */
/* Which place of the PTX is run as often as a block of machine code. Internal to simt/. */
#ifndef SIMT_SASS_BLOCK_MAP_H
#define SIMT_SASS_BLOCK_MAP_H

#include "analysis/cfg/natural_loops.h"
#include "simt/sass/listing.h"

typedef enum {
	HOME_NONE,
	HOME_BLOCK, /* PTX block .of */
	HOME_EDGE,  /* the way from PTX block .of to its successor number .way */
	HOME_GUARD, /* statement .of, by the lanes that its guard leaves on */
	HOME_OFF,   /* by those that it turns off */
	/* statement .of, by the lanes whose operands take the slow path; .way 1: of those that its
	 * guard leaves on */
	HOME_SLOW,
	HOME_QUICK, /* likewise, by those that do not */
	HOME_TURNS  /* part .way of a loop with PTX block .of: unroll_detect.h */
} Home_kind;

typedef struct {
	uint8_t kind; /* Home_kind */
	uint32_t of, way;
	/* the block of machine code where this copy of the home begins: ptxas may make several,
	 * and one may go on through several blocks */
	uint32_t copy;
} Home;

typedef struct {
	Home *home; /* by block of machine code */
	/* likewise: the PTX block whose branch it ends in; 0: in none, or one of ptxas's own */
	uint32_t *branch;
	/* likewise: what comes to it of lanes that such a statement parts, HOME_GUARD or HOME_SLOW,
	 * and meets the others; or none */
	Home *paths;
	Bits arrives; /* of these, lanes issue each when they come to a meeting */
} Homes;

/* .stmt_of of the flow graph must be set. Lives in arena a. */
Homes *homes_find(const Sass_flow *f, const Cfg *g, const Dom *d, Arena *a);

/* The same place? Copies of it may differ. */
static inline bool
home_same(Home a, Home b)
{
	return a.kind == b.kind && a.of == b.of && a.way == b.way;
}

#endif
