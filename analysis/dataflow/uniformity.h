/* SPDX-License-Identifier: MIT */
/* Which values are the same in all lanes of a warp (docs/design.md 5.2). Sources of variance:
 * special registers marked LANE or TIME, results of atomics, of cross-lane operations and of calls,
 * loads from .local or generic space or from a varying address (a load from a uniform address is
 * uniform only from .param of an entry, .const, or by ld.global.nc), values merged under a varying
 * branch, values of a loop that lanes leave at different iterations, parameters of a .func,
 * undefined registers. No source is uniform in a warp but different between warps, so uniform means
 * the same in the whole block.
 *
 * A definition whose own value is the same in all lanes that execute it is still varying in two
 * cases: if it meets another one at a join of a varying branch (so a live register is uniform if
 * all definitions that reach are), and if it is carried around a loop that lanes leave, or are in,
 * at different iterations. */
#ifndef ANALYSIS_DATAFLOW_UNIFORMITY_H
#define ANALYSIS_DATAFLOW_UNIFORMITY_H

#include "analysis/dataflow/def_use.h"
#include "analysis/cfg/dominators.h"
#include "analysis/cfg/natural_loops.h"

typedef struct {
	Bits def;           /* varying definitions, by index in Defuse.defs */
	/* varying uses, by index in Defuse.uses: as def, and by temporal divergence at this use */
	Bits use;
	Bits branch;        /* blocks whose terminator's condition varies */
	/* blocks that only some lanes may execute together (control-dependent on a varying
	 * branch) */
	Bits block;
	/* loops that lanes may leave at different iterations, or be in at different iterations */
	Bits loop;
} Uniform;

Uniform *uniform_build(const Cfg *g, const Dom *d, const Loops *l, const Defuse *du, Arena *a);
/* Whether one of these definitions varies. */
bool uniform_any(const Fn *fn, const uint32_t *defs, uint32_t n);
/* Whether the value of a register may differ between lanes at the start of a block. */
bool uniform_varies_at(const Fn *fn, uint32_t block, uint32_t sym);

#endif
