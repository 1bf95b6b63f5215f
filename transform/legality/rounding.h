/* SPDX-License-Identifier: MIT */
/* Bit-identical floating-point results, where they are promised (docs/proofs/contraction.md). */
#ifndef TRANSFORM_LEGALITY_ROUNDING_H
#define TRANSFORM_LEGALITY_ROUNDING_H

#include "transform/plan/plan.h"

/* Whether floating-point results must be bit-identical. */
bool rounding_is_exact(const Pass_options *o, bool promises_nothing);
/* Whether another version of the assembler may fuse other multiplications with additions. */
bool module_may_round_differently(const Module *m);
/* Returns for each function of m whether its fused multiply-adds differ from those of the plain
 * module; NULL if there is no plain module. */
const bool *contraction_differs_from(const Module *m, const Module *plain, Arena *a);
/* Whether the function may be transformed, given that its fused multiply-adds may differ from the
 * plain module's. */
Verdict rounding_of_plain(const Pass_options *o, const Fn *fn, bool promises_nothing, Arena *a);
/* Returns the verdict for a loop or branch that contains this product, or operation on a sign. */
Verdict contraction_may_differ(const Fn *fn, uint32_t stmt, Arena *a);
/* Whether the plan keeps results bit-identical, if it must. */
Verdict plan_rounding(const Plan *x);

#endif
