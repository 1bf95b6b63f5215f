/* SPDX-License-Identifier: MIT */
/* Reductions: registers that runs of a path only fold values into, and that no code reads before
 * the loop is left. */
#ifndef TRANSFORM_TASK_REDUCTION_H
#define TRANSFORM_TASK_REDUCTION_H

#include "transform/plan/plan.h"

/* reduction_fold: the instruction for registers, "add.ftz.f32", in the arena. reduction_identity:
 * bits of the identity element (emit_reduction.c). */
const char *reduction_fold(const Reduction *r, Arena *a);
uint64_t reduction_identity(const Reduction *r);
/* Whether register `sym`, which the path defines and which is live after it, is a reduction. Fills
 * *r except for its row. No: the reason, as a statement about the variable ("is read in the
 * loop"). */
Verdict reduction_find(const Plan *x, const Task_region *k, uint32_t sym, Reduction *r);
#endif
