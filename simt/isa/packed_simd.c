/* SPDX-License-Identifier: MIT */
/* Several small numbers in one register: comparison of f16 and bf16 pairs, pairs of 16-bit
 * integers, sums of absolute differences, 8-bit floating point (PTX ISA 9.7.1, 9.7.6, 9.7.9.21,
 * 9.7.19); also .relu of 32-bit minima and maxima.
 *
 * nvcc generates these for half2 and bfloat162 comparisons, for the SIMD and DPX intrinsics, and
 * for cuda_fp8.h.
 */
#include "simt/isa/floating_point.h"
#include "simt/isa/handlers.h"

/* ---- 16-bit integers, minima with .relu ------------------------------------------------------ */

static int32_t
lesser_of_pair(const Inst *i, int32_t x, int32_t y)
{
	int32_t r = i->op == OP_ADD          ? (int32_t)((uint32_t)x + (uint32_t)y) :
		(x < y) == (i->op == OP_MIN) ? x :
					       y;
	return i->imm && r < 0 ? 0 : r; /* .relu */
}

/* type: S16, U16 or S32, per element. */
static void
run_integer_pair(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		uint32_t a = row32(w, i->a)[l], b = row32(w, i->b)[l], r = 0;
		if (i->type == T_S32)
			r = (uint32_t)lesser_of_pair(i, (int32_t)a, (int32_t)b);
		for (uint32_t k = 0; k < 32 && i->type != T_S32; k += 16) {
			bool sign = i->type == T_S16;
			uint32_t x = a >> k & 0xffff, y = b >> k & 0xffff;
			r |= ((uint32_t)lesser_of_pair(i, sign ? (int16_t)x : (int32_t)x,
				      sign ? (int16_t)y : (int32_t)y) &
				     0xffff)
				<< k;
		}
		row32(w, i->d)[l] = r;
	}
}

static bool
integers_decode(Opcode *h, Inst *i)
{
	bool u = opcode_has(h, "u16x2"), s = opcode_has(h, "s16x2"), relu = opcode_has(h, "relu");
	if ((i->op != OP_ADD && i->op != OP_MIN && i->op != OP_MAX) ||
		(!u && !s && !(relu && h->type[0] == T_S32 && i->op != OP_ADD)))
		return false;
	operands_decode(h, i, T_B32, 2);
	i->type = u ? T_U16 : s ? T_S16 : T_S32;
	i->imm = relu;
	i->run = run_integer_pair;
	return h->s->nopnd == 3 && !(u && relu);
}

/* ---- absolute differences -------------------------------------------------------------------- */

/* imm: bits per element; type, type2: types of a and b. With F_HI (.add) the result is the sum of c
 * and all differences. */
static void
run_differences(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t bits = (uint32_t)i->imm, mask = (UINT32_C(1) << bits) - 1, up = 32 - bits;
	for EACH_LANE(l, lanes) {
			uint32_t a = row32(w, i->a)[l], b = row32(w, i->b)[l], r = 0,
				 sum = row32(w, i->c)[l];
			for (uint32_t k = 0; k < 32; k += bits) {
				uint32_t x = (a >> k & mask) << up, y = (b >> k & mask) << up;
				int64_t p =
					i->type == T_S32 ? (int32_t)x >> up : (int64_t)(x >> up);
				int64_t q =
					i->type2 == T_S32 ? (int32_t)y >> up : (int64_t)(y >> up);
				uint32_t d = (uint32_t)(p > q ? p - q : q - p);
				r |= (d & mask) << k;
				sum += d;
		}
		row32(w, i->d)[l] = i->flags & F_HI ? sum : r;
	}
}

static bool
differences_decode(Opcode *h, Inst *i)
{
	if (i->op != OP_VABSDIFF2 && i->op != OP_VABSDIFF4)
		return false;
	operands_decode(h, i, T_B32, 3);
	i->imm = i->op == OP_VABSDIFF2 ? 16 : 8;
	i->type = (uint8_t)h->type[1];
	i->type2 = (uint8_t)h->type[2];
	i->flags |= opcode_has(h, "add") ? F_HI : 0;
	i->run = run_differences;
	return h->ntypes == 3 && h->s->nopnd == 4 && h->type[0] == T_U32;
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* Returns two bits, for the low and the high half: whether relation imm holds, combined with
 * predicate c by the boolean operator in round. */
static uint32_t
pair_relation_holds(const Warp *w, const Inst *i, uint32_t lane)
{
	bool bf = i->type2 == T_BF16X2;
	uint32_t bits = 0, p = *row32(w, i->c) ^ (i->flags & F_NOT ? UINT32_MAX : 0),
		 c = p >> lane & 1 ? 3 : 0;
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t a = row32(w, i->a)[lane] >> 16 * k & 0xffff,
			 b = row32(w, i->b)[lane] >> 16 * k & 0xffff;
		if (i->flags & F_FTZ)
			a = half_flush(a, bf), b = half_flush(b, bf);
		bits |= (uint32_t)compare_holds(i, half_get(a, bf), half_get(b, bf)) << k;
	}
	return i->round == 1  ? bits & c :
		i->round == 2 ? bits | c :
		i->round == 3 ? bits ^ c :
				bits;
}

static void
run_set_pair(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t one = i->type == T_F16X2 ? 0x3c00 : i->type == T_BF16X2 ? 0x3f80 : 0xffff;
	for EACH_LANE(l, lanes) {
		uint32_t bits = pair_relation_holds(w, i, l);
		row32(w, i->d)[l] = (bits & 1 ? one : 0) | (bits & 2 ? one << 16 : 0);
	}
}

