/* SPDX-License-Identifier: MIT */
/* Loads, stores and atomic operations (PTX ISA 9.7.9.8 to 9.7.9.12, 9.7.13.7). */
#include <string.h>
#include "simt/isa/atomics.h"
#include "simt/isa/atomic_contention.h"
#include "simt/isa/handlers.h"

static inline uint64_t
read_value(const uint8_t *p, Ty t, uint32_t size)
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
run_load(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t size = ty_size((Ty)i->type), n = i->nlist;
	Access x;
	x.kind = ACCESS_LOAD;
	x.size = size * n;
	access_of(&x, w, i, lanes);
	memory_begin(w, &x);
	for EACH_LANE(l, lanes) {
		Access_target p = { .lane = l };
		if (!memory_access(w, &x, &p))
			return;
		if (p.written && !w->sim->l->unwritten && !written_all(p.written, p.bit, x.size))
			unwritten_load(w, &x, &p);
		for (uint32_t k = 0; k < n; k++) {
			uint64_t v = read_value(p.bytes + k * size, (Ty)i->type, size);
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
run_store(Warp *w, const Inst *i, uint32_t lanes)
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
		Access_target p = { .lane = l, .from = value };
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

/* Whether a compare-and-swap fails, so that it only reads. Only needed for the checks. */
static bool
cas_fails(Warp *w, const Access *x, uint32_t lane)
{
	uint64_t old = 0;
	Access_target p = { .lane = lane };
	if (x->i->op != ATOM_CAS || (!w->causal && !w->iterations) || !memory_locate(w, x, &p))
		return false;
	memcpy(&old, p.bytes, x->size);
	return old != row_get(w, x->i->b, x->size == 8, lane);
}

static void
run_atomic(Warp *w, const Inst *i, uint32_t lanes)
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
		Access_target p = { .lane = l, .reads = cas_fails(w, &x, l) };
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
	if (i->slots.form)
		contention_count(w, &x, changed);
	memory_end(w, &x);
}

/* ---- decoding -------------------------------------------------------------------------------- */

static void
decode_element(Opcode *h, Inst *i, uint32_t o, Ty t, bool dest)
{
	bool sink =
		h->m->opnds[o].kind == OPND_SYM && h->m->syms[h->m->opnds[o].sym].kind == SYM_SINK;
	bool wide = operand_is_wide(h, o) ||
		(ty_size(t) == 8 && (sink || h->m->opnds[o].kind != OPND_SYM));
	Ty as = wide && t != T_B128 ? T_B64 : t;
	uint32_t row = dest ? operand_dest(h, o, as) : operand_source(h, o, as, NULL);
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
decode_elements(Opcode *h, Inst *i, uint32_t o, Ty t, bool dest)
{
	i->list = h->p->list.n;
	i->type = (uint8_t)(t == T_B128 ? T_B64 : t);
	if (h->m->opnds[o].kind != OPND_VEC)
		decode_element(h, i, o, t, dest);
	else
		for (uint32_t k = o + 1; k < o + h->m->opnds[o].tree; k += h->m->opnds[k].tree)
			decode_element(h, i, k, t, dest);
	uint32_t bytes = i->nlist * ty_size((Ty)i->type);
	return bytes <= 32 && (bytes & (bytes - 1)) == 0;
}

static bool atomic_decode(Opcode *h, Inst *i);

bool
memory_decode(Opcode *h, Inst *i)
{
	bool load_op = i->op == OP_LD || i->op == OP_LDU;
	Ty t = h->ntypes ? h->type[0] : T_NONE;
	if (!load_op && i->op != OP_ST)
		return atomic_decode(h, i);
	if (ty_size(t) == 0)
		return false;
	uint32_t at = operand_next(h, load_op ? 1 : 0), value = operand_next(h, load_op ? 0 : 1);
	i->space = (uint8_t)ptx_space(h->m, h->s);
	opcode_memory_order(h, i);
	operand_address(h, at, i);
	i->run = load_op ? run_load : run_store;
	return decode_elements(h, i, value, t, load_op);
}

static bool
atomic_decode(Opcode *h, Inst *i)
{
	if (i->op != OP_ATOM && i->op != OP_RED)
		return false;
	bool result = i->op == OP_ATOM;
	int op = opcode_which(h, atomic_names);
	Ty t = h->ntypes ? h->type[0] : T_NONE;
	uint32_t k = result;
	if (op < 0 || h->ntypes != 1 || ty_size(t) > 8 ||
		!atomic_is_supported((Atomic)op, t, false))
		return false;
	if (result)
		i->d = operand_dest(h, operand_next(h, 0), t);
	i->space = (uint8_t)ptx_space(h->m, h->s);
	opcode_memory_order(h, i);
	i->flags |= F_STRONG;
	operand_address(h, operand_next(h, k), i);
	i->b = operand_source(h, operand_next(h, k + 1), t, NULL);
	if (op == ATOM_CAS)
		i->c = operand_source(h, operand_next(h, k + 2), t, NULL);
	i->op = (uint8_t)op;
	i->type = (uint8_t)t;
	i->run = run_atomic;
	i->slots.form = 1; /* decode.c selects the row */
	return h->m->opnds[operand_next(h, k + 1)].kind != OPND_VEC;
}
