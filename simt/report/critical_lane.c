/* SPDX-License-Identifier: MIT */
/* A lower bound for the time of a launch, determined by its critical lane: the counterpart for
 * --advice of transform/cost/critical_lane.c.
 *
 * A warp that is alone on its scheduler needs 4 cycles per instruction, because each depends on the
 * previous one, and waits 512 cycles for a load. A launch that fills the GPU has 16 warps per
 * scheduler. A smaller launch is treated as part of such a launch; a larger one runs its warps one
 * after the other. To make the time comparable with the slots issued by all warps, it is expressed
 * as the number of slots that they could issue meanwhile.
 */
#include "analysis/cost/static_cost.h"
#include "simt/report/critical_lane.h"
#include "simt/report/full_warp_estimate.h"

enum { WAIT = 512 }; /* latency of a load in cycles */
/* lanes leave a loop together if at least this share is active in it */
static const double TOGETHER = 0.95;

static const Sim_profile_point *
trip_count_is_counted(const Sim *s, const Fn *fn, uint32_t loop)
{
	for (uint32_t i = 0; i < s->profile.points.n; i++) {
		const Sim_profile_point *c = &s->profile.points.at[i];
		if (!c->region && c->fn->func == fn->func && c->loop == loop)
			return c;
	}
	return NULL;
}

/* Converts a block's executions to executions per iteration of a loop that has `rounds`
 * iterations. */
typedef struct { const Sim *s; const Fn *fn; double trips; } Loop_trip_count;

static double
runs_of_block(void *user, uint32_t block)
{
	const Loop_trip_count *x = user;
	uint64_t runs;

	block_lane_count(x->s, x->fn, block, &runs);
	return (double)runs / x->trips;
}

/* Cycles of an iteration of the loop's blocks, executed by a single warp. */
static double
iteration_cycles(Loop_trip_count *x, Bits blocks)
{
	Run_cost w = { 0 };
	double slots = 0;

	run_cost_loads(x->fn, blocks, runs_of_block, x, &w);
	BITS_EACH(b, blocks)
		slots += block_issue_count(x->s, x->fn, b);
	return COST_ALONE * slots / x->trips + WAIT * w.dependent_loads;
}

double
critical_lane_slots(const Sim *s, const Fn *fn, uint32_t loop)
{
	const Loop *l = &fn->loops->loops[loop];
	const Sim_profile_point *c = trip_count_is_counted(s, fn, loop);
	uint64_t came, iterations;
	double before = block_lane_count(s, fn, fn->dom->idom[l->header], &came),
	       on = block_lane_count(s, fn, l->header, &iterations);

	if (!c || !c->counts.launches || !iterations || on >= TOGETHER * before)
		return 0;
	Loop_trip_count x = { s, fn, (double)iterations };
	double warps = (double)c->warps / (double)c->counts.launches,
	       trips = (double)(c->counts.launch_maxima + c->most);
	double parts = warps * COST_SCHEDULERS / (warps > COST_ROOM ? warps : COST_ROOM);
	return trips * iteration_cycles(&x, l->blocks) * parts;
}
