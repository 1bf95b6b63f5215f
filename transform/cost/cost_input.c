/* SPDX-License-Identifier: MIT */
/* Builds the input of the cost model (speedup.h) from a site. Its regions are all annotated paths
 * and inner loops of the site, whichever of them a plan transforms, so all plans of a site are
 * compared with the same original loop. */
#include "analysis/region/profile_points.h"
#include "transform/cost/cost.h"
#include "transform/cost/profile_lookup.h"
#include "transform/cost/speedup.h"
#include "transform/plan/plan.h"

/* Returns the block by which an iteration reaches the region. For an inner loop it is the block
 * before which its marker is, since the loop may have no iterations. */
static uint32_t
comes_by(const Fn *fn, const Region *r)
{
	return fn_block(fn, fn->m->markers[r->marker].stmt);
}

/* Whether every iteration executes the block. */
static bool
is_always(const Plan *x, uint32_t b)
{
	FN_PRED(x->fn, plan_header(x), from)
		if (loop_contains(x->fn->loops, x->site->loop, from) &&
			!dom_dominates(x->fn->dom, b, from))
			return false;
	return true;
}

static Bits
blocks_of(const Plan *x, const Region *r)
{
	return r->kind == REGION_ROUNDS && r->loop ? x->fn->loops->loops[r->loop].blocks :
						     r->blocks;
}

static uint32_t
entry_of(const Plan *x, const Region *r)
{
	return r->kind == REGION_ROUNDS && r->loop ? x->fn->loops->loops[r->loop].header : r->entry;
}

/* ---- task regions of the plan ---------------------------------------------------------------- */

static const Part *
part_of(const Plan *x, const Region *r)
{
	for (uint32_t i = 0; i < x->nparts + x->nrows; i++)
		if (x->parts[i].path->marker == r->marker)
			return &x->parts[i];
	return NULL;
}

static double
words(const Task *t)
{
	double n = 0;

	for (uint32_t i = 0; i < t->nslots; i++)
		n += t->slots[i].size ? (t->slots[i].size + 3) / 4 : 1.0 / 32;
	return n;
}

/* Slots of an atomic operation in shared memory with its address computation; of one that is a
 * compare-and-swap loop. Zero if the helper keeps what it folds. */
enum { FOLD = 6, FOLD_DOUBLE = 20 };

static double
folds(const Task *t)
{
	double n = 0;

	for (uint32_t i = 0; i < t->nsums; i++)
		if (!t->sums[i].warpwide)
			n += t->sums[i].type == TYPE_F64 ? FOLD_DOUBLE : FOLD;
	return n;
}

static void
task_of(const Part *k, Gain_cut *c)
{
	c->words = words(&k->task);
	c->rests = k->rounds && k->rounds->rests;
	c->besides = k->task.ncomputed + k->task.nkept + k->task.nslice + folds(&k->task);
}

/* ---- execution counts ------------------------------------------------------------------------ */

static Gain_share
measured(const Frequency *f)
{
	double all = f->rounds ? (double)f->rounds : 1, n = f->lanes ? (double)f->lanes : 1;
	Gain_share h = { .lanes = (double)f->lanes / all / WARP, .warps = (double)f->warps / all };

	h.trips = (double)f->trips / n;
	h.spread = f->trips && f->warps ?
		(double)f->longest / (double)f->warps / h.trips : 1;
	return h;
}

static void
ask(const Plan *x, const Region *r, Gain_cut *c)
{
	const Frequency *f = pass_frequency(x->opt, x->fn, r);

	c->known = f != NULL;
	if (f)
		c->share = measured(f);
	if (f && f->launches)
		c->last = (double)f->last / (double)f->launches;
}

/* ---- the site ------------------------------------------------------------------------------- */

struct Expected {
	const Plan *x;
	const Region **of;      /* by index into `cuts` */
	Gain_cut *cuts; uint32_t n;
	Effort own;
	double filled, iterations, warps, same_line;
};

