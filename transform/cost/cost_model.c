/* SPDX-License-Identifier: MIT */
/* Demand of the original loop, and the total for any policy. See cost_model.h; docs/choosing.md has
 * the formulas and what the constants were calibrated on.
 *
 * A loop is evaluated three times by the same rules: for issue slots; for uncoalesced accesses of
 * lanes, which the memory system serves one by one; and for dependent loads, whose latency the warp
 * is exposed to. A policy's overhead is instructions, except for repeated reads. Its gain may be in
 * any of the three: paths run by full warps need fewer slots, and the loads of batched iterations
 * overlap; but the number of accesses stays the same. */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

/* Slots of an uncoalesced access of a lane. */
static const double LANE = 1.3;
/* In units of LANE, additional demand of an access: with an address read from memory; or, if
 * counted, of an L1 miss; of an atomic (done in L2); of an atomic whose result is used. Demand of a
 * coalesced access of a warp. */
static const double INDEXED = 1, MISSED = 4.4, UPDATE = 7.5, EXCHANGE = 16, BESIDE = 8;
/* Additional cost of a partially written sector, in fully written sectors. */
static const double TORN = 12;
/* Constant memory word at a register address, for all lanes of a warp. */
static const double CONSTANT = 4;
/* Rows of neighbouring lanes are adjacent: rows shorter than this are partially coalesced. */
static const double ROW = 8;
/* Slots of a coalesced access of a warp in addition to its issue slot. */
static const double COALESCED = 3;

double
wanted_power(double x, uint32_t n)
{
	double y = 1;

	for (; n; n >>= 1, x *= x)
		if (n & 1)
			y *= x;
	return y;
}

/* ---- the original loop ----------------------------------------------------------------------- */

/* Additional slots of the slowest of `lanes` unrelated lanes. */
static double
longer(const Gain_cut *k, double lanes)
{
	double most = k->uneven * longest_above(lanes);

	return k->most < most ? k->most : most;
}

/* Additional demand of a lane's accesses compared with nearby uncoalesced ones. */
static double
anywhere(const Effort *w)
{
	return INDEXED * w->indexed + MISSED * w->missed + UPDATE * w->updates +
		EXCHANGE * w->exchanges;
}

/* The latency of a path's loads is not counted: they often hit what the iteration has read. */
double
wanted_run(const Case *c, const Gain_cut *k, double lanes)
{
	const Effort *w = &k->work;

	switch (c->want) {
	case ISSUE: return w->issue + longer(k, lanes);
	case MEMORY: return lanes * (w->memory + anywhere(w)) + CONSTANT * w->constants;
	default: return k->inner ? w->waits : 0;
	}
}

/* All lanes, with coalesced accesses except those at addresses read from memory. */
double
wanted_beside(const Case *c, const Effort *w)
{
	switch (c->want) {
	case ISSUE: return w->issue + w->memory * COALESCED;
	case MEMORY: return BESIDE * (w->memory - w->gathers) + CONSTANT * w->constants +
		WARP_LANES * (w->gathers + anywhere(w));
	default: return w->waits;
	}
}

double
wanted_own_slots(const Gain_site *s)
{
	return s->own.issue + s->own.memory * COALESCED;
}

/* The latency of common code counts only if a profile has counted the lanes: the benefit of
 * overlapping iterations was calibrated on loops whose path few lanes take. */
double
wanted_own(const Case *c)
{
	if (c->want == WAITS && !c->measured)
		return 0;
	return wanted_beside(c, &c->site->own);
}

/* One of n consecutive runs, whose independent loads overlap. */
double
wanted_in_row(const Case *c, const Effort *w, double one, double n)
{
	return c->want == WAITS && one > 0 ? at_least(one / n, w->chained) : one;
}

double
wanted_left(const Case *c, uint32_t i)
{
	const Gain_cut *k = &c->site->cuts[i];
	const Gain_share *h = &c->of[i];

	if (!k->inner)
		return h->warps * (c->want == ISSUE ? k->work.issue + k->more :
						      wanted_run(c, k, together(h)));
	double lanes = together(h) / h->spread, once = wanted_run(c, k, lanes);
	if (c->want == MEMORY && h->trips < ROW)
		once -= (1 - h->trips / ROW) * lanes * (k->work.memory - k->work.gathers);
	return longest(h) * wanted_in_row(c, &k->work, once, COST_UNROLLED);
}

static double
before(const Case *c)
{
	double sum = wanted_own(c);

	for (uint32_t i = 0; i < c->site->ncuts; i++)
		sum += wanted_left(c, i);
	return sum;
}

