/* SPDX-License-Identifier: MIT */
/* A plan's site as the model of gain.h sees it. Cuts are the site's annotated paths and inner
 * loops, whichever of them the plan is about, so that all plans of a site are compared with the
 * same loop as it is.
 */
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
	for (uint32_t i = 0; i < x->nparts; i++)
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

/* An atomic operation in shared memory, and what leads to it. */
enum { FOLD = 6 };

static void
task_of(const Part *k, Gain_cut *c)
{
	c->words = words(&k->task);
	c->besides = k->task.ncomputed + k->task.nslice + FOLD * (double)k->task.nsums;
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

static void
ask(const Plan *x, const Region *r, Gain_cut *c)
{
	const Frequency *f = x->opt->frequency ?
		x->opt->frequency(x->opt->measured, x->fn, r) : NULL;

	c->known = f != NULL;
	if (f)
		c->share = measured(f);
}

/* ---- the whole ------------------------------------------------------------------------------- */

typedef struct { const Plan *x; const Region **of; Gain_cut *cuts; uint32_t n; } Cuts;

static void
add(Cuts *c, const Region *r)
{
	uint32_t by = comes_by(c->x->fn, r), size = UINT32_MAX;
	Gain_cut *k = &c->cuts[c->n];

	*k = (Gain_cut){ .inner = r->kind == REGION_ROUNDS, .always = is_always(c->x, by) };
	for (uint32_t i = 0; i < c->n; i++) /* the smallest path around it */
		if (!c->cuts[i].inner && bits_has(c->of[i]->blocks, by) && c->of[i] != r &&
			bits_count(c->of[i]->blocks) < size) {
			k->outer = i + 1;
			size = bits_count(c->of[i]->blocks);
		}
	ask(c->x, r, k);
	c->of[c->n++] = r;
}

/* What each cut runs itself: its blocks without those of the cuts in it. */
static void
work(Cuts *c, Bits own)
{
	Bits rest = bits_new(c->x->scratch, c->x->fn->cfg->nblocks);

	for (uint32_t i = 0; i < c->n; i++) {
		bits_copy(rest, blocks_of(c->x, c->of[i]));
		for (uint32_t k = 0; k < c->n; k++)
			if (c->cuts[k].outer == i + 1)
				bits_and_not(rest, blocks_of(c->x, c->of[k]));
		c->cuts[i].work = effort_blocks(c->x->fn, rest, entry_of(c->x, c->of[i]));
		bits_and_not(own, blocks_of(c->x, c->of[i]));
	}
}

static void
take(Cuts *c, Annot_policy policy)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const Part *k = part_of(c->x, c->of[i]);
		c->cuts[i].taken = policy == POLICY_FLATTEN ? c->of[i] == c->x->site->rounds[0] :
							      k != NULL;
		if (k)
			task_of(k, &c->cuts[i]);
	}
}

Gain
plan_gain_by(const Plan *x, Annot_policy policy, uint32_t n)
{
	uint32_t all = x->site->npaths + x->site->nrounds;
	Cuts c = { .x = x,
		.of = arena_array(x->scratch, all + 1, sizeof *c.of),
		.cuts = arena_array(x->scratch, all + 1, sizeof *c.cuts) };
	Bits own = bits_new(x->scratch, x->fn->cfg->nblocks);

	if (all > GAIN_CUTS || x->bound.pool) /* of iterations that are drawn it knows nothing */
		return (Gain){ 0 };
	bits_copy(own, x->fn->loops->loops[x->site->loop].blocks);
	for (uint32_t i = 0; i < x->site->npaths; i++)
		add(&c, x->site->paths[i]);
	for (uint32_t i = 0; i < x->site->nrounds; i++)
		add(&c, x->site->rounds[i]);
	work(&c, own);
	take(&c, policy);
	Gain_site s = { .own = effort_blocks(x->fn, own, plan_header(x)),
		.cuts = c.cuts,
		.ncuts = c.n,
		.lockstep = x->lockstep.on,
		.row = x->bound.group > 0,
		.straight = x->bound.straight };
	return gain_of(&s, policy, n);
}

Gain
plan_gain(const Plan *x)
{
	return plan_gain_by(x, x->policy, x->turns > 1 ? x->turns : x->asked.n);
}
