/* SPDX-License-Identifier: MIT */
/* Conversions (PTX ISA 9.7.9.21 cvt). Integers are converted bitwise. Everything else is converted
 * via double, which represents all of f16, bf16, f32 and f64 exactly; 64-bit integers are converted
 * to f32 and f64 directly, with the C library's rounding modes. */
#include "simt/isa/floating_point.h"
#include "simt/isa/handlers.h"

/* ---- handlers -------------------------------------------------------------------------------- */

static inline uint64_t
extend_to_64(uint64_t v, Ty t)
{
	switch (t) {
	case T_S8: return (uint64_t)(int8_t)v;
	case T_S16: return (uint64_t)(int16_t)v;
	case T_S32: return (uint64_t)(int32_t)v;
	case T_U8: case T_B8: return (uint8_t)v;
	case T_U16: case T_B16: return (uint16_t)v;
	case T_U32: case T_B32: return (uint32_t)v;
	default: return v;
	}
}

/* Converts v to the instruction's integer type and extends it to the size of the destination
 * register. */
static inline uint64_t
to_integer_bits(const Inst *i, uint64_t v)
{
	uint64_t x = extend_to_64(v, (Ty)i->type);
	return i->wide_d ? x : i->flags & F_SHORT ? (uint16_t)x : (uint32_t)x;
}

static void
s32_to_64(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row64(w, i->d)[l] = (uint64_t)(int32_t)row32(w, i->a)[l];
}
static void
u32_to_64(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row64(w, i->d)[l] = row32(w, i->a)[l];
}
static void
b64_to_32(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row32(w, i->d)[l] = (uint32_t)row64(w, i->a)[l];
}

/* Saturates v, of integer type `from`, to the range of integer type `to`. */
static uint64_t
saturate_integer(uint64_t v, Ty from, Ty to)
{
	uint32_t bits = 8 * ty_size(to);
	bool negative = ty_signed(from) && (int64_t)v < 0;
	uint64_t top = ty_signed(to) ? (UINT64_C(1) << (bits - 1)) - 1 :
		bits == 64           ? UINT64_MAX :
				       (UINT64_C(1) << bits) - 1;
	if (!negative)
		return v > top ? top : v;
	if (!ty_signed(to))
		return 0;
	int64_t low = bits == 64 ? INT64_MIN : -(int64_t)(UINT64_C(1) << (bits - 1));
	return (int64_t)v < low ? (uint64_t)low : v;
}

static void
int_to_int(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		uint64_t v = extend_to_64(row_get(w, i->a, i->wide_a, l), (Ty)i->type2);
		if (i->flags & F_SAT)
			v = saturate_integer(v, (Ty)i->type2, (Ty)i->type);
		row_put(w, i->d, i->wide_d, l, to_integer_bits(i, v));
	}
}

static double
source_value(const Inst *i, uint64_t v)
{
	switch (i->type2) {
	case T_F64: return double_of(v);
	case T_F32:
		return (double)float_of(i->flags & F_FTZ ? float_flush((uint32_t)v) : (uint32_t)v);
	default: return half_get((uint32_t)v & 0xffff, i->type2 == T_BF16);
	}
}

static double
to_integral(double x, uint8_t how)
{
	if (x != x)
		return x + x; /* quiets a NaN */
	switch (how) {
	case 'z': return trunc(x);
	case 'm': return floor(x);
	case 'p': return ceil(x);
	default: return nearbyint(x);
	}
}

static uint64_t
double_to_int(const Inst *i, double x)
{
	uint32_t bits = 8 * ty_size((Ty)i->type);
	if (x != x)
		return i->type2 != T_F64 && bits < 64 ? 0 : UINT64_C(1) << (bits - 1);
	x = to_integral(x, i->round);
	if (ty_signed((Ty)i->type)) {
		double top = ldexp(1, (int)bits - 1);
		if (x >= top)
			return (UINT64_C(1) << (bits - 1)) - 1;
		return x < -top ? 0 - (UINT64_C(1) << (bits - 1)) : (uint64_t)(int64_t)x;
	}
	if (x <= 0)
		return 0;
	return x >= ldexp(1, (int)bits) ? (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1) :
					  (uint64_t)x;
}

static void
float_to_int(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		uint64_t v = double_to_int(i, source_value(i, row_get(w, i->a, i->wide_a, l)));
		row_put(w, i->d, i->wide_d, l, to_integer_bits(i, v));
	}
}

/* Converts x to the instruction's floating-point type with the given rounding. */
static uint64_t
from_double(const Inst *i, double x, uint32_t round)
{
	if (i->flags & F_SAT)
		x = x > 0 ? x < 1 ? x : 1 : 0;
	if (i->flags & F_ABS)
		x = float_relu(x);
	if (i->type == T_F64)
		return x != x && i->flags & F_FTZ ? UINT64_C(0x7fffffffe0000000) : double_bits(x);
	/* a NaN keeps its upper mantissa bits */
	if (x != x && i->type2 == T_F64 && i->type != T_F32) {
		uint64_t v = double_bits(x), sign = v >> 48 & 0x8000;
		return sign |
			(i->type == T_BF16 ? 0x7fc0 | (v >> 45 & 0x7f) :
					     0x7e00 | (v >> 42 & 0x3ff));
	}
	if (x != x && i->type == T_F32 && i->type2 != T_F64)
		return i->type2 == T_BF16 ? float_bits((float)x) : NAN32;
	if (i->type != T_F32)
		return half_put(x, i->type == T_BF16, round);
	volatile float f;
	if (round)
		float_round(round);
	f = (float)x;
	if (round)
		float_round(0);
	uint32_t v = float_bits(f);
	return i->flags & F_FTZ ? float_flush(v) : v;
}

