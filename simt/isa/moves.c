/* SPDX-License-Identifier: MIT */
/* Data movement within a lane: mov, packing and unpacking, cvta, isspacep; fences; and instructions
 * without effect here (PTX ISA 9.7.9). */
#include <string.h>
#include "simt/isa/handlers.h"
#include "simt/isa/lane_loops.h"

/* ---- handlers -------------------------------------------------------------------------------- */

ROWS1(mov_32, uint32_t, uint32_t, uint32_t, x)
ROWS1(mov_64, uint64_t, uint64_t, uint64_t, x)

static void
mov_pred(Warp *w, const Inst *i, uint32_t lanes)
{
	pred_put(w, i->d, lanes, *row32(w, i->a));
}

static void
mov_128(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		row64(w, i->d)[l] = row64(w, i->a)[l];
		row64(w, i->d)[l + LANES] = row64(w, i->a)[l + LANES];
	}
}

static void
mov_clock(Warp *w, const Inst *i, uint32_t lanes)
{
	if (!block_queue_run_serial(w->sim))
		return;
	for EACH_LANE(l, lanes)
		row_put(w, i->d, i->wide_d, l, w->sim->launch.issued >> (uint32_t)i->imm);
}

/* {x, y}: rows of the elements are in Prog.list; type: of an element; type2: of the whole. */
static void
run_pack(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t bits = 8 * ty_size((Ty)i->type);
	for EACH_LANE(l, lanes) {
		if (i->type2 == T_B128) {
			row64(w, i->d)[l] = row64(w, row[0])[l];
			row64(w, i->d)[l + LANES] = row64(w, row[1])[l];
			continue;
		}
		uint64_t v = 0;
		for (uint32_t k = 0; k < i->nlist; k++)
			v |= (uint64_t)(row32(w, row[k])[l] &
				     (bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1))
				<< k * bits;
		row_put(w, i->d, i->type2 == T_B64, l, v);
	}
}

static void
run_unpack(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *row = w->sim->prog.list.at + i->list;
	uint32_t bits = 8 * ty_size((Ty)i->type);
	for EACH_LANE(l, lanes) {
		if (i->type2 == T_B128) {
			uint64_t lo = row64(w, i->a)[l], hi = row64(w, i->a)[l + LANES];
			row64(w, row[0])[l] = lo;
			row64(w, row[1])[l] = hi;
			continue;
		}
		uint64_t v = row_get(w, i->a, i->type2 == T_B64, l);
		for (uint32_t k = 0; k < i->nlist; k++)
			row32(w, row[k])[l] = (uint32_t)(v >> k * bits) &
				(bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1);
	}
}

/* imm: offset between the spaces. */
static void
run_cvta(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row_put(w, i->d, i->wide_d, l, row_get(w, i->a, i->wide_a, l) + (uint64_t)i->imm);
}

static void
run_isspacep(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t bits = 0;
	for EACH_LANE(l, lanes) {
		uint64_t at = row_get(w, i->a, i->wide_a, l);
		bits |= (uint32_t)(memory_space(SPACE_GENERIC, &at) == (Space)i->space) << l;
	}
	pred_put(w, i->d, lanes, bits);
}

static void
order_lanes(Warp *w, const Inst *i, uint32_t lanes)
{
	causality_fence(w, i->order, lanes);
}

