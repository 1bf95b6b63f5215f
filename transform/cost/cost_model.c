/* SPDX-License-Identifier: MIT */
/* What an iteration wants as it is, and in all. See cost_model.h; docs/choosing.md has the
 * formulas, and what the constants were fitted to.
 *
 * A loop is counted three times by the same rules: its issue slots; accesses of lanes at places of
 * their own, which the memory system takes one by one; and loads in a row, which the warp waits
 * for. What a policy adds is instructions, but for what it reads again. What it gains may be any of
 * the three: paths that full warps run want fewer slots, own parts and looks in a row wait
 * together; but the accesses stay as many as they were.
 */
#include "transform/cost/cost_model.h"
#include "transform/plan/plan.h"

/* In issue slots: an access of a lane at a place of its own. */
static const double LANE = 1.3;
/* In such accesses: more for one whose place was read from memory, and may be anywhere, or where it
 * is known for a sector that the first cache has not; for an
 * atomic one, which the second cache does; and if it is asked what it found; one of a warp whose
 * lanes have neighbouring places. */
static const double INDEXED = 1, MISSED = 4.4, UPDATE = 7.5, EXCHANGE = 16, BESIDE = 8;
/* As many sectors that are written whole take as long as one more that is torn. */
static const double TORN = 12;
/* A word of constant memory at a place in a register, by all lanes of a warp. */
static const double CONSTANT = 4;
/* Neighbouring lanes' rows lie side by side: if they have fewer iterations than that, their places
 * do, too. */
static const double ROW = 8;
/* Slots of an access of a warp whose lanes have neighbouring places, beside its issue. */
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

/* ---- as it is -------------------------------------------------------------------------------- */

/* What the longest of so many unrelated lanes takes more. */
static double
longer(const Gain_cut *k, double lanes)
{
	double most = k->uneven * longest_above(lanes);

	return k->most < most ? k->most : most;
}

/* What a lane's accesses take more than those at places of its own that are near each other. */
static double
anywhere(const Effort *w)
{
	return INDEXED * w->indexed + MISSED * w->missed + UPDATE * w->updates +
		EXCHANGE * w->exchanges;
}

/* A run by so many lanes. What a path waits for is not counted: it is often near what the iteration
 * has read, and nothing that was measured hangs on it. */
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

/* By all lanes, whose places are side by side, but for those that were read from memory. */
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

/* What an own part waits for counts if a profile has counted the lanes: what is gained by waiting
 * for several together was measured of loops whose path hardly any lane takes. */
double
wanted_own(const Case *c)
{
	if (c->want == WAITS && !c->measured)
		return 0;
	return wanted_beside(c, &c->site->own);
}

/* One of so many runs in a row, which wait together for what none needs from the one before. */
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

/* Is it in a path that the policy takes? */
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

/* The cuts that the policy leaves as they are, and where they are. */
static double
others(const Case *c)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->site->ncuts; i++)
		sum += c->site->cuts[i].taken || in_taken(c->site, i) ? 0 : wanted_left(c, i);
	return sum;
}

/* ---- a path's run, with what is in it -------------------------------------------------------- */

/* How far an inner loop's lanes are from the mean of their iterations, of which the longest of
 * those that were together tells: as longest_above has it. Of one lane alone nobody knows: lengths
 * are taken to fall off exponentially. */
static double
deviation(const Case *c, uint32_t i)
{
	double most = longest_above(together(&c->of[i]));

	if (c->site->cuts[i].trips > 0)
		return 0;
	return c->measured && most >= 0.5 ? (c->of[i].spread - 1) / most : 1;
}

static double inside(const Case *c, uint32_t i, double lanes);

/* A cut in a run to which so many unrelated lanes come. The compiler has left an annotated inner
 * loop as it is written: no two of its iterations wait together. */
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

/* What the policy leaves of the cuts in a run of so many unrelated lanes. */
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

/* ---- the whole ------------------------------------------------------------------------------- */

/* Waiting in front of the iterations of an inner loop, for most lanes, is measured to be worth what
 * flattening it is. 0: lanes wait at several places. */
static double
waited(const Case *c, uint32_t n)
{
	EACH_TAKEN(c, i)
		return others(c) +
			(c->site->cuts[i].inner ? wanted_flattened(c) : wanted_stood(c, i, n));
	return 0;
}

/* What the loop wants of one thing under a policy; 0: nothing is known of it. */
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

/* A launch is over when its last warp is. So what is waited for counts as for that one: a path that
 * a warp of a loop over all tasks hardly ever comes to is one that some warp comes to, once. Where
 * the loop does not go round, nobody knows: blocks may follow each other. */
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

/* In issue slots. */
static double slots_of(Want w) { return w == ISSUE ? 1 : w == MEMORY ? LANE : WAIT; }

/* The second cache does atomic operations in one line one after the other, in so many cycles each,
 * in which all schedulers could issue: as long as it takes, whoever asks. */
static double
in_one_line(const Case *c)
{
	return COST_SAME_LINE * COST_SCHEDULERS * c->site->same_line;
}

/* Lanes that fill the same sectors as those of path i: those of other paths; of a path whose tasks
 * run the rest of the iteration all others. */
static double
others_fill(const Case *c, uint32_t i)
{
	double rest = 1 - c->of[i].lanes, sum = 0;

	for (uint32_t k = 0; k < c->site->ncuts; k++)
		sum += k != i && c->site->cuts[k].filled > 0 ? c->of[k].lanes : 0;
	return c->site->cuts[i].rest || sum > rest ? rest : sum;
}

/* Of the sectors that path i's lanes fill, those that others fill, too, so much sooner that the
 * second cache has let go of them: neighbours fill a sector together, but tasks, and the other runs
 * of a batch, come later. */
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

/* What memory behind the caches takes for the sectors that are filled. A torn one is read again,
 * and written twice. */
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
	if (sum <= 0) /* nothing is known of the policy */
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
