/* SPDX-License-Identifier: MIT */
/* The region of a branch: the blocks that control may reach from it before its immediate
 * post-dominator. If the branch dominates them, which is the rule in structured code, the region
 * is the branch's subtree of the dominator tree, without that of the post-dominator, and its own
 * dominator tree is a part of the function's. */
#ifndef ANALYSIS_CFG_BRANCH_REGIONS_H
#define ANALYSIS_CFG_BRANCH_REGIONS_H

#include "analysis/cfg/dominators.h"
#include "base/bits.h"

typedef struct {
	const Dom *d;
	uint32_t *preorder; /* by position in pre-order of the dominator tree, Dom.in: the block */
	Bits dominated;     /* blocks for which the above holds */
	/* of these, blocks whose post-dominator they do not dominate, and where it is the join of
	 * disjoint paths */
	Bits joined;
} Branch_regions;

/* Takes near-linear time. */
Branch_regions branch_regions_build(const Cfg *g, const Dom *d, Arena *a);
/* Whether the block immediately dominates its post-dominator. */
bool branch_dominates_meet(const Dom *d, uint32_t block);
/* Whether `block` is in the region, without the branch, which must be one of `dominated`. */
bool branch_region_contains(const Dom *d, uint32_t branch, uint32_t block);

/* Iterates over the children of a block in the dominator tree. */
#define BRANCH_CHILDREN(r, b, x) \
	for (uint32_t x##_in = (r)->d->in[b] + 1, x; x##_in <= (r)->d->out[b] && \
		(x = (r)->preorder[x##_in], true); x##_in = (r)->d->out[x] + 1)

#endif
