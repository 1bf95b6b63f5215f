/* SPDX-License-Identifier: MIT */
/* Determines which operands take the slow path of an operation, and which path through it, as
 * compiled by ptxas 13.0 for sm_80 to sm_90 (derived with nvdisasm). This only affects counts.
 *
 * The tests are those in front of the call, usually of the exponents. That of an f32 division is
 * FCHK, whose bounds are not documented; bench/simt-slow.sh compares them with a GPU.
 */
#include <math.h>
#include <string.h>
#include "simt/sass/slow_paths.h"

enum { INF = 0x7f800000, HIGH_INF = 0x7ff00000, MAGNITUDE = 0x7fffffff };

/* The upper word of a double, with its exponent. */
static uint32_t
high_word(uint64_t x)
{
	return (uint32_t)(x >> 32);
}

static bool
is_nan64(uint64_t x)
{
	return (x & INT64_MAX) > (uint64_t)HIGH_INF << 32;
}

static bool
is_zero64(uint64_t x)
{
	return !(x & INT64_MAX);
}

/* ---- f32 ------------------------------------------------------------------------------------- */

enum { DIV_NAN = 1, DIV_INVALID, DIV_ZERO, DIV_INF, DIV_SUBNORMAL, DIV_RANGE };

static uint32_t
div_f32(uint64_t x, uint64_t y)
{
	enum { LEAST_A = 25, LEAST_B = 2, MOST_B = 251, BELOW = 124, ABOVE = 126 };
	uint32_t a = (uint32_t)x & MAGNITUDE, b = (uint32_t)y & MAGNITUDE;
	int ea = (int)(a >> 23), eb = (int)(b >> 23);
	if (a > INF || b > INF)
		return DIV_NAN;
	if (a == b && (!a || a == INF))
		return DIV_INVALID;
	if (!a || b == INF)
		return DIV_ZERO;
	if (!b || a == INF)
		return DIV_INF;
	if (!ea || !eb)
		return DIV_SUBNORMAL;
	return ea >= LEAST_A && eb >= LEAST_B && eb <= MOST_B && ea - eb <= ABOVE &&
			eb - ea <= BELOW ?
		0 :
		DIV_RANGE;
}

enum { RCP_SMALL = 1, RCP_LARGE, RCP_SPECIAL };

static uint32_t
rcp_f32(uint64_t x, uint64_t y)
{
	uint32_t e = ((uint32_t)x & MAGNITUDE) >> 23;
	(void)y;
	return e == 255 ? RCP_SPECIAL : e > 252 ? RCP_LARGE : e ? 0 : RCP_SMALL;
}

enum { ROOT_ZERO = 1, ROOT_NEGATIVE, ROOT_NAN, ROOT_OTHER, ROOT_SMALL };

static uint32_t
sqrt_f32(uint64_t x, uint64_t y)
{
	uint32_t a = (uint32_t)x;
	(void)y;
	if (a - 0x0d000000 <= 0x727fffff)
		return 0;
	return !(a & MAGNITUDE)       ? ROOT_ZERO :
		(a & MAGNITUDE) > INF ? ROOT_NAN :
		a > INF               ? ROOT_NEGATIVE :
					ROOT_OTHER;
}

/* ---- f64 ------------------------------------------------------------------------------------- */

enum { DIV64_NORMAL = 1, DIV64_SMALL, DIV64_NAN, DIV64_BY_NAN, DIV64_INVALID, DIV64_SPECIAL };

static uint32_t
div_f64(uint64_t x, uint64_t y)
{
	/* bounds of the upper words; the tests treat those of quotient and divisor as floats, hence
	 * END */
	enum { LEAST_A = 0x03600000, LEAST = 0x00100000, END = 0x7f800000 };
	double a, b, q;
	uint64_t bits;
	memcpy(&a, &x, sizeof a);
	memcpy(&b, &y, sizeof b);
	q = a / b;
	memcpy(&bits, &q, sizeof bits);
	uint32_t h = high_word(bits) & MAGNITUDE, d = high_word(y) & MAGNITUDE;
	if (is_nan64(x))
		return DIV64_NAN;
	if (is_nan64(y))
		return DIV64_BY_NAN;
	if (is_nan64(bits))
		return DIV64_INVALID;
	if (isinf(a) || isinf(b) || is_zero64(x) || is_zero64(y))
		return DIV64_SPECIAL;
	if (h > LEAST && h <= END && d >= LEAST && d < END && (high_word(x) & MAGNITUDE) >= LEAST_A)
		return 0;
	return h > LEAST ? DIV64_NORMAL : DIV64_SMALL;
}

enum { RCP64_NAN = 1, RCP64_SPECIAL, RCP64_SMALL, RCP64_OTHER };

static uint32_t
rcp_f64(uint64_t x, uint64_t y)
{
	uint32_t h = high_word(x) & MAGNITUDE;
	(void)y;
	if (((high_word(x) + 0x300402) & MAGNITUDE) >= 0x00400402)
		return 0;
	return is_nan64(x)          ? RCP64_NAN :
		h - 1 >= 0x7fefffff ? RCP64_SPECIAL :
		h < 0x1000001       ? RCP64_SMALL :
				      RCP64_OTHER;
}

