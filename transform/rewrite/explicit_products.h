/* SPDX-License-Identifier: MIT */
/* Writes the multiplications of a function so that ptxas has no choice of contracting them: with
 * the additions that read them as fma.rn, or with the modifier .rn, which prevents it.
 *
 * The choice is a guess by ptxas's rule (docs/proofs/contraction.md). The caller proves it
 * (settle_rounding.c). */
#ifndef TRANSFORM_REWRITE_EXPLICIT_PRODUCTS_H
#define TRANSFORM_REWRITE_EXPLICIT_PRODUCTS_H

#include "analysis/dataflow/function.h"
#include "transform/text/edit.h"

/* Queues the edits of the function's text. Other products than f32 and f64 multiplications, and
 * those that are known not to be contracted, remain as they are. */
void explicit_products_write(const Fn *fn, Edits *e);

#endif
