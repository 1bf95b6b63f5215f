/* SPDX-License-Identifier: MIT */
/* Selects among the copies of a home, of which ptxas may create several. Internal to simt/. */
#ifndef SIMT_SASS_DUPLICATE_BLOCKS_H
#define SIMT_SASS_DUPLICATE_BLOCKS_H

#include "simt/sass/unroll_detect.h"

/* Returns the blocks of machine code that are counted, excluding parts of unrolled loops. Lives in
 * arena a. */
Bits copies_choose(const Sass_flow *f, const Homes *homes, const Unrolled *u, Arena *a);

#endif
