/* SPDX-License-Identifier: MIT */
/* Arms of branches. */
#ifndef ANALYSIS_REGION_BRANCH_ARM_H
#define ANALYSIS_REGION_BRANCH_ARM_H

#include "analysis/dataflow/function.h"

/* The blocks of the arm that begins with block `first`: those that only the way there leads to, up
 * to block meet, where the ways of the branch do; 0: nowhere. In arena a. */
Bits arm_blocks(const Fn *fn, uint32_t first, uint32_t meet, Arena *a);
/* Does a way of the branch at the end of a block leave the loop around it, or is it the way to its
 * next iteration? */
bool arm_ends_loop(const Fn *fn, uint32_t block);

#endif