static void
run_no_operation(Warp *w, const Inst *i, uint32_t lanes)
{
	(void)w, (void)i, (void)lanes;
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* Decodes mov with a vector as destination or source. */
static bool
decode_vector(Opcode *h, Inst *i, uint32_t vec, uint32_t other, Ty t)
{
	uint32_t n = 0, rows[8];
	Ty element = T_NONE;
	for (uint32_t o = vec + 1; o < vec + h->m->opnds[vec].tree; o += h->m->opnds[o].tree)
		n++;
	element = n == 2 && t == T_B128 ? T_B64 :
		ty_size(t) / n == 4     ? T_B32 :
		ty_size(t) / n == 2     ? T_B16 :
					  T_B8;
	uint32_t k = 0;
	for (uint32_t o = vec + 1; o < vec + h->m->opnds[vec].tree && k < 8;
		o += h->m->opnds[o].tree)
		rows[k++] = i->run == run_pack ? operand_source(h, o, element, NULL) :
					     operand_dest(h, o, element);
	i->list = h->p->list.n;
	i->nlist = k;
	for (uint32_t j = 0; j < k; j++)
		*vec_push(&h->p->list) = rows[j];
	if (i->run == run_pack)
		i->d = operand_dest(h, other, t);
	else
		i->a = operand_source(h, other, t, NULL);
	i->type = (uint8_t)element;
	i->type2 = (uint8_t)(ty_size(t) == 8 ? T_B64 : ty_size(t) == 16 ? T_B128 : T_B32);
	return ty_size(t) >= 2 && (t != T_B128 || n == 2);
}

/* Decodes mov from a volatile special register, such as %clock. */
static bool
clock_register(Opcode *h, Inst *i, uint32_t source, Ty t)
{
	const Opnd *o = &h->m->opnds[source];
	if (o->kind != OPND_SYM || h->m->syms[o->sym].kind != SYM_SPECIAL)
		return false;
	Sreg r = (Sreg)h->m->syms[o->sym].aux;
	if (!(ptx_sregs[r].flags & SREGF_TIME) || r == SREG_WARPID || r == SREG_SMID)
		return false;
	i->d = operand_dest(h, operand_next(h, 0), t);
	i->wide_d = ty_size(t) == 8;
	i->imm = r == SREG_CLOCK_HI || r == SREG_GLOBALTIMER_HI ? 32 : 0;
	i->run = mov_clock;
	return true;
}

static bool
decode_mov(Opcode *h, Inst *i, Ty t)
{
	uint32_t d = operand_next(h, 0), a = operand_next(h, 1);
	if (h->m->opnds[d].kind == OPND_VEC || h->m->opnds[a].kind == OPND_VEC) {
		bool packs = h->m->opnds[a].kind == OPND_VEC;
		i->run = packs ? run_pack : run_unpack;
		return packs ? decode_vector(h, i, a, d, t) : decode_vector(h, i, d, a, t);
	}
	if (clock_register(h, i, a, t))
		return true;
	operands_decode(h, i, t, 1);
	i->run = t == T_PRED     ? mov_pred :
		ty_size(t) == 16 ? mov_128 :
		ty_size(t) == 8  ? mov_64 :
				   mov_32;
	return true;
}

static bool
convert_address(Opcode *h, Inst *i, Ty t)
{
	uint32_t d = operand_next(h, 0), a = operand_next(h, 1);
	i->wide_d = i->wide_a = ty_size(t) == 8;
	i->space = (uint8_t)ptx_space(h->m, h->s);
	i->d = operand_dest(h, d, t);
	i->a = operand_source(h, a, t, NULL);
	uint64_t base = memory_generic((Space)i->space, 0);
	i->imm = opcode_has(h, "to") ? -(int64_t)base : (int64_t)base;
	i->run = run_cvta;
	return i->space != SPACE_GENERIC && ty_size(t) == 8;
}

/* fence{.sem}.scope, membar.level. A proxy fence does not order accesses of different lanes. */
static bool
decode_fence(Opcode *h, Inst *i)
{
	opcode_memory_order(h, i);
	if (!(i->order & (ORDER_ACQUIRE | ORDER_RELEASE)))
		i->order |= ORDER_ACQUIRE | ORDER_RELEASE;
	for (uint32_t k = 0; k < h->nwords; k++)
		if (h->word[k].n >= 5 && !memcmp(h->word[k].s, "proxy", 5))
			i->order = 0;
	i->run = order_lanes;
	return true;
}

bool
move_decode(Opcode *h, Inst *i)
{
	Ty t = h->ntypes ? h->type[0] : T_NONE;
	switch (i->op) {
	case OP_MOV:
		return t && decode_mov(h, i, t);
	case OP_CVTA:
		return convert_address(h, i, t);
	case OP_ISSPACEP:
		i->d = operand_dest(h, operand_next(h, 0), T_PRED);
		i->wide_a = operand_is_wide(h, operand_next(h, 1));
		i->a = operand_source(h, operand_next(h, 1), i->wide_a ? T_B64 : T_B32, NULL);
		i->space = (uint8_t)ptx_space(h->m, h->s);
		i->run = run_isspacep;
		return i->space != SPACE_GENERIC;
	case OP_NANOSLEEP:
		i->kind = I_YIELD;
		i->run = run_no_operation;
		return true;
	case OP_CREATEPOLICY: /* caches have no policies here */
		i->d = operand_dest(h, operand_next(h, 0), T_B64);
		i->a = operand_const(h, 0, 8);
		i->run = mov_64;
		h->used = UINT32_MAX;
		return true;
	case OP_MEMBAR: case OP_FENCE:
		h->used = UINT32_MAX;
		return decode_fence(h, i);
	case OP_PREFETCH:
	case OP_PREFETCHU:
	case OP_APPLYPRIORITY:
	case OP_PMEVENT:
	case OP_SETMAXNREG:
	case OP_DISCARD:
		i->run = run_no_operation;
		h->used = UINT32_MAX;
		return true;
	default:
		return false;
	}
}
