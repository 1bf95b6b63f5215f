/* SPDX-License-Identifier: MIT */
/* Copies of a home: ptxas may make several. Internal to simt/. */
#ifndef SIMT_SASS_DUPLICATE_BLOCKS_H
#define SIMT_SASS_DUPLICATE_BLOCKS_H

#include "simt/sass/unroll_detect.h"

/* Sets which blocks of machine code count, of those that are no part of an unrolled loop. Lives in
 * arena a. */
Bits copies_choose(const Sass_flow *f, const Homes *homes, const Unrolled *u, Arena *a);

#endif
