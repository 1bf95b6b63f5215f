/* SPDX-License-Identifier: MIT */
/* Dominators and post-dominators, with O(1) queries. The root of the post-dominator tree is the
 * virtual exit, block 0; blocks that cannot reach it (endless loops) are connected to it. */
#ifndef ANALYSIS_CFG_DOMINATORS_H
#define ANALYSIS_CFG_DOMINATORS_H

#include "analysis/cfg/cfg.h"

typedef struct {
	/* immediate dominator; 0 for the entry and for unreachable blocks */
	uint32_t *idom;
	uint32_t *ipdom;        /* immediate post-dominator; 0: the virtual exit */
	uint32_t *in, *out;     /* interval numbering of the dominator tree */
	uint32_t *pin, *pout;   /* the same of the post-dominator tree */
} Dom;

Dom *dom_build(const Cfg *g, Arena *a);
/* Whether every path from the entry to b passes through a (true if a == b). */
bool dom_dominates(const Dom *d, uint32_t a, uint32_t b);
/* Whether every path from b to the exit passes through a (true if a == b). */
bool dom_postdominates(const Dom *d, uint32_t a, uint32_t b);
/* Returns the immediate post-dominators of paths that take no edge to a block of `exits`, and none
 * that leaves a loop, if the edge's source has another successor. An edge to the loop's header ends
 * a path (0). header: by block, that of the loop around it, of loops without common blocks; NULL:
 * no loop. */
uint32_t *dom_postdominators_without(
	const Cfg *g, Bits exits, const uint32_t *header, Arena *a);
/* Returns the nearest common dominator of a and b; 0 if there is none. */
uint32_t dom_common(const Dom *d, uint32_t a, uint32_t b);

#endif
