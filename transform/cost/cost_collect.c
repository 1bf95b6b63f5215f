/* SPDX-License-Identifier: MIT */
/* Demand of collecting policies and expansion. See cost_model.h.
 *
 * Votes and meetings occur in every iteration; tasks and rows only where they exist. The number of
 * runs by full warps is the number of tasks over 32, plus what is left after the last iteration. */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

/* Overhead of a collecting policy in slots, calibrated on the samples. Votes of an iteration: a
 * constant part, a part shared by the U iterations of a batch, and one for each of them. Of a task:
 * a constant part, and one for each word. */
static const struct {
	Annot_policy policy;
	double vote, round, iteration, task, word;
} collecting[] = {
	{ POLICY_STACK, 14, 0, 0, 0, 1.5 },
	{ POLICY_QUEUE, 3, 10.3, 0.15, 0, 2.3 },
};
/* A preceding vote on whether any lane has a task or has left; the same for a batch, and for each
 * iteration of the batch. */
static const double ASK = 6, ASK_BATCH = 8, ASK_ITERATION = 1;
/* A shared vote of several paths: constant, for each bit of the path's number, and for each
 * path. */
static const double GROUP = 20, OF_BIT = 6, OF_PATH = 3;
/* divergent branches if the votes follow the iteration (no lockstep) */
static const double APART = 20;

/* expand: a round; a round with rows; a window, which is 32 iterations of short rows; a word that
 * its lanes fetch; a round in which all lanes keep their rows; a row that the warp walks, in
 * addition to WINDOW_OVERHEAD for each pass (rows.tpl) */
static const double MEETING = 6, ROWS = 30, WINDOW = 30, FETCH = 1, KEPT = 16, LONG = 10;

/* Iterations of the outer loop if their number is unknown. */
static const double ROUNDS = 8;

/* ---- tasks ----------------------------------------------------------------------------------- */

static uint32_t policy_row(Annot_policy policy) { return policy == POLICY_QUEUE; }

double
vote_overhead(Annot_policy policy, double n, bool lockstep)
{
	uint32_t row = policy_row(policy);

	return collecting[row].vote + collecting[row].round / n + collecting[row].iteration * n +
		(lockstep ? 0 : APART);
}

double
task_overhead(Annot_policy policy, const Cost_region *k)
{
	uint32_t row = policy_row(policy);

	return collecting[row].task + collecting[row].word * k->words + k->task_extra;
}

/* ---- lane loops ------------------------------------------------------------------------------ */

/* Rows of at least 32 iterations, which the warp walks, per iteration of the outer loop; passes
 * over them; and passes over the remaining iterations. Trip counts are assumed to be exponentially
 * distributed. */
typedef struct { double rows, laps, windows; } Expansion_cost;

static Expansion_cost
expansion_counts(const Cost_region *k, const Execution_share *h)
{
	double more = h->trips > 1 ? model_power(1 - 1 / h->trips, WARP_LANES) : 0;
	Expansion_cost l = { .rows = WARP_LANES * h->lanes * more };
	double full = l.rows / (1 - more), rests = k->packs ? 0 : l.rows;

	l.laps = full + rests;
	l.windows = h->lanes * h->trips - full - rests / 2;
	return l;
}

/* Demand of a lane loop that has rows in the given number of rounds of a warp. */
static double
expanded_cost(const Cost_query *c, uint32_t i, double most)
{
	const Cost_region *k = &c->site->regions[i];
	Expansion_cost l = expansion_counts(k, &c->shares[i]);
	double row = FETCH * k->words + k->task_extra;

	l.windows = max_double(l.windows, most);
	double passes = l.laps + l.windows,
	       lanes = WARP_LANES * c->shares[i].lanes * c->shares[i].trips / passes;
	double arms = model_extra_slots(k, lanes < WARP_LANES ? lanes : WARP_LANES);
	return issue_slots(c,
		       most * ROWS + l.rows * (LONG + row) + l.laps * WINDOW_OVERHEAD +
			       l.windows * (WINDOW + row) + passes * arms) +
		passes * model_adjacent_lanes(c, &k->work);
}

/* ---- policies -------------------------------------------------------------------------------- */

/* Demand of the queues' shared vote. The number of the last path has one more bit at each power of
 * two. */
static double
shared_vote_cost(const Cost_query *c)
{
	double sum = GROUP + APART;
	uint32_t paths = 0;

	EACH_POLICY_REGION(c, i) {
		sum += OF_PATH + (paths & (paths + 1) ? 0 : OF_BIT);
		paths++;
	}
	return sum;
}

