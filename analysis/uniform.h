/* Which values are the same in all lanes of a warp (DESIGN 5, "uniform").
 * Sources of variance: special registers marked LANE or TIME, results of atomics, of cross-lane operations, of calls, loads
 * from .local or generic space or from a varying address (a load from a uniform address is uniform only from .param of an
 * entry, .const, or by ld.global.nc), values merged under a varying branch, values of a loop that lanes leave at different
 * iterations, parameters of a .func. Since no source is uniform in a warp but different between warps, uniform means
 * the same in the whole block. */
#ifndef ANALYSIS_UNIFORM_H
#define ANALYSIS_UNIFORM_H

#include "analysis/defuse.h"
#include "analysis/dom.h"
#include "analysis/loop.h"

typedef struct {
	Bits def;           /* varying definitions, by index in Defuse.defs */
	Bits use;           /* varying uses, by index in Defuse.uses: as def, and by temporal divergence at this use */
	Bits branch;        /* blocks whose terminator's condition varies */
	Bits block;         /* blocks that only some lanes may run together (control-dependent on a varying branch) */
} Uniform;

Uniform *uniform_build(const Cfg *g, const Dom *d, const Loops *l, const Defuse *du, Arena *a);

#endif
