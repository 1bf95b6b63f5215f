/* SPDX-License-Identifier: MIT */
/* Counts how often lanes enter the annotated paths and inner loops
 * (analysis/region/profile_points.h).
 *
 * At each place stands an instruction of the emulator's own, which takes no issue slot. Lanes that
 * arrive together are counted together, so the counts are of what ran under this schedule. The
 * trips of an inner loop, and runs of a block, are counted for each lane and added when it leaves
 * the loop, or the cut in which the block stands; for lanes that leave together the largest number
 * counts. Each lane remembers what it has added of a block, until it has run the cut again, or
 * calls the function anew. A launch begins when the grid's first thread does.
 */
#include <string.h>
#include "analysis/analyse.h"
#include "simt/decode/profile_counts.h"
#include "simt/memory/cache_model.h"

typedef enum { COMES, BEGINS, ENTERS, TURNS, LEAVES, ENDS, PLACES } Place;

/* By lane, how often it has come by what is counted as number k, so far. */
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

/* Adds what lanes have counted, and begins anew; the most of this launch. */
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

/* How far the lanes that have run the cut before are from what they did then. */
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

/* Adds the most of the launch, which is over. */
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

/* The function of a cut, and those behind it, is called; a kernel is launched. */
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

/* ---- places ---------------------------------------------------------------------------------- */

/* At each block: the lists of its places. of: the cut; of TURNS: the number of what is counted. */
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

/* The function's cuts. */
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

/* Runs of what the cut's own blocks are counted in. */
static uint64_t
runs_of(const Sim_cut *c)
{
	uint64_t lanes = 0;

	for (uint32_t k = 1; k <= LANES; k++)
		lanes += k * c->counts.histogram[k];
	return c->region->kind == REGION_ROUNDS ? c->counts.trips : lanes;
}

/* How near the memory is that its blocks access. */
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
