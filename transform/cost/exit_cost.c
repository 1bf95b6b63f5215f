/* SPDX-License-Identifier: MIT */
/* See exit_cost.h. */
#include "analysis/region/exit_code.h"
#include "transform/cost/counted_blocks.h"
#include "transform/cost/exit_cost.h"

/* Sets the effort of the exits' code by the counts of a loop alone, which include its blocks
 * (profile_points.h). They are per lane that leaves. */
static void
set_counted_work(const Plan *x, const Exit_codes *codes, Bits blocks, Cost_region *k)
{
	Counted_region c = counted_region(x, x->site, COST_LOOP_WEIGHT);
	Execution_counts *left = arena_alloc(x->scratch, sizeof *left);
	double slots[MOST + 1] = { 0 };

	*left = *c.f;
	left->iterations = left->lanes = (left->exits + codes->n - 1) / codes->n;
	left->warp_iterations = left->warps = (left->warp_exits + codes->n - 1) / codes->n;
	left->repeated = left->loads.runs = 0; /* they are of the iterations */
	c.f = left;
	k->work = effort_of_blocks(x, &c, blocks, codes->at[0].first, MEAN);
	for (Run_statistic i = DEVIATING; c.n && i <= MOST; i++)
		slots[i] = slots_of_blocks(x, &c, blocks, codes->at[0].first, i) - k->work.issue;
	k->uneven = slots[DEVIATING];
	k->most = slots[MOST];
}

/* If there are several exits, each is assumed to be taken as often: the effort is that of all, for
 * an equal part of the lanes. */
Cost_region
exit_code_region(const Plan *x, const Execution_counts *f)
{
	const Exit_codes c = exit_codes_find(x->fn, x->site->loop, x->scratch);
	Bits all = bits_new(x->scratch, x->fn->cfg->nblocks);
	Cost_region k = { 0 };

	if (!c.n)
		return k;
	for (uint32_t i = 0; i < c.n; i++)
		bits_or(all, c.at[i].blocks);
	k.work = run_cost_of_blocks(x->fn, all, c.at[0].first);
	if (!f || !f->warp_iterations)
		return k;
	const double iterations = (double)f->warp_iterations * c.n;
	k.measured = true;
	if (f->exits && f == pass_frequency(x->opt, x->fn, x->site))
		set_counted_work(x, &c, all, &k);
	k.share.lanes = (double)f->exits / iterations / WARP;
	k.share.warps = (double)f->warp_exits / iterations;
	return k;
}
