/* SPDX-License-Identifier: MIT */
/* Calls of functions of the module, direct and indirect (PTX ISA 9.7.12.5).
 *
 * Lanes with different callees at one instruction diverge, each set runs its own callee, and they
 * reconverge after the call. Arguments and results are copied between slots of the two frames.
 */
#include <string.h>
#include "simt/isa/handlers.h"

/* Returns the Code that a lane calls at i; 0 if no function is at its address. */
static uint32_t
callee_code(const Warp *w, const Inst *i, uint32_t lane)
{
	return i->target ? i->target : call_at(&w->sim->prog, row64(w, i->a)[lane]);
}

uint32_t
call_split(const Warp *w, const Inst *i, uint32_t lanes, uint32_t *code)
{
	uint32_t same = 0;
	*code = callee_code(w, i, low_bit(lanes));
	if (i->target)
		return lanes;
	for EACH_LANE(l, lanes)
		same |= (uint32_t)(callee_code(w, i, l) == *code) << l;
	return same;
}

/* ---- arguments and results ------------------------------------------------------------------- */

static Frame *
child_frame(const Frame *f, uint32_t code)
{
	Frame *x = f->child;
	while (x && x->code != code)
		x = x->next;
	return x;
}

/* Copies an argument or a result of the lanes from a slot of one frame to one of another. */
static void
copy_slot(const Warp *w, const Frame *to, Slot d, const Frame *from, Slot s, uint32_t lanes)
{
	uint32_t n = d.size < s.size ? d.size : s.size;
	for EACH_LANE(l, lanes) {
		uint8_t *local = lane_memory(&w->local, l);
		uint32_t width = n > 4 ? 8 : 4;
		const uint8_t *src =
			s.memory ? local + from->base + s.at : from->regs + s.at + l * width;
		uint8_t *dst = d.memory ? local + to->base + d.at : to->regs + d.at + l * width;
		if (!d.memory)
			memset(dst, 0, width);
		memmove(dst, src, n);
	}
}

/* Checks that the arguments and results of an indirect call match the function's parameters;
 * reports a fault if not. */
static bool
signature_fits(Warp *w, const Inst *i, uint32_t lane, uint32_t code)
{
	const Prog *p = &w->sim->prog;
	const Code *c = &p->codes.at[code];
	uint32_t n = i->nlist + i->b;
	bool same = c->nparam == i->nlist && c->formals.n == n;
	if (!code) {
		sim_fault(w, i, lane, FAULT_BRANCH, "there is no function at 0x%llx",
			(unsigned long long)row64(w, i->a)[lane]);
		return false;
	}
	for (uint32_t k = 0; k < n && same; k++)
		same = c->formals.at[k].size == p->slots.at[i->list + k].size ||
			!p->slots.at[i->list + k].size;
	if (!same)
		sim_fault(w, i, lane, FAULT_BRANCH,
			"the function there, '%.*s', has other parameters",
			PTX_NAME(p->m, p->m->funcs[c->func].sym));
	return same;
}

bool
call_enter(Warp *w, Group *g, const Inst *i, uint32_t code)
{
	const Prog *p = &w->sim->prog;
	if (!i->target && !signature_fits(w, i, low_bit(g->lanes), code))
		return false;
	Frame *f = child_frame(g->frame, code);
	if (!f && g->frame->base > 1 << 18) {
		sim_fault(
			w, i, low_bit(g->lanes), FAULT_STACK, "more than 256 KiB of local memory");
		return false;
	}
	if (!f)
		f = frame_new(w, code, g->frame);
	const Code *c = &p->codes.at[code];
	for (uint32_t k = 0; k < c->nparam; k++)
		copy_slot(w, f, c->formals.at[k], g->frame, p->slots.at[i->list + k], g->lanes);
	for EACH_LANE(l, g->lanes) {
		f->back[l] = g->pc + 1;
		f->top[l] = w->top[l];
	}
	g->frame = f;
	g->pc = c->entry;
	return true;
}

