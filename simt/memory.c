/* SPDX-License-Identifier: MIT */
/* Memory: where variables lie, how an address finds its bytes, loads and stores (PTX ISA 5.1,
 * 9.7.9.8 to 9.7.9.12).
 *
 * Every space has a window of generic addresses (inst.h). Global memory is a list of buffers:
 * buffers.c. An address outside, or not a multiple of the access's size, is a fault.
 */
#include <stdlib.h>
#include <string.h>
#include "simt/atomic.h"
#include "simt/head.h"
#include "simt/overlay.h"

/* ---- places ---------------------------------------------------------------------------------- */

uint64_t
memory_generic(Space space, uint64_t at)
{
	switch (space) {
	case SPACE_SHARED: return at + WIN_SHARED;
	case SPACE_LOCAL: return at + WIN_LOCAL;
	case SPACE_PARAM: return at + WIN_PARAM;
	case SPACE_CONST: return at + WIN_CONST;
	default: return at;
	}
}

void
memory_local(Warp *w, uint32_t bytes)
{
	if (bytes <= w->local_bytes)
		return;
	uint32_t n = w->local_bytes ? w->local_bytes : 256;
	while (n < bytes)
		n *= 2;
	uint8_t *at = xmalloc((size_t)n * LANES);
	memset(at, 0, (size_t)n * LANES);
	for (uint32_t l = 0; l < LANES && w->local; l++)
		memcpy(at + (size_t)l * n, w->local + (size_t)l * w->local_bytes, w->local_bytes);
	xfree(w->local);
	w->local = at;
	w->local_bytes = n;
}

/* ---- finding the bytes ----------------------------------------------------------------------- */

static uint8_t *
outside(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size, const char *what,
	uint64_t end)
{
	if (end)
		sim_fault(w, i, lane, FAULT_BOUNDS, "%u bytes at 0x%llx of %s, which has %llu",
			size, (unsigned long long)at, what, (unsigned long long)end);
	else
		sim_fault(w, i, lane, FAULT_BOUNDS, "%u bytes at 0x%llx, where there is no %s",
			size, (unsigned long long)at, what);
	return NULL;
}

static uint8_t *
in_global(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size)
{
	Buffer *b = buffer_find(w->sim, at);
	if (!b)
		return outside(w, i, lane, at, size, "memory", 0);
	uint64_t k = at - b->at;
	if (!b->bytes) {
		sim_fault(w, i, lane, FAULT_FREED, "%u bytes at 0x%llx of %s", size,
			(unsigned long long)k, b->label);
		return NULL;
	}
	if (k + size > b->n)
		return outside(w, i, lane, k, size, b->label, b->n);
	if (w->sim->l->races && !b->shadow && !w->sim->overlay)
		b->shadow = race_shadow(b->n);
	w->shadow = w->sim->l->races ? b->shadow : NULL;
	w->buffer = b;
	w->written = b->written;
	w->offset = w->bit = k;
	return b->bytes + k;
}

static uint8_t *
in_shared(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size)
{
	Cta *b = w->block;
	if ((at + size > w->sim->shared || at > w->sim->shared) &&
		at - w->sim->reserved > RESERVED - size)
		return outside(w, i, lane, at, size, "shared memory", w->sim->shared);
	w->shadow = w->sim->l->races ? b->shadow : NULL;
	w->buffer = NULL;
	w->written = b->written;
	w->offset = w->bit = at;
	return b->shared + at;
}

