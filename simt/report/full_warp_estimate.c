/* SPDX-License-Identifier: MIT */
/* Estimates the issue slots of a site if full warps execute it: full_warp_estimate.h.
 *
 * Full warps execute the site less often, in proportion to their lanes. But unrelated lanes diverge
 * again inside. If each lane executes a block with probability p, n lanes execute it with
 * probability 1 - (1 - p)^n; and they execute an iteration as often as the lane with the highest
 * trip count. The spread of the trip counts is known from lanes that were executed together: their
 * maximum exceeds the mean by some factor. For n lanes the maximum is estimated as the mean times 1
 * + d (1/2 + ... + 1/n), base/longest.h, as in transform/cost/cost_model.c; d is 1 for
 * exponentially distributed trip counts.
 */
#include <math.h>
#include "analysis/cost/static_cost.h"
#include "base/longest.h"
#include "simt/report/full_warp_estimate.h"

Sim_counts
block_is_profiled(const Sim *s, const Fn *fn, uint32_t block)
{
	Sim_counts c = { 0 };

	FN_BLOCK_STMTS(fn, block, i)
		sim_counts_add(&c, &s->stats.so_far[i]);
	return c;
}

double
block_issue_count(const Sim *s, const Fn *fn, uint32_t block)
{
	uint64_t visits;
	double sum = 0;

	FN_BLOCK_STMTS(fn, block, i)
		sum += (double)s->stats.so_far[i].warp_insts * (1 + cost_conflict(fn, i));
	block_lane_count(s, fn, block, &visits);
	return sum - (double)visits * cost_saved_by_unrolling(fn, block);
}

double
block_lane_count(const Sim *s, const Fn *fn, uint32_t block, uint64_t *visits)
{
	*visits = 0;
	FN_BLOCK_STMTS(fn, block, i) {
		const Sim_counts *c = &s->stats.so_far[i];
		if (!c->warp_insts)
			continue;
		*visits = c->warp_insts;
		return (double)c->thread_insts / (double)c->warp_insts;
	}
	return 0;
}

/* Estimates the executions of a block by n lanes. mean: executions per lane; longest: those of the
 * lane with the most, among `lanes` lanes executed together. A single lane says nothing about the
 * spread, which is then assumed to be zero. */
static double
expected_runs(double mean, double longest, double lanes, double n)
{
	enum { FEW = 10 };

	if (longest <= 1)
		return mean < 1 ? 1 - pow(1 - mean, n) : 1;
	double most = expected_maximum_above(lanes),
	       d = most * FEW > 1 ? (longest / mean - 1) / most : 0;
	return mean * (1 + d * expected_maximum_above(n));
}

double
full_warp_slots(const Warp_code *c)
{
	uint64_t warps, visits;
	double lanes = block_lane_count(c->s, c->fn, c->first, &warps);
	double all = lanes * (double)warps, left = 0;

	BITS_EACH(b, c->blocks) {
		double on = block_lane_count(c->s, c->fn, b, &visits);
		if (!visits)
			continue;
		double slots = block_issue_count(c->s, c->fn, b);
		double n = expected_runs(on * (double)visits / all, (double)visits / (double)warps,
			lanes, c->full_lanes);
		double rest = slots / (double)visits * n * all / c->full_lanes;
		left += rest < slots ? rest : slots;
	}
	return left;
}
