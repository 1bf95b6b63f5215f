/* SPDX-License-Identifier: MIT */
/* What a policy is expected to gain, by what the loop wants of the machine (cost_model.h). See
 * speedup.h; docs/choosing.md compares it with what was measured.
 *
 * Where nobody has measured how many lanes take a path, each of six shares counts the same: 1, 4,
 * 8, 16, 24 and 31 of 32, lanes deciding each for itself. Several paths side by side divide the
 * share. An inner loop has 8 iterations then, the longest of a warp's 4 times as many as the mean;
 * or as many as it always has, in all lanes.
 */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

enum { TRIPS = 8, SPREAD = 4 };

static const double shares[] = { 1, 4, 8, 16, 24, 31 };
enum { NSHARES = sizeof shares / sizeof *shares };
/* The root of the number of iterations that a lane has, where nobody has counted it. In a loop over
 * all tasks it is about four, in one that stands in another it may be any. */
static const double few[NSHARES] = { 2, 2, 3, 4, 6, 8 };
static const double FEW = 2, MANY = 8;

/* What must be gained by a profile's counts; without, and how much of what may be lost besides. */
static const double LEAST_MEASURED = 1.04, LEAST = 1.02, OF_LOSS = 0.5;

/* What a loop is worth whose warps lose, and go on in the loop as it was: it is for loops that may
 * lose more. What it takes to see that, for a round, and for a batch of looks. */
static const double RETREATED = 0.98, ACCOUNT = 5, ACCOUNT_AHEAD = 30;

/* ---- numbers --------------------------------------------------------------------------------- */

/* By Newton's method, from above: as long as it comes down. */
double
gain_root(double x)
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
siblings(const Gain_site *s, const Gain_cut *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->ncuts; i++)
		n += s->cuts[i].outer == k->outer && !s->cuts[i].always;
	return n;
}

/* Of a cut that so many of 32 lanes come to; of one inside another: of those that come to that. */
static Gain_share
assumed(const Gain_site *s, const Gain_cut *k, double lanes)
{
	Gain_share h = { .lanes = k->always ? 1 : lanes / WARP_LANES / siblings(s, k),
		.trips = k->trips > 0 ? k->trips : TRIPS, .spread = k->trips > 0 ? 1 : SPREAD };

	h.warps = 1 - wanted_power(1 - h.lanes, WARP_LANES);
	return h;
}

static void
fill(Case *c, double lanes)
{
	for (uint32_t i = 0; i < c->site->ncuts; i++) {
		const Gain_cut *k = &c->site->cuts[i];
		c->of[i] = k->known ? k->share : assumed(c->site, k, lanes);
		if (k->known || !k->outer)
			continue;
		c->of[i].lanes *= c->of[k->outer - 1].lanes;
		c->of[i].warps = 1 - wanted_power(1 - c->of[i].lanes, WARP_LANES);
	}
}

static bool
all_known(const Gain_site *s)
{
	for (uint32_t i = 0; i < s->ncuts; i++)
		if (!s->cuts[i].known)
			return false;
	return s->ncuts > 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What a retreat adds to an iteration. */
static double
account(Annot_policy policy, uint32_t n)
{
	return policy == POLICY_AHEAD ? ACCOUNT_AHEAD / (n ? n : WARP_LANES) :
					ACCOUNT / (n ? n : 1);
}

/* Of n iterations that were counted. A loop over all tasks may have more where they were than where
 * it is to run, if that was with few threads. */
static double
root_of_iterations(const Gain_site *s, double n)
{
	double most = s->tasks ? FEW : MANY;

	return n > 0 && (!s->tasks || n < most * most) ? gain_root(n) : most;
}

/* May the loop have more iterations than were counted? One over all tasks has as many as the launch
 * is large, and what is counted is often a small one. Then it is the time of two launches that
 * counts, that one's and that of one with as many as are taken for few: what is gained in the large
 * one must be more than what is lost in the small one. */
static bool
may_be_longer(const Gain_site *s)
{
	return s->tasks && s->iterations > 0 && s->iterations < FEW * FEW;
}

/* Its worth for each share of lanes; or for as many lanes as were counted. */
static Gain
worth(const Gain_site *s, Annot_policy policy, uint32_t n, bool retreats)
{
	Case c = { .site = s, .measured = all_known(s) };
	Gain g = { .measured = all_known(s), .retreats = retreats };
	uint32_t cases = g.measured ? 1 + may_be_longer(s) : NSHARES;
	double longer = FEW * FEW, all = may_be_longer(s) ? s->iterations + longer : 1;

	for (uint32_t i = 0; i < cases; i++) {
		fill(&c, shares[i]);
		c.iterations = i && g.measured ? longer : s->iterations;
		double part = !g.measured ? 1.0 / NSHARES : cases > 1 ? c.iterations / all : 1;
		c.uneven = 1 / (g.measured ? root_of_iterations(s, c.iterations) : few[i]);
		double b = wanted_as_it_is(&c), a = wanted_by(&c, policy, n);
		a += a > 0 && retreats ? account(policy, n) : 0;
		if (retreats && a > b / RETREATED)
			a = b / RETREATED;
		double ratio = a > 0 ? b / a : 0, last = wanted_last(&c, policy, n);
		g.shared += gain_root(a > last ? a * a - last * last : 0) * part;
		g.before += b * part;
		g.after += a * part;
		g.least = i && g.least < ratio ? g.least : ratio;
		g.most = g.most > ratio ? g.most : ratio;
	}
	return g;
}

Gain
gain_of(const Gain_site *s, Annot_policy policy, uint32_t n)
{
	if (!s->ncuts || s->ncuts > GAIN_CUTS)
		return (Gain){ .measured = all_known(s) };
	Gain g = worth(s, policy, n, false);
	return s->retreats && (s->asked || g.least < RETREATED) ? worth(s, policy, n, true) : g;
}

bool
gain_suffices(const Gain *g)
{
	double risk = g->least < 1 ? OF_LOSS * (1 - g->least) : 0;

	return gain_ratio(g) >= (g->measured ? LEAST_MEASURED : LEAST + risk);
}
