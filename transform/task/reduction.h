/* SPDX-License-Identifier: MIT */
/* Reductions: registers that runs of a path only fold into, and nobody looks at before the loop is
 * left. */
#ifndef TRANSFORM_TASK_REDUCTION_H
#define TRANSFORM_TASK_REDUCTION_H

#include "transform/plan/plan.h"

/* What it is called in PTX, "add"; a fold into a register, "add.ftz.f32", in the arena; as bits,
 * what folds without effect (emit_reduction.c). */
const char *reduction_op(const Reduction *r);
const char *reduction_fold(const Reduction *r, Arena *a);
uint64_t reduction_identity(const Reduction *r);
/* Is the register, which the path defines and which is live behind it, such a one? Fills *r, but
 * for its row. No: why not, as what is said of a reduction ("is read in the loop"). */
Verdict reduction_find(const Plan *x, const Part *k, uint32_t sym, Reduction *r);
#endif
