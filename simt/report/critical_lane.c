/* SPDX-License-Identifier: MIT */
/* What a launch takes at least, since one lane has a longer row than all others: for --advice, what
 * transform/cost/critical_lane.c has of annotated loops.
 *
 * A warp that is alone on its scheduler takes 4 cycles for an instruction, which needs the one
 * before it, and waits 512 for a load. A launch that fills the GPU has 16 warps a scheduler; a
 * smaller one is taken for a part of such a launch, a larger one runs them one behind the other. So
 * that it can be compared with what all warps issue, that time is told as the slots that they would
 * issue in it.
 */
#include "analysis/cost/static_cost.h"
#include "simt/report/critical_lane.h"
#include "simt/report/full_warp_estimate.h"

enum { WAIT = 512 }; /* cycles of a load */
static const double TOGETHER = 0.95; /* lanes on in a loop that lanes leave together, at least */

static const Sim_cut *
counted(const Sim *s, const Fn *fn, uint32_t loop)
{
	for (uint32_t i = 0; i < s->cuts.n; i++) {
		const Sim_cut *c = &s->cuts.at[i];
		if (!c->region && c->fn->func == fn->func && c->loop == loop)
			return c;
	}
	return NULL;
}

/* How often a block is run, in an iteration of a loop of so many. */
typedef struct { const Sim *s; const Fn *fn; double rounds; } Rounds;

static double
runs_of(void *user, uint32_t block)
{
	const Rounds *x = user;
	uint64_t runs;

	lasting_lanes(x->s, x->fn, block, &runs);
	return (double)runs / x->rounds;
}

/* Cycles of an iteration of the loop's blocks, run by a warp that is alone. */
static double
cycles_of(Rounds *x, Bits blocks)
{
	Effort w = { 0 };
	double slots = 0;

	effort_loads(x->fn, blocks, runs_of, x, &w);
	BITS_EACH(b, blocks)
		slots += lasting_issued(x->s, x->fn, b);
	return COST_ALONE * slots / x->rounds + WAIT * w.waits;
}

double
alone_slots(const Sim *s, const Fn *fn, uint32_t loop)
{
	const Loop *l = &fn->loops->loops[loop];
	const Sim_cut *c = counted(s, fn, loop);
	uint64_t came, rounds;
	double before = lasting_lanes(s, fn, fn->dom->idom[l->header], &came),
	       on = lasting_lanes(s, fn, l->header, &rounds);

	if (!c || !c->counts.launches || !rounds || on >= TOGETHER * before)
		return 0;
	Rounds x = { s, fn, (double)rounds };
	double warps = (double)c->warps / (double)c->counts.launches,
	       trips = (double)(c->counts.last + c->most);
	double parts = warps * COST_SCHEDULERS / (warps > COST_ROOM ? warps : COST_ROOM);
	return trips * cycles_of(&x, l->blocks) * parts;
}
