/* SPDX-License-Identifier: MIT */
/* The content of a task: its inputs, its live-outs and its extent. */
#ifndef TRANSFORM_TASK_TASK_H
#define TRANSFORM_TASK_TASK_H

#include "transform/plan/plan.h"

/* Returns the registers that are live where the owner of a task continues. */
Bits task_region_live_out(const Plan *x, const Task_region *k);
/* Tail capture: extends the task to the end of the next block where it may end. False if there is
 * none. */
bool tail_extend(Plan *x, Task_region *k);
/* Finds the statements that the task does not need, once its live-outs are known. */
void tail_find_dead_stmts(const Plan *x, Task_region *k);
/* Whether the extended task reads the register. */
bool tail_needs_register(const Plan *x, const Task_region *k, uint32_t sym);
/* Whether other lanes may execute all code of a task with tail capture. Sets k->scratch. */
Verdict tail_check_legal(const Plan *x, Task_region *k);
/* Computes the region's task, except for rows, and the values recomputed at the entry. */
Verdict task_make(Plan *x, Task_region *k);
/* The same in steps: task_begin allocates; task_make_values classifies the live-in registers and
 * the registers that the path defines, once the live-outs are known. */
void task_begin(Plan *x, Task_region *k, uint32_t nin, uint32_t ndefined);
Verdict task_make_values(Plan *x, Task_region *k, Bits in, Bits defined);
/* Computes the task's owner slice and reductions for the registers in `defined` that are live out
 * of the path. */
Verdict task_live_outs(Plan *x, Task_region *k, Bits defined);

#endif
