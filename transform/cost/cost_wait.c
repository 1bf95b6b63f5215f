/* SPDX-License-Identifier: MIT */
/* Demand of waiting policies: lanes keep their iterations and look ahead, run an inner loop each at
 * its own pace, or wait before a path. See cost_model.h. */
#include "transform/cost/cost.h"
#include "transform/cost/cost_model.h"

/* ahead, in slots or as a factor of common code, calibrated on the samples: overhead of a selected
 * iteration; overhead of a look-ahead iteration, and its saving if branch-free; share of common
 * code that remains if branch-free, for the fallback credit; share of common code in a selected
 * iteration that runs the slice only. Lanes are neither all alike nor independent: the busiest lane
 * is assumed to be RANDOM of the way from the mean to the maximum of independent lanes. */
static const double NOTED = 2.4, LOOK = 4, SPARED = 4.5, IN_A_ROW = 0.6;
static const double STRAIGHT = 0.3, RANDOM = 0.35;

/* ahead: branch-free look-ahead iterations whose loads overlap */
static const double SIDE = 4;

/* wait: slots of a vote with its branches; waiting lanes slow a round down, by half if STAND_BY / 2
 * lanes must gather. Path probability is clamped below at RAREST. */
static const double VOTE = 40, STAND_BY = 48, RAREST = 1.0 / 1024;

/* ---- look-ahead ------------------------------------------------------------------------------ */

/* Expected maximum over 32 lanes of the number of iterations, out of n, that a lane selects with
 * probability p. */
static double
most_wanted(double p, uint32_t n)
{
	double one = wanted_power(1 - p, n), upto = one, mean = 0;

	for (uint32_t m = 0; m < n; m++) {
		mean += 1 - wanted_power(upto, WARP_LANES);
		one *= p < 1 ? p / (1 - p) * (n - m) / (m + 1) : 0;
		upto = p < 1 ? upto + one : 0;
		upto = upto < 1 ? upto : 1;
	}
	return mean;
}

/* Share of lanes that need any of the paths in an iteration, assuming that none needs two. */
static Gain_share
wanting(const Case *c)
{
	Gain_share h = { 0 };

	EACH_TAKEN(c, i)
		if (!c->site->cuts[i].outer) {
			h.lanes += c->of[i].lanes;
			h.warps += c->of[i].warps;
		}
	h.lanes = h.lanes < 1 ? h.lanes : 1;
	h.warps = h.warps < 1 ? h.warps : 1;
	return h;
}

/* Returns the runs of selected iterations per iteration, for batches of n and the remainder. A loop
 * shorter than a batch has at least one if any lane needs it. Every run is needed by some lane:
 * lanes that need the same iterations run them together, as in the original loop. */
static double
noted_runs(const Case *c, const Gain_share *h, uint32_t n)
{
	double p = h->lanes;
	double all = c->iterations, batches = (double)(uint32_t)(all / n);
	double rest = all - batches * n, most = most_wanted(p, (uint32_t)rest), few = p;

	most += (rest - (uint32_t)rest) * (most_wanted(p, (uint32_t)rest + 1) - most);
	if (all > 0 && all < n)
		few = at_least(p, (1 - wanted_power(1 - p, WARP_LANES)) / all);
	most = all > 0 ? (batches * most_wanted(p, n) + most) / all : most_wanted(p, n) / n;
	double runs = few + RANDOM * (at_least(most, few) - few);
	return runs < h->warps ? runs : h->warps;
}

/* Demand of selected iterations whose lanes need different paths. */
static double
noted_paths(const Case *c, double p, double times)
{
	double sum = 0;

	EACH_TAKEN(c, i) {
		double part = c->of[i].lanes / p;
		double warps = part < 1 ? 1 - wanted_power(1 - part, WARP_LANES) : 1;
		double lanes = WARP_LANES * c->of[i].lanes / times / warps;
		sum += warps > 0 ? warps * wanted_run_of(c, i, lanes) : 0;
	}
	return sum;
}

double
gain_look(const Gain_site *s)
{
	return wanted_own_slots(s) * (s->row ? IN_A_ROW - 1 : 0) + LOOK;
}

double
gain_noted(const Gain_site *s)
{
	return NOTED + wanted_own_slots(s) * (s->straight ? STRAIGHT : 1) +
		(s->gathers ? TOGETHER : 0);
}

