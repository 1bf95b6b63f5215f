/* SPDX-License-Identifier: MIT */
/* The tasks of a launch, and the threads that a GPU holds for them. */
#ifndef TRANSFORM_COST_LAUNCH_TASKS_H
#define TRANSFORM_COST_LAUNCH_TASKS_H

#include "analysis/cost/occupancy.h"
#include "analysis/region/execution_counts.h"
#include "transform/plan/plan.h"

/* Whether the loop iterates over all tasks: it is in no other loop, and its trip count is not
 * constant. */
bool loop_is_over_tasks(const Plan *x);
/* Returns the number of groups in which the lanes of a warp run an iteration, at least 1. Lanes
 * that do not meet after divergent code drift apart. 1 if trip counts may differ. */
double iteration_groups(const Plan *x, const Execution_counts *f);
/* Returns the mean number of iterations of a lane in a loop that gives a launch's tasks to resident
 * threads. The counted program had a thread for each task. *is_real: the launch is not one of few
 * tasks, as in a test. */
double task_loop_iterations(const Plan *x, const Execution_counts *f, bool *is_real);
/* Returns a note for reports if the counted launches give a resident thread too few tasks for
 * collecting in such a loop; NULL: they do not. */
const char *launch_note_few_tasks(const Plan *x, const Execution_counts *f, Arena *a);
/* Returns the occupancy on the GPU of the options: occupancy_of() with its multiprocessors. */
Occupancy launch_occupancy(
	const Module *m, const Pass_options *opt, uint32_t registers, uint32_t shared);

#endif
