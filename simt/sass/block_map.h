/* SPDX-License-Identifier: MIT */
/* Maps blocks of machine code to places of the PTX that are executed as often (homes). Internal to
 * simt/. */
#ifndef SIMT_SASS_BLOCK_MAP_H
#define SIMT_SASS_BLOCK_MAP_H

#include "analysis/cfg/natural_loops.h"
#include "simt/sass/listing.h"

typedef enum {
	HOME_NONE,
	HOME_BLOCK, /* PTX block .of */
	HOME_EDGE,  /* edge from PTX block .of to its successor number .way */
	HOME_GUARD, /* statement .of, by the lanes for which its guard is true */
	HOME_OFF,   /* the same, by those for which it is false */
	/* statement .of, by the lanes whose operands take the slow path; .way 1: among those for
	 * which its guard is true */
	HOME_SLOW,
	HOME_QUICK, /* the same, by those that take the quick path */
	HOME_TURNS  /* part .way of a loop with PTX block .of: unroll_detect.h */
} Home_kind;

typedef struct {
	uint8_t kind; /* Home_kind */
	uint32_t of, way;
	/* the block of machine code where this copy of the home begins: ptxas may create several
	 * copies, each of one or more blocks */
	uint32_t copy;
} Home;

typedef struct {
	Home *home; /* by block of machine code */
	/* the same: the PTX block whose branch it ends with; 0: none, or one introduced by ptxas */
	uint32_t *branch;
	/* the same: the HOME_GUARD or HOME_SLOW path of a statement at which lanes diverge, whose
	 * lanes reconverge there with the others; or none */
	Home *paths;
	Bits arrives; /* of these, the ones that issue once for each arriving group */
} Homes;

/* .stmt_of of the flow graph must be set. Lives in arena a. */
Homes *homes_find(const Sass_flow *f, const Cfg *g, const Dom *d, Arena *a);

/* Whether the places are equal; copies of them may differ. */
static inline bool
home_same(Home a, Home b)
{
	return a.kind == b.kind && a.of == b.of && a.way == b.way;
}

#endif
