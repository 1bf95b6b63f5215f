/* SPDX-License-Identifier: MIT */
/* What a task is made of: what goes in, what flows out, and how far it reaches. */
#ifndef TRANSFORM_TASK_TASK_H
#define TRANSFORM_TASK_TASK_H

#include "transform/plan/plan.h"

/* The registers that are live where the owner of a task goes on. */
Bits part_live_behind(const Plan *x, const Part *k);
/* Makes the task longer: up to the end of the next block where it may end. False: there is none. */
bool jump_widen(Plan *x, Part *k);
/* Finds what the task can do without, its live-outs being known. */
void jump_idle(const Plan *x, Part *k);
/* Does it read the register? */
bool jump_needs(const Plan *x, const Part *k, uint32_t sym);
/* May all that such a task runs be run in another place? Fills scratch. */
Verdict jump_legal(const Plan *x, Part *k);
/* Fills the part's task, without rows, and what is computed again. */
Verdict task_make(Plan *x, Part *k);
/* The same in steps: makes room for values; fills them from the registers that come in and those
 * that the path defines, what flows out being known. */
void task_begin(Plan *x, Part *k, uint32_t nin, uint32_t ndefined);
Verdict task_values(Plan *x, Part *k, Bits in, Bits defined);
/* Fills the task's slice and reductions, for what of `defined`, by the path, flows out of it. */
Verdict task_live_outs(Plan *x, Part *k, Bits defined);

#endif
