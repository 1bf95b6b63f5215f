/* SPDX-License-Identifier: MIT */
/* Places in the emulator's code where issue slots are counted that machine code has there, of
 * statements that stand elsewhere: what ptxas has moved, merged or predicated (listed.c). Such a
 * place is an instruction of its own, which does nothing but count.
 */
#include "simt/slots.h"

/* Prog.list has three words a statement: its number, slots, those that are on. */
static void
count(Warp *w, const Inst *i, uint32_t lanes)
{
	Sim *s = w->sim;
	const uint32_t *x = s->prog.list.at + i->list;
	const uint32_t many = count_bits(lanes);
	uint64_t slots = 0, on = 0;
	for (uint32_t k = 0; k < i->nlist; k += 3, x += 3) {
		slots += x[1];
		on += x[2];
		if (!s->by_stmt)
			continue;
		Sim_counts *c = &s->by_stmt[x[0]];
		c->warp_insts += x[1];
		c->thread_insts += (uint64_t)x[1] * many;
		c->active_insts += (uint64_t)x[2] * many;
	}
	s->counts.warp_insts += slots;
	s->counts.thread_insts += slots * many;
	s->counts.active_insts += on * many;
	s->issued += slots;
}

static const Machine_place *
find(const Machine *m, Machine_place want)
{
	uint32_t low = 0, high = m->nplaces;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const Machine_place *p = &m->places[middle];
		if (machine_compare(p, &want) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->nplaces && !machine_compare(&m->places[low], &want) ? &m->places[low] :
									      NULL;
}

/* Adds the instructions that tell where lanes meet; gives whether there are any. */
static bool
open_places(Head *h, Machine_place at, const Inst *as)
{
	uint32_t n = h->p->insts.n;
	for (uint32_t k = 0; k < h->machine->nopen; k++)
		if (!machine_compare(&h->machine->open[k].at, &at))
			*vec_push(&h->p->insts) = (Inst){
				.kind = I_OPEN, .stmt = as->stmt, .target = h->machine->open[k].meet
			};
	return h->p->insts.n > n;
}

bool
slots_place(Head *h, Machine_place at, const Inst *as)
{
	const Machine_place *p = find(h->machine, at);
	bool any = open_places(h, at, as);
	if (!p)
		return any;
	Inst i = { .kind = I_PLAIN,
		.run = count,
		.stmt = as->stmt,
		.guard = as->guard,
		.flip = as->flip,
		.list = h->p->list.n,
		.nlist = 3 * p->n };
	for (uint32_t k = p->first; k < p->first + p->n; k++) {
		const Machine_extra *x = &h->machine->extra[k];
		*vec_push(&h->p->list) = x->stmt;
		*vec_push(&h->p->list) = x->slots;
		*vec_push(&h->p->list) = x->on;
	}
	*vec_push(&h->p->insts) = i;
	return true;
}

void
slots_guarded(Head *h, uint32_t stmt)
{
	const Stmt *s = &h->m->stmts[stmt];
	if (!s->guard || !h->machine->nplaces)
		return;
	const Inst as = {
		.stmt = stmt, .guard = head_row(h, s->sym), .flip = s->guard == 2 ? UINT32_MAX : 0
	};
	slots_place(h, (Machine_place){ .kind = PLACE_GUARD, .of = stmt }, &as);
}

uint32_t
slots_detour(Head *h, Machine_place at, const Inst *from)
{
	const Inst as = { .stmt = from->stmt };
	uint32_t here = h->p->insts.n, target = from->target;
	if (!slots_place(h, at, &as))
		return target;
	*vec_push(&h->p->insts) = (Inst){ .kind = I_OVER, .stmt = as.stmt, .target = target };
	return here;
}
