/* SPDX-License-Identifier: MIT */
/* Integer arithmetic (PTX ISA 9.7.1, 9.7.2). */
#include "simt/isa/handlers.h"
#include "simt/isa/lane_loops.h"

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

/* ---- handlers -------------------------------------------------------------------------------- */

THREE(ROWS2, add, x + y)
THREE(ROWS2, sub, x - y)
THREE(ROWS2, mul, 1u * x * y)
THREE(ROWS3, mad, 1u * x * y + z)
THREE(ROWS1, neg, 0u - x)
THREE(ROWS2, min, x < y ? x : y)
THREE(ROWS2, max, x > y ? x : y)
THREE(ROWS2, div, y ? 1u * x / y : UINT64_MAX)
THREE(ROWS2, rem, y ? 1u * x % y : sizeof x < 8 ? UINT64_MAX : x) /* by zero: as on an H200 */
THREE(ROWS3, sad, z + (x > y ? x - y : y - x))
SIGNED3(ROWS2, min, x < y ? x : y)
SIGNED3(ROWS2, max, x > y ? x : y)
SIGNED3(ROWS2, div, y == 0 ? UINT64_MAX : y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y))
SIGNED3(ROWS2, rem,
	y == 0          ? sizeof x < 8 ? UINT64_MAX : (uint64_t)x :
		y == -1 ? 0 :
			  (uint64_t)(x % y))
SIGNED3(ROWS3, sad, (uint64_t)z + (x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x))
SIGNED3(ROWS1, abs, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)

ROWS2(hi_16, uint32_t, uint32_t, uint16_t, x * y >> 16)
ROWS2(hi_32, uint32_t, uint64_t, uint32_t, x * y >> 32)
ROWS2(hi_64, uint64_t, uint64_t, uint64_t, (Uint128)x * y >> 64)
ROWS2(hi_s16, uint32_t, int16_t, uint16_t, x * y >> 16)
ROWS2(hi_s32, uint32_t, int32_t, uint32_t, (int64_t)x * y >> 32)
ROWS2(hi_s64, uint64_t, int64_t, uint64_t, (Int128)x * y >> 64)
static Run *const hi_u[3] = { hi_16, hi_32, hi_64 }, *const hi_s[3] = { hi_s16, hi_s32, hi_s64 };

ROWS3(madhi_16, uint32_t, uint32_t, uint16_t, (x * y >> 16) + z)
ROWS3(madhi_32, uint32_t, uint64_t, uint32_t, (x * y >> 32) + z)
ROWS3(madhi_64, uint64_t, uint64_t, uint64_t, (uint64_t)((Uint128)x * y >> 64) + z)
ROWS3(madhi_s16, uint32_t, int16_t, uint16_t, (x * y >> 16) + z)
ROWS3(madhi_s32, uint32_t, int32_t, uint32_t, ((int64_t)x * y >> 32) + z)
ROWS3(madhi_s64, uint64_t, int64_t, uint64_t, (uint64_t)((Int128)x * y >> 64) + (uint64_t)z)
static Run *const madhi_u[3] = { madhi_16, madhi_32, madhi_64 },
		  *const madhi_s[3] = { madhi_s16, madhi_s32, madhi_s64 };

ROWS2(wide_16, uint32_t, uint16_t, uint32_t, 1u * x * y)
ROWS2(wide_s16, uint32_t, int16_t, uint32_t, x * y)
ROWS3(madwide_16, uint32_t, uint32_t, uint32_t, (x & 0xffff) * (y & 0xffff) + z)
ROWS3(madwide_s16, uint32_t, uint32_t, uint32_t, (uint32_t)((int16_t)x * (int16_t)y) + z)

/* mul.wide and mad.wide of 32 bits: rows of two widths. */
static void
wide_32(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *a = row32(w, i->a), *b = row32(w, i->b);
	uint64_t *d = row64(w, i->d);
	const uint64_t *c = row64(w, i->c);
	bool add = i->op == OP_MAD, sign = ty_signed((Ty)i->type);
	for EACH_LANE(l, lanes) {
			uint64_t x = sign ? (uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]) :
					    (uint64_t)a[l] * b[l];
			d[l] = add ? x + c[l] : x;
	}
}

