/* SPDX-License-Identifier: MIT */
/* Live registers at block boundaries, indexed by the function's own symbol numbers (ptx_local_sym).
 * A guarded instruction's destination does not kill: the lanes that skip the instruction keep the
 * old value. */
#ifndef ANALYSIS_DATAFLOW_LIVENESS_H
#define ANALYSIS_DATAFLOW_LIVENESS_H

#include "analysis/cfg/cfg.h"
#include "analysis/dataflow/reads_writes.h"
#include "base/bits.h"

typedef struct {
	/* by block; in[0]: what the function returns in registers. Read-only: blocks share sets. */
	Bits *in;
	uint32_t nsyms;     /* bits in a set */
} Live;

Live *live_build(const Cfg *g, const Refs *refs, Arena *a);
/* Whether a register is live-out of the block; the set of all registers that are. */
bool live_is_out(const Live *l, const Cfg *g, uint32_t block, uint32_t reg);
Bits live_out_of(const Live *l, const Cfg *g, uint32_t block, Arena *a);

#endif
