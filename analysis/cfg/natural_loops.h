/* SPDX-License-Identifier: MIT */
/* Natural loops, their nesting, and the blocks on irreducible cycles. */
#ifndef ANALYSIS_CFG_NATURAL_LOOPS_H
#define ANALYSIS_CFG_NATURAL_LOOPS_H

#include "analysis/cfg/dominators.h"
#include "base/bits.h"

typedef struct {
	uint32_t header;        /* all back edges to one header form one loop */
	uint32_t parent;        /* enclosing loop; 0: none */
	uint32_t depth;         /* 1: outermost */
	Bits blocks;            /* includes the header and the blocks of inner loops */
	uint32_t trips;         /* constant trip count, set by fn_build; 0 if unknown */
	/* whether ptxas unrolls it (analysis/loops/unroll_predict.h), set by fn_build */
	bool unrolled;
} Loop;

typedef struct {
	Loop *loops; uint32_t nloops;   /* 1 to nloops - 1, outer loops before inner ones */
	uint32_t *loop_of;              /* innermost loop of a block; 0: none */
	/* blocks of strongly connected components with more than one entry */
	Bits irreducible;
} Loops;

Loops *loop_build(const Cfg *g, const Dom *d, Arena *a);
bool loop_contains(const Loops *l, uint32_t loop, uint32_t block);

#endif
