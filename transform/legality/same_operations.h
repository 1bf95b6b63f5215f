/* SPDX-License-Identifier: MIT */
/* Whether two compilations of a function compute the same floating-point operations. */
#ifndef TRANSFORM_LEGALITY_SAME_OPERATIONS_H
#define TRANSFORM_LEGALITY_SAME_OPERATIONS_H

#include "analysis/dataflow/function.h"

/* Whether each f32 and f64 addition, multiplication and fused multiply-add of one function also
 * occurs in the other, at the same source line and with operands that the same operations of the
 * same lines define. The number of copies, which unrolling changes, does not matter. */
bool operations_are_same(const Fn *a, const Fn *b);

#endif