static void
add(Expected *e, const Region *r)
{
	uint32_t by = comes_by(e->x->fn, r), size = UINT32_MAX;
	Gain_cut *k = &e->cuts[e->n];

	*k = (Gain_cut){ .inner = r->kind == REGION_ROUNDS, .always = is_always(e->x, by) };
	for (uint32_t i = 0; i < e->n; i++) /* find the smallest enclosing path */
		if (!e->cuts[i].inner && bits_has(e->of[i]->blocks, by) && e->of[i] != r &&
			bits_count(e->of[i]->blocks) < size) {
			k->outer = i + 1;
			size = bits_count(e->of[i]->blocks);
		}
	const Frequency *f = pass_frequency(e->x->opt, e->x->fn, r);
	if (f && f->entered) /* the loop may be reached without an iteration */
		e->iterations = f->rounds > f->entered ?
			(double)f->rounds / (double)f->entered : 1;
	if (f && f->launches)
		e->warps = (double)f->entered / (double)f->launches;
	k->trips = k->inner && r->loop ? e->x->fn->loops->loops[r->loop].trips : 0;
	ask(e->x, r, k);
	e->of[e->n++] = r;
}

/* Number of executions of a block per run of its region: mean over lanes; the slowest of the lanes
 * that run it together; one standard deviation above the mean; the maximum; the maximum within a
 * launch. */
typedef enum { MEAN, TOGETHER, DEVIATING, MOST, LAST } Runs;

/* Number of runs that the counts of the region's blocks refer to: by lanes, or by warps. */
static double
visits(const Region *r, const Frequency *f, bool by_warps)
{
	switch (r->kind) {
	case REGION_ROUNDS: return (double)(by_warps ? f->longest : f->trips);
	case REGION_LOOP: return (double)(by_warps ? f->rounds : f->iterations);
	default: return (double)(by_warps ? f->warps : f->lanes);
	}
}

/* Standard deviation among lanes that a warp of one launch brings together. Estimated from the
 * difference between each lane's consecutive runs, or from the distance of the slowest lane to the
 * mean within warps. Only if hardly any lane has run the region twice, from the overall variance,
 * which also includes differences between launches. */
static double
deviation(const Frequency *f, const Frequency_block *b, double mean, double together)
{
	double n = (double)f->lanes, most = longest_above(n / (double)f->warps),
	       apart = most > 0 ? (together - mean) / most : 0,
	       square = f->again >= WARP ? (double)b->changes / (double)f->again / 2 :
					   (double)b->squares / n - mean * mean;

	return square > apart * apart ? gain_root(square) : apart > 0 ? apart : 0;
}

/* For the iterations of an inner loop, whose counts are summed, only the mean is known. */
static double
counted_runs(const Region *r, const Frequency *f, const Frequency_block *b, Runs which)
{
	double mean = (double)b->runs / visits(r, f, false),
	       together = (double)b->longest / visits(r, f, true);

	if (which == MEAN || r->kind == REGION_ROUNDS)
		return mean;
	if (which == TOGETHER)
		return together;
	if (which == LAST)
		return f->launches ? (double)b->last / (double)f->launches : 0;
	return which == MOST ? (double)b->most : mean + deviation(f, b, mean, together);
}

/* Returns the atomic operations of a warp's iteration that go to one line, if the region has no
 * others. */
static double
in_one_line(const Plan *x, const Region *r)
{
	const Frequency *f = pass_frequency(x->opt, x->fn, r);
	const Frequency_atomics *a = f ? &f->atomics : NULL;

	if (!a || !a->runs || !a->compared || !f->rounds)
		return 0;
	return (double)a->same / (double)a->compared * (double)a->done / (double)a->runs *
		visits(r, f, false) / (double)f->rounds;
}

/* Execution counts of a region's blocks. */
typedef struct {
	const Region *r;
	const Frequency *f;
	Cut_block of[FREQUENCY_BLOCKS]; uint32_t n; /* 0: no counts */
	uint32_t size[FREQUENCY_BLOCKS];
} Counted;

static Counted
counted(const Plan *x, const Region *r)
{
	Counted c = { .r = r, .f = pass_frequency(x->opt, x->fn, r) };

	if (!c.f || !c.f->nblocks || visits(r, c.f, true) <= 0)
		return c;
	c.n = cuts_blocks(x->fn, r, c.of, x->scratch);
	c.n = c.n == c.f->nblocks ? c.n : 0;
	for (uint32_t i = 0; i < c.n; i++)
		c.size[i] = bits_count(c.of[i].blocks);
	return c;
}

/* Returns the smallest counted block set that contains the block; n if none. */
static uint32_t
innermost(const Counted *c, uint32_t block)
{
	uint32_t at = c->n;

	for (uint32_t i = 0; i < c->n; i++)
		if (bits_has(c->of[i].blocks, block) && (at == c->n || c->size[i] < c->size[at]))
			at = i;
	return at;
}

/* Number of executions of blocks per run of a region, at the loop depth of its entry: from the
 * profile, or else as in effort_runs(). */