ROWS2(mul24_lo, uint32_t, uint32_t, uint32_t, (x & 0xffffff) * (y & 0xffffff))
ROWS2(mul24_lo_s, uint32_t, int32_t, uint32_t,
	(int64_t)((int32_t)((uint32_t)x << 8) >> 8) * ((int32_t)((uint32_t)y << 8) >> 8))
ROWS3(mad24_lo, uint32_t, uint32_t, uint32_t, (x & 0xffffff) * (y & 0xffffff) + z)
ROWS3(mad24_lo_s, uint32_t, int32_t, uint32_t,
	(int64_t)((int32_t)((uint32_t)x << 8) >> 8) * ((int32_t)((uint32_t)y << 8) >> 8) + z)

static inline int64_t
clamp32(int64_t x)
{
	return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}
ROWS2(add_sat, uint32_t, int32_t, uint32_t, clamp32((int64_t)x + y))
ROWS2(sub_sat, uint32_t, int32_t, uint32_t, clamp32((int64_t)x - y))
ROWS3(madhi_sat, uint32_t, int32_t, uint32_t, clamp32(((int64_t)x * y >> 32) + z))

/* add.cc, addc, sub.cc, subc, mad.cc, madc: with the carry flag, which is the borrow of
 * subtraction. */
static void
run_carry(Warp *w, const Inst *i, uint32_t lanes)
{
	bool wide = ty_size((Ty)i->type) == 8, sign = ty_signed((Ty)i->type);
	uint32_t bits = wide ? 64 : 32, out = 0;
	for EACH_LANE(l, lanes) {
			uint64_t x = row_get(w, i->a, wide, l), y = row_get(w, i->b, wide, l),
				 in = i->flags & F_CARRY_IN ? w->carry >> l & 1 : 0;
			Uint128 r = x;
			if (i->op == OP_MAD) {
				Uint128 p = (Uint128)x * y;
				if (sign)
					p = wide ? (Uint128)((Int128)(int64_t)x * (int64_t)y) :
						   (Uint128)(uint64_t)((int64_t)(int32_t)x *
							   (int32_t)y);
				uint64_t half = (uint64_t)(i->flags & F_HI ? p >> bits : p);
				r = (Uint128)(wide ? half : (uint32_t)half) +
					row_get(w, i->c, wide, l) + in;
		} else {
			r = i->op == OP_SUB ? r - y - in : r + y + in;
		}
		out |= (uint32_t)(r >> bits & 1) << l;
		row_put(w, i->d, wide, l, (uint64_t)r);
	}
	if (i->flags & F_CARRY_OUT)
		w->carry = (w->carry & ~lanes) | out;
}

/* dp4a, dp2a: dot products of four or two elements. type: of a, type2: of b. */
static void
run_dot(Warp *w, const Inst *i, uint32_t lanes)
{
	const uint32_t *a = row32(w, i->a), *b = row32(w, i->b), *c = row32(w, i->c);
	for EACH_LANE(l, lanes) {
		int64_t sum = 0;
		for (uint32_t k = 0; k < (i->op == OP_DP4A ? 4u : 2u); k++) {
			uint32_t shift = i->op == OP_DP4A ? 8 * k : 16 * k,
				 second = 8 * k + (i->flags & F_HI ? 16u : 0);
			uint32_t x = i->op == OP_DP4A ? a[l] >> shift & 0xff :
							a[l] >> shift & 0xffff,
				 y = b[l] >> second & 0xff;
			int64_t p = i->op == OP_DP4A ? (int8_t)x : (int16_t)x;
			sum += (i->type == T_S32 ? p : (int64_t)x) *
				(i->type2 == T_S32 ? (int8_t)y : (int64_t)y);
		}
		row32(w, i->d)[l] = (uint32_t)sum + c[l];
	}
}

/* ---- decoding -------------------------------------------------------------------------------- */

static const struct { Op op; Run *const *u, *const *s; uint32_t nsources;
} plain[] = { { OP_ADD, add_u, add_u, 2 }, { OP_SUB, sub_u, sub_u, 2 }, { OP_NEG, neg_u, neg_u, 1 },
	{ OP_ABS, abs_s, abs_s, 1 }, { OP_MIN, min_u, min_s, 2 }, { OP_MAX, max_u, max_s, 2 },
	{ OP_DIV, div_u, div_s, 2 }, { OP_REM, rem_u, rem_s, 2 }, { OP_SAD, sad_u, sad_s, 3 } };

static uint32_t size_index(Ty t) { return ty_size(t) == 8 ? 2 : ty_size(t) == 4 ? 1 : 0; }

