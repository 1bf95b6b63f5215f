/* SPDX-License-Identifier: MIT */
/* The content of a task: its inputs, its live-outs and its extent. */
#ifndef TRANSFORM_TASK_TASK_H
#define TRANSFORM_TASK_TASK_H

#include "transform/plan/plan.h"

/* Returns the registers that are live where the owner of a task continues. */
Bits part_live_behind(const Plan *x, const Part *k);
/* Tail capture: extends the task to the end of the next block where it may end. False if there is
 * none. */
bool jump_widen(Plan *x, Part *k);
/* Finds the statements that the task does not need, once its live-outs are known. */
void jump_idle(const Plan *x, Part *k);
/* Whether the extended task reads the register. */
bool jump_needs(const Plan *x, const Part *k, uint32_t sym);
/* Whether all that an extended task runs may run elsewhere. Sets k->scratch. */
Verdict jump_legal(const Plan *x, Part *k);
/* Computes the region's task, except for rows, and the values recomputed at the entry. */
Verdict task_make(Plan *x, Part *k);
/* The same in steps: task_begin allocates; task_values classifies the live-in registers and the
 * registers that the path defines, once the live-outs are known. */
void task_begin(Plan *x, Part *k, uint32_t nin, uint32_t ndefined);
Verdict task_values(Plan *x, Part *k, Bits in, Bits defined);
/* Computes the task's owner slice and reductions for the registers in `defined` that are live out
 * of the path. */
Verdict task_live_outs(Plan *x, Part *k, Bits defined);

#endif
