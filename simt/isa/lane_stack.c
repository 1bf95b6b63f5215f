/* SPDX-License-Identifier: MIT */
/* Stack allocation: alloca, stacksave, stackrestore (PTX ISA 9.7.17).
 *
 * Each lane has a stack, separate from the local variables of its functions, from STACK_OWN on in
 * the local space. A function's return releases its allocations.
 */
#include "simt/isa/handlers.h"

enum { STACK_MOST = 256 << 10 };

/* imm: alignment, a power of two. */
static void
run_alloca(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
			uint64_t n = row_get(w, i->a, i->wide_a, l),
				 at = (w->top[l] + (uint64_t)i->imm - 1) & ~(uint64_t)(i->imm - 1);
			if (n > STACK_MOST || at + n > STACK_MOST) {
				sim_fault(w, i, l, FAULT_STACK,
					"%llu bytes more than the stack's 256 KiB",
					(unsigned long long)(at + n - STACK_MOST));
				return;
		}
		w->top[l] = (uint32_t)(at + n);
		lane_memory_grow(&w->stack, w->top[l]);
		row_put(w, i->d, i->wide_d, l, STACK_OWN + at);
	}
}

static void
run_stacksave(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row_put(w, i->d, i->wide_d, l, STACK_OWN + w->top[l]);
}

static void
run_stackrestore(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		uint64_t at = row_get(w, i->a, i->wide_a, l);
		if (at < STACK_OWN || at - STACK_OWN > w->top[l]) {
			sim_fault(w, i, l, FAULT_STACK, "0x%llx is not what stacksave gave",
				(unsigned long long)at);
			return;
		}
		w->top[l] = (uint32_t)(at - STACK_OWN);
	}
}

bool
stack_decode(Opcode *h, Inst *i)
{
	Ty t = h->ntypes ? h->type[0] : h->m->address_size == 64 ? T_U64 : T_U32;
	uint64_t align = 8;
	bool real = false;
	if (i->op != OP_ALLOCA && i->op != OP_STACKSAVE && i->op != OP_STACKRESTORE)
		return false;
	uint32_t first = operand_next(h, 0), second = operand_next(h, 1),
		 third = operand_next(h, 2);
	i->run = i->op == OP_ALLOCA   ? run_alloca :
		i->op == OP_STACKSAVE ? run_stacksave :
					run_stackrestore;
	i->wide_d = i->wide_a = ty_size(t) == 8;
	if (i->op != OP_STACKRESTORE)
		i->d = operand_dest(h, first, t);
	if (i->op != OP_STACKSAVE)
		i->a = operand_source(h, i->op == OP_ALLOCA ? second : first, t, NULL);
	if (third &&
		(!ptx_imm(h->m, &h->m->opnds[third], &align, &real) || !align ||
			align & (align - 1) || align > 4096))
		h->bad = "this alignment";
	i->imm = (int64_t)align;
	return true;
}
