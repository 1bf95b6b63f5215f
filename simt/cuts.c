/* SPDX-License-Identifier: MIT */
/* Counts how often lanes enter the annotated paths and inner loops (analysis/cuts.h).
 *
 * At each place stands an instruction of the emulator's own, which takes no issue slot. Lanes that
 * arrive together are counted together, so the counts are of what ran under this schedule. The
 * trips of an inner loop, and runs of a block, are counted for each lane and added when it leaves
 * the loop, or the cut in which the block stands; for lanes that leave together the largest number
 * counts.
 */
#include <string.h>
#include "simt/cuts.h"

typedef enum { COMES, BEGINS, ENTERS, TURNS, LEAVES, ENDS } Place;

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

/* Adds what lanes have counted, and begins anew. */
static void
take(Warp *w, uint32_t k, uint32_t lanes, Frequency_block *to)
{
	uint32_t *t = turns_of(w, k), most = 0;

	for EACH_LANE(l, lanes) {
		uint64_t n = t[l] < FREQUENCY_LARGE ? t[l] : FREQUENCY_LARGE;
		to->runs += t[l];
		to->squares += n * n;
		most = t[l] > most ? t[l] : most;
		t[l] = 0;
	}
	to->longest += most;
	to->most = most > to->most ? most : to->most;
}

static void
leaves(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim_cut *c = &w->sim->cuts.at[i->imm];
	Frequency_block trips = { 0 };

	take(w, c->rounds, lanes, &trips);
	c->counts.trips += trips.runs;
	c->counts.longest += trips.longest;
}

static void
ends(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim_cut *c = &w->sim->cuts.at[i->imm];

	for (uint32_t k = 0; k < c->counts.nblocks; k++)
		take(w, c->blocks[k], lanes, &c->counts.blocks[k]);
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

	*cut = (Sim_cut){ .fn = fn, .region = c->region };
	if (c->turns.n)
		cut->rounds = ++s->nturns;
	cut->counts.nblocks = c->nblocks;
	for (uint32_t i = 0; i < c->nblocks; i++) {
		cut->blocks[i] = ++s->nturns;
		note_all(h, c->blocks[i].turns, TURNS, s->nturns);
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

void
cuts_function(Head *h)
{
	Sim *s = h->sim;
	uint32_t func = h->p->codes.at[h->code].func;

	h->places.n = 0;
	if (!s->count_cuts || !h->f->nmarkers)
		return;
	if (!s->effects)
		s->effects = effects_build(s->m, s->arena);
	const Fn *fn = fn_build(s->m, func, s->effects, s->arena);
	Cuts c = cuts_find(fn, s->arena);
	for (uint32_t i = 0; i < c.n; i++)
		note_cut(h, fn, &c.at[i]);
}

void
cuts_block(Head *h, uint32_t block)
{
	static Run *const run[] = { comes, begins, enters, turns, leaves, ends };

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
}

void
sim_profile(const Sim *s, Profile *to)
{
	Arena *a = arena_new();

	for (uint32_t i = 0; i < s->cuts.n; i++) {
		const Sim_cut *c = &s->cuts.at[i];
		Profile_key key = profile_key(c->fn, c->region, a);
		profile_add(to, &key, &c->counts);
	}
	arena_free(a);
}
