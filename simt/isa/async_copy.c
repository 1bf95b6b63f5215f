/* SPDX-License-Identifier: MIT */
/* Asynchronous copies of 4, 8 or 16 bytes from global to shared memory (PTX ISA 9.7.9.25.3).
 *
 * The copy is performed immediately, so waiting for it does nothing. A kernel that forgets to wait
 * works here but not on a device. Other lanes that read without a barrier are detected by the race
 * check, as for any store.
 */
#include <string.h>
#include "simt/isa/handlers.h"

/* a, imm: destination; b, target: row and offset of the source; c: number of bytes to copy, the
 * rest is zero-filled; e: predicate of the lanes that copy none. */
static void
run_copy(Warp *w, const Inst *i, uint32_t lanes)
{
	Access from, to;
	uint32_t none = i->e ? *row32(w, i->e) ^ (i->flags & F_NOT ? UINT32_MAX : 0) : 0,
		 size = (uint32_t)i->type2;
	to.kind = ACCESS_WRITE;
	from.kind = ACCESS_READ;
	to.size = from.size = size;
	access_of(&to, w, i, lanes);
	access_of(&from, w, i, lanes);
	from.space = SPACE_GLOBAL;
	for EACH_LANE(l, lanes)
		from.at[l] = row64(w, i->b)[l] + (uint64_t)(int64_t)(int32_t)i->target;
	memory_begin(w, &from);
	memory_begin(w, &to);
	for EACH_LANE(l, lanes) {
		uint8_t value[16] = {0};
		uint32_t n = none >> l & 1 ? 0 : i->c ? row32(w, i->c)[l] : size;
		uint64_t at = from.at[l];
		n = n < size ? n : size;
		if (at & (size - 1)) {
			sim_fault(w, i, l, FAULT_ALIGN, "%u bytes at 0x%llx", size,
				(unsigned long long)at);
			return;
		}
		/* in pieces of descending powers of two */
		for (uint32_t k = 0, part; k < n; k += part) {
			part = size;
			while (part > n - k)
				part /= 2;
			Access_target p = { .lane = l };
			from.at[l] = at + k;
			from.size = part;
			if (!memory_access(w, &from, &p))
				return;
			memcpy(value + k, p.bytes, part);
		}
		if (!memory_access(w, &to, &(Access_target){ .lane = l, .from = value }))
			return;
	}
}

static void
run_no_operation(Warp *w, const Inst *i, uint32_t lanes)
{
	(void)w, (void)i, (void)lanes;
}

static bool
decode_copy(Opcode *h, Inst *i)
{
	Inst from = {0};
	uint64_t size = 0;
	bool real = false, negated = false;
	uint32_t third = operand_next(h, 2), last = operand_next(h, 3);
	operand_address(h, operand_next(h, 0), i);
	operand_address(h, operand_next(h, 1), &from);
	if (!third || !ptx_imm(h->m, &h->m->opnds[third], &size, &real) ||
		(size != 4 && size != 8 && size != 16))
		return false;
	i->b = from.a;
	i->target = (uint32_t)from.imm;
	i->type2 = (uint8_t)size;
	i->space = SPACE_SHARED;
	i->run = run_copy;
	const Opnd *o = &h->m->opnds[last];
	bool hint = opcode_has(h, "L2::cache_hint") && !operand_next(h, 4),
	     not = last && o->kind == OPND_NOT;
	const Opnd *r = not ? o + 1 : o;
	bool pred = last && r->kind == OPND_SYM && ptx_is_reg(h->m, r->sym) &&
		h->m->syms[r->sym].type == TYPE_PRED;
	if (pred)
		i->e = operand_source(h, last, T_PRED, &negated);
	else if (last && !hint)
		i->c = operand_source(h, last, T_B32, NULL);
	i->flags |= negated ? F_NOT : 0;
	return !(from.flags & F_ADDR32);
}

bool
async_decode(Opcode *h, Inst *i)
{
	switch (h->s->op) {
	case OP_CP_ASYNC:
		return decode_copy(h, i);
	case OP_CP_ASYNC_COMMIT: case OP_CP_ASYNC_WAIT_GROUP: case OP_CP_ASYNC_WAIT_ALL:
	case OP_GRIDDEPCONTROL: /* grids run one after the other */
		i->run = run_no_operation;
		h->used = UINT32_MAX;
		return true;
	default:
		return mbarrier_decode(h, i);
	}
}
