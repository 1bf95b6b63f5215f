/* SPDX-License-Identifier: MIT */
/* Dominators and post-dominators, with O(1) queries.
 * Post-dominators run to the virtual exit, block 0; blocks that cannot reach it (endless loops) are
 * joined to it. */
#ifndef ANALYSIS_CFG_DOMINATORS_H
#define ANALYSIS_CFG_DOMINATORS_H

#include "analysis/cfg/cfg.h"

typedef struct {
	uint32_t *idom;         /* immediate dominator; of the entry and of unreachable blocks: 0 */
	uint32_t *ipdom;        /* immediate post-dominator; 0 = the virtual exit */
	uint32_t *in, *out;     /* interval numbering of the dominator tree */
	uint32_t *pin, *pout;   /* and of the post-dominator tree */
} Dom;

Dom *dom_build(const Cfg *g, Arena *a);
/* every way from the entry to b goes through a; a == b too */
bool dom_dominates(const Dom *d, uint32_t a, uint32_t b);
/* every way from b to the exit goes through a; a == b too */
bool dom_postdominates(const Dom *d, uint32_t a, uint32_t b);
/* the deepest block that dominates both; 0: none */
uint32_t dom_common(const Dom *d, uint32_t a, uint32_t b);

#endif
