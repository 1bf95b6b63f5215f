/* SPDX-License-Identifier: MIT */
/* Recognises reductions: registers that a loop only updates by an associative operation. */
#ifndef ANALYSIS_LOOPS_REDUCTION_H
#define ANALYSIS_LOOPS_REDUCTION_H

#include "analysis/dataflow/function.h"

/* Whether the statement, in a loop, combines register sym with a value that does not depend on it,
 * such that the order of the iterations does not matter (except for the last bits of floating-point
 * sums). */
bool reduction_is(const Fn *fn, uint32_t stmt, uint32_t sym);

#endif
