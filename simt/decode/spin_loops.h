/* SPDX-License-Identifier: MIT */
/* Finds the polling loads of a function: see spin_loops.c. Internal to simt/. */
#ifndef SIMT_DECODE_SPIN_LOOPS_H
#define SIMT_DECODE_SPIN_LOOPS_H

#include "analysis/cfg/dominators.h"
#include "analysis/dataflow/reads_writes.h"

/* Returns a bit for each polling statement, by ptx_local_stmt. Lives in arena a. */
Bits spin_loops_find(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);

#endif
