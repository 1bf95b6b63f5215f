/* SPDX-License-Identifier: MIT */
/* What an instruction gives in a trial: see trial.h.
 *
 * Integer arithmetic is done as it is, since the inserted text counts by it; of floating-point
 * numbers a few operations are done as if they were integers; everything else is a hash.
 */
#include <string.h>
#include "validate/trial.h"

uint64_t
trial_mix_text(uint64_t a, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a = (a ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return trial_mix(a, n);
}

static uint64_t
low(uint64_t v, uint32_t size)
{
	return size >= 8 ? v : v & ((UINT64_C(1) << 8 * size) - 1);
}

static int64_t
sign(uint64_t v, uint32_t size)
{
	return size >= 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

static bool is_signed(Type t) { return t >= TYPE_S8 && t <= TYPE_S64; }

/* As a number that can be compared. */
static int64_t
number(Type t, uint64_t v)
{
	return is_signed(t) || trial_is_float(t) ? sign(v, ptx_type_size(t)) :
						   (int64_t)low(v, ptx_type_size(t));
}

uint64_t
trial_invent(const Numbers *by, uint64_t hash, Type t, Range r)
{
	static const uint8_t bits[5][4] = { { 3, 4, 5, 6 }, { 1, 1, 2, 2 }, { 2, 2, 3, 8 },
		{ 3, 6, 7, 7 }, { 7, 8, 8, 9 } };
	uint32_t size = ptx_type_size(t);

	if (t == TYPE_PRED)
		return hash >> 40 & 1;
	if (trial_is_float(t))
		return (low(hash, size) & ~(UINT64_C(1) << (8 * size - 1))) | 1;
	if (by->nwords && (hash >> 16 & 7) == 0)
		return low(by->words[(hash >> 32) % by->nwords], size);
	uint32_t n = bits[r][hash >> 62];
	uint64_t v = hash >> 20 & ((UINT64_C(1) << (size == 1 && n > 6 ? 6 : n)) - 1);
	/* of 64 bits both halves may be looked at, or it may be a number of iterations */
	return size == 8 && by->seed >> 50 & 1 ? v | (hash >> 44 & 63) << 32 : v;
}

/* ---- folding --------------------------------------------------------------------------------- */

static uint64_t
infinity(Type t, bool negative)
{
	if (t == TYPE_F64)
		return UINT64_C(0x7ff0000000000000) | (uint64_t)negative << 63;
	return UINT64_C(0x7f800000) | (uint64_t)negative << 31;
}

/* A floating-point number in the ring of integers: -0 is what adds nothing. */
static uint64_t
ring(Type t, uint64_t v)
{
	uint64_t zero = t == TYPE_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;

	return v == zero && trial_is_float(t) ? 0 : v;
}

static bool
is_one(Type t, uint64_t v)
{
	return v == (t == TYPE_F64 ? UINT64_C(0x3ff0000000000000) : UINT64_C(0x3f800000));
}

static uint64_t
product(Type t, uint64_t a, uint64_t b)
{
	if (trial_is_float(t) && (is_one(t, a) || is_one(t, b)))
		return is_one(t, a) ? b : a;
	return ring(t, a) * ring(t, b);
}

static uint64_t
extreme(Type t, uint64_t a, uint64_t b, bool most)
{
	if (trial_is_float(t) && (a == infinity(t, most) || b == infinity(t, most)))
		return a == infinity(t, most) ? b : a;
	if (t == TYPE_U64 || t == TYPE_B64)
		return (a > b) == most ? a : b;
	return (number(t, a) > number(t, b)) == most ? a : b;
}

uint64_t
trial_fold(How how, Type t, uint64_t a, uint64_t b)
{
	uint64_t v = 0;

	switch (how) {
	case HOW_ADD: v = ring(t, a) + ring(t, b); break;
	case HOW_MIN:
	case HOW_MAX: v = extreme(t, a, b, how == HOW_MAX); break;
	case HOW_AND: v = a & b; break;
	case HOW_OR: v = a | b; break;
	case HOW_XOR: v = a ^ b; break;
	default: break;
	}
	return low(v, ptx_type_size(t));
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool
compares(How how, Type t, uint64_t a, uint64_t b)
{
	uint32_t size = ptx_type_size(t);
	int64_t x = number(t, a), y = number(t, b);

	if (how >= HOW_LO || !is_signed(t)) { /* without signs */
		uint64_t u = low(a, size), v = low(b, size);
		x = u > v;
		y = u < v;
	}
	switch (how) {
	case HOW_EQ: return low(a, size) == low(b, size);
	case HOW_NE: return low(a, size) != low(b, size);
	case HOW_LO: case HOW_LT: return x < y;
	case HOW_LS: case HOW_LE: return x <= y;
	case HOW_HI: case HOW_GT: return x > y;
	case HOW_HS: case HOW_GE: return x >= y;
	default: return false;
	}
}

/* setp: both of what it may give. Floating-point numbers that lie close to each other are hard to
 * make up: which of two is the greater one is a hash. */
static void
compare(const Act *a, const Numbers *by, const uint64_t *x, uint64_t *gives)
{
	bool v, p = true;

	if (a->how == HOW_OTHER || trial_is_float((Type)a->type))
		v = trial_mix(trial_mix(by->seed ^ a->name, x[0]), x[1]) >> 40 & 1;
	else
		v = compares((How)a->how, (Type)a->type, x[0], x[1]);
	gives[0] = v;
	gives[1] = !v;
	if (a->ntakes < 3)
		return;
	p = x[2] & 1;
	for (uint32_t k = 0; k < 2; k++)
		gives[k] = a->with == HOW_AND ? gives[k] && p :
			a->with == HOW_OR     ? gives[k] || p :
						gives[k] ^ (uint64_t)p;
}

/* ---- integers -------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

static uint64_t
multiply(const Act *a, const uint64_t *x, uint32_t *size)
{
	Type t = (Type)a->type;
	uint32_t bits = 8 * *size;

	if (a->how != HOW_WIDE && a->how != HOW_HI)
		return x[0] * x[1];
	Uint128 all = is_signed(t) ? (Uint128)((Int128)sign(x[0], *size) * sign(x[1], *size)) :
				     (Uint128)low(x[0], *size) * low(x[1], *size);
	if (a->how == HOW_HI)
		return (uint64_t)(all >> bits);
	*size *= 2;
	return (uint64_t)all;
}

static uint64_t
divide(const Act *a, const uint64_t *x, uint32_t size, bool rest)
{
	uint64_t u = low(x[0], size), v = low(x[1], size);

	if (!v)
		return rest ? u : UINT64_MAX;
	if (!is_signed((Type)a->type))
		return rest ? u % v : u / v;
	int64_t s = sign(u, size), d = sign(v, size);
	if (d == -1)
		return rest ? 0 : 0 - (uint64_t)s;
	return (uint64_t)(rest ? s % d : s / d);
}

static uint64_t
shift(const Act *a, const uint64_t *x, uint32_t size)
{
	uint32_t by = (uint32_t)x[1];

	if (a->op == OP_SHL)
		return by >= 8 * size ? 0 : x[0] << by;
	if (is_signed((Type)a->type))
		return (uint64_t)(sign(x[0], size) >> (by >= 8 * size ? 8 * size - 1 : by));
	return by >= 8 * size ? 0 : low(x[0], size) >> by;
}

/* shf: of two words side by side. */
static uint64_t
funnel(const Act *a, const uint64_t *x)
{
	uint64_t both = (x[1] & UINT32_MAX) << 32 | (x[0] & UINT32_MAX);
	uint32_t by = (uint32_t)x[2];

	by = a->with == HOW_WRAP ? by & 31 : by > 32 ? 32 : by;
	return a->how == HOW_LEFT ? both << by >> 32 : both >> by;
}

/* lop3: the table has a bit for each combination of three. */
static uint64_t
by_table(const uint64_t *x)
{
	uint64_t v = 0;

	for (uint32_t k = 0; k < 8; k++)
		if (x[3] >> k & 1)
			v |= (k & 4 ? x[0] : ~x[0]) & (k & 2 ? x[1] : ~x[1]) &
				(k & 1 ? x[2] : ~x[2]);
	return v;
}

/* dp4a of numbers without signs. */
static uint64_t
dot(const uint64_t *x)
{
	uint64_t v = x[2];

	for (uint32_t k = 0; k < 32; k += 8)
		v += (x[0] >> k & 255) * (x[1] >> k & 255);
	return v;
}

static uint64_t
bits(const Act *a, uint64_t v, uint32_t size)
{
	uint64_t back = 0;

	v = low(v, size);
	switch ((Op)a->op) {
	case OP_POPC: return (uint64_t)__builtin_popcountll(v);
	case OP_CLZ: return v ? (uint64_t)__builtin_clzll(v) - (64 - 8 * size) : 8 * size;
	case OP_BFIND:
		if (!v)
			return UINT32_MAX;
		if (a->how == HOW_SHIFTAMT)
			return (uint64_t)__builtin_clzll(v) - (64 - 8 * size);
		return 63 - (uint64_t)__builtin_clzll(v);
	default: /* brev */
		for (uint32_t k = 0; k < 8 * size; k++)
			back |= (v >> k & 1) << (8 * size - 1 - k);
		return back;
	}
}

/* False: it is not known how. size: of what it gives. */
static bool
integer(const Act *a, const uint64_t *x, uint32_t *size, uint64_t *v)
{
	Type t = (Type)a->type;
	uint32_t n = *size;

	if (a->how == HOW_OTHER)
		return false;
	switch ((Op)a->op) {
	case OP_ADD: *v = x[0] + x[1]; break;
	case OP_SUB: *v = x[0] - x[1]; break;
	case OP_NEG: *v = 0 - x[0]; break;
	case OP_ABS: *v = sign(x[0], n) < 0 ? 0 - x[0] : x[0]; break;
	case OP_MUL: *v = multiply(a, x, size); break;
	case OP_MAD: *v = multiply(a, x, size); *v += x[2]; break;
	case OP_DIV: *v = divide(a, x, n, false); break;
	case OP_REM: *v = divide(a, x, n, true); break;
	case OP_SHL: case OP_SHR: *v = shift(a, x, n); break;
	case OP_SHF: *v = funnel(a, x); break;
	case OP_LOP3: *v = by_table(x); return a->ngives == 1;
	case OP_DP4A: *v = dot(x); return a->how == HOW_NONE;
	case OP_AND: *v = x[0] & x[1]; break;
	case OP_OR: *v = x[0] | x[1]; break;
	case OP_XOR: *v = x[0] ^ x[1]; break;
	case OP_NOT: *v = t == TYPE_PRED ? !x[0] : ~x[0]; break;
	case OP_MIN: case OP_MAX: *v = extreme(t, x[0], x[1], a->op == OP_MAX); break;
	case OP_SELP: *v = x[2] & 1 ? x[0] : x[1]; break;
	case OP_POPC: case OP_CLZ: case OP_BREV: *v = bits(a, x[0], n); break;
	case OP_BFIND: *v = bits(a, x[0], n); return !is_signed(t);
	default: return false;
	}
	return true;
}

/* Of floating-point numbers. */
static bool
real(const Act *a, const uint64_t *x, uint64_t *v)
{
	Type t = (Type)a->type;

	if (a->how == HOW_OTHER || (t != TYPE_F32 && t != TYPE_F64))
		return false;
	switch ((Op)a->op) {
	case OP_ADD: *v = ring(t, x[0]) + ring(t, x[1]); break;
	case OP_SUB: *v = ring(t, x[0]) - ring(t, x[1]); break;
	case OP_NEG: *v = 0 - ring(t, x[0]); break;
	case OP_MUL: *v = product(t, x[0], x[1]); break;
	case OP_FMA: case OP_MAD: *v = product(t, x[0], x[1]) + ring(t, x[2]); break;
	case OP_MIN: case OP_MAX: *v = extreme(t, x[0], x[1], a->op == OP_MAX); break;
	case OP_SELP: *v = x[2] & 1 ? x[0] : x[1]; break;
	default: return false;
	}
	return true;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* mov: of one thing, or of parts of one. */
static void
move(const Act *a, const uint64_t *x, uint64_t *gives)
{
	uint32_t size = a->size;

	gives[0] = size ? low(x[0], size) : x[0];
	if (a->ngives > 1) {
		uint32_t part = size / a->ngives;
		for (uint32_t k = 0; k < a->ngives; k++)
			gives[k] = low(x[0] >> 8 * part * k, part);
	}
	if (a->ntakes > 1) {
		uint32_t part = size / a->ntakes;
		gives[0] = 0;
		for (uint32_t k = 0; k < a->ntakes; k++)
			gives[0] |= low(x[k], part) << 8 * part * k;
	}
}

static bool
known(const Act *a, const Numbers *by, const uint64_t *x, uint64_t *gives)
{
	uint32_t size = a->size;

	switch ((Op)a->op) {
	case OP_MOV: move(a, x, gives); return size <= 8;
	case OP_CVTA: gives[0] = x[0]; return true;
	case OP_SETP: compare(a, by, x, gives); return true;
	case OP_CVT:
		gives[0] = low((uint64_t)(is_signed((Type)a->type) ? sign(x[0], size) :
								     (int64_t)low(x[0], size)),
			ptx_type_size((Type)a->from));
		return a->from != TYPE_NONE && !trial_is_float((Type)a->type);
	default: break;
	}
	if (a->type == TYPE_PRED)
		size = 8;
	if (!(trial_is_float((Type)a->type) ? real(a, x, gives) : integer(a, x, &size, gives)))
		return false;
	gives[0] = low(gives[0], size);
	return true;
}

bool
trial_give(const Act *a, const Numbers *by, const uint64_t *takes, uint64_t *gives)
{
	if (a->op != OP_LD && known(a, by, takes, gives))
		return true;
	uint64_t hash = trial_mix(by->seed, a->name);
	Range r = a->param && by->loads == RANGE_WIDE ? RANGE_MANY :
		a->param                              ? RANGE_PARAM :
		a->op == OP_LD ? by->loads : RANGE_SMALL;
	for (uint32_t k = 0; k < a->ntakes; k++)
		hash = trial_mix(hash, takes[k]);
	for (uint32_t k = 0; k < a->ngives; k++) {
		Type t = (Type)a->gives[k].type;
		/* a register of bits may be that of a floating-point number */
		if (t != TYPE_PRED && trial_is_float((Type)a->type))
			t = ptx_type_size(t) == 8 ? TYPE_F64 : TYPE_F32;
		gives[k] = trial_invent(by, trial_mix(hash, k), t, r);
	}
	return false;
}
