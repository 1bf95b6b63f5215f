/* SPDX-License-Identifier: MIT */
/* What an iteration wants, as it is and under each policy. See wanted.h; docs/choosing.md has the
 * formulas, and what the constants were fitted to.
 *
 * A loop is counted three times by the same rules: its issue slots; accesses of lanes at places of
 * their own, which the memory system takes one by one; and loads in a row, which the warp waits
 * for. What a policy adds is instructions, but for what it reads again. What it gains may be any of
 * the three: paths that full warps run want fewer slots, own parts and looks in a row wait
 * together; but the accesses stay as many as they were.
 */
#include "transform/wanted.h"

enum { LANES = WARP_LANES };

/* In issue slots: an access of a lane at a place of its own; a load that is waited for, some 600
 * cycles among the warps of a scheduler. */
static const double LANE = 1.3, WAIT = 32;
/* In such accesses: more for one whose place was read from memory, and may be anywhere; and for an
 * atomic one that is asked what it found; one of a warp whose lanes have neighbouring places. */
static const double INDEXED = 1, EXCHANGE = 16, BESIDE = 8;
/* Neighbouring lanes' rows lie side by side: if they have fewer iterations than that, their places
 * do, too. */
static const double ROW = 8;
/* Iterations of an inner loop whose loads are under way together, as the compiler unrolls it. */
static const double UNROLLED = 4;
/* Slots of an access of a warp whose lanes have neighbouring places, beside its issue. */
static const double COALESCED = 3;

/* What the votes of a collecting policy add to an iteration: alone, and divided among the U own
 * parts of a round; for each task, and for each word of it. */
static const struct { Annot_policy policy; double vote, round, part, task, word; } collecting[] = {
	{ POLICY_STACK, 14, 0, 0, 0, 1.5 },
	{ POLICY_QUEUE, 3, 10.3, 0.15, 0, 2.3 },
};
/* One vote for several paths: for all, for each bit of their number, and for each path. */
static const double GROUP = 20, OF_BIT = 6, OF_PATH = 3;
static const double APART = 20;         /* votes behind the iteration: branches that part lanes */

/* A meeting: of flatten, and in front of each noted iteration where paths may part lanes. */
static const double TOGETHER = 30;

/* ahead: an iteration that is noted, and what looking adds to the own part, or spares it in a row,
 * in time; the instructions of the own part that are left in a row, by which warps keep their
 * account; the own part of a noted iteration, run straight. Lanes are neither all alike nor at
 * random: the one that has noted most is taken for so far from the mean to the most of random
 * ones. */
static const double NOTED = 2.4, LOOK = 4, SPARED = 4.5, IN_A_ROW = 0.6;
static const double STRAIGHT = 0.3, RANDOM = 0.35;

/* expand: a round, one with rows, 32 iterations of short rows; a word of a row; a round in which
 * all keep theirs; a row that the warp walks, and 32 iterations of it, as rows.tpl has them */
static const double MEETING = 6, ROWS = 30, WINDOW = 30, FETCH = 4, KEPT = 16, LONG = 10, LAP = 5;

/* ahead: looks in a row whose loads are under way together */
static const double SIDE = 4;

/* A collected inner loop's longest lanes end alone: so much of the longest in an iteration. */
static const double TAIL = 1.0 / 8;

/* wait: a vote, with the branches around it; rounds are slower by the lanes that stand by, a half
 * of them where so many wait for each other. A path that lanes come to more rarely is taken for one
 * that they come to so often. */
static const double VOTE = 40, STAND_BY = 48, RAREST = 1.0 / 1024;

static double
at_least(double x, double least)
{
	return x > least ? x : least;
}

/* ---- as it is -------------------------------------------------------------------------------- */

/* What the longest of so many unrelated lanes takes more. */
static double
longer(const Gain_cut *k, double lanes)
{
	return k->most < k->uneven * gain_most(lanes) ? k->most : k->uneven * gain_most(lanes);
}

/* A run by so many lanes. What a path waits for is not counted: it is often near what the iteration
 * has read, and nothing that was measured hangs on it. */