static uint8_t *
in_window(Warp *w, const Inst *i, uint32_t lane, Space space, uint64_t at, uint32_t size)
{
	if (space == SPACE_PARAM && at < PARAM_OWN) {
		if (at + size > w->sim->k->bytes)
			return outside(w, i, lane, at, size, "kernel parameters", w->sim->k->bytes);
		/* never written: no st names them */
		return (uint8_t *)(uintptr_t)(w->sim->l->params + at);
	}
	if (space == SPACE_CONST) {
		if (at + size > w->sim->memory->nconstants || at > w->sim->memory->nconstants)
			return outside(w, i, lane, at, size, "constant memory",
				w->sim->memory->nconstants);
		return w->sim->memory->constants + at;
	}
	if (space == SPACE_LOCAL && at >= STACK_OWN) {
		uint8_t *p = stack_at(w, lane, at, size);
		return p ? p :
			   outside(w, i, lane, at - STACK_OWN, size, "memory from alloca",
				   w->top[lane]);
	}
	at -= space == SPACE_PARAM ? PARAM_OWN : 0;
	uint32_t end = w->frame->base + w->sim->prog.codes.at[w->frame->code].local;
	if (at + size > end || at > end)
		return outside(w, i, lane, at, size, "local memory", end);
	return w->local + (size_t)lane * w->local_bytes + at;
}

Space
memory_space(const Inst *i, uint64_t *at)
{
	static const Space windows[] = { SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM,
		SPACE_CONST };
	uint64_t k = *at / WIN_SHARED;
	if (i->space != SPACE_GENERIC)
		return (Space)i->space;
	if (k < 1 || k > 4)
		return SPACE_GLOBAL;
	*at -= k * WIN_SHARED;
	return windows[k];
}

uint8_t *
memory_at(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size)
{
	w->buffer = NULL;
	w->shadow = NULL;
	w->written = NULL;
	if (at & (size - 1)) {
		sim_fault(w, i, lane, FAULT_ALIGN, "%u bytes at 0x%llx", size,
			(unsigned long long)at);
		return NULL;
	}
	Space space = memory_space(i, &at);
	if (space == SPACE_GLOBAL)
		return in_global(w, i, lane, at, size);
	if (space == SPACE_SHARED)
		return in_shared(w, i, lane, at, size);
	return in_window(w, i, lane, space, at, size);
}

/* ---- handlers -------------------------------------------------------------------------------- */

uint64_t
memory_address(const Warp *w, const Inst *i, uint32_t lane)
{
	if (i->flags & F_ADDR32)
		return (uint32_t)(row32(w, i->a)[lane] + (uint32_t)i->imm);
	return row64(w, i->a)[lane] + (uint64_t)i->imm;
}

/* The access at hand reads, writes bytes: did somebody write them? */
static void
check_written(Warp *w, const Inst *i, uint32_t lane, uint32_t size)
{
	if (w->written && !w->sim->l->unwritten && !written_all(w->written, w->bit, size))
		sim_fault(w, i, lane, FAULT_UNWRITTEN, "%u bytes at 0x%llx of %s", size,
			(unsigned long long)w->offset,
			w->buffer ? w->buffer->label : "shared memory");
}

static void
mark_written(Warp *w, uint32_t size)
{
	if (w->written)
		written_set(w->written, w->bit, size);
}

uint8_t *
memory_access(Warp *w, const Inst *i, uint32_t lane, uint64_t at, uint32_t size, Access_kind kind,
	const uint8_t *from)
{
	uint8_t *p = memory_at(w, i, lane, at, size);
	if (p && w->buffer && w->sim->overlay)
		p = overlay_at(w, i, size, kind);
	if (!p)
		return NULL;
	if (kind == ACCESS_READ || kind == ACCESS_ATOMIC)
		check_written(w, i, lane, size);
	if (w->shadow && kind <= ACCESS_READ)
		race_read(w, i, lane, size);
	else if (w->shadow)
		race_write(w, i, lane, size, p, from);
	if (kind > ACCESS_READ)
		mark_written(w, size);
	if (from)
		memcpy(p, from, size);
	return p;
}

void
memory_begin(Warp *w, const Inst *i, uint32_t lanes, uint32_t size, Access_kind kind)
{
	if (w->sim->l->traffic)
		numbers_access(w, i, lanes, size, kind == ACCESS_ATOMIC);
	if (w->causal && i->flags & F_STRONG && kind > ACCESS_READ)
		causal_before(w, i, lanes);
}

void
memory_end(Warp *w, const Inst *i, uint32_t lanes)
{
	if (w->causal && i->flags & F_STRONG)
		causal_after(w, i, lanes);
}