typedef struct {
	const Fn *fn;
	const Counted *c;
	uint32_t depth;
	Runs which;
} Known_runs;

static Known_runs
known_runs(const Plan *x, const Counted *c, uint32_t entry, Runs which)
{
	const Loops *l = x->fn->loops;

	return (Known_runs){ x->fn, c, l->loops[l->loop_of[entry]].depth, which };
}

static double
runs_of(void *user, uint32_t block)
{
	const Known_runs *x = user;
	const Counted *c = x->c;
	const Loop *loops = x->fn->loops->loops;
	uint32_t at = innermost(c, block), l = x->fn->loops->loop_of[block];
	const Cut_block *k = at < c->n ? &c->of[at] : NULL;
	double n = k ? counted_runs(c->r, c->f, &c->f->blocks[at], x->which) : 1;

	for (; loops[l].depth > x->depth; l = loops[l].parent) {
		if (k && (k->loop == l || !bits_has(k->blocks, loops[l].header)))
			break;
		n *= loops[l].trips ? loops[l].trips : COST_LOOP_WEIGHT;
	}
	return n;
}

static Effort
effort(const Plan *x, const Counted *c, Bits blocks, uint32_t entry, Runs which)
{
	Known_runs runs = known_runs(x, c, entry, which);
	Effort w = effort_known(x->fn, blocks, runs_of, &runs);

	effort_loads(x->fn, blocks, runs_of, &runs, &w);
	if (c->f && c->f->loads.runs) {
		w.indexed = 0;
		w.missed = (double)c->f->loads.missed / (double)c->f->loads.runs;
	}
	return w;
}

/* Computes the effort of a run by one lane, and the additional effort of lanes that run it
 * together. */
static void
work_of(const Plan *x, const Region *r, Bits blocks, Gain_cut *k)
{
	uint32_t entry = entry_of(x, r);
	const Counted c = counted(x, r);
	double slots[MOST + 1];

	k->work = k->longest = effort(x, &c, blocks, entry, MEAN);
	k->filled = effort_filled(x->fn, blocks);
	if (!c.n)
		return;
	for (Runs i = TOGETHER; i <= MOST; i++) {
		Known_runs runs = known_runs(x, &c, entry, i);
		slots[i] = effort_known(x->fn, blocks, runs_of, &runs).issue - k->work.issue;
	}
	k->more = slots[TOGETHER] > 0 ? slots[TOGETHER] : 0;
	k->uneven = slots[DEVIATING];
	k->most = slots[MOST];
	if (k->inner || !c.f->launches)
		return;
	k->longest = effort(x, &c, blocks, entry, LAST);
	k->last = 1;
}

/* Computes the effort of each region without its nested regions, and of the rest of an
 * iteration. */
static void
work(Expected *e)
{
	const Plan *x = e->x;
	Bits rest = bits_new(x->scratch, x->fn->cfg->nblocks);
	Bits own = bits_new(x->scratch, x->fn->cfg->nblocks);

	bits_copy(own, x->fn->loops->loops[x->site->loop].blocks);
	for (uint32_t i = 0; i < e->n; i++) {
		bits_copy(rest, blocks_of(x, e->of[i]));
		for (uint32_t k = 0; k < e->n; k++)
			if (e->cuts[k].outer == i + 1)
				bits_and_not(rest, blocks_of(x, e->of[k]));
		work_of(x, e->of[i], rest, &e->cuts[i]);
		bits_and_not(own, blocks_of(x, e->of[i]));
	}
	const Counted c = counted(x, x->site);
	e->own = effort(x, &c, own, plan_header(x), TOGETHER);
	e->filled = effort_filled(x->fn, own);
}

const Expected *
expect_site(const Plan *x)
{
	uint32_t all = x->site->npaths + x->site->nrounds;
	Expected *e = arena_zalloc(x->scratch, sizeof *e);

	if (!x->site->loop || all > GAIN_CUTS)
		return NULL;
	e->x = x;
	e->of = arena_array(x->scratch, all + 1, sizeof *e->of);
	e->cuts = arena_array(x->scratch, all + 1, sizeof *e->cuts);
	for (uint32_t i = 0; i < x->site->npaths; i++)
		add(e, x->site->paths[i]);
	for (uint32_t i = 0; i < x->site->nrounds; i++)
		add(e, x->site->rounds[i]);
	work(e);
	e->same_line = in_one_line(x, x->site);
	for (uint32_t i = 0; i < e->n; i++) {
		double n = in_one_line(x, e->of[i]);
		e->same_line = n > e->same_line ? n : e->same_line;
	}
	return e;
}

