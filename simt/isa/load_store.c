/* SPDX-License-Identifier: MIT */
/* Loads, stores and atomic operations (PTX ISA 9.7.9.8 to 9.7.9.12, 9.7.13.7). */
#include <string.h>
#include "simt/isa/atomics.h"
#include "simt/isa/atomic_contention.h"
#include "simt/isa/handlers.h"

static inline uint64_t
get(const uint8_t *p, Ty t, uint32_t size)
{
	uint64_t v = 0;
	uint32_t word;
	if (size == sizeof word) { /* the most frequent size */
		memcpy(&word, p, sizeof word);
		v = word;
	} else {
		memcpy(&v, p, size);
	}
	switch (t) {
	case T_S8: return (uint64_t)(int8_t)v;
	case T_S16: return (uint64_t)(int16_t)v;
	case T_S32: return (uint64_t)(int32_t)v;
	default: return v;
	}
}

/* Prog.list has the rows of a vector's elements, each with two flags: 64-bit lanes; a register of 8
 * or 16 bits. */
enum { ELEMENT_WIDE = 1, ELEMENT_SHORT = 2, ELEMENT_FLAGS = 3 };
static void
load(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t size = ty_size((Ty)i->type), n = i->nlist;
	Access x;
	x.kind = ACCESS_LOAD;
	x.size = size * n;
	access_of(&x, w, i, lanes);
	memory_begin(w, &x);
	for EACH_LANE(l, lanes) {
		Spot p = { .lane = l };
		if (!memory_access(w, &x, &p))
			return;
		if (p.written && !w->sim->l->unwritten && !written_all(p.written, p.bit, x.size))
			unwritten_load(w, &x, &p);
		for (uint32_t k = 0; k < n; k++) {
			uint64_t v = get(p.bytes + k * size, (Ty)i->type, size);
			uint32_t at = row[k] & ~(uint32_t)ELEMENT_FLAGS;
			if (row[k] & ELEMENT_WIDE)
				row64(w, at)[l] = v;
			else
				row32(w, at)[l] =
					row[k] & ELEMENT_SHORT ? (uint16_t)v : (uint32_t)v;
		}
	}
	memory_end(w, &x);
}

