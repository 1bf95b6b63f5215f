/* SPDX-License-Identifier: MIT */
/* Counts how often lanes enter the annotated paths and inner loops (analysis/cuts.h).
 *
 * At each place stands an instruction of the emulator's own, which takes no issue slot. Lanes that
 * arrive together are counted together, so the counts are of what ran under this schedule. The
 * trips of an inner loop are counted for each lane and added when it leaves the loop; for lanes
 * that leave together the largest number counts.
 */
#include <string.h>
#include "simt/cuts.h"

typedef enum { BEGINS, ENTERS, TURNS, LEAVES } Place;

/* By lane, the trips through inner loop k of the module so far. */
static uint32_t *
trips(Warp *w, uint32_t k)
{
	uint32_t n = w->sim->nrounds;

	if (!w->trips)
		w->trips = memset(xmalloc(n * LANES * sizeof *w->trips), 0,
			n * LANES * sizeof *w->trips);
	return w->trips + (size_t)k * LANES;
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
	Sim_cut *c = &w->sim->cuts.at[i->imm];

	c->counts.histogram[count_bits(lanes)]++;
	if (c->rounds)
		for EACH_LANE(l, lanes)
			trips(w, c->rounds - 1)[l] = 0;
}

static void
turns(Warp *w, const Inst *i, uint32_t lanes)
{
	const Sim_cut *c = &w->sim->cuts.at[i->imm];

	for EACH_LANE(l, lanes)
		trips(w, c->rounds - 1)[l]++;
}

static void
leaves(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim_cut *c = &w->sim->cuts.at[i->imm];
	uint32_t *t = trips(w, c->rounds - 1), most = 0;

	for EACH_LANE(l, lanes) {
		c->counts.trips += t[l];
		most = t[l] > most ? t[l] : most;
	}
	c->counts.longest += most;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* At each block: the lists of its places. */
static void
note(Head *h, uint32_t block, Place place, uint32_t cut)
{
	*vec_push(&h->places) = (Head_place){ block, (uint32_t)place, cut };
}

static void
note_all(Head *h, Block_list l, Place place, uint32_t cut)
{
	for (uint32_t i = 0; i < l.n; i++)
		note(h, l.at[i], place, cut);
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
	for (uint32_t i = 0; i < c.n; i++) {
		uint32_t k = s->cuts.n;
		*vec_push(&s->cuts) = (Sim_cut){ .fn = fn, .region = c.at[i].region };
		if (c.at[i].turns.n)
			s->cuts.at[k].rounds = ++s->nrounds;
		note_all(h, c.at[i].begins, BEGINS, k);
		note(h, c.at[i].enters, ENTERS, k);
		note_all(h, c.at[i].turns, TURNS, k);
		note_all(h, c.at[i].turns.n ? c.at[i].leaves : (Block_list){ 0 }, LEAVES, k);
	}
}

void
cuts_block(Head *h, uint32_t block)
{
	static Run *const run[] = { begins, enters, turns, leaves };

	for (uint32_t i = 0; i < h->places.n; i++)
		if (h->places.at[i].block == block)
			*vec_push(&h->p->insts) = (Inst){ .run = run[h->places.at[i].place],
				.stmt = h->cfg->blocks[block].stmt,
				.imm = h->places.at[i].cut };
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
