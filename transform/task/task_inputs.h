/* SPDX-License-Identifier: MIT */
/* Interface between task_inputs.c and compress.c: how a helper gets the inputs of a task. */
#ifndef TRANSFORM_TASK_TASK_INPUTS_H
#define TRANSFORM_TASK_TASK_INPUTS_H

#include "transform/plan/plan.h"

/* Returns how a register comes into the path. changed: the path also defines it, so it needs a
 * register of the path's own. Adds statements to be recomputed at the entry to the plan. */
Task_input task_input_classify(Plan *x, const Task_region *k, uint32_t sym, bool changed);
/* Number of entry blocks of the region, and the i-th one. A remapping has several. */
uint32_t task_input_entries(const Plan *x);
uint32_t task_input_entry(const Plan *x, const Task_region *k, uint32_t i);
/* For a lane loop, whose task begins with the first iteration: whether the block belongs to an
 * iteration. */
bool task_input_in_later_iteration(const Plan *x, const Task_region *k, uint32_t block);
/* Returns the only definition of a register that reaches each entry; 0 if there are several. */
uint32_t task_input_only_def(const Plan *x, const Task_region *k, uint32_t sym);
/* Truncates x->tasks.recomputed to its first n statements. */
void task_input_truncate_recomputed(Plan *x, uint32_t n);
/* Whether the register holds a reduction of the task. */
bool task_input_is_reduction(const Task *t, uint32_t local);
/* Slot size of the register in bytes; 0: one bit. */
uint32_t task_slot_bytes(const Module *m, uint32_t sym);

enum { MOST_CARRIED = 8 };
/* A function that computes a loop-carried register: that of `def`. Its statements in execution
 * order, with scopes and declarations around instructions, and the uses that read its leaves. */
typedef struct {
	uint32_t def;
	uint32_t stmts[MOST_CARRIED], nstmts;
	uint32_t leaves[MOST_CARRIED], nleaves;
} Carried_function;
/* Whether all definitions of the register that reach the path's entry compute the same function of
 * registers as they are there (carried_function.c). */
bool task_carried_function(const Plan *x, const Task_region *k, uint32_t sym, Carried_function *f);
/* Whether the definition's statement is pure and cheap, and defines nothing else. */
bool task_def_is_computable(const Plan *x, uint32_t def);
/* Whether the definition is of a register of a scope that contains nothing else:
 * `{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd1; }` */
bool task_def_is_scoped(const Fn *fn, uint32_t def);
/* Context compression: decides which of the saved registers are recomputed instead (compress.c).
 * defined: the registers that the path defines. */
void task_derive_inputs(Plan *x, Task_region *k, Bits defined);
/* Returns which values that helpers of a lane loop compute are recomputed when its index advances.
 * in: the inputs of an iteration. (induction_update.c) */
Bits task_stepped_values(const Plan *x, const Task_region *k, const Trip_count *t, Bits in);

#endif
