/* SPDX-License-Identifier: MIT */
/* f16 and bf16, scalar and in pairs (PTX ISA 9.7.4), computed in double and rounded once.
 *
 * Products of two such numbers are exact in double. So are sums, unless one operand is too small to
 * affect the rounding of the other. A fused multiply-add is rounded to odd first.
 */
#include "simt/isa/floating_point.h"
#include "simt/isa/handlers.h"

/* ---- the formats ----------------------------------------------------------------------------- */

double
half_get(uint32_t v, bool bf)
{
	if (bf)
		return (double)float_of(v << 16);
	double sign = v & 0x8000 ? -1 : 1;
	uint32_t exp = v >> 10 & 31, man = v & 0x3ff;
	if (exp == 31)
		return man ? double_of((uint64_t)(v & 0x8000) << 48 | UINT64_C(0xfff) << 51 |
				     (uint64_t)man << 42) :
			     sign * INFINITY;
	return sign * (exp ? ldexp(1024 + man, (int)exp - 25) : ldexp(man, -24));
}

uint32_t
half_put(double x, bool bf, uint32_t round)
{
	int bits = bf ? 7 : 10, least = bf ? -126 : -14, most = bf ? 127 : 15, e;
	bool negative = signbit(x);
	uint32_t sign = negative ? 0x8000 : 0, inf = bf ? 0x7f80 : 0x7c00;
	if (x != x)
		return 0x7fff;
	if (isinf(x))
		return sign | inf;
	x = fabs(x);
	frexp(x, &e);
	if (--e < least || x == 0)
		e = least;
	double q = float_integral(ldexp(x, bits - e), negative, round);
	uint32_t n = (uint32_t)q, unit = UINT32_C(1) << bits;
	if (n == 2 * unit)
		n = unit, e++;
	if (e > most) {
		bool up = round == 0 || (round == 2 && negative) || (round == 3 && !negative);
		return sign | (up ? inf : inf - 1);
	}
	return n < unit ? sign | n : sign | ((uint32_t)(e - least + 1) << bits) | (n - unit);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static double
half_min_max(const Inst *i, double x, double y)
{
	if (x != x || y != y)
		return i->flags & F_NAN ? NAN : x != x ? y : x;
	if (x == y)
		return signbit(x) == (i->op == OP_MIN) ? x : y;
	return (x < y) == (i->op == OP_MIN) ? x : y;
}

static double
half_operation(const Inst *i, double x, double y, double z)
{
	switch (i->op) {
	case OP_ADD: return x + y;
	case OP_SUB: return x - y;
	case OP_MUL: return x * y;
	case OP_FMA: return float_fma_odd(x, y, z);
	case OP_EX2: return exp2(x);
	case OP_TANH: return tanh(x);
	case OP_MIN:
	case OP_MAX:
		return i->flags & F_XORSIGN ? copysign(half_min_max(i, fabs(x), fabs(y)),
						      signbit(x) != signbit(y) ? -1 : 1) :
					      half_min_max(i, x, y);
	default: return x;
	}
}

static uint32_t
apply_half(const Inst *i, uint32_t a, uint32_t b, uint32_t c, bool bf)
{
	if (i->flags & F_FTZ)
		a = half_flush(a, bf), b = half_flush(b, bf), c = half_flush(c, bf);
	if (i->op == OP_NEG || i->op == OP_ABS)
		return (a & 0x7fff) > (bf ? 0x7f80u : 0x7c00u) ? 0x7fff :
			i->op == OP_NEG                        ? a ^ 0x8000 :
								 a & 0x7fff;
	double r = half_operation(i, half_get(a, bf), half_get(b, bf), half_get(c, bf));
	if (i->flags & F_SAT)
		r = r > 0 ? r < 1 ? r : 1 : 0;
	if (i->flags & F_FTZ && float_tiny(r, bf ? 7 : 10, bf ? -126 : -14, i->round))
		r = copysign(0, r);
	uint32_t v = half_put(r, bf, i->round);
	if (i->imm && !(v & 0x8000 && v != 0x7fff))    /* .relu */
		return v;
	return i->imm ? 0 : v;
}

static void
run_halves(Warp *w, const Inst *i, uint32_t lanes)
{
	bool pair = i->type == T_F16X2 || i->type == T_BF16X2,
	     bf = i->type == T_BF16 || i->type == T_BF16X2;
	for EACH_LANE(l, lanes) {
		uint32_t a = row32(w, i->a)[l], b = row32(w, i->b)[l], c = row32(w, i->c)[l];
		uint32_t r = apply_half(i, a & 0xffff, b & 0xffff, c & 0xffff, bf);
		if (pair)
			r |= apply_half(i, a >> 16, b >> 16, c >> 16, bf) << 16;
		row32(w, i->d)[l] = r;
	}
}

/* ---- decoding -------------------------------------------------------------------------------- */

bool
half_decode(Opcode *h, Inst *i)
{
	static const struct {
		Op op;
		uint32_t nsources;
	} plain[] = { { OP_ADD, 2 }, { OP_SUB, 2 }, { OP_MUL, 2 }, { OP_FMA, 3 }, { OP_EX2, 1 },
		{ OP_TANH, 1 }, { OP_MIN, 2 }, { OP_MAX, 2 }, { OP_NEG, 1 }, { OP_ABS, 1 } };
	Ty t = h->ntypes ? h->type[h->ntypes - 1] : T_NONE;
	if (t < T_F16 || t > T_BF16X2 || h->ntypes != 1)
		return false;
	for (uint32_t k = 0; k < sizeof plain / sizeof *plain; k++)
		if (plain[k].op == i->op) {
			operands_decode(h, i, t, plain[k].nsources);
			opcode_rounding(h, i);
			i->flags |= opcode_has(h, "NaN") ? F_NAN : 0;
			i->flags |= opcode_has(h, "xorsign") && opcode_has(h, "abs") ? F_XORSIGN : 0;
			i->imm = opcode_has(h, "relu");
			i->run = run_halves;
			return h->s->nopnd == plain[k].nsources + 1;
		}
	return false;
}
