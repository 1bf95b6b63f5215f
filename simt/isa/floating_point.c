/* SPDX-License-Identifier: MIT */
/* Floating-point arithmetic of f32 and f64 (PTX ISA 9.7.3).
 *
 * add, sub, mul, div, sqrt, rcp and fma are exact to the last bit, using the C library's rounding
 * modes. The approximate functions are more accurate than documented. A NaN produced by f32
 * arithmetic is 0x7fffffff.
 */
#include "simt/isa/floating_point.h"
#include "simt/isa/handlers.h"

void
float_round(uint32_t round)
{
	static const int modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
	fesetround(modes[round & 3]);
}

double
float_integral(double x, bool negative, uint32_t round)
{
	switch (round) {
	case 1: return floor(x);
	case 2: return negative ? ceil(x) : floor(x);
	case 3: return negative ? floor(x) : ceil(x);
	default: return nearbyint(x);
	}
}

/* Returns x + error rounded to odd, where x is that sum rounded to nearest. */
static double
float_odd(double x, double error)
{
	uint64_t v = double_bits(x);
	if ((error < 0 || error > 0) && !(v & 1))
		v += (error > 0) == (x > 0) ? 1 : UINT64_MAX;
	return double_of(v);
}

double
float_fma_odd(double x, double y, double z)
{
	double p = x * y, s = p + z, t = s - p;
	return float_odd(s, (p - (s - t)) + (z - t));
}

bool
float_tiny(double x, int bits, int least, uint32_t round)
{
	double q = fabs(x);
	if (!(q < ldexp(1, least)))
		return false;
	return float_integral(ldexp(q, bits + 1 - least), signbit(x), round) < ldexp(1, bits + 1);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static inline float
load_f32(const Inst *i, uint32_t v)
{
	return float_of(i->flags & F_FTZ ? float_flush(v) : v);
}

static inline uint32_t
store_f32(const Inst *i, float r)
{
	if (i->flags & F_SAT)
		r = r > 0 ? r < 1 ? r : 1 : 0;
	if (r != r)
		return NAN32;
	return i->flags & F_FTZ ? float_flush(float_bits(r)) : float_bits(r);
}

static inline uint64_t store_f64(double r) { return double_bits(r); }

/* With .ftz: whether the result is 2^-126, the smallest normal number. It is flushed to 0 if
 * rounding alone has increased it to that. */
static inline bool
result_is_least_normal(const Inst *i, uint32_t v)
{
	return i->flags & F_FTZ && (v & 0x7fffffff) == 0x00800000;
}

/* x / y rounded to odd. */
static double
divide_odd(double x, double y)
{
	double q = x / y, rest = fma(-q, y, x);
	return float_odd(q, y > 0 ? rest : -rest);
}

/* The result for x, y, z was rounded to 2^-126: whether the exact result is less than that. Sums of
 * that magnitude are exact. */
static bool
exact_is_less(const Inst *i, float x, float y, float z)
{
	volatile double a = (double)x, b = (double)y, c = (double)z, r = 1;
	float_round(0);
	switch (i->op) {
	case OP_MUL: r = a * b; break;
	case OP_FMA: case OP_MAD: r = float_fma_odd(a, b, c); break;
	case OP_DIV: r = divide_odd(a, b); break;
	case OP_RCP: r = divide_odd(1, a); break;
	default: break;
	}
	bool less = float_tiny(r, 23, -126, i->round);
	float_round(i->round);
	return less;
}

/* Define handlers for f32 and f64 with sources x, y, z. */
#define FLOAT_LOOP(...) \
	if (i->round) \
		float_round(i->round); \
	for EACH_LANE(l, lanes) { __VA_ARGS__ } \
	if (i->round) \
		float_round(0);
#define FLOAT(NAME, E32, E64) \
	static void NAME##_32(Warp *w, const Inst *i, uint32_t lanes) \
	{ \
		const uint32_t *a = row32(w, i->a), *b = row32(w, i->b), *c = row32(w, i->c); \
		uint32_t *d = row32(w, i->d); \
		FLOAT_LOOP(const float x = load_f32(i, a[l]); const float y = load_f32(i, b[l]); \
			   const float z = load_f32(i, c[l]); (void)x, (void)y, (void)z; \
			   d[l] = store_f32(i, E32); if (result_is_least_normal(i, d[l]) && \
			   	exact_is_less(i, x, y, z)) \
							 d[l] &= UINT32_C(1) << 31;) \
	} \
	static void NAME##_64(Warp *w, const Inst *i, uint32_t lanes) \
	{ \
		const uint64_t *a = row64(w, i->a), *b = row64(w, i->b), *c = row64(w, i->c); \
		uint64_t *d = row64(w, i->d); \
		FLOAT_LOOP(const double x = double_of(a[l]); const double y = double_of(b[l]); \
			   const double z = double_of(c[l]); (void)x, (void)y, (void)z; \
			   d[l] = store_f64(E64);) \
	}

static double
float_min(double x, double y, const Inst *i)
{
	if (x != x || y != y)
		return i->flags & F_NAN ? NAN : x != x ? y : x;
	return x < y || (x == y && signbit(x)) ? x : y;
}
static double
float_max(double x, double y, const Inst *i)
{
	return -float_min(-x, -y, i);
}

FLOAT(add, x + y, x + y)
FLOAT(sub, x - y, x - y)
FLOAT(mul, x * y, x * y)
FLOAT(divide, x / y, x / y)
FLOAT(fma, fmaf(x, y, z),
	z != z ? z + z : fma(x, y, z)) /* of several NaNs, an H200 returns the last */
FLOAT(rcp, 1 / x, 1 / x)
FLOAT(sqrt, sqrtf(x), sqrt(x))
FLOAT(rsqrt, (float)(1 / sqrt((double)x)), 1 / sqrt(x))
FLOAT(sin, sinf(x), sin(x))
FLOAT(cos, cosf(x), cos(x))
FLOAT(lg2, log2f(x), log2(x))
FLOAT(ex2, exp2f(x), exp2(x))
FLOAT(tanh, tanhf(x), tanh(x))
FLOAT(min, (float)float_min(x, y, i), float_min(x, y, i))
FLOAT(max, (float)float_max(x, y, i), float_max(x, y, i))

/* min, max.xorsign.abs: of the absolute values, with the sign of the product. */
static void
run_xorsign_min_max(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		float x = load_f32(i, row32(w, i->a)[l]), y = load_f32(i, row32(w, i->b)[l]);
		double r = i->op == OP_MIN ? float_min(fabs((double)x), fabs((double)y), i) :
					     float_max(fabs((double)x), fabs((double)y), i);
		row32(w, i->d)[l] =
			store_f32(i, copysignf((float)r, signbit(x) != signbit(y) ? -1 : 1));
	}
}

