/* SPDX-License-Identifier: MIT */
/* Demand of waiting policies: lanes keep their iterations and look ahead, run the inner loop
 * independently of each other, or wait before a path. See cost_model.h. */
#include "transform/cost/cost.h"
#include "transform/cost/cost_model.h"

/* ahead, in slots or as a factor of common code, calibrated on the samples: overhead of a selected
 * iteration; overhead of a look-ahead iteration, and its saving if branch-free; share of common
 * code that remains if branch-free, for the fallback credit; share of common code in a selected
 * iteration that runs the slice only. If the busiest lane is unknown, lanes are neither all alike
 * nor independent: it is assumed to be RANDOM of the way from the mean to the maximum of
 * independent lanes, and at least there. */
static const double NOTED = 2.4, LOOK = 4, SPARED = 4.5, IN_A_ROW = 0.6;
static const double STRAIGHT = 0.3, RANDOM = 0.35;

/* ahead: branch-free look-ahead iterations whose loads overlap */
static const double SIDE = 4;

/* flatten(n): slots of an inner iteration that count those until the next meeting */
static const double COUNT = 3;

/* wait: slots of a vote with its branches; waiting lanes slow a round down, by half if STAND_BY / 2
 * lanes must gather. Path probability is clamped below at RAREST. The last lanes of a loop run the
 * path TAIL_RUNS times without the others. */
static const double VOTE = 14, STAND_BY = 64, RAREST = 1.0 / 1024, TAIL_RUNS = 2;

/* ---- look-ahead ------------------------------------------------------------------------------ */

/* Expected maximum over 32 lanes of the number of iterations, out of n, that a lane selects with
 * probability p. */
static double
expected_maximum(double p, uint32_t n)
{
	double one = model_power(1 - p, n), upto = one, mean = 0;

	for (uint32_t m = 0; m < n; m++) {
		mean += 1 - model_power(upto, WARP_LANES);
		one *= p < 1 ? p / (1 - p) * (n - m) / (m + 1) : 0;
		upto = p < 1 ? upto + one : 0;
		upto = upto < 1 ? upto : 1;
	}
	return mean;
}

/* Share of lanes that need any of the paths in an iteration, assuming that none needs two. */
static Execution_share
wanting_share(const Cost_query *c)
{
	Execution_share h = { 0 };
	bool known = true;

	EACH_POLICY_REGION(c, i)
		if (!c->site->regions[i].outer) {
			h.lanes += c->shares[i].lanes;
			h.warps += c->shares[i].warps;
			h.whole += c->shares[i].whole;
			known = known && c->shares[i].whole > 0;
		}
	h.lanes = h.lanes < 1 ? h.lanes : 1;
	h.warps = h.warps < 1 ? h.warps : 1;
	h.whole = !known ? 0 : h.whole < 1 ? h.whole : 1;
	return h;
}

/* By how many iterations of n, divided by n, the busiest of 32 independent lanes exceeds the mean.
 * Beyond MOST it decreases with the root of n. */
static double
independent_excess(double p, double n)
{
	const double MOST = 256;

	if (n > MOST)
		return independent_excess(p, MOST) * newton_sqrt(MOST / n);
	return n >= 1 ? max_double(expected_maximum(p, (uint32_t)(n + 0.5)) / n - p, 0) : 0;
}

/* How unlike lanes are. random: of what independent lanes differ by; biased: share of the
 * iterations that the busiest lane needs in addition, in any batch. */
typedef struct { double random, biased; } Unevenness;

/* A profile has the busiest lane of whole executions of the loop. If it exceeds what independent
 * lanes reach in as many iterations, some lanes need the path more often than others. */
static Unevenness
unevenness_of(const Cost_query *c, const Execution_share *h)
{
	double apart = h->whole - h->lanes,
	       expected = independent_excess(h->lanes, c->site->iterations);

	if (h->whole <= 0 || expected <= 0)
		return (Unevenness){ RANDOM, 0 };
	return (Unevenness){ apart > expected ? 1 : max_double(apart / expected, RANDOM),
		max_double(apart - expected, 0) };
}

