/* SPDX-License-Identifier: MIT */
/* See exit_cost.h. */
#include "analysis/region/exit_code.h"
#include "transform/cost/exit_cost.h"

/* If there are several exits, each is assumed to be taken as often: the effort is that of all, for
 * an equal part of the lanes. */
Cost_region
exit_code_region(const Plan *x, const Execution_counts *f)
{
	const Exit_codes c = exit_codes_find(x->fn, x->site->loop, x->scratch);
	Bits all = bits_new(x->scratch, x->fn->cfg->nblocks);
	Cost_region k = { 0 };

	if (!c.n || !f || !f->warp_exits || !f->warp_iterations)
		return k;
	for (uint32_t i = 0; i < c.n; i++)
		bits_or(all, c.at[i].blocks);
	const double iterations = (double)f->warp_iterations * c.n;
	k.work = run_cost_of_blocks(x->fn, all, c.at[0].first);
	k.share.lanes = (double)f->exits / iterations / WARP;
	k.share.warps = (double)f->warp_exits / iterations;
	return k;
}