static double
run(const Case *c, const Gain_cut *k, double lanes)
{
	const Effort *w = &k->work;

	switch (c->want) {
	case ISSUE: return w->issue + longer(k, lanes);
	case MEMORY: return lanes * (w->memory + INDEXED * w->indexed + EXCHANGE * w->exchanges);
	default: return k->inner ? w->waits : 0;
	}
}

/* By all lanes, whose places are side by side, but for those that were read from memory. */
static double
run_beside(const Case *c, const Effort *w)
{
	switch (c->want) {
	case ISSUE: return w->issue + w->memory * COALESCED;
	case MEMORY: return BESIDE * (w->memory - w->gathers) +
		LANES * (w->gathers + INDEXED * w->indexed + EXCHANGE * w->exchanges);
	default: return w->waits;
	}
}

/* What is added, which is instructions. */
static double
slots(const Case *c, double n)
{
	return c->want == ISSUE ? n : 0;
}

static double
own_of(const Gain_site *s)
{
	return s->own.issue + s->own.memory * COALESCED;
}

/* What an own part waits for counts if a profile has counted the lanes: what is gained by waiting
 * for several together was measured of loops whose path hardly any lane takes. */
static double
own(const Case *c)
{
	if (c->want == WAITS && !c->measured)
		return 0;
	return run_beside(c, &c->site->own);
}

/* One of so many runs in a row, which wait together for what none needs from the one before. */
static double
in_row(const Case *c, const Effort *w, double one, double n)
{
	return c->want == WAITS && one > 0 ? at_least(one / n, w->chained) : one;
}

/* The lanes that run it together, where their warp leaves them where they are. */
static double
together(const Gain_share *h)
{
	return h->warps > 0 ? LANES * h->lanes / h->warps : 0;
}

/* Iterations of an inner loop of a warp's lane that has most, in an iteration. */
static double
longest(const Gain_share *h)
{
	return h->warps * h->trips * h->spread;
}

static double
left(const Case *c, uint32_t i)
{
	const Gain_cut *k = &c->site->cuts[i];
	const Gain_share *h = &c->of[i];

	if (!k->inner)
		return h->warps * (c->want == ISSUE ? k->work.issue + k->more :
						      run(c, k, together(h)));
	double lanes = together(h) / h->spread, once = run(c, k, lanes);
	if (c->want == MEMORY && h->trips < ROW)
		once -= (1 - h->trips / ROW) * lanes * (k->work.memory - k->work.gathers);
	return longest(h) * in_row(c, &k->work, once, UNROLLED);
}

static double
before(const Case *c)
{
	double sum = own(c);

	for (uint32_t i = 0; i < c->site->ncuts; i++)
		sum += left(c, i);
	return sum;
}

/* The cuts that the policy leaves as they are. */
static double
others(const Case *c)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->site->ncuts; i++)
		sum += c->site->cuts[i].taken ? 0 : left(c, i);
	return sum;
}

/* ---- policies -------------------------------------------------------------------------------- */

#define EACH_TAKEN(c, i) \
	for (uint32_t i = 0; i < (c)->site->ncuts; i++) \
		if ((c)->site->cuts[i].taken)

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

/* Rows of 32 iterations and more, which the warp walks, in an iteration; and what it walks of them,
 * and of the others: 32 iterations each. Lengths fall off exponentially. */
typedef struct { double rows, laps, windows; } Laid;

static Laid
lay(const Gain_cut *k, const Gain_share *h)
{
	double more = h->trips > 1 ? wanted_power(1 - 1 / h->trips, LANES) : 0;
	Laid l = { .rows = LANES * h->lanes * more };
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
		(l.laps + l.windows) * run_beside(c, &k->work);
}

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
	return c->site->iterations > 0 && c->site->iterations < n ? c->site->iterations : n;
}

/* Runs of a path by full warps in an iteration: what is left behind the last one is half a run. */
static double
runs(const Case *c, const Gain_share *h)
{
	double n = c->site->iterations,
	       any = n > 0 ? 1 - wanted_power(1 - h->warps, (uint32_t)(n + 0.5)) : 0;

	if (n <= 0 || c->want == MEMORY)
		return h->lanes;
	double all = at_least(h->lanes * n + any / 2, any);
	return all < h->warps * n ? all / n : h->warps;
}

