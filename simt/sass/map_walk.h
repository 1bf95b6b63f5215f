/* SPDX-License-Identifier: MIT */
/* Simultaneous traversal of machine code and PTX, used by block_map.c and edge_map.c. Internal to
 * simt/. */
#ifndef SIMT_SASS_MAP_WALK_H
#define SIMT_SASS_MAP_WALK_H

#include "simt/sass/block_map.h"

typedef struct {
	const Sass_flow *f;
	const Cfg *g;
	const Dom *d;
	const Loops *loops;
	Homes *to;
	uint32_t *way; /* by edge of machine code: 1 + edge number of the PTX branch; 0: none */
	/* by edge: the guarded statement, or its slow or quick path, to which it leads */
	Home *guard;
	Bits done;
} Walk;

/* The PTX block of an instruction; 0: unknown. */
uint32_t walk_block(const Walk *w, uint32_t inst);
/* The last instruction of a block of machine code. */
const Sass_inst *walk_last(const Walk *w, uint32_t s);
/* The PTX block that a home is, leads to or lies in. */
uint32_t walk_head(const Walk *w, Home h);
/* Number of instructions of machine-code block s that belong to PTX block b, not counting its
 * branch. */
uint32_t walk_content(const Walk *w, uint32_t s, uint32_t b);
/* Maps the edges of the branch that ends a block, if it has the line of a PTX branch. */
void walk_line(Walk *w, uint32_t s);
/* The same if it does not, and the block's home is known: by the contents of the successors. */
void walk_other(Walk *w, uint32_t s);

#endif