static void
store(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t size = ty_size((Ty)i->type), n = i->nlist;
	Access x;
	x.kind = ACCESS_WRITE;
	x.size = size * n;
	access_of(&x, w, i, lanes);
	memory_begin(w, &x);
	for EACH_LANE(l, lanes) {
		uint8_t value[32];
		Spot p = { .lane = l, .from = value };
		for (uint32_t k = 0; k < n; k++) {
			uint64_t v = row_get(
				w, row[k] & ~(uint32_t)ELEMENT_FLAGS, row[k] & ELEMENT_WIDE, l);
			memcpy(value + k * size, &v, size);
		}
		if (!memory_access(w, &x, &p))
			return;
		if (w->marks.n && p.written)
			unwritten_store(w, &x, &p);
	}
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Whether a compare-and-swap fails, so that it only reads. Only needed for the race check. */
static bool
fails(Warp *w, const Access *x, uint32_t lane)
{
	uint64_t old = 0;
	Spot p = { .lane = lane };
	if (x->i->op != ATOM_CAS || !w->causal || !memory_find(w, x, &p))
		return false;
	memcpy(&old, p.bytes, x->size);
	return old != row_get(w, x->i->b, x->size == 8, lane);
}

static void
atomic(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t size = ty_size((Ty)i->type);
	bool wide = size == 8;
	uint32_t changed = 0,
		 first = w->sim->l->sched == SCHED_RANDOM ? (uint32_t)sim_random(w->sim) & 31 : 0;
	Access x;
	x.kind = ACCESS_ATOMIC;
	x.size = size;
	access_of(&x, w, i, lanes);
	memory_begin(w, &x);
	for (uint32_t k = 0; k < LANES; k++) {
		uint32_t l = (k + first) & 31;
		if (!(lanes >> l & 1))
			continue;
		Spot p = { .lane = l, .reads = fails(w, &x, l) };
		if (!memory_access(w, &x, &p))
			return;
		uint64_t old = 0, b = row_get(w, i->b, wide, l),
			 c = i->op == ATOM_CAS ? row_get(w, i->c, wide, l) : 0;
		memcpy(&old, p.bytes, size);
		uint64_t new = atomic_apply(atomic_at(w, i, l), (Ty)i->type, old, b, c);
		memcpy(p.bytes, &new, size);
		changed |= (uint32_t)(new != old) << l;
		if (i->d)
			row_put(w, i->d, wide, l, old);
	}
	if (i->form)
		contention_count(w, &x, changed);
	memory_end(w, &x);
}

/* ---- decoding -------------------------------------------------------------------------------- */

static void
element(Head *h, Inst *i, uint32_t o, Ty t, bool dest)
{
	bool sink =
		h->m->opnds[o].kind == OPND_SYM && h->m->syms[h->m->opnds[o].sym].kind == SYM_SINK;
	bool wide =
		head_wide(h, o) || (ty_size(t) == 8 && (sink || h->m->opnds[o].kind != OPND_SYM));
	Ty as = wide && t != T_B128 ? T_B64 : t;
	uint32_t row = dest ? head_dest(h, o, as) : head_source(h, o, as, NULL);
	bool reg = h->m->opnds[o].kind == OPND_SYM && !sink;
	bool narrow = reg && ptx_type_size((Type)h->m->syms[h->m->opnds[o].sym].type) <= 2;
	if (t == T_B128) { /* two 64-bit words */
		*vec_push(&h->p->list) = row | ELEMENT_WIDE;
		*vec_push(&h->p->list) = (row + 8 * LANES) | ELEMENT_WIDE;
		i->nlist += 2;
		return;
	}
	*vec_push(&h->p->list) = row | (wide ? ELEMENT_WIDE : 0u) | (narrow ? ELEMENT_SHORT : 0u);
	i->nlist++;
}

static bool
elements(Head *h, Inst *i, uint32_t o, Ty t, bool dest)
{
	i->list = h->p->list.n;
	i->type = (uint8_t)(t == T_B128 ? T_B64 : t);
	if (h->m->opnds[o].kind != OPND_VEC)
		element(h, i, o, t, dest);
	else
		for (uint32_t k = o + 1; k < o + h->m->opnds[o].tree; k += h->m->opnds[k].tree)
			element(h, i, k, t, dest);
	uint32_t bytes = i->nlist * ty_size((Ty)i->type);
	return bytes <= 32 && (bytes & (bytes - 1)) == 0;
}

bool
memory_decode(Head *h, Inst *i)
{
	bool load_op = i->op == OP_LD || i->op == OP_LDU;
	Ty t = h->ntypes ? h->type[0] : T_NONE;
	if (!load_op && i->op != OP_ST)
		return atomic_decode(h, i);
	if (ty_size(t) == 0)
		return false;
	uint32_t at = head_operand(h, load_op ? 1 : 0), value = head_operand(h, load_op ? 0 : 1);
	i->space = (uint8_t)ptx_space(h->m, h->s);
	head_order(h, i);
	head_address(h, at, i);
	i->run = load_op ? load : store;
	return elements(h, i, value, t, load_op);
}

bool
atomic_decode(Head *h, Inst *i)
{
	if (i->op != OP_ATOM && i->op != OP_RED)
		return false;
	bool result = i->op == OP_ATOM;
	int op = head_which(h, atomic_names);
	Ty t = h->ntypes ? h->type[0] : T_NONE;
	uint32_t k = result;
	if (op < 0 || h->ntypes != 1 || ty_size(t) > 8 || !atomic_known((Atomic)op, t, false))
		return false;
	if (result)
		i->d = head_dest(h, head_operand(h, 0), t);
	i->space = (uint8_t)ptx_space(h->m, h->s);
	head_order(h, i);
	i->flags |= F_STRONG;
	head_address(h, head_operand(h, k), i);
	i->b = head_source(h, head_operand(h, k + 1), t, NULL);
	if (op == ATOM_CAS)
		i->c = head_source(h, head_operand(h, k + 2), t, NULL);
	i->op = (uint8_t)op;
	i->type = (uint8_t)t;
	i->run = atomic;
	i->form = 1; /* decode.c selects the row */
	return h->m->opnds[head_operand(h, k + 1)].kind != OPND_VEC;
}
