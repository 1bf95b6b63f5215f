/* SPDX-License-Identifier: MIT */
/* Expected speedup of a policy: the ratio of demands (cost_model.h) before and after. See
 * speedup.h; docs/measurements/cost-model.md compares it with measurements.
 *
 * Without a profile, six shares of lanes have equal weight: 1, 4, 8, 16, 24 and 31 of 32, with
 * independent lanes. Alternative paths divide the share. An inner loop has its constant trip count
 * in all lanes, or is assumed to have 8 iterations in the mean, and 4 times as many in a warp's
 * slowest lane. */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

enum { TRIPS = 8, SPREAD = 4 };

static const double shares[] = { 1, 4, 8, 16, 24, 31 };
enum { NSHARES = sizeof shares / sizeof *shares };
/* Root of the number of iterations of a lane, if unknown. A loop over all tasks has about four; a
 * nested loop may have any number. */
static const double few[NSHARES] = { 2, 2, 3, 4, 6, 8 };
static const double FEW = 2, MANY = 8;

/* Minimal ratio with a profile; without one; and the share of the possible loss that must be gained
 * in addition. */
static const double LEAST_MEASURED = 1.04, LEAST = 1.02, OF_LOSS = 0.5;

/* Assumed ratio of a warp that falls back to the original loop; loops that may lose more use it.
 * Slots for the fallback credit, per round and per batch of look-ahead iterations. */
static const double RETREATED = 0.98, ACCOUNT = 5, ACCOUNT_AHEAD = 30;

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* Newton's method from above, until it stops decreasing. */
double
newton_sqrt(double x)
{
	double y, next = x > 1 ? x : 1;

	do {
		y = next;
		next = (y + x / y) / 2;
	} while (next < y);
	return y;
}

/* ---- shares ---------------------------------------------------------------------------------- */

static uint32_t
count_siblings(const Cost_site *s, const Cost_region *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nregions; i++)
		n += s->regions[i].outer == k->outer && !s->regions[i].always;
	return n;
}

/* Assumed share of a region that `lanes` of 32 lanes in the loop execute; for a nested region, of
 * those that execute the enclosing one. */
static Execution_share
assumed_share(const Cost_site *s, const Cost_region *k, double lanes)
{
	const double all = lanes_of_iteration(s),
		     p = k->always ? 1 : lanes / WARP_LANES / count_siblings(s, k);

	return (Execution_share){ .lanes = p * all / WARP_LANES,
		.warps = 1 - model_power(1 - p, (uint32_t)(all + 0.5)),
		.trips = k->trips > 0 ? k->trips : TRIPS,
		.spread = k->trips > 0 ? 1 : k->share.spread > 0 ? k->share.spread : SPREAD };
}

static void
set_shares(Cost_query *c, double lanes)
{
	for (uint32_t i = 0; i < c->site->nregions; i++) {
		const Cost_region *k = &c->site->regions[i];
		c->shares[i] = k->measured ? k->share : assumed_share(c->site, k, lanes);
		if (k->measured || !k->outer)
			continue;
		c->shares[i].lanes *= c->shares[k->outer - 1].lanes;
		c->shares[i].warps = 1 - model_power(1 - c->shares[i].lanes, WARP_LANES);
	}
}

/* Sets the share of the exits' code. In a loop without regions it is assumed if it was not counted:
 * `lanes` of 32 lanes leave by such an exit, each in any iteration of the warp's longest lane. */
static void
set_exit_share(Cost_query *c, double lanes)
{
	const double trips = TRIPS * SPREAD;

	c->exit = c->site->exit.share;
	if (c->site->nregions || c->site->exit.measured)
		return;
	c->iterations = trips;
	c->exit.lanes = lanes / WARP_LANES / trips;
	c->exit.warps = 1 - model_power(1 - 1 / trips, (uint32_t)lanes);
}

static bool
all_measured(const Cost_site *s)
{
	if (!s->nregions)
		return s->exit.measured;
	for (uint32_t i = 0; i < s->nregions; i++)
		if (!s->regions[i].measured)
			return false;
	return true;
}

/* ---- expected gain --------------------------------------------------------------------------- */

/* Slots per iteration for the fallback credit. */
static double
fallback_overhead(Annot_policy policy, uint32_t n)
{
	return policy == POLICY_AHEAD ? ACCOUNT_AHEAD / (n ? n : WARP_LANES) :
					ACCOUNT / (n ? n : 1);
}

/* Root of the number of iterations, of which n were counted. A loop over all tasks may have been
 * counted in a launch with fewer threads than usual, and so with more iterations. */
static double
root_of_iterations(const Cost_site *s, double n)
{
	double most = s->over_tasks ? FEW : MANY;

	return n > 0 && (!s->over_tasks || n < most * most) ? newton_sqrt(n) : most;
}

/* Whether the loop may have more iterations than were counted. A loop over all tasks grows with the
 * launch, and counted launches are often small. Then the times of two launches are added: the
 * counted one, and one with the assumed number of iterations. So the gain in the large launch must
 * exceed the loss in the small one. */