/* setp d|e: d for the low half, e for the high one. */
static void
run_setp_pair(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t low = 0, high = 0;
	for EACH_LANE(l, lanes) {
		uint32_t bits = pair_relation_holds(w, i, l);
		low |= (bits & 1) << l;
		high |= (bits >> 1) << l;
	}
	pred_put(w, i->d, lanes, low);
	pred_put(w, i->e, lanes, high);
}

static bool
compare_pair_decode(Opcode *h, Inst *i)
{
	Ty t = h->ntypes ? h->type[h->ntypes - 1] : T_NONE;
	uint32_t d = operand_next(h, 0), pair = h->m->opnds[d].kind == OPND_PAIR;
	if ((i->op != OP_SET && i->op != OP_SETP) || (t != T_F16X2 && t != T_BF16X2))
		return false;
	bool known = compare_operands(h, i, t);
	if (i->op == OP_SET) {
		i->type = (uint8_t)h->type[0];
		i->d = operand_dest(h, d, T_B32);
		i->run = run_set_pair;
		return known && h->ntypes == 2 && ty_size((Ty)i->type) == 4;
	}
	i->d = operand_dest(h, d + pair, T_PRED);
	i->e = pair ? operand_dest(h, d + 1 + h->m->opnds[d + 1].tree, T_PRED) :
		      h->p->codes.at[h->code].scratch;
	i->run = run_setp_pair;
	return known && h->ntypes == 1;
}

/* ---- 8-bit floating point -------------------------------------------------------------------- */

/* e4m3 has no infinity and one NaN; e5m2 is the upper half of an f16. */
typedef struct { uint32_t man, bias, most; } Float8_format;
static const Float8_format minis[] = { { 3, 7, 0x7e }, { 2, 15, 0x7b } };

/* Rounds to nearest even; values that are too large become the largest finite one (.satfinite). */
static uint32_t
to_float8(double x, const Float8_format *m)
{
	uint32_t sign = signbit(x) ? 0x80 : 0;
	int e, least = 1 - (int)m->bias;
	if (x != x)
		return 0x7f;
	x = fabs(x);
	if (isinf(x))
		return sign | m->most;
	frexp(x, &e);
	e = --e < least || x == 0 ? least : e;
	/* if rounding carries out of the mantissa, this sum increments the exponent */
	double q = nearbyint(ldexp(x, (int)m->man - e));
	uint64_t bits = (uint64_t)(e - least) << m->man;
	bits += (uint64_t)q;
	return sign | (bits > m->most ? m->most : (uint32_t)bits);
}

static uint32_t
from_float8(uint32_t v, const Float8_format *m)
{
	uint32_t exp = (v & 0x7f) >> m->man, man = v & ((UINT32_C(1) << m->man) - 1);
	if (m->man == 2)
		return (v & 0x7f) > 0x7c ? 0x7fff : v << 8;
	if ((v & 0x7f) == 0x7f)
		return 0x7fff;
	double x = exp ? ldexp(8 + man, (int)exp - 10) : ldexp(man, -9);
	return half_put(v & 0x80 ? -x : x, false, 0);
}

/* Converts two f32 (a: the upper one) or an f16x2 to 8 bits. imm: index of the format. */
static void
run_to_float8(Warp *w, const Inst *i, uint32_t lanes)
{
	const Float8_format *m = &minis[i->imm];
	for EACH_LANE(l, lanes) {
		uint32_t a = row32(w, i->a)[l], b = row32(w, i->b)[l];
		bool single = i->type2 == T_F32;
		double x = single ? (double)float_of(a) : half_get(a >> 16, false),
		       y = single ? (double)float_of(b) : half_get(a & 0xffff, false);
		if (i->flags & F_ABS)
			x = float_relu(x), y = float_relu(y);
		row32(w, i->d)[l] = to_float8(x, m) << 8 | to_float8(y, m);
	}
}

static void
run_from_float8(Warp *w, const Inst *i, uint32_t lanes)
{
	const Float8_format *m = &minis[i->imm];
	for EACH_LANE(l, lanes) {
			uint32_t v = row32(w, i->a)[l], x = from_float8(v >> 8 & 0xff, m),
				 y = from_float8(v & 0xff, m);
			if (i->flags & F_ABS)
				x = x & 0x8000 ? 0 : x, y = y & 0x8000 ? 0 : y;
			row32(w, i->d)[l] = x << 16 | y;
	}
}

static bool
mini_decode(Opcode *h, Inst *i)
{
	static const char *const formats[] = { "e4m3x2", "e5m2x2", NULL };
	int format = i->op == OP_CVT ? opcode_which(h, formats) : -1;
	if (format < 0 || h->ntypes != 1)
		return false;
	bool to = opcode_has(h, "satfinite");
	Ty t = h->type[0];
	i->imm = format;
	i->type2 = (uint8_t)t;
	i->flags |= opcode_has(h, "relu") ? F_ABS : 0;
	i->d = operand_dest(h, operand_next(h, 0), to ? T_B16 : T_B32);
	i->a = operand_source(h, operand_next(h, 1), to ? t : T_B16, NULL);
	i->b = to && t == T_F32 ? operand_source(h, operand_next(h, 2), t, NULL) : 0;
	i->run = to ? run_to_float8 : run_from_float8;
	return t == T_F16X2 || (to && t == T_F32);
}

bool
pairs_decode(Opcode *h, Inst *i)
{
	return integers_decode(h, i) || differences_decode(h, i) || compare_pair_decode(h, i) ||
		mini_decode(h, i);
}
