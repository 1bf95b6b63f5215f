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
	Sass_block_map *to;
	/* by edge of machine code: 1 + edge number of the PTX branch; 0: none */
	uint32_t *successor;
	/* by edge: the guarded statement, or its slow or quick path, to which it leads */
	Ptx_location *guard;
	Bits done;
} Block_mapper;

/* The PTX block of an instruction; 0: unknown. */
uint32_t block_of_inst(const Block_mapper *w, uint32_t inst);
/* The last instruction of a block of machine code. */
const Sass_inst *last_inst(const Block_mapper *w, uint32_t s);
/* The PTX block that a location is, leads to or is in. */
uint32_t map_header(const Block_mapper *w, Ptx_location h);
/* Number of instructions of machine-code block s that belong to PTX block b, not counting its
 * branch. */
uint32_t map_by_content(const Block_mapper *w, uint32_t s, uint32_t b);
/* Maps the edges of the branch that ends a block, if it has the line of a PTX branch. */
void map_by_line(Block_mapper *w, uint32_t s);
/* The same if it does not, and the block's location is known: by the contents of the successors. */
void map_by_guard_or_retry(Block_mapper *w, uint32_t s);

#endif