/* Returns the runs of selected iterations per iteration, for batches of n and the remainder. A loop
 * shorter than a batch has at least one if any lane needs it. Every run is needed by some lane:
 * lanes that need the same iterations run them together, as in the original loop. */
static double
selected_runs(const Cost_query *c, const Execution_share *h, uint32_t n)
{
	const Unevenness u = unevenness_of(c, h);
	double p = h->lanes;
	double all = c->iterations, batches = (double)(uint32_t)(all / n);
	double rest = all - batches * n, most = expected_maximum(p, (uint32_t)rest), few = p;

	most += (rest - (uint32_t)rest) * (expected_maximum(p, (uint32_t)rest + 1) - most);
	if (all > 0 && all < n)
		few = max_double(p, (1 - model_power(1 - p, WARP_LANES)) / all);
	most = all > 0 ? (batches * expected_maximum(p, n) + most) / all :
			 expected_maximum(p, n) / n;
	double runs = few + u.random * (max_double(most, few) - few) + u.biased;
	return runs < h->warps ? runs : h->warps;
}

double
lanes_selected(const Cost_query *c, uint32_t i, uint32_t n)
{
	const Execution_share h = wanting_share(c);
	double runs = selected_runs(c, &h, n);

	return runs > 0 ? WARP_LANES * c->shares[i].lanes / runs : 0;
}

/* Demand of selected iterations whose lanes need different paths. */
static double
selected_paths(const Cost_query *c, double p, double times)
{
	double sum = 0;

	EACH_POLICY_REGION(c, i) {
		double fraction = c->shares[i].lanes / p;
		double warps = fraction < 1 ? 1 - model_power(1 - fraction, WARP_LANES) : 1;
		double lanes = WARP_LANES * c->shares[i].lanes / times / warps;
		sum += warps > 0 ? warps * model_region_run(c, i, lanes) : 0;
	}
	return sum;
}

double
lookahead_overhead(const Cost_site *s)
{
	return common_code_slots(s) * (s->branch_free ? IN_A_ROW - 1 : 0) + LOOK;
}

double
selected_overhead(const Cost_site *s)
{
	return NOTED + common_code_slots(s) * (s->path_alone ? STRAIGHT : 1) +
		(s->meets_before_run ? RECONVERGENCE_SLOTS : 0);
}

/* The same for any resource: a selected iteration repeats the reads that it needs. */
static double
lookahead_cost(const Cost_query *c)
{
	if (c->resource == RESOURCE_ISSUE)
		return model_common_code(c) + LOOK - (c->site->branch_free ? SPARED : 0) -
			c->site->saved_slots;
	return model_overlapped_run(
		c, &c->site->common, model_common_code(c), c->site->branch_free ? SIDE : 1);
}

static double
selected_cost(const Cost_query *c)
{
	return c->resource == RESOURCE_ISSUE ? selected_overhead(c->site) :
				  model_common_code(c) * (c->site->path_alone ? STRAIGHT : 1);
}

double
model_lookahead(const Cost_query *c, uint32_t n)
{
	const Execution_share h = wanting_share(c);
	double times = selected_runs(c, &h, n);

	return lookahead_cost(c) +
		(times > 0 ? times * (selected_cost(c) + selected_paths(c, h.lanes, times)) : 0);
}

/* ---- meeting and waiting --------------------------------------------------------------------- */

/* In each round, lanes in the inner loop run n iterations, and those at its end run common code. A
 * lane is idle for the rest of the round in which its inner loop ends: half a round in the mean. */
typedef struct {
	double rounds;
	double entered, lanes;  /* lanes of a warp in the loop: at first; in a round */
	double inside;          /* share of those that are in the inner loop */
	double ends;            /* share of the rounds in which a lane runs common code */
} Flattened;

/* Returns the rounds of a warp for each of its iterations of the original loop. A profile has the
 * inner iterations of the lane with most; an iteration of the loop around that has none takes a
 * round, too. needs: share of the iterations that have some; mean: rounds of one; least: if all
 * lanes are in the loop until its end. */
