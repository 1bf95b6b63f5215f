/* SPDX-License-Identifier: MIT */
/* Which registers a loop folds values into: sums, minima, and so on. */
#ifndef ANALYSIS_LOOPS_REDUCTION_H
#define ANALYSIS_LOOPS_REDUCTION_H

#include "analysis/dataflow/function.h"

/* Does the statement, in a loop, fold something into register sym that does not depend on it, such
 * that the order does not matter? (of floating-point sums: matters in the last bits only) */
bool reduction_is(const Fn *fn, uint32_t stmt, uint32_t sym);

#endif