static bool
loop_may_run_longer(const Cost_site *s)
{
	return s->over_tasks && !s->launch.is_counted && s->iterations > 0 &&
		s->iterations < FEW * FEW;
}

/* Sets the resource that bounds most of the original loop's time. */
static void
set_limit(Speedup *g, const double *without)
{
	const double MOST = 0.5;

	for (Time_bound k = BOUND_ACCESSES; k <= BOUND_BANDWIDTH; k++) {
		double share = g->before > 0 ? 1 - without[k] / g->before : 0;
		if (share <= MOST || share <= g->limited)
			continue;
		g->limit = k;
		g->limited = share;
	}
}

/* Averages over the assumed shares of lanes, or evaluates the counted ones. */
static Speedup
expected_speedup(const Cost_site *s, Annot_policy policy, uint32_t n, bool has_fallback)
{
	Cost_query c = { .site = s, .measured = all_measured(s) };
	Speedup g = { .measured = all_measured(s), .has_fallback = has_fallback };
	uint32_t cases = g.measured ? 1 + loop_may_run_longer(s) : NSHARES;
	double longer = FEW * FEW, all = loop_may_run_longer(s) ? s->iterations + longer : 1;

	double without[BOUND_BANDWIDTH + 1] = { 0 };
	for (uint32_t i = 0; i < cases; i++) {
		set_shares(&c, shares[i]);
		c.iterations = i && g.measured ? longer : s->iterations;
		set_exit_share(&c, shares[i]);
		double fraction = !g.measured ? 1.0 / NSHARES : cases > 1 ? c.iterations / all : 1;
		c.uneven = 1 / (g.measured ? root_of_iterations(s, c.iterations) : few[i]);
		const Policy_time after = model_policy(&c, policy, n);
		const Policy_time was = model_original(&c);
		double b = was.all, a = after.all;
		a += a > 0 && has_fallback ? fallback_overhead(policy, n) : 0;
		if (has_fallback && a > b / RETREATED)
			a = b / RETREATED;
		double ratio = a > 0 ? b / a : 0;
		g.no_effect = g.measured && policy == POLICY_WAIT && waiting_changes_nothing(&c, n);
		g.shared += max_double(after.shared + a - after.all, 0) * fraction;
		g.streamed += model_memory_traffic(&c, policy) * fraction;
		g.before += b * fraction;
		g.after += a * fraction;
		g.least = i && g.least < ratio ? g.least : ratio;
		g.most = g.most > ratio ? g.most : ratio;
		if (!g.measured && ratio >= 1) {
			g.lanes_from = g.lanes_from ? g.lanes_from : (uint32_t)shares[i];
			g.lanes_to = (uint32_t)shares[i];
		}
		for (Time_bound k = BOUND_ACCESSES; k <= BOUND_BANDWIDTH; k++)
			without[k] += time_without(&was, k) * fraction;
	}
	if (g.measured)
		set_limit(&g, without);
	return g;
}

/* Whether a task loop gains in a launch that gives a lane LARGE_LAUNCH iterations, by the counts of
 * a smaller one. */
static bool
larger_launch_gains(const Cost_site *s, Annot_policy policy, uint32_t n)
{
	Cost_query c = { .site = s, .measured = true, .iterations = LARGE_LAUNCH };

	set_shares(&c, WARP_LANES);
	c.exit = s->exit.share;
	c.uneven = 1 / newton_sqrt(LARGE_LAUNCH);
	const double after = model_policy(&c, policy, n).all;
	return after > 0 && model_original(&c).all / after >= LEAST_MEASURED;
}

Speedup
speedup_of(const Cost_site *s, Annot_policy policy, uint32_t n)
{
	if ((!s->nregions && s->exit.work.issue <= 0) || s->nregions > COST_REGIONS)
		return (Speedup){ .measured = all_measured(s) };
	Speedup g = expected_speedup(s, policy, n, false);
	if (s->has_fallback && (s->fallback_requested || g.least < RETREATED))
		g = expected_speedup(s, policy, n, true);
	if (g.measured && s->iterations < LARGE_LAUNCH && s->launch.needed_tasks > 0 &&
		larger_launch_gains(s, policy, n))
		g.needed_tasks = s->launch.needed_tasks;
	return g;
}

bool
speedup_is_better(const Speedup *a, const Speedup *b)
{
	const double ra = speedup_ratio(a), rb = speedup_ratio(b);

	return ra > rb || (ra == rb && a->shared < b->shared);
}

bool
speedup_is_near(const Speedup *a, const Speedup *best)
{
	const double SAME = 1.02;

	return speedup_ratio(a) * SAME >= speedup_ratio(best) && a->shared <= best->shared * SAME;
}

bool
speedup_suffices(const Speedup *g)
{
	double risk = g->least < 1 ? OF_LOSS * (1 - g->least) : 0;

	return speedup_ratio(g) >= (g->measured ? LEAST_MEASURED : LEAST + risk);
}
