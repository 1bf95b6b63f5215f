/* SPDX-License-Identifier: MIT */
/* Live registers at block boundaries, over the function's own symbol numbers (ptx_local_sym).
 * A guarded instruction's destination does not kill: the lanes that skip it keep the old value. */
#ifndef ANALYSIS_DATAFLOW_LIVENESS_H
#define ANALYSIS_DATAFLOW_LIVENESS_H

#include "analysis/cfg/cfg.h"
#include "analysis/dataflow/reads_writes.h"
#include "base/bits.h"

typedef struct {
	/* by block; in[0]: what the function returns in registers; never to be changed: blocks
	 * share sets */
	Bits *in;
	uint32_t nsyms;     /* bits in a set */
} Live;

Live *live_build(const Cfg *g, const Refs *refs, Arena *a);
/* Is a register live where control leaves the block; which are? */
bool live_is_out(const Live *l, const Cfg *g, uint32_t block, uint32_t reg);
Bits live_out_of(const Live *l, const Cfg *g, uint32_t block, Arena *a);

#endif