static double
collected(const Case *c, Annot_policy policy, uint32_t n)
{
	double sum = in_row(c, &c->site->own, own(c), as_many(c, n)) +
		slots(c, c->site->grouped ? shared_vote(c) : 0);

	EACH_TAKEN(c, i) {
		const Gain_cut *k = &c->site->cuts[i];
		const Gain_share *h = &c->of[i];
		if (k->in_task) { /* a run of the path has a task in each lane */
			sum += laid(c, i, runs(c, &c->of[k->outer - 1]));
			continue;
		}
		double tasks = h->lanes * (k->inner ? h->trips : 1);
		double all = !k->inner ? runs(c, h) :
					 tasks + (c->want != MEMORY ? TAIL * longest(h) : 0);
		if (!c->site->grouped)
			sum += (k->inner ? at_least(tasks, 1) : 1) *
				slots(c, gain_vote(policy, as_many(c, n), c->site->lockstep));
		double lanes = k->inner || all <= tasks ? LANES : LANES * tasks / all;
		sum += all * (slots(c, gain_task(policy, k)) + run(c, k, lanes));
	}
	return sum;
}

/* The most of n iterations that one of 32 lanes wants, each with probability p. */
static double
most_wanted(double p, uint32_t n)
{
	double one = wanted_power(1 - p, n), upto = one, mean = 0;

	for (uint32_t m = 0; m < n; m++) {
		mean += 1 - wanted_power(upto, LANES);
		one *= p < 1 ? p / (1 - p) * (n - m) / (m + 1) : 0;
		upto = p < 1 ? upto + one : 0;
		upto = upto < 1 ? upto : 1;
	}
	return mean;
}

/* Runs of noted iterations, of an iteration, where n are looked at together, and what is left; p:
 * of all lanes that want one. A shorter loop has at least one, if anybody wants it. */
static double
noted_runs(const Case *c, double p, uint32_t n)
{
	double all = c->site->iterations, batches = (double)(uint32_t)(all / n);
	double rest = all - batches * n, most = most_wanted(p, (uint32_t)rest), few = p;

	most += (rest - (uint32_t)rest) * (most_wanted(p, (uint32_t)rest + 1) - most);
	if (all > 0 && all < n)
		few = at_least(p, (1 - wanted_power(1 - p, LANES)) / all);
	most = all > 0 ? (batches * most_wanted(p, n) + most) / all : most_wanted(p, n) / n;
	return few + RANDOM * (at_least(most, few) - few);
}

/* Noted iterations of lanes that want paths one beside the other: which of them differs. */
static double
noted_paths(const Case *c, double p, double times)
{
	double sum = 0;

	EACH_TAKEN(c, i) {
		double part = c->of[i].lanes / p;
		double warps = part < 1 ? 1 - wanted_power(1 - part, LANES) : 1;
		double lanes = LANES * c->of[i].lanes / times / warps;
		sum += warps > 0 ? warps * run(c, &c->site->cuts[i], lanes) : 0;
	}
	return sum;
}

double
gain_look(const Gain_site *s)
{
	return own_of(s) * (s->row ? IN_A_ROW - 1 : 0) + LOOK;
}

double
gain_noted(const Gain_site *s)
{
	return NOTED + own_of(s) * (s->straight ? STRAIGHT : 1) + (s->gathers ? TOGETHER : 0);
}

/* The same of what is wanted: whoever runs a noted iteration reads again what it needs. */
static double
look(const Case *c)
{
	if (c->want == ISSUE)
		return own(c) + LOOK - (c->site->row ? SPARED : 0);
	return in_row(c, &c->site->own, own(c), c->site->row ? SIDE : 1);
}

static double
noted(const Case *c)
{
	return c->want == ISSUE ? gain_noted(c->site) : own(c) * (c->site->straight ? STRAIGHT : 1);
}

static double
looked_ahead(const Case *c, uint32_t n)
{
	double p = 0;

	EACH_TAKEN(c, i)
		p += c->site->cuts[i].outer ? 0 : c->of[i].lanes;
	p = p < 1 ? p : 1;
	double times = noted_runs(c, p, n);
	return look(c) + (times > 0 ? times * (noted(c) + noted_paths(c, p, times)) : 0);
}

