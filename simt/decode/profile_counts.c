/* SPDX-License-Identifier: MIT */
/* Counts executions of profile points: annotated paths and inner loops
 * (analysis/region/profile_points.h).
 *
 * Pseudo-instructions without issue slots count at each place. Lanes that arrive together are
 * counted together, so the counts depend on the schedule. The trips of an inner loop and the
 * executions of a block are counted per lane, and added when the lane leaves the loop, or the
 * region that contains the block; of lanes that leave together, the maximum is added too. For each
 * block, a lane remembers the count it added last, until it has executed the region again or calls
 * the function anew. A launch begins with the grid's first thread.
 */
#include <string.h>
#include "analysis/analyse.h"
#include "simt/decode/profile_counts.h"
#include "simt/memory/cache_model.h"

typedef enum { COMES, BEGINS, ENTERS, TURNS, LEAVES, ENDS, PLACES } Place;

/* Per-lane values of counter k. */
static uint32_t *
turns_of(Warp *w, uint32_t k)
{
	uint32_t n = w->sim->nturns;

	if (!w->trips)
		w->trips = memset(xmalloc(n * LANES * sizeof *w->trips), 0,
			n * LANES * sizeof *w->trips);
	return w->trips + (size_t)(k - 1) * LANES;
}

static void
comes(Warp *w, const Inst *i, uint32_t lanes)
{
	Frequency *f = &w->sim->cuts.at[i->imm].counts;

	f->entries += count_bits(lanes);
	f->entered++;
}

static void
begins(Warp *w, const Inst *i, uint32_t lanes)
{
	Frequency *f = &w->sim->cuts.at[i->imm].counts;

	f->iterations += count_bits(lanes);
	f->rounds++;
}

static void
enters(Warp *w, const Inst *i, uint32_t lanes)
{
	w->sim->cuts.at[i->imm].counts.histogram[count_bits(lanes)]++;
}

static void
turns(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t *t = turns_of(w, (uint32_t)i->imm);

	for EACH_LANE(l, lanes)
		t[l]++;
}

static uint64_t
square(uint32_t n)
{
	uint64_t x = n < FREQUENCY_LARGE ? n : FREQUENCY_LARGE;

	return x * x;
}

/* Adds the lanes' counters to the totals and resets them; updates the maximum of this launch. */
static void
take(Warp *w, uint32_t k, uint32_t lanes, Frequency_block *to, uint64_t *in_launch)
{
	uint32_t *t = turns_of(w, k), most = 0;

	for EACH_LANE(l, lanes) {
		to->runs += t[l];
		to->squares += square(t[l]);
		most = t[l] > most ? t[l] : most;
		t[l] = 0;
	}
	to->longest += most;
	to->most = most > to->most ? most : to->most;
	*in_launch = most > *in_launch ? most : *in_launch;
}

static void
leaves(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim_cut *c = &w->sim->cuts.at[i->imm];
	Frequency_block trips = { 0 };

	take(w, c->rounds, lanes, &trips, &c->most);
	c->counts.trips += trips.runs;
	c->counts.longest += trips.longest;
}

/* Adds the squared differences between the current and the previous execution of the region, for
 * lanes that have executed it before. */
static void
compare(Warp *w, Sim_cut *c, uint32_t k, uint32_t lanes)
{
	const uint32_t *runs = turns_of(w, c->runs), *now = turns_of(w, c->blocks[k]);
	uint32_t *then = turns_of(w, c->before[k]);

	for EACH_LANE(l, lanes) {
		if (runs[l])
			c->counts.blocks[k].changes += square(now[l] > then[l] ? now[l] - then[l] :
										  then[l] - now[l]);
		then[l] = now[l];
	}
}

static void
ends(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim_cut *c = &w->sim->cuts.at[i->imm];
	uint32_t *runs = c->runs ? turns_of(w, c->runs) : NULL;

	for (uint32_t k = 0; k < c->counts.nblocks; k++) {
		if (runs)
			compare(w, c, k, lanes);
		take(w, c->blocks[k], lanes, &c->counts.blocks[k], &c->most_of[k]);
	}
	for EACH_LANE(l, runs ? lanes : 0) {
		c->counts.again += runs[l];
		runs[l] = 1;
	}
}

/* Adds the maxima of the launch that has ended. */
static void
launched(Sim_cut *c)
{
	c->counts.last += c->most;
	c->most = 0;
	for (uint32_t i = 0; i < c->counts.nblocks; i++) {
		c->counts.blocks[i].last += c->most_of[i];
		c->most_of[i] = 0;
	}
}

static uint64_t
warps_of(const Sim_launch *l)
{
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	return blocks * ((l->block[0] * l->block[1] * l->block[2] + LANES - 1) / LANES);
}

/* Called when the function of a profile point, and of those that follow it, is entered, or a kernel
 * is launched. */
static void
starts(Warp *w, const Inst *i, uint32_t lanes)
{
	const Fn *fn = w->sim->cuts.at[i->imm].fn;
	const uint32_t *at = w->block->id;
	bool first = !(at[0] | at[1] | at[2] | w->index) && lanes & 1 && fn->f->entry;

	for (uint32_t k = (uint32_t)i->imm; k < w->sim->cuts.n; k++) {
		Sim_cut *c = &w->sim->cuts.at[k];
		if (c->fn != fn)
			break;
		for EACH_LANE(l, c->runs ? lanes : 0)
			turns_of(w, c->runs)[l] = 0;
		if (!first)
			continue;
		c->counts.launches++;
		c->warps += warps_of(w->sim->l);
		launched(c);
	}
}

