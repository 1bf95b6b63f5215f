/* SPDX-License-Identifier: MIT */
/* Selects one of the copies that ptxas has made of a PTX location. Internal to simt/. */
#ifndef SIMT_SASS_DUPLICATE_BLOCKS_H
#define SIMT_SASS_DUPLICATE_BLOCKS_H

#include "simt/sass/unroll_detect.h"

/* Returns the blocks of machine code that are counted, excluding parts of unrolled loops. Lives in
 * arena a. */
Bits sass_duplicates_choose(
	const Sass_flow *f, const Sass_block_map *block_map, const Unrolled_loops *u, Arena *a);

#endif
