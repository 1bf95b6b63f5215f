/* SPDX-License-Identifier: MIT */
/* Floating-point results to the last bit, where they are promised (docs/proofs/contraction.md). */
#ifndef TRANSFORM_LEGALITY_ROUNDING_H
#define TRANSFORM_LEGALITY_ROUNDING_H

#include "transform/plan/plan.h"

/* Must floating-point results keep every bit? */
bool rounding_is_exact(const Pass_options *o, bool promises_nothing);
/* By function of m: are other multiplications and additions fused in it than in the plain module's?
 * NULL: there is no plain module. */
const bool *rounding_differs_from(const Module *m, const Module *plain, Arena *a);
/* Why the function stays as it was, if it must keep each bit and does not. */
Verdict rounding_of_plain(const Pass_options *o, const Fn *fn, bool promises_nothing, Arena *a);
/* Why a loop or branch with this product, or operation on a sign, is left as it was. */
Verdict rounding_differs(const Fn *fn, uint32_t stmt, Arena *a);
/* Does the plan keep them, if it must? */
Verdict plan_rounding(const Plan *x);

#endif
