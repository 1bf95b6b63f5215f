/* SPDX-License-Identifier: MIT */
/* Liveness of the carry flag of add.cc, addc and similar instructions. The flag is not a register
 * of the view, so liveness and def-use do not cover it. */
#ifndef ANALYSIS_DATAFLOW_CARRY_LIVENESS_H
#define ANALYSIS_DATAFLOW_CARRY_LIVENESS_H

#include "analysis/cfg/cfg.h"
#include "analysis/dataflow/reads_writes.h"

/* Returns, by block, a statement in or after the block that reads the value the flag has at the
 * start of the block; 0 if there is none. */
uint32_t *carry_build(const Cfg *g, const Refs *refs, Arena *a);

#endif