/* neg, abs and copysign operate on the bits. A NaN becomes the canonical one in f32; in f64 it
 * becomes quiet and keeps its sign. */
static void
run_sign(Warp *w, const Inst *i, uint32_t lanes)
{
	bool wide = i->type == T_F64;
	uint64_t sign = wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	for EACH_LANE(l, lanes) {
		uint64_t v = row_get(w, i->a, wide, l);
		if (i->flags & F_FTZ)
			v = float_flush((uint32_t)v);
		if (i->op != OP_COPYSIGN &&
			(wide ? isnan(double_of(v)) : isnan(float_of((uint32_t)v))))
			v = wide ? v | UINT64_C(1) << 51 : NAN32;
		else if (i->op == OP_COPYSIGN)
			v = (row_get(w, i->b, wide, l) & ~sign) | (v & sign);
		else
			v = i->op == OP_NEG ? v ^ sign : v & ~sign;
		row_put(w, i->d, wide, l, v);
	}
}

static void
run_testp(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t bits = 0;
	for EACH_LANE(l, lanes) {
		bool wide = i->type == T_F64;
		double x =
			wide ? double_of(row64(w, i->a)[l]) : (double)float_of(row32(w, i->a)[l]);
		int kind = wide ? fpclassify(x) : fpclassify(float_of(row32(w, i->a)[l]));
		bool yes[] = { isfinite(x), isinf(x), !isnan(x), isnan(x),
			kind == FP_NORMAL || kind == FP_ZERO, kind == FP_SUBNORMAL };
		bits |= (uint32_t)yes[i->imm] << l;
	}
	pred_put(w, i->d, lanes, bits);
}

/* ---- decoding -------------------------------------------------------------------------------- */

static const struct { Op op; Run *f32, *f64; uint32_t nsources;
} plain[] = {
#define BOTH(NAME) NAME##_32, NAME##_64
	{ OP_ADD, BOTH(add), 2 }, { OP_SUB, BOTH(sub), 2 }, { OP_MUL, BOTH(mul), 2 },
	{ OP_DIV, BOTH(divide), 2 }, { OP_FMA, BOTH(fma), 3 }, { OP_MAD, BOTH(fma), 3 },
	{ OP_RCP, BOTH(rcp), 1 }, { OP_SQRT, BOTH(sqrt), 1 }, { OP_RSQRT, BOTH(rsqrt), 1 },
	{ OP_SIN, BOTH(sin), 1 }, { OP_COS, BOTH(cos), 1 }, { OP_LG2, BOTH(lg2), 1 },
	{ OP_EX2, BOTH(ex2), 1 }, { OP_TANH, BOTH(tanh), 1 }, { OP_MIN, BOTH(min), 2 },
	{ OP_MAX, BOTH(max), 2 }, { OP_NEG, run_sign, run_sign, 1 },
	{ OP_ABS, run_sign, run_sign, 1 }, { OP_COPYSIGN, run_sign, run_sign, 2 }
#undef BOTH
};

static bool
decode_properties(Opcode *h, Inst *i, Ty t)
{
	static const char *const words[] = { "finite", "infinite", "number", "notanumber", "normal",
		"subnormal", NULL };
	i->d = operand_dest(h, operand_next(h, 0), T_PRED);
	i->a = operand_source(h, operand_next(h, 1), t, NULL);
	i->type = (uint8_t)t;
	i->imm = opcode_which(h, words);
	i->run = run_testp;
	return i->imm >= 0;
}

bool
float_decode(Opcode *h, Inst *i)
{
	Ty t = h->ntypes ? h->type[h->ntypes - 1] : T_NONE;
	if ((t != T_F32 && t != T_F64) || h->ntypes != 1)
		return false;
	if (i->op == OP_TESTP)
		return decode_properties(h, i, t);
	for (uint32_t k = 0; k < sizeof plain / sizeof *plain; k++)
		if (plain[k].op == i->op) {
			if (h->s->nopnd != plain[k].nsources + 1)
				return false;
			operands_decode(h, i, t, plain[k].nsources);
			opcode_rounding(h, i);
			if (opcode_has(h, "NaN"))
				i->flags |= F_NAN;
			if (t == T_F64)
				i->flags &= (uint16_t)~F_FTZ;
			i->run = t == T_F64 ? plain[k].f64 : plain[k].f32;
			if (opcode_has(h, "xorsign") && opcode_has(h, "abs")) {
				i->run = run_xorsign_min_max;
				return t == T_F32 && (i->op == OP_MIN || i->op == OP_MAX);
			}
			return true;
		}
	return false;
}
