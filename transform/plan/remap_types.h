/* SPDX-License-Identifier: MIT */
/* What is decided about an exchange of work between the threads of a block (remap.h). */
#ifndef TRANSFORM_PLAN_REMAP_TYPES_H
#define TRANSFORM_PLAN_REMAP_TYPES_H

#include "analysis/region/region.h"
#include "base/bits.h"

/* How the threads of a block come to a branch at which they exchange work. */
typedef enum {
	/* all, equally often: nothing else decides about it but what is the same in the block */
	COME_TOGETHER,
	/* those that go another way are held back until the others have come */
	COME_ONCE,
	/* in a loop that threads leave at different times: those that left take part until all have
	 * left */
	COME_IN_TURNS
} Come;

/* An edge of the flow graph by which control comes to the place of the exchange. */
typedef struct {
	uint32_t from, to;
	uint32_t stmt;          /* where `to` is 0: by which the thread ends */
} Remap_edge;

/* A value that goes from whoever ran the path to its owner. */
typedef struct { uint32_t sym, row; } Result;

struct Plan;

/* What an exchange of work between the threads of a block needs. The plan's one part has
 * all paths in it. */
typedef struct {
	const Region **paths;   /* in the order of their markers */
	uint32_t npaths;
	uint32_t head;          /* the block with the first branch */
	uint32_t join;          /* the block where all go on */
	Bits decides;           /* blocks between: the conditions of `else if` */
	Come come;
	Remap_edge *bypass; uint32_t nbypass; /* to the join, past all paths */
	/* by which threads leave that have to take part: ways of the plan are the same */
	Remap_edge *held; uint32_t nheld;
	Result *results; uint32_t nresults;
	/* offset of the row that says whose task each slot holds; dgi: which path each thread came
	 * to */
	uint32_t pool;
	uint32_t near;          /* dgi: threads of a neighbourhood */
	uint32_t groups;        /* and how many there are, a multiple of 4 */
	bool chooses;           /* no policy is named: what is expected to gain most, or nothing */
	bool settles;           /* what helpers did is waited for */
	/* whether all threads have the same value of a register, from one of these n definitions */
	bool (*is_common)(const struct Plan *x, const uint32_t *defs, uint32_t n);
} Remap;

#endif
