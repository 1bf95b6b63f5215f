/* SPDX-License-Identifier: MIT */
/* Which loads of a function poll: spin_loops.c says what that means. Internal to simt/. */
#ifndef SIMT_DECODE_SPIN_LOOPS_H
#define SIMT_DECODE_SPIN_LOOPS_H

#include "analysis/cfg/dominators.h"
#include "analysis/dataflow/reads_writes.h"

/* A bit for each statement, by ptx_local_stmt. Lives in arena a. */
Bits polls_find(const Cfg *g, const Dom *d, const Refs *refs, Arena *a);

#endif
