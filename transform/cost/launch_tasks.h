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
/* Whether lanes that enter the loop together run about equally many iterations: each exit depends
 * on sums of registers and constants, and on nothing that is read from memory. */
bool trips_are_even(const Plan *x);
/* Returns the number of groups in which the lanes of a warp run an iteration, at least 1. Lanes
 * that do not meet after divergent code drift apart. 1 if trip counts may differ. */
double iteration_groups(const Plan *x, const Execution_counts *f);
/* Returns the warps of a launch of the counted program, for a GPU of COST_MULTIPROCESSORS: a launch
 * that was counted on fewer multiprocessors represents one that is larger by as much. */
double launch_warps(const Plan *x, const Execution_counts *f);
/* Returns the mean number of iterations of a lane in a loop that gives a launch's tasks to the
 * resident threads of the GPU that counted. The counted program had a thread for each task.
 * *is_real: the launch is not one of few tasks, as in a test. */
double task_loop_iterations(const Plan *x, const Execution_counts *f, bool *is_real);
/* Returns the tasks of a launch in which a lane has that many iterations. */
double task_loop_tasks(const Plan *x, const Execution_counts *f, double iterations);
/* Returns how many times as large as the counted launches those are that they represent on the
 * target, if they were counted on that many multiprocessors; 1: the number is not smaller or
 * unknown, or the user gave the GPU's. */
double launch_scale(const Module *m, const Pass_options *opt, uint64_t multiprocessors);
/* Appends "counted on ..." if that is more than 1. */
void launch_put_scale(
	const Module *m, const Pass_options *opt, uint64_t multiprocessors, Buf *out);
/* Returns a note for reports on the launches of a task loop: what they represent, and whether they
 * give a resident thread too few tasks; NULL: neither. done: the loop is transformed. */
const char *launch_note(const Plan *x, const Execution_counts *f, bool done, Arena *a);
/* Returns the occupancy on the GPU of the options: occupancy_of() with its multiprocessors. */
Occupancy launch_occupancy(
	const Module *m, const Pass_options *opt, uint32_t registers, uint32_t shared);

#endif
