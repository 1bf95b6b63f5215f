/* SPDX-License-Identifier: MIT */
/* Counts issue slots of statements that ptxas has moved, merged or predicated, at the places where
 * the machine code has them (issue_slots_listing.c). Each such place is a pseudo-instruction that
 * only counts. */
#include "simt/decode/slot_placement.h"
#include "simt/sass/slow_paths.h"

/* Counts issue slots of a statement, `on` of them as active. */
static void
add_slots(Sim *s, uint32_t stmt, uint32_t slots, uint32_t on, uint32_t lanes)
{
	const uint64_t many = count_bits(lanes);
	Sim_counts *const to[] = { &s->counts, s->by_stmt ? &s->by_stmt[stmt] : NULL };
	for (uint32_t k = 0; k < 2 && to[k]; k++) {
		to[k]->warp_insts += slots;
		to[k]->thread_insts += slots * many;
		to[k]->active_insts += on * many;
	}
	s->issued += slots;
}

void
slots_count(Sim *s, const uint32_t *list, uint32_t n, uint32_t lanes)
{
	for (const uint32_t *x = list; x < list + n; x += 3)
		add_slots(s, x[0], x[1], x[2], lanes);
}

static void
count(Warp *w, const Inst *i, uint32_t lanes)
{
	slots_count(w->sim, w->sim->prog.list.at + i->list, i->nlist, lanes);
}

/* Classifies the lanes by their operands (slow_paths.h). */
static void
classify(const Warp *w, const Inst *i, uint32_t lanes, uint32_t *of)
{
	bool wide = ty_size((Ty)i->type) > 4;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t l = low_bit(rest);
		uint64_t b = i->b ? row_get(w, i->b, wide, l) : 0;
		of[slow_class(i->op, row_get(w, i->a, wide, l), b)] |= UINT32_C(1) << l;
	}
}

static void
count_quick(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t of[SLOW_CLASSES] = { 0 };
	classify(w, i, lanes, of);
	if (of[0])
		count(w, i, of[0]);
}

/* The list of count() is followed by the lengths of the routine, by class. */
static void
count_slow(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t of[SLOW_CLASSES] = { 0 };
	classify(w, i, lanes, of);
	if (of[0] == lanes)
		return;
	count(w, i, lanes & ~of[0]);
	const uint32_t *steps = w->sim->prog.list.at + i->list + i->nlist;
	for (uint32_t k = 1; k < SLOW_CLASSES; k++)
		if (of[k])
			add_slots(w->sim, i->stmt, steps[k], steps[k], of[k]);
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

/* Adds the I_OPEN instructions of a place; returns whether there are any. */
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

void
slots_list(Head *h, const Machine_place *p)
{
	for (uint32_t k = p->first; k < p->first + p->n; k++) {
		const Machine_extra *x = &h->machine->extra[k];
		*vec_push(&h->p->list) = x->stmt;
		*vec_push(&h->p->list) = x->slots;
		*vec_push(&h->p->list) = x->on;
	}
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
	slots_list(h, p);
	*vec_push(&h->p->insts) = i;
	return true;
}

void
slots_guarded(Head *h, uint32_t stmt)
{
	const Stmt *s = &h->m->stmts[stmt];
	if (!s->guard || !h->machine->nplaces)
		return;
	Inst as = {
		.stmt = stmt, .guard = head_row(h, s->sym), .flip = s->guard == 2 ? UINT32_MAX : 0
	};
	slots_place(h, (Machine_place){ .kind = PLACE_GUARD, .of = stmt }, &as);
	as.flip = ~as.flip;
	slots_place(h, (Machine_place){ .kind = PLACE_OFF, .of = stmt }, &as);
}

/* Appends the routine's instruction counts, by class, to the list of the last place. */
static void
list_steps(Head *h, uint32_t routine, uint8_t kind)
{
	for (uint32_t k = 0; k < SLOW_CLASSES; k++)
		*vec_push(&h->p->list) = slow_steps(h->sim->sass, routine, kind, k);
}

void
slots_slow(Head *h, uint32_t stmt)
{
	static const struct {
		Place_kind kind;
		Run *run;
	} paths[] = { { PLACE_SLOW, count_slow }, { PLACE_QUICK, count_quick } };
	const Machine *m = h->machine;
	const Stmt *s = &h->m->stmts[stmt];
	uint32_t routine = m->routine ? m->routine[ptx_local_stmt(h->f, stmt)] : 0;
	for (uint32_t p = 0; p < 4 && routine; p++) {
		const Machine_place at = { .kind = paths[p / 2].kind, .of = stmt, .way = p % 2 };
		const Inst as = { .stmt = stmt,
			.guard = at.way && s->guard ? head_row(h, s->sym) : 0,
			.flip = at.way && s->guard == 2 ? UINT32_MAX : 0 };
		if (!slots_place(h, at, &as))
			continue;
		Inst *i = &h->p->insts.at[h->p->insts.n - 1];
		i->run = paths[p / 2].run;
		i->op = slow_kind(h->m, s);
		list_steps(h, routine - 1, i->op);
	}
}

void
slots_operands(Head *h, uint32_t from, uint32_t to)
{
	const Inst *x = &h->p->insts.at[to];
	for (uint32_t k = from; k < to && to < h->p->insts.n; k++) {
		h->p->insts.at[k].a = x->a;
		h->p->insts.at[k].b = x->b;
		h->p->insts.at[k].type = x->type;
	}
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