static inline uint64_t
get(const uint8_t *p, Ty t)
{
	uint64_t v = 0;
	memcpy(&v, p, ty_size(t));
	switch (t) {
	case T_S8: return (uint64_t)(int8_t)v;
	case T_S16: return (uint64_t)(int16_t)v;
	case T_S32: return (uint64_t)(int32_t)v;
	default: return v;
	}
}

/* Elements' rows: Prog.list, each with a bit that is set when its lanes are 64 bits wide, or a
 * register of 16 bits or 8. */
enum { ELEMENT_WIDE = 1, ELEMENT_SHORT = 2, ELEMENT_FLAGS = 3 };
static void
load(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t size = ty_size((Ty)i->type), n = i->nlist;
	memory_begin(w, i, lanes, size * n, ACCESS_LOAD);
	for EACH_LANE(l, lanes) {
			const uint8_t *p = memory_access(
				w, i, l, memory_address(w, i, l), size * n, ACCESS_LOAD, NULL);
			if (!p)
				return;
			if (w->written && !w->sim->l->unwritten &&
				!written_all(w->written, w->bit, size * n))
				unwritten_load(w, i, l, size);
			for (uint32_t k = 0; k < n; k++) {
				uint64_t v = get(p + k * size, (Ty)i->type);
				uint32_t at = row[k] & ~(uint32_t)ELEMENT_FLAGS;
				if (row[k] & ELEMENT_WIDE)
					row64(w, at)[l] = v;
				else
					row32(w, at)[l] =
						row[k] & ELEMENT_SHORT ? (uint16_t)v : (uint32_t)v;
		}
	}
	memory_end(w, i, lanes);
}

static void
store(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t size = ty_size((Ty)i->type), n = i->nlist;
	memory_begin(w, i, lanes, size * n, ACCESS_WRITE);
	for EACH_LANE(l, lanes) {
		uint8_t value[32];
		for (uint32_t k = 0; k < n; k++) {
			uint64_t v = row_get(
				w, row[k] & ~(uint32_t)ELEMENT_FLAGS, row[k] & ELEMENT_WIDE, l);
			memcpy(value + k * size, &v, size);
		}
		if (!memory_access(w, i, l, memory_address(w, i, l), size * n, ACCESS_WRITE, value))
			return;
		if (w->marks.n && w->written)
			unwritten_store(w, i, l, size);
	}
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* A compare-and-swap that fails only reads. */
static Access_kind
kind_of(Warp *w, const Inst *i, uint32_t lane)
{
	uint32_t size = ty_size((Ty)i->type);
	uint64_t old = 0;
	if (i->op != ATOM_CAS || !w->causal)
		return ACCESS_ATOMIC;
	const uint8_t *p = memory_at(w, i, lane, memory_address(w, i, lane), size);
	if (p)
		memcpy(&old, p, size);
	return p && old != row_get(w, i->b, size == 8, lane) ? ACCESS_READ : ACCESS_ATOMIC;
}

static void
atomic(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t size = ty_size((Ty)i->type);
	bool wide = size == 8;
	uint32_t first = w->sim->l->sched == SCHED_RANDOM ? (uint32_t)sim_random(w->sim) & 31 : 0;
	memory_begin(w, i, lanes, size, ACCESS_ATOMIC);
	for (uint32_t k = 0; k < LANES; k++) {
		uint32_t l = (k + first) & 31;
		if (!(lanes >> l & 1))
			continue;
		uint8_t *p = memory_access(
			w, i, l, memory_address(w, i, l), size, kind_of(w, i, l), NULL);
		if (!p)
			return;
		uint64_t old = 0, b = row_get(w, i->b, wide, l),
			 c = i->op == ATOM_CAS ? row_get(w, i->c, wide, l) : 0;
		memcpy(&old, p, size);
		uint64_t new = atomic_apply(atomic_at(w, i, l), (Ty)i->type, old, b, c);
		memcpy(p, &new, size);
		if (i->d)
			row_put(w, i->d, wide, l, old);
	}
	memory_end(w, i, lanes);
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
	if (t == T_B128) { /* two words of 64 bits */
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
	return h->m->opnds[head_operand(h, k + 1)].kind != OPND_VEC;
}
