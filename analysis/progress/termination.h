/* SPDX-License-Identifier: MIT */
/* Loops that a thread leaves after finitely many iterations whatever other threads write, as long
 * as these do not write for ever. */
#ifndef ANALYSIS_PROGRESS_TERMINATION_H
#define ANALYSIS_PROGRESS_TERMINATION_H

#include "analysis/dataflow/function.h"

/* Is it shown that the loop is of this kind? */
bool termination_certain(const Fn *fn, uint32_t loop);

#endif
