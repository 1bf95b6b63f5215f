/* SPDX-License-Identifier: MIT */
/* The walk through machine code and PTX together, which block_map.c and edge_map.c do. Internal
 * to simt/.
 * */
#ifndef SIMT_SASS_MAP_WALK_H
#define SIMT_SASS_MAP_WALK_H

#include "simt/sass/block_map.h"

typedef struct {
	const Sass_flow *f;
	const Cfg *g;
	const Dom *d;
	const Loops *loops;
	Homes *to;
	uint32_t *way; /* by edge of machine code: that of the PTX branch + 1; 0: none */
	Home *guard;   /* by edge: the guarded statement, or the path of one, that it leads to */
	Bits done;
} Walk;

/* The PTX block that an instruction is from; 0: not known. */
uint32_t walk_block(const Walk *w, uint32_t inst);
/* The last instruction of a block of machine code. */
const Sass_inst *walk_last(const Walk *w, uint32_t s);
/* The PTX block that a home is, leads to or stands in. */
uint32_t walk_head(const Walk *w, Home h);
/* Instructions of machine code's block s from PTX block b, those of its branch left out. */
uint32_t walk_content(const Walk *w, uint32_t s, uint32_t b);
/* Sets the ways of the branch that a block ends in, if it has the line of a PTX branch. */
void walk_line(Walk *w, uint32_t s);
/* Likewise, if it has not and the block's home is known: by what lies behind. */
void walk_other(Walk *w, uint32_t s);

#endif