void
call_results(Warp *w, const Inst *i, uint32_t lanes)
{
	const Prog *p = &w->sim->prog;
	while (lanes) {
		uint32_t code, same = call_split(w, i, lanes, &code);
		const Code *c = &p->codes.at[code];
		const Frame *f = child_frame(w->frame, code);
		for (uint32_t k = c->nparam; k < c->formals.n && f; k++)
			copy_slot(w, w->frame, p->slots.at[i->list + k], f, c->formals.at[k], same);
		lanes &= ~same;
	}
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* Adds the slot of an argument or result of a call. size is the parameter's size; 0: unknown. */
static void
argument_slot(Opcode *h, uint32_t o, uint32_t size)
{
	const Opnd *x = &h->m->opnds[o];
	const Sym *y = x->kind == OPND_SYM ? &h->m->syms[x->sym] : NULL;
	uint32_t local =
		y && y->func && y->kind != SYM_REG ? h->local_of[ptx_local_sym(h->f, x->sym)] : 0;
	if (!size && y && y->kind != SYM_SINK)
		size = local ? (uint32_t)ptx_var(h->m, x->sym)->bytes :
			       ptx_type_size((Type)y->type);
	if (local) {
		*vec_push(&h->p->slots) = (Slot){ true, local - 1, size };
		return;
	}
	if (y && y->kind == SYM_SINK) {
		*vec_push(&h->p->slots) = (Slot){ false, h->p->codes.at[h->code].scratch, size };
		return;
	}
	static const Ty types[] = { T_NONE, T_B8, T_B16, T_NONE, T_B32, T_NONE, T_NONE, T_NONE,
		T_B64 };
	Ty t = size <= 8 ? types[size] : T_NONE;
	if (!t)
		h->bad = "an argument of this kind";
	else
		*vec_push(&h->p->slots) = (Slot){ false, operand_source(h, o, t, NULL), size };
}

/* Adds the slots of a list of arguments or results; returns their number. formals are the
 * function's parameters; 0: unknown. */
static uint32_t
add_argument_slots(Opcode *h, uint32_t list, uint32_t formals, uint32_t n)
{
	uint32_t k = 0;
	for (uint32_t o = list + 1; list && o < list + h->m->opnds[list].tree;
		o += h->m->opnds[o].tree, k++) {
		const Sym *y = formals && k < n ? &h->m->syms[formals + k] : NULL;
		const Var *v = y ? ptx_var(h->m, formals + k) : NULL;
		argument_slot(h, o,
			!y                                 ? 0 :
				y->space != SPACE_REG && v ? (uint32_t)v->bytes :
							     ptx_type_size((Type)y->type));
	}
	return k;
}

bool
call_decode(Opcode *h, Inst *i)
{
	if (i->op != OP_CALL)
		return false;
	const Opnd *opnds = h->m->opnds;
	uint32_t k = opnds[operand_next(h, 0)].kind == OPND_LIST,
		 result = k ? operand_next(h, 0) : 0;
	uint32_t what = operand_next(h, k), args = operand_next(h, k + 1);
	args = args && opnds[args].kind == OPND_LIST ? args : 0;
	i->kind = I_CALL;
	i->list = h->p->slots.n;
	if (opnds[what].kind == OPND_SYM && h->m->syms[opnds[what].sym].kind == SYM_FUNC) {
		uint32_t func = h->m->syms[opnds[what].sym].func;
		const Func *f = &h->m->funcs[func];
		i->nlist = add_argument_slots(h, args, f->param, f->nparam);
		i->b = add_argument_slots(h, result, f->ret, f->nret);
		if (i->nlist != f->nparam || i->b != f->nret)
			return false;
		if (!f->body)
			return system_decode(h, i, f);
		i->target = call_code(h->p, func);
		return true;
	}
	i->a = operand_source(h, what, T_B64, NULL);
	if (!operand_is_wide(h, what))
		h->bad = "a call through something that is no 64-bit register";
	i->nlist = add_argument_slots(h, args, 0, 0);
	i->b = add_argument_slots(h, result, 0, 0);
	return true;
}
