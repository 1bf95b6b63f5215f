/* SPDX-License-Identifier: MIT */
/* Checks that no thread waits for another at a barrier or warp-synchronous operation of the program
 * while the other waits at the meeting of a remapping, and that none ends there unseen
 * (docs/proofs/remap.md, R1 and R2). */
#include "transform/legality/legality.h"
#include "transform/remap/remap.h"

Verdict
remap_check_barriers(const Plan *x, Bits before)
{
	const Fn *fn = x->fn;
	Bits meanwhile = bits_new(x->scratch, fn->cfg->nblocks);

	for (uint32_t i = 0; i < x->remap->held.n; i++)
		FN_SUCC(fn, x->remap->held.at[i].from, s)
			cfg_flood(fn->cfg, s, false, before, meanwhile);
	bits_or(before, x->remap->decides);
	return plan_check_block_barriers(x, before, meanwhile);
}
