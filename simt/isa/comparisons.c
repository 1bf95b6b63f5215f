/* SPDX-License-Identifier: MIT */
/* Comparison and selection: set, setp, selp, slct (PTX ISA 9.7.6).
 *
 * A relation is a set of the four possible outcomes of a comparison (less, equal, greater,
 * unordered); it holds if the outcome is in the set.
 */
#include "simt/isa/floating_point.h"
#include "simt/isa/handlers.h"

enum { LESS = 1, SAME = 2, MORE = 4, UNORDERED = 8 };

/* ---- handlers -------------------------------------------------------------------------------- */

#define RELATION(NAME, CELL, T) \
	static uint32_t NAME(const Warp *w, const Inst *i, uint32_t lanes) \
	{ \
		const CELL *a = (const CELL *)(void *)(w->regs + i->a), \
			   *b = (const CELL *)(void *)(w->regs + i->b); \
		uint32_t want = (uint32_t)i->imm, bits = 0; \
		for \
			EACH_LANE(l, lanes) \
			{ \
				const T x = (T)a[l], y = (T)b[l]; \
				bits |= (uint32_t)((want & \
							   (x < y                 ? LESS : \
									   x == y ? SAME : \
										    MORE)) != 0) \
					<< l; \
			} \
		return bits; \
	}
RELATION(rel_u16, uint32_t, uint16_t)
RELATION(rel_s16, uint32_t, int16_t)
RELATION(rel_u32, uint32_t, uint32_t)
RELATION(rel_s32, uint32_t, int32_t)
RELATION(rel_u64, uint64_t, uint64_t)
RELATION(rel_s64, uint64_t, int64_t)

static double
number_at(const Warp *w, const Inst *i, uint32_t row, uint32_t lane)
{
	bool bf = i->type2 == T_BF16;
	uint32_t v;
	switch (i->type2) {
	case T_F64:
		return double_of(row64(w, row)[lane]);
	case T_F32:
		v = row32(w, row)[lane];
		return (double)float_of(i->flags & F_FTZ ? float_flush(v) : v);
	default:
		v = row32(w, row)[lane] & 0xffff;
		return half_get(i->flags & F_FTZ ? half_flush(v, bf) : v, bf);
	}
}

bool
compare_holds(const Inst *i, double x, double y)
{
	return i->imm & (x < y ? LESS : x == y ? SAME : x > y ? MORE : UNORDERED);
}

static uint32_t
rel_float(const Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t bits = 0;
	for EACH_LANE(l, lanes)
	bits |= (uint32_t)compare_holds(i, number_at(w, i, i->a, l), number_at(w, i, i->b, l)) << l;
	return bits;
}

static uint32_t
decode_relation(const Warp *w, const Inst *i, uint32_t lanes)
{
	switch (i->type2) {
	case T_U16: case T_B16: return rel_u16(w, i, lanes);
	case T_S16: return rel_s16(w, i, lanes);
	case T_U32: case T_B32: return rel_u32(w, i, lanes);
	case T_S32: return rel_s32(w, i, lanes);
	case T_U64: case T_B64: return rel_u64(w, i, lanes);
	case T_S64: return rel_s64(w, i, lanes);
	default: return rel_float(w, i, lanes);
	}
}

/* Combines bits with predicate c by the instruction's boolean operator. */
static uint32_t
combine_predicate(const Warp *w, const Inst *i, uint32_t bits)
{
	uint32_t c = *row32(w, i->c) ^ (i->flags & F_NOT ? UINT32_MAX : 0);
	switch (i->round) {
	case 1: return bits & c;
	case 2: return bits | c;
	case 3: return bits ^ c;
	default: return bits;
	}
}

static void
run_setp(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t bits = decode_relation(w, i, lanes), p = combine_predicate(w, i, bits),
		 q = combine_predicate(w, i, ~bits);
	pred_put(w, i->d, lanes, p);
	if (i->e)
		pred_put(w, i->e, lanes, q);
}

static void
run_set(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t bits = combine_predicate(w, i, decode_relation(w, i, lanes));
	uint32_t yes = i->type == T_F32 ? float_bits(1.0f) :
		i->type == T_F16        ? 0x3c00 :
		i->type == T_BF16       ? 0x3f80 :
					  UINT32_MAX;
	if (ty_size((Ty)i->type) == 2)
		yes &= 0xffff;
	for EACH_LANE(l, lanes)
		row32(w, i->d)[l] = bits >> l & 1 ? yes : 0;
}

