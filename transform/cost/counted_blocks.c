/* SPDX-License-Identifier: MIT */
/* The effort of a region's blocks by execution counts. See counted_blocks.h. */
#include "transform/cost/counted_blocks.h"
#include "transform/cost/cost_model.h"

double
region_visits(const Region *r, const Execution_counts *f, bool by_warps)
{
	switch (r->kind) {
	case REGION_INNER_LOOP: return (double)(by_warps ? f->longest : f->trips);
	case REGION_LOOP: return (double)(by_warps ? f->warp_iterations : f->iterations);
	default: return (double)(by_warps ? f->warps : f->lanes);
	}
}

/* Standard deviation among lanes that a warp of one launch brings together. Estimated from the
 * difference between each lane's consecutive runs, or from the distance of the slowest lane to the
 * mean within warps. Only if hardly any lane has run the region twice, from the overall variance,
 * which also includes differences between launches. */
static double
lane_deviation(const Execution_counts *f, const Block_counts *b, double mean, double together)
{
	double n = (double)f->lanes, most = expected_maximum_above(n / (double)f->warps),
	       apart = most > 0 ? (together - mean) / most : 0,
	       square = f->repeated >= WARP ? (double)b->changes / (double)f->repeated / 2 :
					   (double)b->squares / n - mean * mean;

	return square > apart * apart ? newton_sqrt(square) : apart > 0 ? apart : 0;
}

/* For the iterations of an inner loop, whose counts are summed, only the mean is known. */
static double
counted_runs(const Region *r, const Execution_counts *f, const Block_counts *b, Run_statistic which)
{
	double mean = (double)b->runs / region_visits(r, f, false),
	       together = (double)b->longest / region_visits(r, f, true);

	if (which == MEAN || r->kind == REGION_INNER_LOOP)
		return mean;
	if (which == RUNS_TOGETHER)
		return together;
	if (which == LAST)
		return f->launches ? (double)b->launch_maxima / (double)f->launches : 0;
	return which == MOST ? (double)b->most : mean + lane_deviation(f, b, mean, together);
}

Counted_region
counted_region(const Plan *x, const Region *r, double trips)
{
	Counted_region c = { .r = r, .f = pass_frequency(x->opt, x->fn, r), .trips = trips };

	if (!c.f || !c.f->nblocks || region_visits(r, c.f, true) <= 0)
		return c;
	c.n = profile_point_blocks(x->fn, r, c.of, x->scratch);
	c.differs = c.n != c.f->nblocks;
	c.n = c.differs ? 0 : c.n;
	for (uint32_t i = 0; i < c.n; i++)
		c.size[i] = bits_count(c.of[i].blocks);
	return c;
}

/* Returns the smallest counted block set that contains the block; n if none. */
static uint32_t
innermost_counted(const Counted_region *c, uint32_t block)
{
	uint32_t at = c->n;

	for (uint32_t i = 0; i < c->n; i++)
		if (bits_has(c->of[i].blocks, block) && (at == c->n || c->size[i] < c->size[at]))
			at = i;
	return at;
}

/* Number of executions of blocks per run of a region, at the loop depth of its entry. */
typedef struct {
	const Fn *fn;
	const Counted_region *c;
	uint32_t depth;
	Run_statistic which;
	uint32_t only;          /* number of a counted block set, from 1; 0: all blocks */
} Run_counts;

static Run_counts
runs_of_block(const Plan *x, const Counted_region *c, uint32_t entry, Run_statistic which)
{
	const Loops *l = x->fn->loops;

	return (Run_counts){ x->fn, c, l->loops[l->loop_of[entry]].depth, which, 0 };
}

static double
run_count(void *user, uint32_t block)
{
	const Run_counts *x = user;
	const Counted_region *c = x->c;
	const Loop *loops = x->fn->loops->loops;
	uint32_t at = innermost_counted(c, block), l = x->fn->loops->loop_of[block];
	const Counted_block *k = at < c->n ? &c->of[at] : NULL;
	double n = k ? counted_runs(c->r, c->f, &c->f->blocks[at], x->which) : 1;

	if (x->only && at + 1 != x->only)
		return 0;
	for (; loops[l].depth > x->depth; l = loops[l].parent) {
		if (k && (k->loop == l || !bits_has(k->blocks, loops[l].header)))
			break;
		n *= loops[l].trips ? loops[l].trips : c->trips;
	}
	return n;
}