static uint32_t
outermost(const Gain_site *s, uint32_t i)
{
	while (s->cuts[i].outer)
		i = s->cuts[i].outer - 1;
	return i;
}

static bool
is_within(const Gain_site *s, uint32_t k, uint32_t i)
{
	while (k != i && s->cuts[k].outer)
		k = s->cuts[k].outer - 1;
	return k == i;
}

/* Whether the region is in a path that the policy transforms. */
static bool
in_taken(const Gain_site *s, uint32_t k)
{
	for (uint32_t i = 0; i < s->ncuts; i++)
		if (s->cuts[i].taken && !s->cuts[i].inner && is_within(s, k, i))
			return true;
	return false;
}

double
wanted_left_whole(const Case *c, uint32_t i)
{
	double sum = 0;

	for (uint32_t k = 0; k < c->site->ncuts; k++)
		sum += is_within(c->site, k, i) ? wanted_left(c, k) : 0;
	return sum;
}

/* Demand of the regions that the policy leaves unchanged and in place. */
static double
others(const Case *c)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->site->ncuts; i++)
		sum += c->site->cuts[i].taken || in_taken(c->site, i) ? 0 : wanted_left(c, i);
	return sum;
}

/* ---- a run of a path, with nested regions ---------------------------------------------------- */

/* Standard deviation of an inner loop's trip count, relative to the mean, derived from the slowest
 * of the lanes that run together (longest_above). For a single lane it is unknown, and trip counts
 * are assumed to be exponentially distributed. */
static double
deviation(const Case *c, uint32_t i)
{
	double most = longest_above(together(&c->of[i]));

	if (c->site->cuts[i].trips > 0)
		return 0;
	return c->measured && most >= 0.5 ? (c->of[i].spread - 1) / most : 1;
}

static double inside(const Case *c, uint32_t i, double lanes);

/* Demand of a nested region in a run by `lanes` unrelated lanes. The compiler does not unroll an
 * annotated inner loop, so its iterations do not overlap. */
static double
inner_run(const Case *c, uint32_t i, double lanes)
{
	const Gain_cut *k = &c->site->cuts[i];
	double spread = 1 + deviation(c, i) * longest_above(lanes);

	if (!k->inner)
		return wanted_run(c, k, lanes) + inside(c, i, lanes);
	lanes /= spread;
	return c->of[i].trips * spread * (wanted_run(c, k, lanes) + inside(c, i, lanes));
}

/* Demand of the nested regions that the policy leaves unchanged, in a run by `lanes` unrelated
 * lanes. */
static double
inside(const Case *c, uint32_t i, double lanes)
{
	const Gain_site *s = c->site;
	double sum = 0, visits = c->of[i].lanes * (s->cuts[i].inner ? c->of[i].trips : 1);

	for (uint32_t k = 0; k < s->ncuts; k++) {
		if (s->cuts[k].outer != i + 1 || s->cuts[k].taken || c->of[k].lanes <= 0)
			continue;
		double part = c->of[k].lanes < visits ? c->of[k].lanes / visits : 1;
		double any = 1 - wanted_power(1 - part, (uint32_t)(lanes + 0.5));
		sum += any > 0 ? any * inner_run(c, k, lanes * part / any) : 0;
	}
	return sum;
}

double
wanted_run_of(const Case *c, uint32_t i, double lanes)
{
	const Gain_cut *k = &c->site->cuts[i];

	return wanted_run(c, k, lanes) + (k->inner ? 0 : inside(c, i, lanes));
}

/* ---- total ----------------------------------------------------------------------------------- */

/* Waiting before an inner loop's iterations for most lanes is about as good as flattening the loop.
 * 0: there are several wait points. */
static double
waited(const Case *c, uint32_t n)
{
	EACH_TAKEN(c, i)
		return others(c) +
			(c->site->cuts[i].inner ? wanted_flattened(c) : wanted_stood(c, i, n));
	return 0;
}

/* Demand of the loop for one resource under a policy; 0: unknown. */
static double
wanted(const Case *c, Annot_policy policy, uint32_t n)
{
	switch (policy) {
	case POLICY_AUTO: return before(c);
	case POLICY_STACK:
	case POLICY_QUEUE: return others(c) + wanted_collected(c, policy, n ? n : 1);
	case POLICY_AHEAD: return others(c) + wanted_looked_ahead(c, n ? n : WARP_LANES);
	case POLICY_EXPAND: return others(c) + (n ? wanted_kept(c) : wanted_expanded(c));
	case POLICY_FLATTEN: return others(c) + wanted_flattened(c);
	case POLICY_WAIT: return waited(c, n ? n : WARP_LANES / 2);
	default: return 0;
	}
}

