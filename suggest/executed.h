/* SPDX-License-Identifier: MIT */
/* What the counted launches executed: issue slots and active lanes. */
#ifndef SUGGEST_EXECUTED_H
#define SUGGEST_EXECUTED_H

#include "analysis/dataflow/function.h"
#include "analysis/region/execution_counts.h"

/* of: by Stmt of the module; NULL: unknown. all: issue slots of the module. */
typedef struct { const Stmt_counts *of; double all; } Executed;

/* Return the issue slots of a set of blocks, and of a function, corrected for register conflicts
 * and unrolling (analysis/cost/static_cost.h). */
double executed_slots(const Executed *e, const Fn *fn, Bits blocks);
double executed_function(const Executed *e, const Fn *fn);
/* Returns the share of active lanes in the executions of a block by warps; below 0: unknown. */
double executed_lanes(const Executed *e, const Fn *fn, uint32_t block);
/* Whether the branch was executed by several lanes of a warp together, which always took the same
 * edge. */
bool executed_uniformly(const Executed *e, uint32_t branch);
/* Return the share of executions in which no lanes of a warp diverged: at the end of a block, and
 * at the exits of a loop; below 0: unknown. */
double executed_branch_efficiency(const Executed *e, const Fn *fn, uint32_t block);
double executed_loop_efficiency(const Executed *e, const Fn *fn, uint32_t loop);

#endif
