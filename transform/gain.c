/* SPDX-License-Identifier: MIT */
/* The model. See gain.h; docs/choosing.md compares it with what was measured.
 *
 * Where nobody has measured how many lanes take a path, each of six shares counts the same: 1, 4,
 * 8, 16, 24 and 31 of 32, lanes deciding each for itself. Several paths side by side divide the
 * share. An inner loop has 8 iterations then, the longest of a warp's 4 times as many as the mean.
 */
#include "transform/gain.h"

enum { LANES = 32, TRIPS = 8, SPREAD = 4 };

static const double shares[] = { 1, 4, 8, 16, 24, 31 };
enum { NSHARES = sizeof shares / sizeof *shares };

/* What must be gained; and where nobody has measured how many lanes need it, how much of what may
 * be lost besides. */
static const double LEAST = 1.02, OF_LOSS = 0.5;

/* What a loop is worth whose warps lose, and go on in the loop as it was; what it takes to see
 * that, for a round, and for a batch of looks. In truth it costs some 5 %, in registers too: it is
 * for loops that may lose more. */
static const double LOSES_MUCH = 0.9;
static const double RETREATED = 0.98, ACCOUNT = 3, ACCOUNT_AHEAD = 10;

/* Slots of an access: of a warp whose lanes have neighbouring places, beside its issue; and for
 * each lane that has a place of its own. */
static const double COALESCED = 3, SCATTERED = 0.4;

/* What the votes of a collecting policy add to an iteration: alone, and divided among the U own
 * parts of a round; for each task, and for each word of it. */
static const struct { Annot_policy policy; double vote, round, task, word; } collecting[] = {
	{ POLICY_STACK, 14, 0, 0, 1.5 },
	{ POLICY_QUEUE, 4.5, 9, 3, 2.3 },
};
/* One vote for several paths: for all, for each bit of their number, and for each path. */
static const double GROUP = 20, OF_BIT = 6, OF_PATH = 3;
static const double APART = 20;         /* votes behind the iteration: branches that part lanes */

/* ahead: an iteration that is noted, and what looking adds to the own part, or spares it in a row;
 * the own part of a noted iteration, run straight. Lanes are neither all alike nor at random: the
 * one that has noted most is taken for so far from the mean to the most of random ones. */
static const double NOTED = 5, LOOK = 4, IN_A_ROW = 0.6, STRAIGHT = 0.3, RANDOM = 0.5;

/* expand: a round, one with rows, 32 iterations of short rows; a word of a row; a round in which
 * all keep theirs */
static const double MEETING = 6, ROWS = 30, WINDOW = 30, FETCH = 4, KEPT = 16;

/* flatten: a meeting; and how much slower a round is than its instructions: the compiler unrolls
 * the loop as it is, and no round waits for memory while another computes */
static const double TOGETHER = 6, SLOWER = 4;

typedef struct {
	const Gain_site *site;
	Gain_share of[GAIN_CUTS];    /* shares of all lanes, by cut */
} Case;

static double
power(double x, uint32_t n)
{
	double y = 1;

	for (; n; n--)
		y *= x;
	return y;
}

