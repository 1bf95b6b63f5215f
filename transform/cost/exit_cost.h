/* SPDX-License-Identifier: MIT */
/* The code of a loop's exits (exit_code.h), for the cost model. */
#ifndef TRANSFORM_COST_EXIT_COST_H
#define TRANSFORM_COST_EXIT_COST_H

#include "analysis/region/execution_counts.h"
#include "transform/cost/speedup.h"
#include "transform/plan/plan.h"

/* Returns the effort of the exits' code of the plan's loop, and the share of lanes that execute it,
 * from the counts of a profile point in the loop (NULL: none). Without counts the share is 0. */
Cost_region exit_code_region(const Plan *x, const Execution_counts *f);

#endif