static void
run_selp(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t p = *row32(w, i->c);
	for EACH_LANE(l, lanes) {
		if (i->wide_d)
			row64(w, i->d)[l] = row64(w, p >> l & 1 ? i->a : i->b)[l];
		else
			row32(w, i->d)[l] = row32(w, p >> l & 1 ? i->a : i->b)[l];
	}
}

static void
run_slct(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		uint32_t c = row32(w, i->c)[l];
		bool first = i->type2 == T_S32 ?
			(int32_t)c >= 0 :
			float_of(i->flags & F_FTZ ? float_flush(c) : c) >= 0;
		row_put(w, i->d, i->wide_d, l, row_get(w, first ? i->a : i->b, i->wide_d, l));
	}
}

/* ---- decoding -------------------------------------------------------------------------------- */

bool
compare_operands(Opcode *h, Inst *i, Ty t)
{
	static const struct {
		const char *word;
		uint8_t is;
	} ops[] = { { "eq", SAME }, { "ne", LESS | MORE }, { "lt", LESS }, { "le", LESS | SAME },
		{ "gt", MORE }, { "ge", MORE | SAME }, { "lo", LESS }, { "ls", LESS | SAME },
		{ "hi", MORE }, { "hs", MORE | SAME }, { "equ", SAME | UNORDERED },
		{ "neu", LESS | MORE | UNORDERED }, { "ltu", LESS | UNORDERED },
		{ "leu", LESS | SAME | UNORDERED }, { "gtu", MORE | UNORDERED },
		{ "geu", MORE | SAME | UNORDERED }, { "num", LESS | SAME | MORE },
		{ "nan", UNORDERED } };
	static const char *const bools[] = { "and", "or", "xor", NULL };
	for (uint32_t k = 0; k < sizeof ops / sizeof *ops; k++)
		if (opcode_has(h, ops[k].word))
			i->imm = ops[k].is;
	i->round = (uint8_t)(opcode_which(h, bools) + 1);
	i->flags |= opcode_has(h, "ftz") ? F_FTZ : 0;
	i->type2 = (uint8_t)t;
	i->a = operand_source(h, operand_next(h, 1), t, NULL);
	i->b = operand_source(h, operand_next(h, 2), t, NULL);
	if (i->round) {
		bool negated = false;
		i->c = operand_source(h, operand_next(h, 3), T_PRED, &negated);
		i->flags |= negated ? F_NOT : 0;
	}
	return i->imm != 0;
}

static bool
decode_comparison(Opcode *h, Inst *i, Ty t)
{
	return compare_operands(h, i, t) && ty_size(t) >= 2 && ty_size(t) <= 8 && t != T_F16X2 &&
		t != T_BF16X2;
}

static bool
set_predicate(Opcode *h, Inst *i)
{
	uint32_t d = operand_next(h, 0);
	if (h->m->opnds[d].kind == OPND_PAIR) {
		i->d = operand_dest(h, d + 1, T_PRED);
		i->e = operand_dest(h, d + 1 + h->m->opnds[d + 1].tree, T_PRED);
	} else {
		i->d = operand_dest(h, d, T_PRED);
	}
	i->run = run_setp;
	return h->ntypes == 1 && decode_comparison(h, i, h->type[0]);
}

bool
compare_decode(Opcode *h, Inst *i)
{
	if (!h->ntypes)
		return false;
	Ty t = h->type[0];
	i->type = (uint8_t)t;
	i->wide_d = ty_size(t) == 8;
	switch (i->op) {
	case OP_SETP:
		return set_predicate(h, i);
	case OP_SET:
		i->d = operand_dest(h, operand_next(h, 0), t);
		i->run = run_set;
		return h->ntypes == 2 && ty_size(t) <= 4 && decode_comparison(h, i, h->type[1]);
	case OP_SELP:
		operands_decode(h, i, t, 2);
		i->c = operand_source(h, operand_next(h, 3), T_PRED, NULL);
		i->run = run_selp;
		return ty_size(t) >= 2 && ty_size(t) <= 8;
	case OP_SLCT:
		operands_decode(h, i, t, 2);
		i->type2 = (uint8_t)h->type[1];
		i->c = operand_source(h, operand_next(h, 3), h->type[1], NULL);
		i->flags |= opcode_has(h, "ftz") ? F_FTZ : 0;
		i->run = run_slct;
		return h->ntypes == 2;
	default:
		return false;
	}
}