/* A launch ends when its last warp does, so latency is evaluated for that one: in a loop over all
 * tasks, a path that any one warp rarely takes is still taken once by some warp. Not for a single
 * iteration, since blocks may run one after the other. */
static Case
last_warp(const Case *c)
{
	Case last = *c;

	for (uint32_t i = 0; c->site->tasks && c->iterations > 1 && i < c->site->ncuts; i++) {
		double visits = c->of[outermost(c->site, i)].warps * c->iterations;
		double any = visits * COST_ROOM < 1 ? visits * COST_ROOM : 1;
		if (visits <= 0 || visits >= any)
			continue;
		last.of[i].lanes *= any / visits;
		last.of[i].warps *= any / visits;
	}
	return last;
}

/* Converts to issue slots. */
static double slots_of(Want w) { return w == ISSUE ? 1 : w == MEMORY ? LANE : WAIT; }

/* L2 executes atomic operations on one line serially. The time is in cycles in which all schedulers
 * could issue, and does not depend on the policy. */
static double
in_one_line(const Case *c)
{
	return COST_SAME_LINE * COST_SCHEDULERS * c->site->same_line;
}

/* Share of lanes that write the same sectors as the lanes of path i: lanes of other paths; with
 * tail capture, all others. */
static double
others_fill(const Case *c, uint32_t i)
{
	double rest = 1 - c->of[i].lanes, sum = 0;

	for (uint32_t k = 0; k < c->site->ncuts; k++)
		sum += k != i && c->site->cuts[k].filled > 0 ? c->of[k].lanes : 0;
	return c->site->cuts[i].rest || sum > rest ? rest : sum;
}

/* Share of path i's sectors that other lanes also write, but so much earlier that L2 has evicted
 * them: neighbouring lanes write a sector together, but tasks and selected iterations come
 * later. */
static double
torn(const Case *c, uint32_t i)
{
	enum { NEIGHBOURS = 4, KEPT = 5 };
	double p = c->of[i].lanes, others = others_fill(c, i);
	double none = wanted_power(1 - p, NEIGHBOURS),
	       alone = wanted_power(1 - others, NEIGHBOURS) -
		       wanted_power(1 - others - p, NEIGHBOURS);

	return (1 - none - alone) * wanted_power(1 - p, KEPT);
}

/* Bandwidth demand of written sectors on memory behind the caches. A partially written sector is
 * read again and written twice. */
static double
filled(const Case *c, Annot_policy policy)
{
	const Gain_site *s = c->site;
	bool later = policy == POLICY_STACK || policy == POLICY_QUEUE || policy == POLICY_AHEAD;
	double own = 1, bytes = 0;

	for (uint32_t i = 0; i < s->ncuts; i++) {
		const Gain_cut *k = &s->cuts[i];
		if (k->inner)
			continue;
		own -= k->rest ? c->of[i].lanes : 0;
		bytes += k->filled *
			(c->of[i].lanes + (later && k->taken ? TORN * torn(c, i) : 0));
	}
	bytes += s->filled * at_least(own, 0);
	return WARP_LANES * bytes / (s->stream > 0 ? s->stream : COST_STREAM) * COST_ISSUING;
}

static double
all(const Case *c, Annot_policy policy, uint32_t n)
{
	double sum = 0;

	for (Want w = ISSUE; w < NWANTS; w++) {
		Case of = w == WAITS ? last_warp(c) : *c;
		of.want = w;
		sum += wanted_power(slots_of(w) * wanted(&of, policy, n), 2);
	}
	if (sum <= 0) /* unknown policy */
		return 0;
	sum += wanted_power(wanted_last(c, policy, n), 2) + wanted_power(in_one_line(c), 2);
	return at_least(gain_root(sum), filled(c, policy));
}

double
wanted_as_it_is(const Case *c)
{
	return all(c, POLICY_AUTO, 0);
}

double
wanted_by(const Case *c, Annot_policy policy, uint32_t n)
{
	if (policy == POLICY_AUTO)
		return 0;
	if (policy != POLICY_EXPAND || !n)
		return all(c, policy, n);
	double laid = all(c, policy, 0), here = all(c, policy, n);
	return here < laid ? here : laid;
}
