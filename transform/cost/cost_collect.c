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
static const struct { Annot_policy policy; double vote, round, part, task, word; } collecting[] = {
	{ POLICY_STACK, 14, 0, 0, 0, 1.5 },
	{ POLICY_QUEUE, 3, 10.3, 0.15, 0, 2.3 },
};
/* A preceding vote on whether any lane has a task or has left; the same for a batch, and for each
 * iteration of the batch. */
static const double ASK = 6, ASK_PARTS = 8, ASK_PART = 1;
/* A shared vote of several paths: constant, for each bit of the path's number, and for each
 * path. */
static const double GROUP = 20, OF_BIT = 6, OF_PATH = 3;
/* divergent branches if the votes follow the iteration (no lockstep) */
static const double APART = 20;

/* expand: a round; a round with rows; 32 iterations of short rows; a word of a row; a round in
 * which all lanes keep their rows; a row that the warp walks, in addition to LAP for each pass
 * (rows.tpl) */
static const double MEETING = 6, ROWS = 30, WINDOW = 30, FETCH = 4, KEPT = 16, LONG = 10;

/* The slowest lanes of a collected inner loop end alone: share of the longest row in an
 * iteration. */
static const double TAIL = 1.0 / 8;

/* ---- tasks ----------------------------------------------------------------------------------- */

static uint32_t row_of(Annot_policy policy) { return policy == POLICY_QUEUE; }

double
gain_vote(Annot_policy policy, double n, bool lockstep)
{
	uint32_t row = row_of(policy);

	return collecting[row].vote + collecting[row].round / n + collecting[row].part * n +
		(lockstep ? 0 : APART);
}

double
gain_task(Annot_policy policy, const Gain_cut *k)
{
	uint32_t row = row_of(policy);

	return collecting[row].task + collecting[row].word * k->words + k->besides;
}

/* ---- lane loops ------------------------------------------------------------------------------ */

/* Rows of at least 32 iterations, which the warp walks, per iteration of the outer loop; passes
 * over them; and passes over the remaining iterations. Trip counts are assumed to be exponentially
 * distributed. */
typedef struct { double rows, laps, windows; } Laid;

static Laid
lay(const Gain_cut *k, const Gain_share *h)
{
	double more = h->trips > 1 ? wanted_power(1 - 1 / h->trips, WARP_LANES) : 0;
	Laid l = { .rows = WARP_LANES * h->lanes * more };
	double full = l.rows / (1 - more), rests = k->rests ? 0 : l.rows;

	l.laps = full + rests;
	l.windows = h->lanes * h->trips - full - rests / 2;
	return l;
}

/* Demand of a lane loop that has rows in the given number of rounds of a warp. */
static double
laid(const Case *c, uint32_t i, double rounds)
{
	const Gain_cut *k = &c->site->cuts[i];
	Laid l = lay(k, &c->of[i]);
	double row = FETCH * k->words, task = k->besides;

	l.windows = at_least(l.windows, rounds);
	return slots(c, rounds * (ROWS + row) + l.rows * (LONG + row + task) + l.laps * LAP +
				l.windows * (WINDOW + task)) +
		(l.laps + l.windows) * wanted_beside(c, &k->work);
}

/* ---- policies -------------------------------------------------------------------------------- */

/* Demand of the queues' shared vote. The number of the last path has one more bit at each power of
 * two. */
static double
shared_vote(const Case *c)
{
	double sum = GROUP + APART;
	uint32_t paths = 0;

	EACH_TAKEN(c, i) {
		sum += OF_PATH + (paths & (paths + 1) ? 0 : OF_BIT);
		paths++;
	}
	return sum;
}

/* Batch size n, or the trip count if that is smaller. */
static double
as_many(const Case *c, double n)
{
	return c->iterations > 0 && c->iterations < n ? c->iterations : n;
}

/* Slots of a path's votes per iteration of common code, for a batch of `parts`. If warps first vote
 * on whether any lane has a task, the other votes only occur in rounds in which some lane has
 * one. */
static double
votes(const Case *c, uint32_t i, Annot_policy policy, double parts)
{
	double all = gain_vote(policy, parts, c->site->lockstep), none = 1 - c->of[i].warps;

	if (!c->site->cuts[i].asked_first)
		return all;
	double ask = parts > 1 ? ASK_PARTS / parts + ASK_PART : ASK;
	return ask + (1 - wanted_power(none, (uint32_t)(parts + 0.5))) * all;
}

/* The remainder after the last run counts as half a run. */
double
wanted_runs(const Case *c, const Gain_share *h)
{
	double n = c->iterations,
	       any = n > 0 ? 1 - wanted_power(1 - h->warps, (uint32_t)(n + 0.5)) : 0;

	if (n <= 0 || c->want == MEMORY)
		return h->lanes;
	double all = at_least(h->lanes * n + any / 2, any);
	return all < h->warps * n ? all / n : h->warps;
}

double
wanted_collected(const Case *c, Annot_policy policy, uint32_t n)
{
	double sum = wanted_in_row(c, &c->site->own, wanted_own(c), as_many(c, n)) +
		slots(c, c->site->grouped ? shared_vote(c) : 0);

	EACH_TAKEN(c, i) {
		const Gain_cut *k = &c->site->cuts[i];
		const Gain_share *h = &c->of[i];
		if (k->in_task) { /* a run of the path has a task in each lane */
			sum += laid(c, i, wanted_runs(c, &c->of[k->outer - 1]));
			continue;
		}
		double tasks = h->lanes * (k->inner ? h->trips : 1);
		double all = !k->inner ? wanted_runs(c, h) :
					 tasks + (c->want != MEMORY ? TAIL * longest(h) : 0);
		if (!c->site->grouped)
			sum += (k->inner ? at_least(tasks, 1) : 1) *
				slots(c, votes(c, i, policy, as_many(c, n)));
		double lanes = k->inner || all <= tasks ? WARP_LANES : WARP_LANES * tasks / all;
		sum += all * (slots(c, gain_task(policy, k)) + wanted_run_of(c, i, lanes));
	}
	return sum;
}

double
wanted_expanded(const Case *c)
{
	double sum = wanted_own(c) + slots(c, MEETING);

	EACH_TAKEN(c, i)
		sum += laid(c, i, c->of[i].warps);
	return sum;
}

/* Demand if the warp's test at run time keeps the rows with their owners. */
double
wanted_kept(const Case *c)
{
	double sum = wanted_own(c) + slots(c, MEETING);

	EACH_TAKEN(c, i)
		sum += wanted_left(c, i) + slots(c, c->of[i].warps * KEPT);
	return sum;
}