/* The same for any resource: a selected iteration repeats the reads that it needs. */
static double
look(const Case *c)
{
	if (c->want == ISSUE)
		return wanted_own(c) + LOOK - (c->site->row ? SPARED : 0) - c->site->spared;
	return wanted_in_row(c, &c->site->own, wanted_own(c), c->site->row ? SIDE : 1);
}

static double
noted(const Case *c)
{
	return c->want == ISSUE ? gain_noted(c->site) :
				  wanted_own(c) * (c->site->straight ? STRAIGHT : 1);
}

double
wanted_looked_ahead(const Case *c, uint32_t n)
{
	const Gain_share h = wanting(c);
	double times = noted_runs(c, &h, n);

	return look(c) + (times > 0 ? times * (noted(c) + noted_paths(c, h.lanes, times)) : 0);
}

/* ---- meeting and waiting --------------------------------------------------------------------- */

/* In each round, lanes in the inner loop run an iteration, and those at its end run common code. */
double
wanted_flattened(const Case *c)
{
	double sum = 0;

	EACH_TAKEN(c, i) {
		const Gain_share *h = &c->of[i];
		double mean = h->lanes * h->trips + 1 - h->lanes,
		       most = at_least(longest(h), mean);
		double rounds = mean + (most - mean) * c->uneven;
		double ends = 1 - wanted_power(1 - 1 / rounds, WARP_LANES);
		sum += rounds * (slots(c, TOGETHER) + ends * wanted_own(c) +
			wanted_run(c, &c->site->cuts[i], WARP_LANES * mean / rounds));
	}
	return sum;
}

/* Lanes wait before a path until n of them do, up to half a lane; until then ever fewer lanes run
 * common code in each round. */
double
wanted_stood(const Case *c, uint32_t i, uint32_t n)
{
	const Gain_share *h = &c->of[i];
	double p = at_least(h->lanes, RAREST), stand = 0, rounds = 0, iterations = 0;

	if (together(h) >= n)
		return wanted_own(c) + slots(c, VOTE) + wanted_left_whole(c, i);
	for (; stand < n - 0.5; stand += (WARP_LANES - stand) * p, rounds++)
		iterations += (WARP_LANES - stand) / WARP_LANES;
	double path = h->lanes / p * wanted_run_of(c, i, stand);
	if (c->want == MEMORY) /* the number of accesses does not change */
		return wanted_own(c) + path / iterations;
	double all = rounds * (wanted_own(c) + slots(c, VOTE)) + path;
	return all / iterations * (1 + n / STAND_BY) +
		(wanted_runs(c, h) - h->lanes) * wanted_run_of(c, i, stand / 2);
}

/* ---- look-ahead with a known trip count ------------------------------------------------------ */

uint32_t
bound_batch(const Bound *b, uint32_t n)
{
	if (!b->trips)
		return n;
	for (uint32_t m = n; m > n / 2; m--)
		if (b->trips % m == 0)
			return m;
	uint32_t batches = (b->trips + n - 1) / n;
	return (b->trips + batches - 1) / batches;
}

/* Whether common code uses the register only for counting, for the test, or in addresses. ptxas
 * then replaces its values by literals in a branch-free group. */
static bool
only_counts(const Plan *x, const Induction *i, uint32_t test)
{
	const Lockstep *l = &x->lockstep;

	for (uint32_t k = 0; k < l->nchain; k++)
		FN_BLOCK_STMTS(x->fn, l->chain[k], s) {
			bool loads = ptx_flags(x->fn->m, fn_stmt(x->fn, s)) & OPF_LOAD;
			if (s == i->stmt || s == test || loads)
				continue;
			FN_READS(x->fn, s, r)
				if (r->sym == i->sym)
					return false;
		}
	return true;
}

/* Returns the statement that computes the loop's exit condition. */
static uint32_t
test_of(const Fn *fn, const Trips *t)
{
	uint32_t test = 0;

	FN_USES_OF_STMT(fn, cfg_terminator(fn->cfg, t->last), u)
		FN_REACH(fn, u, d)
			test = fn_def(fn, d)->stmt;
	return test;
}

uint32_t
bound_spared(const Plan *x)
{
	const Trips *t = x->bound.sure;
	uint32_t n = 2;         /* the test, and the lane's progress counter */

	if (!t)
		return 0;
	for (uint32_t i = 0; i < t->nsteps; i++)
		n += only_counts(x, &t->steps[i], test_of(x->fn, t));
	return n;
}
