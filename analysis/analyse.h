/* SPDX-License-Identifier: MIT */
/* Runs all analyses of a function. */
#ifndef ANALYSIS_ANALYSE_H
#define ANALYSIS_ANALYSE_H

#include "analysis/dataflow/function.h"

/* Runs every analysis on function func. e: the module's effects, or NULL if the caller does not
 * need them. */
Fn *fn_build(const Module *m, uint32_t func, const Effects *e, Arena *a);

/* Returns the statement whose CUDA position identifies a loop to the user: the branch back to the
 * header, which has the position of a `for`, or the header's first instruction if its position is
 * further up. */
uint32_t fn_loop_stmt(const Fn *fn, uint32_t loop);

#endif