/* Whether it is known when the loop is entered how often it runs, so that the loads of several
 * iterations are in flight together. */
static bool
loop_overlaps(const Fn *fn, uint32_t loop)
{
	Arena_mark mark = arena_mark(fn->arena);
	bool counted = !trip_count_analyse(fn, loop, fn->arena)->wrong;

	arena_release(fn->arena, mark);
	return counted;
}

/* Sums up the dependent loads in those of the blocks' loops that do not contain the entry. */
static double
loads_in_loops(const Plan *x, Bits blocks, Run_counts *runs)
{
	const Loops *l = x->fn->loops;
	double sum = 0;

	BITS_EACH(header, blocks)
	{
		Run_cost w = { 0 };
		uint32_t i = l->loop_of[header];
		if (l->loops[i].header != header || l->loops[i].depth <= runs->depth)
			continue;
		Arena_mark mark = arena_mark(x->scratch);
		Bits own = bits_new(x->scratch, x->fn->cfg->nblocks);
		BITS_EACH(b, blocks)
			if (l->loop_of[b] == i)
				bits_set(own, b);
		run_cost_loads(x->fn, own, run_count, runs, &w);
		arena_release(x->scratch, mark);
		double overlapped = w.dependent_loads / COST_UNROLLED;
		sum += !loop_overlaps(x->fn, i) ? w.dependent_loads :
			overlapped > w.chained	? overlapped :
						  w.chained;
	}
	return sum;
}

Run_cost
effort_of_blocks(
	const Plan *x, const Counted_region *c, Bits blocks, uint32_t entry, Run_statistic which)
{
	Run_counts runs = runs_of_block(x, c, entry, which);
	Run_cost w = run_cost_with_counts(x->fn, blocks, run_count, &runs);

	run_cost_loads(x->fn, blocks, run_count, &runs, &w);
	if (c->r->kind != REGION_LOOP && c->r->kind != REGION_INNER_LOOP)
		w.loop_loads = loads_in_loops(x, blocks, &runs);
	if (c->r->kind == REGION_INNER_LOOP && c->r->loop)
		run_cost_bound_wait(x->fn, c->r->loop, run_count, &runs, &w);
	if (c->f && c->f->loads.runs) {
		w.indexed = 0;
		w.missed = (double)c->f->loads.missed / (double)c->f->loads.runs;
	}
	return w;
}

double
slots_of_blocks(
	const Plan *x, const Counted_region *c, Bits blocks, uint32_t entry, Run_statistic which)
{
	Run_counts runs = runs_of_block(x, c, entry, which);

	return run_cost_with_counts(x->fn, blocks, run_count, &runs).issue;
}

/* Returns the share of a region's runs that reach a counted block set: of an arm, its own; of a
 * loop, that of the smallest arm around it. Without one it is assumed that the loop has one
 * iteration where it has any, if that explains its count. */
static double
share_that_reaches(const Counted_region *c, uint32_t i)
{
	uint32_t arm = c->n;

	for (uint32_t k = 0; k < c->n; k++)
		if (!c->of[k].loop && (arm == c->n || c->size[k] < c->size[arm]) &&
			bits_within(c->of[i].blocks, c->of[k].blocks))
			arm = k;
	double runs = counted_runs(c->r, c->f, &c->f->blocks[arm == c->n ? i : arm], MEAN);
	return runs < 1 ? runs : 1;
}

void
set_counted_arms(
	const Plan *x, const Counted_region *c, Bits blocks, uint32_t entry, Cost_region *k)
{
	Cost_arm *arms = arena_array(x->scratch, c->n + 1, sizeof *arms);
	Run_counts runs = runs_of_block(x, c, entry, MEAN);

	for (uint32_t i = 0; i < c->n; i++) {
		double share = share_that_reaches(c, i);
		runs.only = i + 1;
		double slots = run_cost_with_counts(x->fn, blocks, run_count, &runs).issue;
		if (slots > 0 && share > 0 && share < 1)
			arms[k->narms++] = (Cost_arm){ slots / share, share };
	}
	k->arms = arms;
}
