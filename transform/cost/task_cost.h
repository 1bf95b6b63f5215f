/* SPDX-License-Identifier: MIT */
/* What the tasks of a region cost, for the cost model. */
#ifndef TRANSFORM_COST_TASK_COST_H
#define TRANSFORM_COST_TASK_COST_H

#include "transform/cost/speedup.h"
#include "transform/plan/plan.h"

/* Sets the words that a task of the region saves, and the slots of what it computes anew. */
void set_task_costs(const Task_region *k, Cost_region *c);

#endif
