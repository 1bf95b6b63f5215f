/* SPDX-License-Identifier: MIT */
/* Static cost of code: issue slots of a warp, loops weighted. Only the order of the figures is
 * used. */
#ifndef ANALYSIS_COST_H
#define ANALYSIS_COST_H

#include "analysis/fn.h"

#define COST_LOOP_WEIGHT 8 /* assumed trip count of a loop */

/* Of an instruction; 0 for other statements. */
uint64_t cost_stmt(const Fn *fn, uint32_t stmt);
uint64_t cost_block(const Fn *fn, uint32_t block);
/* Cost of a set of blocks run once, entered at entry: each block times COST_LOOP_WEIGHT a loop
 * level inside the set. */
uint64_t cost_blocks(const Fn *fn, Bits blocks, uint32_t entry);

#endif
