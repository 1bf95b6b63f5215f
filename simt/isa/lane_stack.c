/* SPDX-License-Identifier: MIT */
/* Stack allocation: alloca, stacksave, stackrestore (PTX ISA 9.7.17).
 *
 * Each lane has a stack, separate from the local variables of its functions, from STACK_OWN on in
 * the local space. A function's return releases its allocations.
 */
#include <string.h>
#include "simt/isa/handlers.h"

enum { STACK_MOST = 256 << 10 };

static void
grow_stack(Warp *w, uint32_t bytes)
{
	uint32_t n = w->stack_bytes ? w->stack_bytes : 1024;
	if (bytes <= w->stack_bytes)
		return;
	while (n < bytes)
		n *= 2;
	uint8_t *at = xmalloc((size_t)n * LANES);
	memset(at, 0xcd, (size_t)n * LANES);
	for (uint32_t l = 0; l < LANES && w->stack; l++)
		memcpy(at + (size_t)l * n, w->stack + (size_t)l * w->stack_bytes, w->stack_bytes);
	xfree(w->stack);
	w->stack = at;
	w->stack_bytes = n;
}

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
		grow_stack(w, w->top[l]);
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
