/* SPDX-License-Identifier: MIT */
/* Counts issue slots of statements that ptxas has moved, merged or predicated, at the places where
 * the machine code has them (issue_slots_listing.c). Each such place is a pseudo-instruction that
 * only counts. */
#include "simt/decode/slot_placement.h"
#include "simt/sass/slow_paths.h"

/* Counts issue slots of a statement; on: the number that counts as active. */
static void
add_slots(Sim *s, uint32_t stmt, uint32_t slots, uint32_t on, uint32_t lanes)
{
	const uint64_t many = count_bits(lanes);
	Statistics *st = &s->stats;
	Sim_counts *const to[] = { &st->counts, st->by_stmt ? &st->by_stmt[stmt] : NULL };
	for (uint32_t k = 0; k < 2 && to[k]; k++) {
		to[k]->warp_insts += slots;
		to[k]->thread_insts += slots * many;
		to[k]->active_insts += on * many;
	}
	s->launch.issued += slots;
}

void
slots_count(Sim *s, const uint32_t *list, uint32_t n, uint32_t lanes)
{
	for (const uint32_t *x = list; x < list + n; x += 3)
		add_slots(s, x[0], x[1], x[2], lanes);
}

static void
run_count(Warp *w, const Inst *i, uint32_t lanes)
{
	slots_count(w->sim, w->sim->prog.list.at + i->list, i->nlist, lanes);
}

/* Classifies the lanes by their operands (slow_paths.h). */
static void
classify_lanes(const Warp *w, const Inst *i, uint32_t lanes, uint32_t *of)
{
	bool wide = ty_size((Ty)i->type) > 4;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint32_t l = low_bit(rest);
		uint64_t b = i->b ? row_get(w, i->b, wide, l) : 0;
		of[slow_path_class(i->op, row_get(w, i->a, wide, l), b)] |= UINT32_C(1) << l;
	}
}

static void
run_count_fast(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t of[SLOW_CLASSES] = { 0 };
	classify_lanes(w, i, lanes, of);
	if (of[0])
		run_count(w, i, of[0]);
}

/* As run_count(); the list is followed by the lengths of the routine, by class. */
static void
run_count_slow(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t of[SLOW_CLASSES] = { 0 };
	classify_lanes(w, i, lanes, of);
	if (of[0] == lanes)
		return;
	run_count(w, i, lanes & ~of[0]);
	const uint32_t *steps = w->sim->prog.list.at + i->list + i->nlist;
	for (uint32_t k = 1; k < SLOW_CLASSES; k++)
		if (of[k])
			add_slots(w->sim, i->stmt, steps[k], steps[k], of[k]);
}

/* Returns the first element that is not before a place. all: n elements of a size that begin with
 * their places, in order of these. */
static uint32_t
first_at(const void *all, uint32_t n, size_t size, Slot_place want)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const void *p = (const char *)all + middle * size;
		if (issue_slots_compare_places(p, &want) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const Slot_place *
find_place(const Issue_slots *m, Slot_place want)
{
	uint32_t k = first_at(m->places, m->nplaces, sizeof *m->places, want);

	return k < m->nplaces && !issue_slots_compare_places(&m->places[k], &want) ?
		&m->places[k] :
		NULL;
}

/* Adds the I_OPEN instructions of a place; returns whether there are any. */
static bool
decode_open_places(Opcode *h, Slot_place at, const Inst *as)
{
	const Open_reconvergence *open = h->machine->open;
	uint32_t n = h->p->insts.n, end = h->machine->nopen;

	for (uint32_t k = first_at(open, end, sizeof *open, at);
		k < end && !issue_slots_compare_places(&open[k].at, &at); k++)
		*vec_push(&h->p->insts) =
			(Inst){ .kind = I_OPEN, .stmt = as->stmt, .target = open[k].meet };
	return h->p->insts.n > n;
}

void
slots_build_list(Opcode *h, const Slot_place *p)
{
	for (uint32_t k = p->first; k < p->first + p->n; k++) {
		const Slot_entry *x = &h->machine->extra[k];
		*vec_push(&h->p->list) = x->stmt;
		*vec_push(&h->p->list) = x->slots;
		*vec_push(&h->p->list) = x->active;
	}
}

bool
slots_decode_place(Opcode *h, Slot_place at, const Inst *as)
{
	const Slot_place *p = find_place(h->machine, at);
	bool any = decode_open_places(h, at, as);
	if (!p)
		return any;
	Inst i = { .kind = I_PLAIN,
		.run = run_count,
		.stmt = as->stmt,
		.guard = as->guard,
		.list = h->p->list.n,
		.nlist = 3 * p->n };
	slots_build_list(h, p);
	*vec_push(&h->p->insts) = i;
	return true;
}

void
slots_guard_list(Opcode *h, uint32_t stmt)
{
	const Stmt *s = &h->m->stmts[stmt];
	if (!s->guard || !h->machine->nplaces)
		return;
	Inst as = { .stmt = stmt, .guard = operand_guard(h, s) };
	slots_decode_place(h, (Slot_place){ .kind = SLOT_GUARD, .index = stmt }, &as);
	as.guard.flip = ~as.guard.flip;
	slots_decode_place(h, (Slot_place){ .kind = SLOT_PREDICATED_OFF, .index = stmt }, &as);
}

/* Appends the routine's instruction counts, by class, to the list of the last place. */
static void
list_slow_steps(Opcode *h, uint32_t routine, uint8_t kind)
{
	for (uint32_t k = 0; k < SLOW_CLASSES; k++)
		*vec_push(&h->p->list) = slow_path_steps(h->sim->sass, routine, kind, k);
}

void
slots_decode_slow_path(Opcode *h, uint32_t stmt)
{
	static const struct {
		Slot_place_kind kind;
		Run *run;
	} paths[] = { { SLOT_SLOW_PATH, run_count_slow }, { SLOT_FAST_PATH, run_count_fast } };
	const Issue_slots *m = h->machine;
	const Stmt *s = &h->m->stmts[stmt];
	uint32_t routine = m->routine ? m->routine[ptx_local_stmt(h->f, stmt)] : 0;
	for (uint32_t p = 0; p < 4 && routine; p++) {
		const Slot_place at = {
			.kind = paths[p / 2].kind, .index = stmt, .successor = p % 2
		};
		const Inst as = { .stmt = stmt,
			.guard = at.successor ? operand_guard(h, s) : (Guard){ 0, 0 } };
		if (!slots_decode_place(h, at, &as))
			continue;
		Inst *i = &h->p->insts.at[h->p->insts.n - 1];
		i->run = paths[p / 2].run;
		i->op = slow_path_kind(h->m, s);
		list_slow_steps(h, routine - 1, i->op);
	}
}

void
slots_decode_operands(Opcode *h, uint32_t from, uint32_t to)
{
	const Inst *x = &h->p->insts.at[to];
	for (uint32_t k = from; k < to && to < h->p->insts.n; k++) {
		h->p->insts.at[k].a = x->a;
		h->p->insts.at[k].b = x->b;
		h->p->insts.at[k].type = x->type;
	}
}

uint32_t
slots_decode_detour(Opcode *h, Slot_place at, const Inst *from)
{
	const Inst as = { .stmt = from->stmt };
	uint32_t here = h->p->insts.n, target = from->target;
	if (!slots_decode_place(h, at, &as))
		return target;
	*vec_push(&h->p->insts) = (Inst){ .kind = I_OVER, .stmt = as.stmt, .target = target };
	return here;
}
