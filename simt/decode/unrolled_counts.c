/* SPDX-License-Identifier: MIT */
/* Counts loops that ptxas has unrolled: one machine-code iteration executes N PTX iterations; some
 * iterations are executed by parts in front of the loop, the remaining ones by parts behind it.
 *
 * Each lane counts its iterations. At every N-th iteration after those of the front parts, the
 * loop's instructions are counted with the lanes that are there. Where lanes reconverge after the
 * loop, the other parts are counted in their order, each with the lanes that still have enough
 * iterations.
 */
#include "simt/decode/slot_placement.h"
#include "simt/decode/unrolled_counts.h"
#include "simt/sass/unroll_detect.h"

/* a: row of the lanes' iteration counts; b: iterations before the unrolled loop; c: N. */
static void
tick(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t *trips = row32(w, i->a), full = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t l = low_bit(rest), n = ++trips[l];
		full |= (uint32_t)(n > i->b && (n - i->b) % i->c == 0) << l;
	}
	if (full)
		slots_count(w->sim, w->sim->prog.list.at + i->list, i->nlist, full);
}

/* The lanes whose count is at least n. */
static uint32_t
with(const uint32_t *of, uint32_t lanes, uint32_t n)
{
	uint32_t on = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		on |= (uint32_t)(of[low_bit(rest)] >= n) << low_bit(rest);
	return on;
}

/* Counts a part of the loop for the lanes that have enough iterations left, and subtracts these. */
static void
part(Sim *s, const uint32_t *x, uint32_t lanes, uint32_t *left)
{
	const Turns t = turns_unpack(x[0]);
	for (uint32_t on = with(left, lanes, t.turns); on; on = with(left, on, t.turns)) {
		slots_count(s, x + 2, x[1], on);
		for (uint32_t rest = on; rest; rest &= rest - 1)
			left[low_bit(rest)] -= t.turns;
		if (!t.again)
			break;
	}
}

/* Prog.list has for each part, including the already counted loop itself: its Turns, the length of
 * its list, and its list. imm: the first iterations, which are counted elsewhere. */
static void
finish(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *x = w->sim->prog.list.at + i->list, *end = x + i->nlist;
	uint32_t *trips = row32(w, i->a), left[LANES];
	uint32_t on = with(trips, lanes, (uint32_t)i->imm + 1);
	bool behind = false;
	for (uint32_t rest = on; rest; rest &= rest - 1)
		left[low_bit(rest)] = trips[low_bit(rest)] - (uint32_t)i->imm;
	for (; x < end; x += 2 + x[1]) {
		const Turns t = turns_unpack(x[0]);
		if (!behind)
			on = with(left, on, 1);
		if (t.number != i->b) {
			part(w->sim, x, on, left);
			continue;
		}
		behind = true;
		for (uint32_t rest = on; rest; rest &= rest - 1)
			left[low_bit(rest)] %= t.turns;
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		trips[low_bit(rest)] = 0;
}

/* The row of a loop's iteration counts: initially zero, shared with no constant. */
static uint32_t
row_of(Head *h, Machine_loop *l)
{
	enum { OWN = 1 };
	Code *c = &h->p->codes.at[h->code];
	const Machine *m = h->machine;
	for (uint32_t k = 0; k < m->nloops && !l->row; k++)
		if (m->loops[k].block == l->block)
			l->row = m->loops[k].row;
	if (!l->row) {
		l->row = c->bytes;
		c->bytes += 4 * LANES;
		*vec_push(&c->rows) =
			(Row){ .off = l->row, .kind = ROW_CONST, .width = 4, .sel = OWN };
	}
	return l->row;
}

/* The part that is the unrolled loop: among the parts that are loops, the one with the most PTX
 * iterations per iteration. */
static const Machine_place *
unrolled(const Machine *m, uint32_t block)
{
	const Machine_place *most = NULL;
	for (uint32_t k = 0; k < m->nplaces; k++) {
		const Machine_place *p = &m->places[k];
		if (p->kind == PLACE_TURNS && p->of == block && turns_unpack(p->way).again &&
			(!most || turns_unpack(p->way).turns > turns_unpack(most->way).turns))
			most = p;
	}
	return most;
}

/* The number of iterations executed in front of it, or counted elsewhere. */
static uint32_t
in_front(const Machine *m, const Machine_loop *l, const Machine_place *main)
{
	uint32_t n = l->first;
	for (const Machine_place *p = m->places; p < main; p++)
		if (p->kind == PLACE_TURNS && p->of == l->block)
			n += turns_unpack(p->way).turns;
	return n;
}

static void
place_loop(Head *h, Machine_loop *l, const Inst *as)
{
	const Machine_place *p = unrolled(h->machine, l->block);
	if (!p)
		return;
	Inst i = { .kind = I_PLAIN, .run = tick, .stmt = as->stmt, .a = row_of(h, l) };
	i.b = in_front(h->machine, l, p);
	i.c = turns_unpack(p->way).turns;
	i.list = h->p->list.n;
	slots_list(h, p);
	i.nlist = h->p->list.n - i.list;
	*vec_push(&h->p->insts) = i;
}

static void
place_exit(Head *h, Machine_loop *l, const Inst *as)
{
	const Machine *m = h->machine;
	const Machine_place *main = unrolled(m, l->block);
	if (!main)
		return;
	Inst i = { .kind = I_PLAIN, .run = finish, .stmt = as->stmt, .a = row_of(h, l) };
	i.b = turns_unpack(main->way).number;
	i.imm = l->first;
	i.list = h->p->list.n;
	for (uint32_t k = 0; k < m->nplaces; k++) {
		const Machine_place *p = &m->places[k];
		if (p->kind != PLACE_TURNS || p->of != l->block)
			continue;
		*vec_push(&h->p->list) = p->way;
		*vec_push(&h->p->list) = 3 * p->n;
		slots_list(h, p);
	}
	i.nlist = h->p->list.n - i.list;
	*vec_push(&h->p->insts) = i;
}

void
turns_place(Head *h, uint32_t b, const Inst *as)
{
	Machine *m = h->machine;
	bool begun = false;
	for (uint32_t k = 0; k < m->nloops; k++)
		if (m->loops[k].exit == b)
			place_exit(h, &m->loops[k], as);
	for (uint32_t k = 0; k < m->nloops && !begun; k++) {
		begun = m->loops[k].block == b;
		if (begun)
			place_loop(h, &m->loops[k], as);
	}
}