/* Batch size n, or the trip count if that is smaller. */
static double
clamp_iterations(const Cost_query *c, double n)
{
	return c->iterations > 0 && c->iterations < n ? c->iterations : n;
}

/* Returns the share of the warp's runs of n iterations in which some lane has a task. Lanes that
 * leave an inner loop one by one may run a path several times in an iteration. */
static double
share_with_task(const Execution_share *h, double n)
{
	return h->warps < 1 ? 1 - model_power(1 - h->warps, (uint32_t)(n + 0.5)) : 1;
}

/* Slots of a path's votes per iteration of common code, for a batch of that size. If warps first
 * vote on whether any lane has a task, the other votes only occur in rounds in which some lane has
 * one. */
static double
vote_cost(const Cost_query *c, uint32_t i, Annot_policy policy, double iterations)
{
	double all = vote_overhead(policy, iterations, c->site->lockstep);

	if (!c->site->regions[i].asked_first)
		return all;
	double ask = iterations > 1 ? ASK_BATCH / iterations + ASK_ITERATION : ASK;
	return ask + share_with_task(&c->shares[i], iterations) * all;
}

/* Returns the runs of a path by full warps per iteration. The remainder after the last one counts
 * as half a run. */
static double
full_warp_runs(const Cost_query *c, const Execution_share *h)
{
	double n = c->iterations, any = n > 0 ? share_with_task(h, n) : 0;

	if (n <= 0 || c->resource == RESOURCE_MEMORY)
		return h->lanes;
	double all = max_double(h->lanes * n + any / 2, any);
	return all < h->warps * n ? all / n : h->warps;
}

/* Runs of a collected inner loop per iteration of the outer loop. Lanes that have finished their
 * row take tasks of others, so the runs are as many as the mean lane's, until the outer loop ends:
 * then no new row fills the place of a finished one, and the longest lane ends alone. With one
 * iteration of the outer loop that is all, and nothing is gained. */
static double
collected_row_runs(const Cost_query *c, const Execution_share *h)
{
	double mean = h->lanes * h->trips, n = c->iterations > 0 ? c->iterations : ROUNDS;

	if (c->resource == RESOURCE_MEMORY)
		return mean;
	return mean + max_double(longest_trip_count(h) - mean, 0) / max_double(n, 1);
}

double
model_collected(const Cost_query *c, Annot_policy policy, uint32_t n)
{
	double sum = model_overlapped_run(
			     c, &c->site->common, model_common_code(c), clamp_iterations(c, n)) +
		issue_slots(c, c->site->shares_vote ? shared_vote_cost(c) : 0);

	EACH_POLICY_REGION(c, i) {
		const Cost_region *k = &c->site->regions[i];
		const Execution_share *h = &c->shares[i];
		if (k->nested) { /* a run of the path has a task in each lane */
			sum += expanded_cost(c, i, full_warp_runs(c, &c->shares[k->outer - 1]));
			continue;
		}
		double tasks = h->lanes * (k->inner ? h->trips : 1);
		double all = k->inner ? collected_row_runs(c, h) : full_warp_runs(c, h);
		if (!c->site->shares_vote)
			sum += (k->inner ? max_double(tasks, 1) : 1) *
				issue_slots(c, vote_cost(c, i, policy, clamp_iterations(c, n)));
		double lanes = all <= tasks ? WARP_LANES : WARP_LANES * tasks / all;
		sum += all *
			(issue_slots(c, task_overhead(policy, k)) + model_region_run(c, i, lanes));
	}
	return sum;
}

double
model_expanded(const Cost_query *c)
{
	double sum = model_common_code(c) + issue_slots(c, MEETING);

	EACH_POLICY_REGION(c, i)
		sum += expanded_cost(c, i, c->shares[i].warps);
	return sum;
}

/* The test compares issue slots only. A warp's longest row is assumed to exceed the mean by
 * anything up to twice the mean excess of all warps. */
double
model_share_spread(const Cost_region *k, const Execution_share *h, double *kept)
{
	double limit = k->most_uneven - 1, excess = 2 * (h->spread - 1);

	*kept = (limit < excess ? limit : excess) / 2;
	if (limit < 0 || h->trips * h->spread >= WARP_LANES)
		return 1;
	return excess > limit ? 1 - limit / excess : 0;
}

/* Demand if the warp's test at run time keeps the rows with their owners. */
double
model_expand_declined(const Cost_query *c)
{
	double sum = model_common_code(c) + issue_slots(c, MEETING);

	EACH_POLICY_REGION(c, i)
		sum += model_region_without_inner(c, i) + issue_slots(c, c->shares[i].warps * KEPT);
	return sum;
}
