/* SPDX-License-Identifier: MIT */
/* All analyses of a function. */
#ifndef ANALYSIS_ANALYSE_H
#define ANALYSIS_ANALYSE_H

#include "analysis/dataflow/function.h"

/* Runs every analysis of function func. e: NULL where nobody asks for effects. */
Fn *fn_build(const Module *m, uint32_t func, const Effects *e, Arena *a);

/* The statement by whose place in the CUDA source a loop is known to people: the branch back to its
 * header, which has that of a `for`; or the header's first instruction, if that stands above. */
uint32_t fn_loop_stmt(const Fn *fn, uint32_t loop);

#endif