/* ---- a plan of the site --------------------------------------------------------------------- */

/* Whether the plan transforms a region: it is a task region of the plan, or the only place where
 * lanes wait or meet. */
static bool
takes(const Plan *x, const Region *r)
{
	const Loop *loops = x->fn->loops->loops;
	bool elsewhere = x->bound.rule != RULE_NONE && x->bound.rule != RULE_N;

	if (x->bound.at)
		return r == x->bound.at && !elsewhere;
	if (x->nparts + x->nrows)
		return part_of(x, r) != NULL;
	return r->kind == REGION_ROUNDS && loops[r->loop].header == x->bound.meet;
}

/* Fills in which regions the policy transforms, and the content of their tasks. */
static void
take(const Expected *e, const Plan *x, Gain_cut *cuts)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const Part *k = part_of(x, e->of[i]);
		cuts[i] = e->cuts[i];
		cuts[i].taken = takes(x, e->of[i]);
		cuts[i].in_task = k && k >= x->parts + x->nparts;
		if (k) {
			task_of(k, &cuts[i]);
			cuts[i].filled = effort_filled(x->fn, k->span);
			cuts[i].rest = k->join;
		}
		cuts[i].asked_first = k && !cuts[i].in_task && plan_asks_first(x, k);
	}
}

/* Mean saving of a look-ahead iteration. The last iterations of the loop may be no complete
 * group. */
static double
spared(const Expected *e, const Plan *x)
{
	double all = x->bound.trips ? x->bound.trips : e->iterations, g = x->bound.group;
	double whole = all > 0 && g > 0 ? g * (double)(uint32_t)(all / g) / all : 1;

	return whole * bound_spared(x);
}

/* Whether the loop iterates over all tasks: it is in no other loop, and its trip count is not
 * constant. */
static bool
is_over_tasks(const Plan *x)
{
	const Loop *l = &x->fn->loops->loops[x->site->loop];

	return l->depth == 1 && !l->trips;
}

Gain
expect_gain(const Expected *e, const Plan *x, Annot_policy policy, uint32_t n)
{
	Gain_cut cuts[GAIN_CUTS];

	if (!e || x->bound.pool) /* iteration draw is not modelled */
		return (Gain){ 0 };
	take(e, x, cuts);
	Gain_site s = { .own = e->own,
		.filled = e->filled,
		.cuts = cuts,
		.ncuts = e->n,
		.iterations = e->iterations,
		.warps = is_over_tasks(x) ? e->warps : 0,
		.same_line = e->same_line,
		.stream = measured_memory(x->opt),
		.tasks = is_over_tasks(x),
		.lockstep = x->lockstep.on,
		.grouped = x->grouped,
		.row = x->bound.group > 0,
		.spared = spared(e, x),
		.straight = x->bound.straight,
		.gathers = x->bound.meet && x->bound.gathers,
		.retreats = x->retreat.on,
		.asked = x->retreat.asked };
	return gain_of(&s, policy, bound_batch(&x->bound, n));
}

Expected_part
expect_part(const Plan *x, const Part *k)
{
	Gain_cut c = { 0 };
	uint32_t turns = x->turns > 1 ? x->turns : 1;

	task_of(k, &c);
	return (Expected_part){ .path = effort_blocks(x->fn, k->join ? k->span : k->blocks,
					k->path->entry).issue,
		.task = gain_task(k->policy, &c),
		.round = gain_vote(k->policy, turns, x->lockstep.on) };
}

Expected_looks
expect_looks(const Plan *x)
{
	const Expected *e = expect_site(x);
	Gain_site s = { .row = x->bound.group > 0, .straight = x->bound.straight,
		.gathers = x->bound.gathers };
	Expected_looks l = { 0 };

	if (!e)
		return l;
	s.own = e->own;
	l.look = gain_look(&s);
	l.noted = gain_noted(&s);
	for (uint32_t i = 0; i < x->nparts; i++)
		l.path += effort_blocks(x->fn, x->parts[i].path->blocks,
			x->parts[i].path->entry).issue / x->nparts;
	return l;
}

Gain
plan_gain(const Plan *x)
{
	uint32_t n = x->turns > 1 ? x->turns : x->bound.meet ? x->bound.n : x->asked.n;

	return expect_gain(expect_site(x), x, x->policy, n);
}
