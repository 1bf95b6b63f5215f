/* SPDX-License-Identifier: MIT */
/* Traffic of streamed loads and coalesced stores between L2 and memory. See cost_model.h. */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

/* Additional cost of a partially written sector, in fully written sectors. */
static const double TORN = 12;
/* Share of lanes that write the same sectors as the lanes of path i: lanes of other paths; with
 * tail capture, all others. */
static double
other_filled_lanes(const Cost_query *c, uint32_t i)
{
	double rest = 1 - c->shares[i].lanes, sum = 0;

	for (uint32_t k = 0; k < c->site->nregions; k++)
		sum += k != i && c->site->regions[k].stored_bytes > 0 ? c->shares[k].lanes : 0;
	return c->site->regions[i].has_tail || sum > rest ? rest : sum;
}

/* Lanes that write a sector together. */
enum { NEIGHBOURS = 4 };

/* Bytes that path i's stores move, per byte that they write. Memory writes whole sectors: one
 * that is written in part is read first. */
static double
moved_bytes(const Cost_query *c, uint32_t i)
{
	double written = c->shares[i].lanes + other_filled_lanes(c, i);
	double met = c->shares[i].warps < 1 ? c->shares[i].warps : 1;

	if (met <= 0 || written >= met)
		return 1;
	double lanes = written / met, full = model_power(lanes, NEIGHBOURS);
	return (2 * (1 - model_power(1 - lanes, NEIGHBOURS)) - full) / lanes;
}

/* Share of path i's sectors that other lanes also write, but so much earlier that L2 has evicted
 * them: neighbouring lanes write a sector together, but tasks and selected iterations come
 * later. */
static double
torn_sectors(const Cost_query *c, uint32_t i)
{
	enum { RESIDENT_ITERATIONS = 5 };
	double p = c->shares[i].lanes, others = other_filled_lanes(c, i);
	double none = model_power(1 - p, NEIGHBOURS),
	       alone = model_power(1 - others, NEIGHBOURS) -
		       model_power(1 - others - p, NEIGHBOURS);

	return (1 - none - alone) * model_power(1 - p, RESIDENT_ITERATIONS);
}

/* A partially written sector is read again and written twice. */
double
model_memory_traffic(const Cost_query *c, Annot_policy policy)
{
	const Cost_site *s = c->site;
	bool later = policy == POLICY_STACK || policy == POLICY_QUEUE || policy == POLICY_AHEAD;
	double own = 1, bytes = s->loaded_bytes;

	for (uint32_t i = 0; i < s->nregions; i++) {
		const Cost_region *k = &s->regions[i];
		if (k->inner)
			continue;
		own -= k->has_tail ? c->shares[i].lanes : 0;
		bytes += k->stored_bytes *
			(c->shares[i].lanes * moved_bytes(c, i) +
				(later && k->in_policy ? TORN * torn_sectors(c, i) : 0));
	}
	bytes += s->stored_bytes * max_double(own, 0);
	return WARP_LANES * bytes / (s->bandwidth > 0 ? s->bandwidth : COST_STREAM) * COST_ISSUING;
}
