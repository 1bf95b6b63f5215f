/* SPDX-License-Identifier: MIT */
/* Atomic operations on more than one word: on vectors of floating-point numbers, which are atomic
 * per element, and on 128 bits as a unit (PTX ISA 9.7.13.7, 9.7.13.9). */
#include <string.h>
#include "simt/isa/atomics.h"
#include "simt/isa/handlers.h"

/* Prog.list: rows of the results (if d is nonzero), then rows of the values. */
static void
run_vector(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t size = ty_size((Ty)i->type), n = i->nlist;
	Access x;
	x.kind = ACCESS_ATOMIC;
	x.size = size * n;
	access_of(&x, w, i, lanes);
	memory_begin(w, &x);
	for EACH_LANE(l, lanes) {
		Access_target p = { .lane = l };
		if (!memory_access(w, &x, &p))
			return;
		for (uint32_t k = 0; k < n; k++) {
			uint64_t old = 0, new;
			memcpy(&old, p.bytes + k * size, size);
			new = atomic_apply(atomic_at(w, i, l), (Ty)i->type, old,
				row32(w, row[i->d ? n + k : k])[l], 0);
			memcpy(p.bytes + k * size, &new, size);
			if (i->d)
				row32(w, row[k])[l] = (uint32_t)old;
		}
	}
	memory_end(w, &x);
}

static void
run_128_bit(Warp *w, const Inst *i, uint32_t lanes)
{
	Access x;
	x.kind = ACCESS_ATOMIC;
	x.size = 16;
	access_of(&x, w, i, lanes);
	memory_begin(w, &x);
	for EACH_LANE(l, lanes) {
		uint64_t old[2], b[2] = { row64(w, i->b)[l], row64(w, i->b)[l + LANES] };
		Access_target p = { .lane = l };
		if (!memory_access(w, &x, &p))
			return;
		memcpy(old, p.bytes, sizeof old);
		if (i->op == ATOM_CAS && (old[0] != b[0] || old[1] != b[1]))
			memcpy(b, old, sizeof b);
		else if (i->op == ATOM_CAS)
			b[0] = row64(w, i->c)[l], b[1] = row64(w, i->c)[l + LANES];
		memcpy(p.bytes, b, sizeof b);
		row64(w, i->d)[l] = old[0];
		row64(w, i->d)[l + LANES] = old[1];
	}
	memory_end(w, &x);
}

static uint32_t
decode_rows(Opcode *h, uint32_t vec, Ty t, bool results)
{
	uint32_t n = 0;
	for (uint32_t o = vec + 1; o < vec + h->m->opnds[vec].tree; o += h->m->opnds[o].tree, n++)
		*vec_push(&h->p->list) =
			results ? operand_dest(h, o, t) : operand_source(h, o, t, NULL);
	return n;
}

bool
wide_decode(Opcode *h, Inst *i)
{
	int op = opcode_which(h, atomic_names);
	Ty t = h->ntypes == 1 ? h->type[0] : T_NONE;
	uint32_t k = i->op == OP_ATOM, value = operand_next(h, k + 1),
		 result = k ? operand_next(h, 0) : 0;
	if ((i->op != OP_ATOM && i->op != OP_RED) || op < 0)
		return false;
	i->space = (uint8_t)ptx_space(h->m, h->s);
	opcode_memory_order(h, i);
	i->flags |= F_STRONG;
	i->op = (uint8_t)op;
	i->type = (uint8_t)t;
	operand_address(h, operand_next(h, k), i);
	if (t == T_B128) {
		i->run = run_128_bit;
		i->d = result ? operand_dest(h, result, t) : 0;
		i->b = operand_source(h, value, t, NULL);
		i->c = op == ATOM_CAS ? operand_source(h, operand_next(h, k + 2), t, NULL) : 0;
		return result && atomic_is_supported((Atomic)op, t, false);
	}
	if (!value || h->m->opnds[value].kind != OPND_VEC ||
		!atomic_is_supported((Atomic)op, t, true))
		return false;
	i->run = run_vector;
	i->list = h->p->list.n;
	i->d = result ? decode_rows(h, result, t, true) : 0;
	i->nlist = decode_rows(h, value, t, false);
	return (!result || i->d == i->nlist) && i->nlist * ty_size(t) <= 16 &&
		(i->nlist & (i->nlist - 1)) == 0;
}
