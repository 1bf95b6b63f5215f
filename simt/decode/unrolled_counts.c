/* SPDX-License-Identifier: MIT */
/* Counts loops that ptxas has unrolled: one machine-code iteration executes N PTX iterations; some
 * iterations are executed by pieces before the loop, the remaining ones by pieces after it.
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
run_count_iteration(Warp *w, const Inst *i, uint32_t lanes)
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
lanes_with_at_least(const uint32_t *of, uint32_t lanes, uint32_t n)
{
	uint32_t on = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		on |= (uint32_t)(of[low_bit(rest)] >= n) << low_bit(rest);
	return on;
}

/* Counts a part of the loop for the lanes that have enough iterations left, and subtracts these. */
static void
count_loop_piece(Sim *s, const uint32_t *x, uint32_t lanes, uint32_t *left)
{
	const Unroll_piece t = unroll_piece_unpack(x[0]);
	for (uint32_t on = lanes_with_at_least(left, lanes, t.factor); on;
		on = lanes_with_at_least(left, on, t.factor)) {
		slots_count(s, x + 2, x[1], on);
		for (uint32_t rest = on; rest; rest &= rest - 1)
			left[low_bit(rest)] -= t.factor;
		if (!t.is_loop)
			break;
	}
}

/* Prog.list has for each piece, including the already counted loop itself: its Unroll_piece, the
 * length of its list, and its list. imm: the first iterations, which are counted elsewhere. */
static void
run_count_pieces(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *x = w->sim->prog.list.at + i->list, *end = x + i->nlist;
	uint32_t *trips = row32(w, i->a), left[LANES];
	uint32_t on = lanes_with_at_least(trips, lanes, (uint32_t)i->imm + 1);
	bool behind = false;
	for (uint32_t rest = on; rest; rest &= rest - 1)
		left[low_bit(rest)] = trips[low_bit(rest)] - (uint32_t)i->imm;
	for (; x < end; x += 2 + x[1]) {
		const Unroll_piece t = unroll_piece_unpack(x[0]);
		if (!behind)
			on = lanes_with_at_least(left, on, 1);
		if (t.number != i->b) {
			count_loop_piece(w->sim, x, on, left);
			continue;
		}
		behind = true;
		for (uint32_t rest = on; rest; rest &= rest - 1)
			left[low_bit(rest)] %= t.factor;
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		trips[low_bit(rest)] = 0;
}

/* The row of a loop's iteration counts: initially zero, shared with no constant. */
static uint32_t
loop_row(Opcode *h, Unrolled_count *l)
{
	enum { UNSHARED = 1 };
	Code *c = &h->p->codes.at[h->code];
	const Issue_slots *m = h->machine;
	for (uint32_t k = 0; k < m->nloops && !l->row; k++)
		if (m->loops[k].block == l->block)
			l->row = m->loops[k].row;
	if (!l->row) {
		l->row = c->bytes;
		c->bytes += 4 * LANES;
		*vec_push(&c->rows) =
			(Row){ .off = l->row, .kind = ROW_CONST, .width = 4, .sel = UNSHARED };
	}
	return l->row;
}

/* The part that is the unrolled loop: among the parts that are loops, the one with the most PTX
 * iterations per iteration. */
static const Slot_place *
unrolled_piece(const Issue_slots *m, uint32_t block)
{
	const Slot_place *most = NULL;
	for (uint32_t k = 0; k < m->nplaces; k++) {
		const Slot_place *p = &m->places[k];
		if (p->kind == SLOT_UNROLLED && p->index == block &&
			unroll_piece_unpack(p->successor).is_loop &&
			(!most ||
				unroll_piece_unpack(p->successor).factor >
					unroll_piece_unpack(most->successor).factor))
			most = p;
	}
	return most;
}

/* The number of iterations executed before it, or counted elsewhere. */
static uint32_t
iterations_before(const Issue_slots *m, const Unrolled_count *l, const Slot_place *main)
{
	uint32_t n = l->first;
	for (const Slot_place *p = m->places; p < main; p++)
		if (p->kind == SLOT_UNROLLED && p->index == l->block)
			n += unroll_piece_unpack(p->successor).factor;
	return n;
}

static void
decode_loop(Opcode *h, Unrolled_count *l, const Inst *as)
{
	const Slot_place *p = unrolled_piece(h->machine, l->block);
	if (!p)
		return;
	Inst i = {
		.kind = I_PLAIN, .run = run_count_iteration, .stmt = as->stmt, .a = loop_row(h, l)
	};
	i.b = iterations_before(h->machine, l, p);
	i.c = unroll_piece_unpack(p->successor).factor;
	i.list = h->p->list.n;
	slots_build_list(h, p);
	i.nlist = h->p->list.n - i.list;
	*vec_push(&h->p->insts) = i;
}

static void
decode_exit(Opcode *h, Unrolled_count *l, const Inst *as)
{
	const Issue_slots *m = h->machine;
	const Slot_place *main = unrolled_piece(m, l->block);
	if (!main)
		return;
	Inst i = {
		.kind = I_PLAIN, .run = run_count_pieces, .stmt = as->stmt, .a = loop_row(h, l)
	};
	i.b = unroll_piece_unpack(main->successor).number;
	i.imm = l->first;
	i.list = h->p->list.n;
	for (uint32_t k = 0; k < m->nplaces; k++) {
		const Slot_place *p = &m->places[k];
		if (p->kind != SLOT_UNROLLED || p->index != l->block)
			continue;
		*vec_push(&h->p->list) = p->successor;
		*vec_push(&h->p->list) = 3 * p->n;
		slots_build_list(h, p);
	}
	i.nlist = h->p->list.n - i.list;
	*vec_push(&h->p->insts) = i;
}

void
unrolled_counts_decode(Opcode *h, uint32_t b, const Inst *as)
{
	Issue_slots *m = h->machine;
	bool begun = false;
	for (uint32_t k = 0; k < m->nloops; k++)
		if (m->loops[k].exit == b)
			decode_exit(h, &m->loops[k], as);
	for (uint32_t k = 0; k < m->nloops && !begun; k++) {
		begun = m->loops[k].block == b;
		if (begun)
			decode_loop(h, &m->loops[k], as);
	}
}
