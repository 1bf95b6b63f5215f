/* SPDX-License-Identifier: MIT */
/* How values come to the lane that runs a task: what task_inputs.c and compress.c share. */
#ifndef TRANSFORM_TASK_TASK_INPUTS_H
#define TRANSFORM_TASK_TASK_INPUTS_H

#include "transform/plan/plan.h"

/* How a register comes into the path. changed: the path defines it as well, so it needs a register
 * of the path's own to come to. What is to be computed again at the entry for its sake is added to
 * the plan. */
In context_classify(Plan *x, const Part *k, uint32_t sym, bool changed);
/* The blocks by which control comes into the part: where work is exchanged, there are several. */
uint32_t context_entries(const Plan *x);
uint32_t context_entry(const Plan *x, const Part *k, uint32_t i);
/* Of a row, which begins with its first iteration: is the block one of its iterations'? */
bool context_behind_cut(const Plan *x, const Part *k, uint32_t block);
/* The definition of a register that alone reaches each of them; 0: there are several. */
uint32_t context_only_def(const Plan *x, const Part *k, uint32_t sym);
/* Leaves what was added to x->again behind its first n out again. */
void context_again_only(Plan *x, uint32_t n);
/* Does a variable that the path only folds into live in the register? */
bool context_is_reduced(const Task *t, uint32_t local);
/* Bytes of a slot for the register; 0: a bit. */
uint32_t context_size(const Module *m, uint32_t sym);

/* Of the registers that are saved, lets those be computed again that can be for less (compress.c).
 * in: by local symbol, those that come into the path; defined: those that it defines. */
void task_compress(Plan *x, Part *k, Bits defined);
/* Of what a row's helpers compute: what they compute once more when its index has gone on. in: what
 * comes into an iteration. (induction_update.c) */
Bits task_along(const Plan *x, const Part *k, const Trips *t, Bits in);

#endif
