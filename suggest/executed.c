/* SPDX-License-Identifier: MIT */
/* What the counted launches executed. See executed.h. */
#include "analysis/analyse.h"
#include "analysis/cost/static_cost.h"
#include "analysis/region/branch_arm.h"
#include "suggest/executed.h"

/* UNIFORM: lanes that execute a branch together, in the mean, if that it never diverged is to say
 * something about all lanes of a warp; one lane alone cannot diverge. */
enum { LANES = 32, UNIFORM = LANES / 4 };

/* Returns the counts of the first statement of a block that issues; all 0: none does. */
static Stmt_counts
block_counts(const Executed *e, const Fn *fn, uint32_t block)
{
	FN_BLOCK_STMTS(fn, block, i)
		if (e->of[i].warps)
			return e->of[i];
	return (Stmt_counts){ 0 };
}

static double
block_slots(const Executed *e, const Fn *fn, uint32_t block)
{
	double sum = 0;

	FN_BLOCK_STMTS(fn, block, i)
		sum += (double)e->of[i].warps * (1 + cost_conflict(fn, i));
	return sum - (double)block_counts(e, fn, block).warps * cost_saved_by_unrolling(fn, block);
}

double
executed_slots(const Executed *e, const Fn *fn, Bits blocks)
{
	double sum = 0;

	BITS_EACH(b, blocks)
		sum += block_slots(e, fn, b);
	return sum;
}

double
executed_function(const Executed *e, const Fn *fn)
{
	double sum = 0;

	FN_BLOCKS(fn, b)
		sum += block_slots(e, fn, b);
	return sum;
}

double
executed_lanes(const Executed *e, const Fn *fn, uint32_t block)
{
	const Stmt_counts c = block_counts(e, fn, block);

	return c.warps ? (double)c.lanes / (double)c.warps / LANES : -1;
}

bool
executed_uniformly(const Executed *e, uint32_t branch)
{
	const Stmt_counts *c = e->of ? &e->of[branch] : NULL;

	return c && c->branches && !c->divergent && c->lanes >= UNIFORM * c->warps;
}

static double
share_of_uniform(uint64_t branches, uint64_t divergent)
{
	return branches ? (double)(branches - divergent) / (double)branches : -1;
}

double
executed_branch_efficiency(const Executed *e, const Fn *fn, uint32_t block)
{
	const Stmt_counts *c = &e->of[cfg_terminator(fn->cfg, block)];

	return share_of_uniform(c->branches, c->divergent);
}

double
executed_loop_efficiency(const Executed *e, const Fn *fn, uint32_t loop)
{
	uint64_t branches = 0, divergent = 0;

	BITS_EACH(b, fn->loops->loops[loop].blocks) {
		uint32_t last = cfg_terminator(fn->cfg, b);
		if (fn->loops->loop_of[b] != loop || !last || !branch_exits_or_repeats_loop(fn, b))
			continue;
		branches += e->of[last].branches;
		divergent += e->of[last].divergent;
	}
	return share_of_uniform(branches, divergent);
}