static double
longest_lane_rounds(
	const Cost_query *c, const Execution_share *h, double needs, double mean, double least)
{
	double most = max_double(longest_trip_count(h), mean), own = h->whole + 1 - needs;

	if (c->site->draws)
		return mean;
	if (h->whole <= 0)
		return mean + (most - mean) * c->uneven;
	return max_double(own < most ? own : most, least);
}

static Flattened
flattened_rounds(const Cost_query *c, uint32_t i, uint32_t n)
{
	const Execution_share *h = &c->shares[i];
	const double all = c->site->draws ? WARP_LANES : lanes_of_iteration(c->site),
		     came = WARP_LANES * h->lanes, needs = came < all ? came / all : 1,
		     mean = needs * h->trips + 1 - needs, idle = 0.5 * (n - 1) / n;
	const double most = max_double(longest_trip_count(h), mean),
		     rounds = longest_lane_rounds(c, h, needs, mean, all * mean / WARP_LANES),
		     lanes = c->measured ? max_double(all * mean / rounds, 1) : all,
		     unlike = 1 + 2 * (most - mean) / n, apart = unlike < lanes ? unlike : lanes,
		     own = max_double(rounds, mean) / n + idle;

	return (Flattened){ rounds / n + idle, all, lanes, mean > 0 ? needs * h->trips / mean : 0,
		own > 1 ? 1 - model_power(1 - 1 / own, (uint32_t)apart) : 1 };
}

/* Returns how often a warp runs common code for each of its iterations of the original loop. All
 * lanes begin the first iteration together. */
static double
common_runs(const Cost_query *c, const Flattened *f)
{
	double first = c->iterations > 1 ? 1 / c->iterations : c->iterations > 0;

	return first + (1 - first) * f->rounds * f->ends;
}

/* No lane runs the inner loop in a round in which all are at its end. */
double
model_flattened(const Cost_query *c, uint32_t n)
{
	double sum = 0;

	EACH_POLICY_REGION(c, i) {
		Flattened f = flattened_rounds(c, i, n);
		double own = c->shares[i].lanes * c->shares[i].trips,
		       any = 1 - model_power(1 - f.inside, (uint32_t)(f.lanes + 0.5));
		double lanes = any > 0 ? WARP_LANES * own / (f.rounds * n * any) : 0;
		double inner = any * model_iteration(c, &c->site->regions[i],
					     lanes * f.entered / f.lanes, lanes);
		sum += f.rounds * (issue_slots(c, RECONVERGENCE_SLOTS) +
			n * (inner + (n > 1 ? issue_slots(c, COUNT) : 0))) +
			model_common_code_runs(c, common_runs(c, &f));
	}
	return sum;
}

double
flattened_common_runs(const Cost_query *c, uint32_t n)
{
	double runs = 0;

	EACH_POLICY_REGION(c, i) {
		Flattened f = flattened_rounds(c, i, n);
		runs = max_double(runs, common_runs(c, &f));
	}
	return runs;
}

/* Whether a profile shows that lanes leave the loop at different times, by more than a few. */
static bool
lanes_leave(const Cost_query *c)
{
	const double FEW = 0.97;
	const Lanes_in_loop *l = &c->site->lanes;

	return l->mean > 0 && l->mean < FEW * l->entered && c->site->groups <= 1;
}

/* Follows a whole execution of the loop. The lanes in it decrease from those that entered it, as
 * (1 - t)^k in the time t of the original loop, such that their mean is the counted one; one stays
 * until the end. The path runs with fewer than n lanes if all that remain wait. */