static double
at_least(double x, double least)
{
	return x > least ? x : least;
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
	Gain_share h = { .lanes = k->always ? 1 : lanes / LANES / siblings(s, k),
		.trips = TRIPS, .spread = SPREAD };

	h.warps = 1 - power(1 - h.lanes, LANES);
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
		c->of[i].warps = 1 - power(1 - c->of[i].lanes, LANES);
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

/* ---- as it is -------------------------------------------------------------------------------- */

/* A run by so many lanes. */
static double
run(const Effort *w, double lanes)
{
	return w->issue + w->memory * SCATTERED * lanes;
}

static double
own_of(const Gain_site *s)
{
	return s->own.issue + s->own.memory * COALESCED;
}

static double
own(const Case *c)
{
	return own_of(c->site);
}

/* The lanes that run it together, where their warp leaves them where they are. */
static double
together(const Gain_share *h)
{
	return h->warps > 0 ? LANES * h->lanes / h->warps : 0;
}

static double
left(const Case *c, uint32_t i)
{
	const Gain_cut *k = &c->site->cuts[i];
	const Gain_share *h = &c->of[i];
	double times = k->inner ? h->trips * h->spread : 1;

	return h->warps * times * run(&k->work, together(h) / (k->inner ? h->spread : 1));
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
gain_vote(Annot_policy policy, uint32_t n, bool lockstep)
{
	uint32_t row = row_of(policy);

	return collecting[row].vote + collecting[row].round / n + (lockstep ? 0 : APART);
}

double
gain_task(Annot_policy policy, const Gain_cut *k)
{
	uint32_t row = row_of(policy);

	return collecting[row].task + collecting[row].word * k->words + k->besides;
}

/* An inner loop whose iterations are laid over the lanes: in so many rounds of a warp it comes to
 * rows. */
static double
laid(const Case *c, uint32_t i, double rounds)
{
	const Gain_cut *k = &c->site->cuts[i];
	double windows = at_least(c->of[i].lanes * c->of[i].trips, rounds);

	return rounds * (ROWS + FETCH * k->words) +
		windows * (WINDOW + k->besides + k->work.issue + k->work.memory * COALESCED);
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

static double
collected(const Case *c, Annot_policy policy, uint32_t n)
{
	double sum = own(c) + (c->site->grouped ? shared_vote(c) : 0);

	EACH_TAKEN(c, i) {
		const Gain_cut *k = &c->site->cuts[i];
		const Gain_share *h = &c->of[i];
		if (k->in_task) { /* a run of the path has a task in each lane */
			sum += laid(c, i, c->of[k->outer - 1].lanes);
			continue;
		}
		double tasks = h->lanes * (k->inner ? h->trips : 1);
		if (!c->site->grouped)
			sum += (k->inner ? at_least(tasks, 1) : 1) *
				gain_vote(policy, n, c->site->lockstep);
		sum += tasks * (gain_task(policy, k) + run(&k->work, LANES));
	}
	return sum;
}

/* The most of n iterations that one of 32 lanes wants, each with probability p. */
static double
most_wanted(double p, uint32_t n)
{
	double one = power(1 - p, n), upto = one, mean = 0;

	for (uint32_t m = 0; m < n; m++) {
		mean += 1 - power(upto, LANES);
		one *= p < 1 ? p / (1 - p) * (n - m) / (m + 1) : 0;
		upto = p < 1 ? upto + one : 0;
		upto = upto < 1 ? upto : 1;
	}
	return mean;
}

/* Noted iterations of lanes that want paths one beside the other: which of them differs. */
static double
noted_paths(const Case *c, double p, double times)
{
	double sum = 0;

	EACH_TAKEN(c, i) {
		double part = c->of[i].lanes / p;
		double warps = part < 1 ? 1 - power(1 - part, LANES) : 1;
		double lanes = LANES * c->of[i].lanes / times / warps;
		sum += warps > 0 ? warps * run(&c->site->cuts[i].work, lanes) : 0;
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
	return NOTED + own_of(s) * (s->straight ? STRAIGHT : 1);
}

static double
looked_ahead(const Case *c, uint32_t n)
{
	double look = own(c) + gain_look(c->site), p = 0;

	EACH_TAKEN(c, i)
		p += c->site->cuts[i].outer ? 0 : c->of[i].lanes;
	p = p < 1 ? p : 1;
	double times = p + RANDOM * (most_wanted(p, n) / n - p);
	return look + (times > 0 ? times * (gain_noted(c->site) + noted_paths(c, p, times)) : 0);
}

static double
expanded(const Case *c)
{
	double sum = own(c) + MEETING;

	EACH_TAKEN(c, i)
		sum += laid(c, i, c->of[i].warps);
	return sum;
}

/* The warp looks whether that pays. */
static double
expanded_or_kept(const Case *c)
{
	double kept = own(c) + MEETING, laid = expanded(c);

	EACH_TAKEN(c, i)
		kept += left(c, i) + c->of[i].warps * KEPT;
	return kept < laid ? kept : laid;
}

/* Each round: lanes in the inner loop run an iteration, those that come to its end the own part. */
static double
flattened(const Case *c)
{
	double sum = 0;

	EACH_TAKEN(c, i) {
		const Gain_share *h = &c->of[i];
		double rounds = at_least(h->lanes * h->trips, 1);
		double ends = 1 - power(1 - 1 / rounds, LANES);
		sum += SLOWER * rounds *
			(TOGETHER + run(&c->site->cuts[i].work, LANES) + ends * own(c));
	}
	return sum;
}

static double
after(const Case *c, Annot_policy policy, uint32_t n)
{
	switch (policy) {
	case POLICY_STACK:
	case POLICY_QUEUE: return collected(c, policy, n ? n : 1);
	case POLICY_AHEAD: return looked_ahead(c, n ? n : LANES);
	case POLICY_EXPAND: return n ? expanded_or_kept(c) : expanded(c);
	case POLICY_FLATTEN: return flattened(c);
	default: return 0;
	}
}

static double
account(Annot_policy policy, uint32_t n)
{
	return policy == POLICY_AHEAD ? ACCOUNT_AHEAD / (n ? n : LANES) : ACCOUNT / (n ? n : 1);
}

/* Its worth for each share of lanes. */
static Gain
worth(const Gain_site *s, Annot_policy policy, uint32_t n, bool retreats)
{
	Case c = { .site = s };
	Gain g = { .measured = all_known(s), .retreats = retreats };
	uint32_t cases = g.measured ? 1 : NSHARES;

	for (uint32_t i = 0; i < cases; i++) {
		fill(&c, shares[i]);
		double b = before(&c), a = after(&c, policy, n);
		a += a > 0 ? others(&c) : 0;
		a += a > 0 && retreats ? account(policy, n) : 0;
		if (retreats && a > b / RETREATED)
			a = b / RETREATED;
		double ratio = a > 0 ? b / a : 0;
		g.before += b / cases;
		g.after += a / cases;
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
	return s->retreats && (s->asked || g.least < LOSES_MUCH) ? worth(s, policy, n, true) : g;
}

bool
gain_suffices(const Gain *g)
{
	double risk = !g->measured && g->least < 1 ? OF_LOSS * (1 - g->least) : 0;

	return gain_ratio(g) >= LEAST + risk;
}
