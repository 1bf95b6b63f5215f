/* SPDX-License-Identifier: MIT */
/* Arms of branches. */
#ifndef ANALYSIS_REGION_BRANCH_ARM_H
#define ANALYSIS_REGION_BRANCH_ARM_H

#include "analysis/dataflow/function.h"

/* Returns the blocks of the arm that begins with block `first`: those dominated by it but not by
 * block meet, where the arms meet (0: they do not). In arena a. */
Bits arm_blocks(const Fn *fn, uint32_t first, uint32_t meet, Arena *a);
/* Whether an edge of the branch at the end of a block leaves its innermost loop or is a back edge
 * to the loop's header. */
bool branch_exits_or_repeats_loop(const Fn *fn, uint32_t block);

#endif
