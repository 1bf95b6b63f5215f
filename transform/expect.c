/* SPDX-License-Identifier: MIT */
/* A plan's site as the model of gain.h sees it. Cuts are the site's annotated paths and inner
 * loops, whichever of them the plan is about, so that all plans of a site are compared with the
 * same loop as it is.
 */
#include "analysis/cuts.h"
#include "transform/bound.h"
#include "transform/choose.h"

/* The block that an iteration comes to a cut by: of an inner loop the one in front of which its
 * marker stands, since it may have no iterations. */
static uint32_t
comes_by(const Fn *fn, const Region *r)
{
	return fn_block(fn, fn->m->markers[r->marker].stmt);
}

/* Does every iteration come by the block? */
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

/* ---- what the plan is about ------------------------------------------------------------------ */

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

/* An atomic operation in shared memory, and what leads to it; one that is a loop. None where
 * whoever runs the path keeps what it folds. */
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

/* ---- how often ------------------------------------------------------------------------------- */

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

static const Frequency *
frequency(const Plan *x, const Region *r)
{
	return x->opt->frequency ? x->opt->frequency(x->opt->measured, x->fn, r) : NULL;
}

static void
ask(const Plan *x, const Region *r, Gain_cut *c)
{
	const Frequency *f = frequency(x, r);

	c->known = f != NULL;
	if (f)
		c->share = measured(f);
}

/* ---- the site ------------------------------------------------------------------------------- */

struct Expected {
	const Plan *x;
	const Region **of;      /* by cut */
	Gain_cut *cuts; uint32_t n;
	Effort own;
};

static void
add(Expected *e, const Region *r)
{
	uint32_t by = comes_by(e->x->fn, r), size = UINT32_MAX;
	Gain_cut *k = &e->cuts[e->n];

	*k = (Gain_cut){ .inner = r->kind == REGION_ROUNDS, .always = is_always(e->x, by) };
	for (uint32_t i = 0; i < e->n; i++) /* the smallest path around it */
		if (!e->cuts[i].inner && bits_has(e->of[i]->blocks, by) && e->of[i] != r &&
			bits_count(e->of[i]->blocks) < size) {
			k->outer = i + 1;
			size = bits_count(e->of[i]->blocks);
		}
	k->trips = k->inner && r->loop ? e->x->fn->loops->loops[r->loop].trips : 0;
	ask(e->x, r, k);
	e->of[e->n++] = r;
}

/* Runs of what the region's loops go round in: by lanes; by warps. */
static double
visits(const Region *r, const Frequency *f, bool by_warps)
{
	switch (r->kind) {
	case REGION_ROUNDS: return (double)(by_warps ? f->longest : f->trips);
	case REGION_LOOP: return (double)(by_warps ? f->rounds : f->iterations);
	default: return (double)(by_warps ? f->warps : f->lanes);
	}
}

/* By loop, how often an iteration of it is run in a run of the region, of a lane in the mean, or of
 * the warp's lane that has most; as the profile says, or as effort_runs does. */
static double *
runs_of(const Plan *x, const Region *r, uint32_t entry, bool by_warps)
{
	const Loop *loops = x->fn->loops->loops;
	const Frequency *f = frequency(x, r);
	Cut_loop counted[FREQUENCY_LOOPS];
	uint32_t n = f ? cuts_loops(x->fn, r, counted, x->scratch) : 0, numbers = 0,
		 base = loops[x->fn->loops->loop_of[entry]].depth;
	double *runs = arena_array(x->scratch, x->fn->loops->nloops + 1u, sizeof *runs);

	for (uint32_t i = 0; i < n; i++)
		numbers |= 1u << (counted[i].number - 1);
	if (!f || numbers != f->counted || visits(r, f, by_warps) <= 0)
		n = 0;
	for (uint32_t l = 0; l < x->fn->loops->nloops; l++) {
		runs[l] = loops[l].depth <= base ? 1 :
			runs[loops[l].parent] *
				(loops[l].trips ? loops[l].trips : COST_LOOP_WEIGHT);
		for (uint32_t i = 0; i < n; i++) {
			const Frequency_loop *of = &f->loops[counted[i].number - 1];
			if (counted[i].loop == l)
				runs[l] = (double)(by_warps ? of->longest : of->trips) /
					visits(r, f, by_warps);
		}
	}
	return runs;
}

/* The effort of a run by one lane, and what it takes more for lanes that run it together. */
static void
work_of(const Plan *x, const Region *r, Bits blocks, Gain_cut *k)
{
	uint32_t entry = entry_of(x, r);
	double together = k->share.warps > 0 ? WARP * k->share.lanes / k->share.warps : 0,
	       more = k->known ? gain_most(k->inner ? together / k->share.spread : together) : 0;

	k->work = effort_known(x->fn, blocks, runs_of(x, r, entry, false));
	if (more > 0) {
		Effort all = effort_known(x->fn, blocks, runs_of(x, r, entry, true));
		k->uneven = all.issue > k->work.issue ? (all.issue - k->work.issue) / more : 0;
	}
}

/* What each cut runs itself: its blocks without those of the cuts in it; and the rest of an
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
	e->own = effort_known(x->fn, own, runs_of(x, x->site, plan_header(x), true));
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
	return e;
}

/* ---- a plan of it --------------------------------------------------------------------------- */

/* Is the plan about a cut: is it a part, or do lanes wait or meet there, and nowhere else? */
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

/* What the policy takes of the cuts, and what tasks are made of. */
static void
take(const Expected *e, const Plan *x, Gain_cut *cuts)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const Part *k = part_of(x, e->of[i]);
		cuts[i] = e->cuts[i];
		cuts[i].taken = takes(x, e->of[i]);
		cuts[i].in_task = k && k >= x->parts + x->nparts;
		if (k)
			task_of(k, &cuts[i]);
	}
}

Gain
expect_gain(const Expected *e, const Plan *x, Annot_policy policy, uint32_t n)
{
	Gain_cut cuts[GAIN_CUTS];

	if (!e || x->bound.pool) /* of iterations that are drawn it knows nothing */
		return (Gain){ 0 };
	take(e, x, cuts);
	Gain_site s = { .own = e->own,
		.cuts = cuts,
		.ncuts = e->n,
		.nested = x->fn->loops->loops[x->site->loop].depth > 1,
		.lockstep = x->lockstep.on,
		.grouped = x->grouped,
		.row = x->bound.group > 0,
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
