/* SPDX-License-Identifier: MIT */
/* Where the carry flag of add.cc, addc and their kin is live. It is no register of the view, so
 * liveness and def-use say nothing about it. */
#ifndef ANALYSIS_DATAFLOW_CARRY_LIVENESS_H
#define ANALYSIS_DATAFLOW_CARRY_LIVENESS_H

#include "analysis/cfg/cfg.h"
#include "analysis/dataflow/reads_writes.h"

/* By block: a statement, in the block or behind it, that reads the flag as it is where the block
 * begins; 0: none does. */
uint32_t *carry_build(const Cfg *g, const Refs *refs, Arena *a);

#endif