static uint32_t
sqrt_f64(uint64_t x, uint64_t y)
{
	uint32_t h = high_word(x);
	(void)y;
	if (h - 0x03500000 < 0x7ca00000)
		return 0;
	return is_zero64(x) || is_nan64(x) ? ROOT_ZERO :
		h > HIGH_INF               ? ROOT_NEGATIVE :
		h == HIGH_INF              ? ROOT_NAN :
		h < 0x00100000             ? ROOT_OTHER :
					     ROOT_SMALL;
}

static uint32_t
rsqrt_f64(uint64_t x, uint64_t y)
{
	enum { RSQRT_INF = ROOT_SMALL };
	uint32_t h = high_word(x);
	(void)y;
	if (h - 0x00100000 < 0x7fe00000)
		return 0;
	return is_zero64(x)   ? ROOT_ZERO :
		is_nan64(x)   ? ROOT_NAN :
		h > HIGH_INF  ? ROOT_NEGATIVE :
		h == HIGH_INF ? RSQRT_INF :
				ROOT_OTHER;
}

/* ---- integers -------------------------------------------------------------------------------- */

static uint32_t
wide_operands(uint64_t x, uint64_t y)
{
	return (x | y) >> 32 != 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* way: for each conditional branch of the routine, in execution order, whether it is taken; any
 * further ones are not. */
static const struct {
	Op op;
	Type type;
	uint32_t (*class)(uint64_t a, uint64_t b);
	const char *way[SLOW_CLASSES];
} kinds[] = {
	/* clang-format off */
	{ .op = OP_UNKNOWN },
	{ OP_DIV, TYPE_F32, div_f32, {
		[DIV_NAN] = "FT", [DIV_INVALID] = "FFT", [DIV_ZERO] = "FFFFT",
		[DIV_INF] = "FFFFFT", [DIV_SUBNORMAL] = "FFFFFFT", [DIV_RANGE] = "TT" } },
	{ OP_RCP, TYPE_F32, rcp_f32, {
		[RCP_SMALL] = "F", [RCP_LARGE] = "TF", [RCP_SPECIAL] = "TT" } },
	{ OP_SQRT, TYPE_F32, sqrt_f32, {
		[ROOT_ZERO] = "T", [ROOT_NEGATIVE] = "FT", [ROOT_NAN] = "FFT",
		[ROOT_OTHER] = "FFF" } },
	{ OP_DIV, TYPE_F64, div_f64, {
		[DIV64_NORMAL] = "FT", [DIV64_SMALL] = "FFF", [DIV64_NAN] = "TT",
		[DIV64_BY_NAN] = "TFT", [DIV64_INVALID] = "TFFT", [DIV64_SPECIAL] = "TFFF" } },
	{ OP_RCP, TYPE_F64, rcp_f64, {
		[RCP64_NAN] = "T", [RCP64_SPECIAL] = "FT", [RCP64_SMALL] = "FFT",
		[RCP64_OTHER] = "FFF" } },
	{ OP_SQRT, TYPE_F64, sqrt_f64, {
		[ROOT_ZERO] = "TT", [ROOT_NEGATIVE] = "TFT", [ROOT_NAN] = "TFFT",
		[ROOT_OTHER] = "TFFF", [ROOT_SMALL] = "F" } },
	{ OP_RSQRT, TYPE_F64, rsqrt_f64, {
		[ROOT_ZERO] = "T", [ROOT_NEGATIVE] = "FFT", [ROOT_NAN] = "FT",
		[ROOT_OTHER] = "FFFF", [ROOT_SMALL] = "FFFT" } },
	{ OP_DIV, TYPE_U64, wide_operands, { [1] = "" } },
	{ OP_DIV, TYPE_S64, wide_operands, { [1] = "" } },
	{ OP_REM, TYPE_U64, wide_operands, { [1] = "" } },
	{ OP_REM, TYPE_S64, wide_operands, { [1] = "" } },
	/* clang-format on */
};

uint8_t
slow_path_kind(const Module *m, const Stmt *s)
{
	for (uint8_t k = 1; k < sizeof kinds / sizeof *kinds; k++)
		if (kinds[k].op == ptx_op(m, s) && kinds[k].type == ptx_insn_type(m, s) &&
			!ptx_has(m, s, "ftz"))
			return k;
	return 0;
}

uint32_t
slow_path_class(uint8_t kind, uint64_t a, uint64_t b)
{
	return kind ? kinds[kind].class(a, b) : 0;
}

uint32_t
slow_path_steps(const Sass *s, uint32_t first, uint8_t kind, uint32_t class)
{
	enum { MOST = 400 };
	const char *way = kinds[kind].way[class];
	uint32_t n = 0;
	for (uint32_t at = first; at < s->insts.n && n < MOST;) {
		const Sass_inst *i = &s->insts.at[at++];
		bool taken = i->kind == SASS_BRA && !i->guarded;
		n++;
		if (i->kind == SASS_RET && !i->guarded)
			break;
		if (i->kind == SASS_BRA && i->guarded && way && *way)
			taken = *way++ == 'T';
		if (taken && i->nto)
			at = s->targets.at[i->to];
	}
	return n;
}