/* ---- placement ------------------------------------------------------------------------------- */

/* Adds a counting place to each block of the list. of: the profile point; for TURNS the counter. */
static void
note_all(Head *h, Block_list l, Place place, uint32_t of)
{
	for (uint32_t i = 0; i < l.n; i++)
		*vec_push(&h->places) = (Head_place){ l.at[i], (uint32_t)place, of };
}

static void
note_cut(Head *h, const Fn *fn, const Cut_places *c)
{
	Sim *s = h->sim;
	uint32_t k = s->cuts.n;
	Sim_cut *cut = vec_push(&s->cuts);

	*cut = (Sim_cut){ .fn = fn, .region = c->region, .own = c->own };
	cut->atomics = c->natomics != 0;
	cut->loads = c->loads;
	if (c->turns.n)
		cut->rounds = ++s->nturns;
	cut->counts.nblocks = c->nblocks;
	if (c->nblocks && c->repeats)
		cut->runs = ++s->nturns;
	for (uint32_t i = 0; i < c->nblocks; i++) {
		cut->blocks[i] = ++s->nturns;
		note_all(h, c->blocks[i].turns, TURNS, s->nturns);
		if (c->repeats)
			cut->before[i] = ++s->nturns;
	}
	if (c->nblocks)
		note_all(h, c->ends, ENDS, k);
	note_all(h, c->comes, COMES, k);
	note_all(h, c->begins, BEGINS, k);
	note_all(h, c->enters, ENTERS, k);
	note_all(h, c->turns, TURNS, cut->rounds);
	if (c->turns.n)
		note_all(h, c->leaves, LEAVES, k);
}

/* Adds the function's profile points. */
static void
note_cuts(Head *h, const Fn *fn)
{
	Cuts c = cuts_find(fn, h->sim->arena);

	for (uint32_t i = 0; i < c.n; i++)
		note_cut(h, fn, &c.at[i]);
}

static void
note_loops(Head *h, const Fn *fn)
{
	for (uint32_t i = 1; i < fn->loops->nloops; i++) {
		Cut_places c = cuts_loop(fn, i, h->sim->arena);
		note_cut(h, fn, &c);
		h->sim->cuts.at[h->sim->cuts.n - 1].loop = i;
	}
}

void
cuts_function(Head *h)
{
	Sim *s = h->sim;
	uint32_t func = h->p->codes.at[h->code].func, first = s->cuts.n;

	h->places.n = 0;
	if (!s->count_loops && (!s->count_cuts || !h->f->nmarkers))
		return;
	if (!s->effects)
		s->effects = effects_build(s->m, s->arena);
	const Fn *fn = fn_build(s->m, func, s->effects, s->arena);
	(s->count_loops ? note_loops : note_cuts)(h, fn);
	if (s->cuts.n > first)
		*vec_push(&h->p->insts) =
			(Inst){ .run = starts, .stmt = h->cfg->blocks[1].stmt, .imm = first };
}

void
cuts_block(Head *h, uint32_t block)
{
	static Run *const run[PLACES] = { comes, begins, enters, turns, leaves, ends };

	for (uint32_t i = 0; i < h->places.n; i++)
		if (h->places.at[i].block == block)
			*vec_push(&h->p->insts) = (Inst){ .run = run[h->places.at[i].place],
				.stmt = h->cfg->blocks[block].stmt,
				.imm = h->places.at[i].of };
}

void
sim_count_cuts(Sim *s)
{
	s->count_cuts = true;
	near_begin(s);
}

void
sim_count_loops(Sim *s)
{
	s->count_loops = true;
	near_begin(s);
}

/* Executions to which the counts of its own blocks refer. */
static uint64_t
runs_of(const Sim_cut *c)
{
	uint64_t lanes = 0;

	for (uint32_t k = 1; k <= LANES; k++)
		lanes += k * c->counts.histogram[k];
	return c->region->kind == REGION_ROUNDS ? c->counts.trips : lanes;
}

/* Adds the cache statistics of its blocks. */
static void
add_near(const Sim *s, Sim_cut *c)
{
	Near n = { 0 };
	uint64_t runs = runs_of(c);

	BITS_EACH(b, c->own)
		near_add(s, c->fn, b, &n);
	if (c->atomics)
		c->counts.atomics = (Frequency_atomics){ runs, n.atomics, n.compared, n.same };
	if (c->loads)
		c->counts.loads = (Frequency_loads){ runs, n.sectors, n.missed };
}

void
sim_profile(const Sim *s, Profile *to)
{
	Arena *a = arena_new();

	for (uint32_t i = 0; s->count_cuts && i < s->cuts.n; i++) {
		Sim_cut c = s->cuts.at[i];
		Profile_key key = profile_key(c.fn, c.region, a);
		if (c.counts.launches)
			launched(&c);
		add_near(s, &c);
		profile_add(to, &key, &c.counts);
	}
	arena_free(a);
}