static bool
decode_multiply(Opcode *h, Inst *i, Ty t)
{
	uint32_t k = size_index(t), mad = i->op == OP_MAD;
	bool sign = ty_signed(t);
	if (!opcode_has(h, "wide")) {
		operands_decode(h, i, t, 2 + mad);
		if (opcode_has(h, "hi"))
			i->run = mad ? (sign ? madhi_s : madhi_u)[k] : (sign ? hi_s : hi_u)[k];
		else
			i->run = mad ? mad_u[k] : mul_u[k];
		if (!opcode_has(h, "sat"))
			return true;
		i->run = madhi_sat;
		return mad && t == T_S32 && opcode_has(h, "hi");
	}
	Ty twice = k == 0 ? T_B32 : T_B64;
	i->d = operand_dest(h, operand_next(h, 0), twice);
	i->a = operand_source(h, operand_next(h, 1), t, NULL);
	i->b = operand_source(h, operand_next(h, 2), t, NULL);
	if (mad)
		i->c = operand_source(h, operand_next(h, 3), twice, NULL);
	i->type = (uint8_t)t;
	i->run = k  ? wide_32 :
		mad ? (sign ? madwide_s16 : madwide_16) :
		      (sign ? wide_s16 : wide_16);
	return k < 2;
}

static bool
decode_carry(Opcode *h, Inst *i, Ty t)
{
	static const struct {
		Op op, is;
		uint16_t flags;
	} ops[] = { { OP_ADD_CC, OP_ADD, F_CARRY_OUT }, { OP_ADDC, OP_ADD, F_CARRY_IN },
		{ OP_SUB_CC, OP_SUB, F_CARRY_OUT }, { OP_SUBC, OP_SUB, F_CARRY_IN },
		{ OP_MAD_CC, OP_MAD, F_CARRY_OUT }, { OP_MADC, OP_MAD, F_CARRY_IN } };
	for (uint32_t k = 0; k < sizeof ops / sizeof *ops; k++) {
		if (i->op != ops[k].op)
			continue;
		i->op = (uint8_t)ops[k].is;
		i->flags |= ops[k].flags;
		if (opcode_has(h, "cc"))
			i->flags |= F_CARRY_OUT;
		if (opcode_has(h, "hi"))
			i->flags |= F_HI;
		operands_decode(h, i, t, i->op == OP_MAD ? 3 : 2);
		i->run = run_carry;
		return ty_size(t) >= 4;
	}
	return false;
}

static bool
decode_dots(Opcode *h, Inst *i)
{
	operands_decode(h, i, T_B32, 3);
	i->type = (uint8_t)h->type[0];
	i->type2 = (uint8_t)h->type[1];
	if (opcode_has(h, "hi"))
		i->flags |= F_HI;
	i->run = run_dot;
	return h->ntypes == 2;
}

bool
int_decode(Opcode *h, Inst *i)
{
	Ty t = h->ntypes ? h->type[h->ntypes - 1] : T_NONE;
	if (i->op == OP_DP4A || i->op == OP_DP2A)
		return decode_dots(h, i);
	if (ty_float(t) || ty_size(t) < 2 || ty_size(t) > 8 || t == T_F16X2 || t == T_BF16X2)
		return false;
	if (i->op == OP_MUL || i->op == OP_MAD)
		return decode_multiply(h, i, t);
	if (i->op == OP_MUL24 || i->op == OP_MAD24) {
		operands_decode(h, i, t, i->op == OP_MAD24 ? 3 : 2);
		i->run = i->op == OP_MUL24 ? t == T_S32 ? mul24_lo_s : mul24_lo :
			t == T_S32         ? mad24_lo_s :
					     mad24_lo;
		return opcode_has(h, "lo");
	}
	if (opcode_has(h, "sat") && (i->op == OP_ADD || i->op == OP_SUB)) {
		operands_decode(h, i, t, 2);
		i->run = i->op == OP_ADD ? add_sat : sub_sat;
		return t == T_S32;
	}
	for (uint32_t k = 0; k < sizeof plain / sizeof *plain; k++)
		if (plain[k].op == i->op) {
			operands_decode(h, i, t, plain[k].nsources);
			i->run = (ty_signed(t) ? plain[k].s : plain[k].u)[size_index(t)];
			return true;
		}
	return decode_carry(h, i, t);
}
