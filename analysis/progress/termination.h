/* SPDX-License-Identifier: MIT */
/* Loops that a thread leaves after finitely many iterations whatever other threads write, as long
 * as those do not write for ever. */
#ifndef ANALYSIS_PROGRESS_TERMINATION_H
#define ANALYSIS_PROGRESS_TERMINATION_H

#include "analysis/dataflow/function.h"

/* Whether the loop is shown to be of this kind. */
bool termination_certain(const Fn *fn, uint32_t loop);

#endif