static double
waiting_while_lanes_leave(const Cost_query *c, uint32_t i, uint32_t n)
{
	const double MOST = 2048, HALF = 0.5;
	const Lanes_in_loop *l = &c->site->lanes;
	const double k = l->entered / l->mean - 1,
		     needs = max_double(c->shares[i].lanes / l->mean, RAREST),
		     p = needs < 1 ? needs : 1,
		     all = c->iterations < MOST ? max_double(c->iterations, 1) : MOST;
	double run = WARP_LANES * l->entered, waiting = 0, done = 0, cost = 0, paths = 0, sum = 0;

	while (done < all) {
		double left = all - done, stay = left > k ? 1 - k / left : 0;
		done += run / (run + waiting);
		waiting += p * stay * run;
		run = max_double((1 - p) * stay * run, 1 - waiting); /* the longest lane */
		cost += model_common_code(c) + issue_slots(c, VOTE);
		if (waiting < n - HALF && run >= HALF)
			continue;
		double any = waiting < 1 ? waiting : 1;
		cost += any * model_region_run(c, i, max_double(waiting, 1));
		paths += any;
		sum += any * waiting;
		run += waiting;
		waiting = 0;
	}
	return cost / all * (1 + (paths > 0 ? sum / paths : 0) / STAND_BY);
}

bool
waiting_changes_nothing(const Cost_query *c, uint32_t n)
{
	bool any = false;

	EACH_POLICY_REGION(c, i) {
		any = true;
		if (c->site->regions[i].inner || lanes_together(&c->shares[i]) < n)
			return false;
	}
	return any;
}

/* Lanes wait before a path until n of them do, up to half a lane; until then ever fewer lanes run
 * common code in each round. At the end of the loop those that have waited most are alone. */
double
model_waiting(const Cost_query *c, uint32_t i, uint32_t n)
{
	const Execution_share *h = &c->shares[i];
	double p = max_double(h->lanes, RAREST), waiting = 0, rounds = 0, iterations = 0;

	if (lanes_together(h) >= n)
		return model_common_code(c) + issue_slots(c, VOTE) + model_region_unchanged(c, i);
	if (lanes_leave(c) && c->resource != RESOURCE_MEMORY)
		return waiting_while_lanes_leave(c, i, n);
	for (; waiting < n - 0.5; waiting += (WARP_LANES - waiting) * p, rounds++)
		iterations += (WARP_LANES - waiting) / WARP_LANES;
	double path = h->lanes / p * model_region_run(c, i, waiting);
	if (c->resource == RESOURCE_MEMORY) /* the number of accesses does not change */
		return model_common_code(c) + path / iterations;
	double all = rounds * (model_common_code(c) + issue_slots(c, VOTE)) + path;
	double tail = c->iterations > 0 ? 1 / c->iterations : 0;
	tail *= rounds * (model_common_code(c) + issue_slots(c, VOTE)) / 2 +
		TAIL_RUNS * model_region_run(c, i, waiting / 2);
	return all / iterations * (1 + n / STAND_BY) + tail;
}

/* ---- look-ahead with a known trip count ------------------------------------------------------ */

uint32_t
lookahead_batch_size(const Plan *x, uint32_t n)
{
	uint32_t trips = x->lookahead ? x->lookahead->trip_count : 0;

	if (!trips)
		return n;
	for (uint32_t m = n; m > n / 2; m--)
		if (trips % m == 0)
			return m;
	uint32_t batches = (trips + n - 1) / n;
	return (trips + batches - 1) / batches;
}

/* Whether common code uses the register only for counting, for the test, or in addresses. ptxas
 * then replaces its values by literals in a branch-free group. */
static bool
register_only_counts(const Plan *x, const Induction *i, uint32_t test)
{
	const Lockstep *l = &x->lookahead->lockstep;

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
loop_test(const Fn *fn, const Trip_count *t)
{
	uint32_t test = 0;

	FN_USES_OF_STMT(fn, cfg_terminator(fn->cfg, t->last), u)
		FN_REACH(fn, u, d)
			test = fn_def(fn, d)->stmt;
	return test;
}

uint32_t
lookahead_spared_insns(const Plan *x)
{
	const Trip_count *t = x->lookahead->known_trips;
	uint32_t n = 2;         /* the test, and the lane's progress counter */

	if (!t)
		return 0;
	for (uint32_t i = 0; i < t->nsteps; i++)
		n += register_only_counts(x, &t->steps[i], loop_test(x->fn, t));
	return n;
}
