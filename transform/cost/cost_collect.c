/* SPDX-License-Identifier: MIT */
/* What an iteration wants where other lanes run what some want: tasks are collected, or iterations
 * of inner loops are laid over the lanes. See cost_model.h.
 *
 * Votes and meetings come in every iteration, whoever wants anything; tasks and rows where there
 * are any. Runs of full warps are so many as fill them, and what is left behind the last iteration.
 */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

/* What the votes of a collecting policy add to an iteration: alone, and divided among the U own
 * parts of a round; for each task, and for each word of it. */
static const struct { Annot_policy policy; double vote, round, part, task, word; } collecting[] = {
	{ POLICY_STACK, 14, 0, 0, 0, 1.5 },
	{ POLICY_QUEUE, 3, 10.3, 0.15, 0, 2.3 },
};
/* A vote on whether anybody wants a path or has left, in front of the others; that of several own
 * parts, and for each of them. */
static const double ASK = 6, ASK_PARTS = 8, ASK_PART = 1;
/* One vote for several paths: for all, for each bit of their number, and for each path. */
static const double GROUP = 20, OF_BIT = 6, OF_PATH = 3;
static const double APART = 20;         /* votes behind the iteration: branches that part lanes */

/* expand: a round, one with rows, 32 iterations of short rows; a word of a row; a round in which
 * all keep theirs; a row that the warp walks, beside a LAP for 32 iterations of it, as rows.tpl has
 * them */
static const double MEETING = 6, ROWS = 30, WINDOW = 30, FETCH = 4, KEPT = 16, LONG = 10;

/* A collected inner loop's longest lanes end alone: so much of the longest in an iteration. */
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

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows of 32 iterations and more, which the warp walks, in an iteration; and what it walks of them,
 * and of the others: 32 iterations each. Lengths fall off exponentially. */
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

/* An inner loop whose iterations are laid over the lanes: in so many rounds of a warp it comes to
 * rows. */
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

/* The vote that queues share; the number of the last path has one bit more at each power of two. */
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

/* So many iterations together, if the loop has as many. */
static double
as_many(const Case *c, double n)
{
	return c->iterations > 0 && c->iterations < n ? c->iterations : n;
}

/* A path's votes in a round of so many own parts, of an own part. Where it is asked first whether
 * anybody wants it, the others come only in rounds in which somebody does. */
static double
votes(const Case *c, uint32_t i, Annot_policy policy, double parts)
{
	double all = gain_vote(policy, parts, c->site->lockstep), none = 1 - c->of[i].warps;

	if (!c->site->cuts[i].asked_first)
		return all;
	double ask = parts > 1 ? ASK_PARTS / parts + ASK_PART : ASK;
	return ask + (1 - wanted_power(none, (uint32_t)(parts + 0.5))) * all;
}

/* Runs of a path by full warps in an iteration: what is left behind the last one is half a run. */
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

/* The warp looks whether that pays: here, if it does not. */
double
wanted_kept(const Case *c)
{
	double sum = wanted_own(c) + slots(c, MEETING);

	EACH_TAKEN(c, i)
		sum += wanted_left(c, i) + slots(c, c->of[i].warps * KEPT);
	return sum;
}
