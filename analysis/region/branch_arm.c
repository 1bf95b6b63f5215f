/* SPDX-License-Identifier: MIT */
/* Arms of branches; see branch_arm.h. */
#include "analysis/region/branch_arm.h"

Bits
arm_blocks(const Fn *fn, uint32_t first, uint32_t meet, Arena *a)
{
	Bits in = bits_new(a, fn->cfg->nblocks);

	FN_BLOCKS(fn, b)
		if (fn->cfg->rpo_index[b] != UINT32_MAX && dom_dominates(fn->dom, first, b) &&
			!(meet && dom_dominates(fn->dom, meet, b)))
			bits_set(in, b);
	return in;
}

bool
branch_exits_or_repeats_loop(const Fn *fn, uint32_t block)
{
	uint32_t loop = fn->loops->loop_of[block];

	FN_SUCC(fn, block, s)
		if (loop && (!s || !loop_contains(fn->loops, loop, s) ||
			s == fn->loops->loops[loop].header))
			return true;
	return false;
}