static void
float_to_float(Warp *w, const Inst *i, uint32_t lanes)
{
	bool integral = i->round > 3;
	for EACH_LANE(l, lanes) {
		double x = source_value(i, row_get(w, i->a, i->wide_a, l));
		if (integral)
			x = to_integral(x, i->round);
		row_put(w, i->d, i->wide_d, l, from_double(i, x, integral ? 0 : i->round));
	}
}

/* Converts v to double, rounded to odd. */
static double
int_to_double(uint64_t v, bool sign)
{
	bool negative = sign && (int64_t)v < 0;
	uint64_t n = negative ? 0 - v : v;
	double x = n >> 53 ? ldexp((double)(n >> 11 | ((n & 0x7ff) != 0)), 11) : (double)n;
	return negative ? -x : x;
}

static uint64_t
int_to_float_one(const Inst *i, uint64_t v)
{
	bool sign = ty_signed((Ty)i->type2);
	volatile float f = 0;
	volatile double x = 0;
	v = extend_to_64(v, (Ty)i->type2);
	if (ty_size((Ty)i->type) == 2)
		return from_double(i, int_to_double(v, sign), i->round);
	if (i->round)
		float_round(i->round);
	if (i->type == T_F32)
		f = sign ? (float)(int64_t)v : (float)v;
	else
		x = sign ? (double)(int64_t)v : (double)v;
	if (i->round)
		float_round(0);
	if (i->type == T_F32 && !(i->flags & F_SAT))
		return float_bits(f);
	return from_double(i, i->type == T_F32 ? (double)f : x, i->round);
}

static void
int_to_float(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row_put(w, i->d, i->wide_d, l, int_to_float_one(i, row_get(w, i->a, i->wide_a, l)));
}

/* cvt.rn.f16x2.f32 d, a, b: a into the high half. */
static void
two_floats(Warp *w, const Inst *i, uint32_t lanes)
{
	bool bf = i->type == T_BF16X2;
	for EACH_LANE(l, lanes) {
			double x = (double)float_of(row32(w, i->a)[l]),
			       y = (double)float_of(row32(w, i->b)[l]);
			if (i->flags & F_ABS)
				x = float_relu(x), y = float_relu(y);
			row32(w, i->d)[l] =
				half_put(x, bf, i->round) << 16 | half_put(y, bf, i->round);
	}
}

/* ---- decoding -------------------------------------------------------------------------------- */

static bool
is_int(Ty t)
{
	return (t >= T_B8 && t <= T_B64) || (t >= T_U8 && t <= T_S64);
}

static bool
between_ints(Opcode *h, Inst *i)
{
	Ty to = h->type[0], from = h->type[1];
	bool sat = opcode_has(h, "sat");
	i->flags |= sat ? F_SAT : 0;
	i->run = int_to_int;
	if (!sat && ty_size(to) == 8 && ty_size(from) == 4 && !i->wide_a)
		i->run = ty_signed(from) ? s32_to_64 : u32_to_64;
	else if (!sat && ty_size(to) == 4 && ty_size(from) >= 4 && i->wide_a && !i->wide_d)
		i->run = b64_to_32;
	return true;
}

static bool
decode_rounding(Opcode *h, Inst *i, bool to_int)
{
	static const char *const integral[] = { "rni", "rzi", "rmi", "rpi", NULL };
	int r = opcode_which(h, integral);
	opcode_rounding(h, i);
	if (r >= 0)
		i->round = (uint8_t)"nzmp"[r];
	else if (to_int)
		return false;
	i->flags |= opcode_has(h, "relu") ? F_ABS : 0;
	return !opcode_has(h, "rs") && !opcode_has(h, "rna");
}

bool
cvt_decode(Opcode *h, Inst *i)
{
	if (i->op != OP_CVT || h->ntypes != 2)
		return false;
	Ty to = h->type[0], from = h->type[1];
	uint32_t d = operand_next(h, 0), a = operand_next(h, 1);
	i->type = (uint8_t)to;
	i->type2 = (uint8_t)from;
	i->d = operand_dest(h, d, operand_is_wide(h, d) ? T_B64 : to);
	i->a = operand_source(h, a, operand_is_wide(h, a) ? T_B64 : from, NULL);
	i->wide_d = operand_is_wide(h, d);
	i->wide_a =
		operand_is_wide(h, a) || (h->m->opnds[a].kind != OPND_SYM && ty_size(from) == 8);
	if (h->m->opnds[d].kind == OPND_SYM &&
		ptx_type_size((Type)h->m->syms[h->m->opnds[d].sym].type) <= 2)
		i->flags |= F_SHORT;
	if (is_int(to) && is_int(from))
		return between_ints(h, i);
	if (to == T_F16X2 || to == T_BF16X2) {
		i->b = operand_source(h, operand_next(h, 2), from, NULL);
		i->run = two_floats;
		return from == T_F32 && decode_rounding(h, i, false);
	}
	if ((!is_int(to) && !ty_float(to)) || (!is_int(from) && !ty_float(from)))
		return false;
	i->run = is_int(from) ? int_to_float : is_int(to) ? float_to_int : float_to_float;
	return decode_rounding(h, i, is_int(to)) && (!is_int(from) || i->round <= 3);
}