static double
expanded(const Case *c)
{
	double sum = own(c) + slots(c, MEETING);

	EACH_TAKEN(c, i)
		sum += laid(c, i, c->of[i].warps);
	return sum;
}

/* The warp looks whether that pays: here, if it does not. */
static double
kept(const Case *c)
{
	double sum = own(c) + slots(c, MEETING);

	EACH_TAKEN(c, i)
		sum += left(c, i) + slots(c, c->of[i].warps * KEPT);
	return sum;
}

/* Each round: lanes in the inner loop run an iteration, those that come to its end the own part. */
static double
flattened(const Case *c)
{
	double sum = 0;

	EACH_TAKEN(c, i) {
		const Gain_share *h = &c->of[i];
		double mean = h->lanes * h->trips + 1 - h->lanes,
		       most = at_least(longest(h), mean);
		double rounds = mean + (most - mean) * c->uneven;
		double ends = 1 - wanted_power(1 - 1 / rounds, LANES);
		sum += rounds * (slots(c, TOGETHER) + ends * own(c) +
			run(c, &c->site->cuts[i], LANES * mean / rounds));
	}
	return sum;
}

/* Lanes stand in front of a path until n of them do, to half a lane: in the rounds up to then ever
 * fewer run the own part. */
static double
stood(const Case *c, uint32_t i, uint32_t n)
{
	const Gain_share *h = &c->of[i];
	double p = at_least(h->lanes, RAREST), stand = 0, rounds = 0, iterations = 0;

	if (together(h) >= n)
		return own(c) + slots(c, VOTE) + left(c, i);
	for (; stand < n - 0.5; stand += (LANES - stand) * p, rounds++)
		iterations += (LANES - stand) / LANES;
	double path = h->lanes / p * run(c, &c->site->cuts[i], stand);
	if (c->want == MEMORY) /* as many accesses as ever */
		return own(c) + path / iterations;
	return (rounds * (own(c) + slots(c, VOTE)) + path) / iterations * (1 + n / STAND_BY) +
		(runs(c, h) - h->lanes) * run(c, &c->site->cuts[i], stand / 2);
}

/* Waiting in front of the iterations of an inner loop, for most lanes, is measured to be worth what
 * flattening it is. 0: lanes wait at several places. */
static double
waited(const Case *c, uint32_t n)
{
	EACH_TAKEN(c, i)
		return others(c) + (c->site->cuts[i].inner ? flattened(c) : stood(c, i, n));
	return 0;
}

/* What the loop wants of one thing under a policy; 0: nothing is known of it. */
static double
wanted(const Case *c, Annot_policy policy, uint32_t n)
{
	switch (policy) {
	case POLICY_AUTO: return before(c);
	case POLICY_STACK:
	case POLICY_QUEUE: return others(c) + collected(c, policy, n ? n : 1);
	case POLICY_AHEAD: return others(c) + looked_ahead(c, n ? n : LANES);
	case POLICY_EXPAND: return others(c) + (n ? kept(c) : expanded(c));
	case POLICY_FLATTEN: return others(c) + flattened(c);
	case POLICY_WAIT: return waited(c, n ? n : LANES / 2);
	default: return 0;
	}
}

/* In issue slots. */
static double slots_of(Want w) { return w == ISSUE ? 1 : w == MEMORY ? LANE : WAIT; }

static double
all(Case *c, Annot_policy policy, uint32_t n)
{
	double sum = 0;

	for (c->want = ISSUE; c->want < NWANTS; c->want++)
		sum += wanted_power(slots_of(c->want) * wanted(c, policy, n), 2);
	return sum > 0 ? gain_root(sum) : 0;
}

double
wanted_as_it_is(Case *c)
{
	return all(c, POLICY_AUTO, 0);
}

double
wanted_by(Case *c, Annot_policy policy, uint32_t n)
{
	if (policy == POLICY_AUTO)
		return 0;
	if (policy != POLICY_EXPAND || !n)
		return all(c, policy, n);
	double laid = all(c, policy, 0), here = all(c, policy, n);
	return here < laid ? here : laid;
}
