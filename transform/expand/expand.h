/* SPDX-License-Identifier: MIT */
/* Expansion of inner loops: their iterations are distributed over the lanes. */
#ifndef TRANSFORM_EXPAND_EXPAND_H
#define TRANSFORM_EXPAND_EXPAND_H

#include "transform/plan/plan.h"

/* Returns an inner loop as a path, the form that the legality checks expect. */
Region *inner_loop_region(const Plan *x, const Region *inner);
/* The same; if the loop has several exits, includes the code between them and the end of its
 * statement. */
Region *inner_loop_region_whole(const Plan *x, const Region *inner);
/* Adds the inner loops that are expanded inside the paths of existing regions. */
void plan_nested_expansions(Plan *x);
/* Whether the loop's bound stays the same, although each iteration loads it again
 * (stable_bound.c). */
Verdict plan_check_reloads(const Plan *x, const Trip_count *t);
/* Whether other lanes may execute the iterations of the inner loop. Fills in the region's lane loop
 * and task (expand_plan.c). */
Verdict plan_lane_loop(Plan *x, Task_region *k, bool chooses);

#endif
