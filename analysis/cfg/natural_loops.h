/* SPDX-License-Identifier: MIT */
/* Natural loops and their nesting, and the blocks that lie on irreducible cycles. */
#ifndef ANALYSIS_CFG_NATURAL_LOOPS_H
#define ANALYSIS_CFG_NATURAL_LOOPS_H

#include "analysis/cfg/dominators.h"
#include "base/bits.h"

typedef struct {
	uint32_t header;        /* back edges with one header make one loop */
	uint32_t parent;        /* enclosing loop, 0 = none */
	uint32_t depth;         /* 1 = outermost */
	Bits blocks;            /* header and inner loops' blocks included */
	uint32_t trips;         /* that it always has, by fn_build; 0: nobody knows */
	/* by ptxas, as analysis/loops/unroll_predict.h has it, by fn_build */
	bool unrolled;
} Loop;

typedef struct {
	Loop *loops; uint32_t nloops;   /* 1 .. nloops - 1; outer loops before inner ones */
	uint32_t *loop_of;              /* innermost loop of a block, 0 = none */
	/* blocks in a strongly connected part that has more than one entry */
	Bits irreducible;
} Loops;

Loops *loop_build(const Cfg *g, const Dom *d, Arena *a);
bool loop_contains(const Loops *l, uint32_t loop, uint32_t block);

#endif
