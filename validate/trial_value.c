/* SPDX-License-Identifier: MIT */
/* What an instruction gives in a trial: see trial.h.
 *
 * Integer arithmetic is done as it is, since the inserted text counts by it; of floating-point
 * numbers a few operations are done as if they were integers; everything else is a hash. All lanes
 * that are there do an instruction in turn, before the next one.
 */
#include "validate/trial_calc.h"

uint64_t
trial_mix_text(uint64_t a, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a = (a ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return trial_mix(a, n);
}

static uint64_t low(uint64_t v, uint32_t size) { return v & trial_bits(size); }

static int64_t
sign(uint64_t v, uint32_t size)
{
	return size >= 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

/* As a number that can be compared. */
static int64_t
number(Type t, uint64_t v, uint32_t size)
{
	return trial_is_signed(t) || trial_is_float(t) ? sign(v, size) : (int64_t)low(v, size);
}

/* Of a kind and a range, integers of that size. */
typedef struct { const Numbers *by; const uint8_t *bits; uint32_t size; } Integers;

static Integers
integers(const Numbers *by, uint32_t size, Range r)
{
	static const uint8_t bits[5][4] = { { 3, 4, 5, 6 }, { 1, 1, 2, 2 }, { 2, 2, 3, 8 },
		{ 3, 6, 7, 7 }, { 7, 8, 8, 9 } };

	return (Integers){ by, bits[r], size };
}

static inline uint64_t
invent_integer(const Integers *k, uint32_t lane, uint64_t hash)
{
	const Numbers *by = k->by;

	if ((hash >> 16 & 7) == 0 && by->nwords)
		return low(by->words[(hash >> 32) % by->nwords], k->size);
	uint32_t n = k->bits[hash >> 62];
	uint64_t v = hash >> 20 & ((UINT64_C(1) << (k->size == 1 && n > 6 ? 6 : n)) - 1);
	/* of 64 bits both halves may be looked at, or it may be a number of iterations */
	return k->size == 8 && by->seed[lane] >> 50 & 1 ? v | (hash >> 44 & 63) << 32 : v;
}

uint64_t
trial_invent(const Numbers *by, uint32_t lane, uint64_t hash, Type t, Range r)
{
	uint32_t size = ptx_type_size(t);

	if (t == TYPE_PRED)
		return hash >> 40 & 1;
	if (trial_is_float(t))
		return (low(hash, size) & ~(UINT64_C(1) << (8 * size - 1))) | 1;
	Integers k = integers(by, size, r);
	return invent_integer(&k, lane, hash);
}

/* ---- folding --------------------------------------------------------------------------------- */

static uint64_t
infinity(Type t, bool negative)
{
	if (t == TYPE_F64)
		return UINT64_C(0x7ff0000000000000) | (uint64_t)negative << 63;
	return UINT64_C(0x7f800000) | (uint64_t)negative << 31;
}

static uint64_t zero_of(Type t) { return t == TYPE_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31; }
static uint64_t
one_of(Type t)
{
	return t == TYPE_F64 ? UINT64_C(0x3ff0000000000000) : UINT64_C(0x3f800000);
}

/* A floating-point number in the ring of integers: -0 is what adds nothing. */
static uint64_t ring(uint64_t v, uint64_t zero) { return v == zero ? 0 : v; }

static uint64_t
product(uint64_t a, uint64_t b, uint64_t zero, uint64_t one)
{
	return a == one ? b : b == one ? a : ring(a, zero) * ring(b, zero);
}

static uint64_t
extreme(Type t, uint64_t a, uint64_t b, bool most)
{
	uint32_t size = ptx_type_size(t);

	if (trial_is_float(t) && (a == infinity(t, most) || b == infinity(t, most)))
		return a == infinity(t, most) ? b : a;
	if (t == TYPE_U64 || t == TYPE_B64)
		return (a > b) == most ? a : b;
	return (number(t, a, size) > number(t, b, size)) == most ? a : b;
}

uint64_t
trial_fold(How how, Type t, uint64_t a, uint64_t b)
{
	uint64_t v = 0;

	switch (how) {
	case HOW_ADD:
		v = trial_is_float(t) ? ring(a, zero_of(t)) + ring(b, zero_of(t)) : a + b;
		break;
	case HOW_MIN:
	case HOW_MAX: v = extreme(t, a, b, how == HOW_MAX); break;
	case HOW_AND: v = a & b; break;
	case HOW_OR: v = a | b; break;
	case HOW_XOR: v = a ^ b; break;
	default: break;
	}
	return low(v, ptx_type_size(t));
}

/* ---- integers -------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

static uint64_t
high(uint64_t x, uint64_t y, uint32_t size, bool with_sign)
{
	Uint128 all = with_sign ? (Uint128)((Int128)sign(x, size) * sign(y, size)) :
				  (Uint128)low(x, size) * low(y, size);
	return (uint64_t)(all >> 8 * size);
}

static uint64_t
divide(const Act *a, uint64_t x, uint64_t y, uint32_t size)
{
	uint64_t u = low(x, size), v = low(y, size);
	bool rest = a->op == OP_REM;

	if (!v)
		return rest ? u : UINT64_MAX;
	if (!trial_is_signed((Type)a->type))
		return rest ? u % v : u / v;
	int64_t s = sign(u, size), d = sign(v, size);
	if (d == -1)
		return rest ? 0 : 0 - (uint64_t)s;
	return (uint64_t)(rest ? s % d : s / d);
}

static uint64_t
shift_right(uint64_t x, uint32_t by, uint32_t size)
{
	return (uint64_t)(sign(x, size) >> (by >= 8 * size ? 8 * size - 1 : by));
}

/* shf: of two words side by side. */
static uint64_t
funnel(const Act *a, uint64_t x, uint64_t y, uint32_t by)
{
	uint64_t both = (y & UINT32_MAX) << 32 | (x & UINT32_MAX);

	by = a->with == HOW_WRAP ? by & 31 : by > 32 ? 32 : by;
	return a->how == HOW_LEFT ? both << by >> 32 : both >> by;
}

/* lop3: the table has a bit for each combination of three. */
static uint64_t
by_table(uint64_t x, uint64_t y, uint64_t z, uint64_t table)
{
	uint64_t v = 0;

	for (uint32_t k = 0; k < 8; k++)
		if (table >> k & 1)
			v |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
	return v;
}

/* dp4a of numbers without signs. */
static uint64_t
dot(uint64_t x, uint64_t y, uint64_t v)
{
	for (uint32_t k = 0; k < 32; k += 8)
		v += (x >> k & 255) * (y >> k & 255);
	return v;
}

static uint64_t
bits_in(const Act *a, uint64_t v, uint32_t size)
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

/* ---- what an instruction computes ------------------------------------------------------------ */

/* Each lane gives EXPR, which is of x[i], y[i] and z[i]. All of them are those of a whole warp. */
#define GIVE(EXPR) \
	do { \
		if (g->n == TRIAL_LANES) \
			for (uint32_t i = 0; i < TRIAL_LANES; i++) \
				v[i] = (EXPR)&bits; \
		else \
			GROUP_EACH(i, g) \
				v[i] = (EXPR)&bits; \
	} while (0)
#define NUMBER(V) ((int64_t)((V) << up ^ flip))
#define SIGNED(V) ((uint64_t)((int64_t)((V) << up) >> up))

static void
compare(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes, uint64_t *v)
{
	const uint64_t *x = takes[0], *y = takes[1], *seed = by->seed;
	uint64_t bits = 1, flip = a->flip, name = a->name;
	uint32_t up = a->up;

	switch ((Calc)a->calc) {
	case CALC_EQ: GIVE(NUMBER(x[i]) == NUMBER(y[i])); break;
	case CALC_NE: GIVE(NUMBER(x[i]) != NUMBER(y[i])); break;
	case CALC_LT: GIVE(NUMBER(x[i]) < NUMBER(y[i])); break;
	case CALC_LE: GIVE(NUMBER(x[i]) <= NUMBER(y[i])); break;
	case CALC_GT: GIVE(NUMBER(x[i]) > NUMBER(y[i])); break;
	case CALC_GE: GIVE(NUMBER(x[i]) >= NUMBER(y[i])); break;
	case CALC_SET_HASH:
		GIVE(trial_mix(trial_mix(seed[i] ^ name, x[i]), y[i]) >> 40);
		break;
	default: GIVE(0 * x[i]); break;
	}
}

/* setp: both of what it may give, with what it takes besides. */
static void
set_predicates(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *const *gives)
{
	uint64_t is[TRIAL_LANES];
	bool alone = a->ntakes < 3;

	if (alone && a->ngives == 1) {
		compare(a, by, g, takes, gives[0]);
		return;
	}
	compare(a, by, g, takes, is);
	GROUP_EACH(i, g) {
		uint64_t p = alone ? 0 : takes[2][i] & 1, both[2] = { is[i], !is[i] };
		for (uint32_t k = 0; k < a->ngives && k < 2; k++)
			gives[k][i] = alone        ? both[k] :
				a->with == HOW_AND ? both[k] & p :
				a->with == HOW_OR  ? both[k] | p :
						     both[k] ^ p;
	}
}

/* mov: of one thing that has parts, or of parts of one. */
static void
move_parts(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *const *gives)
{
	uint32_t part = (uint32_t)a->size / (a->calc == CALC_SPLIT ? a->ngives : a->ntakes);

	(void)by;
	GROUP_EACH(i, g) {
		uint64_t all = a->calc == CALC_SPLIT ? takes[0][i] : 0;
		for (uint32_t k = 0; a->calc == CALC_SPLIT && k < a->ngives; k++)
			gives[k][i] = low(all >> 8 * part * k, part) & a->gives[k].value;
		for (uint32_t k = 0; a->calc == CALC_JOIN && k < a->ntakes; k++)
			all |= low(takes[k][i], part) << 8 * part * k;
		if (a->calc == CALC_JOIN)
			gives[0][i] = all & a->bits;
	}
}

/* What is rare. */
static void
compute_rare(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *const *gives)
{
	uint64_t *v = gives[0];
	const uint64_t *x = takes[0], *y = takes[1], *z = takes[2];
	uint64_t bits = a->bits;
	uint32_t n = a->size;
	Type t = (Type)a->type;
	bool with_sign = trial_is_signed(t);

	(void)by;
	switch ((Calc)a->calc) {
	case CALC_EXTREME: GIVE(extreme(t, x[i], y[i], a->op == OP_MAX)); break;
	case CALC_ABS: GIVE(sign(x[i], n) < 0 ? 0 - x[i] : x[i]); break;
	case CALC_DIVIDE: GIVE(divide(a, x[i], y[i], n)); break;
	case CALC_HIGH: GIVE(high(x[i], y[i], n, with_sign)); break;
	case CALC_ADD_HIGH: GIVE(high(x[i], y[i], n, with_sign) + z[i]); break;
	case CALC_SHR_SIGNED: GIVE(shift_right(x[i], (uint32_t)y[i], n)); break;
	case CALC_FUNNEL: GIVE(funnel(a, x[i], y[i], (uint32_t)z[i])); break;
	case CALC_TABLE: GIVE(by_table(x[i], y[i], z[i], takes[3][i])); break;
	case CALC_DOT: GIVE(dot(x[i], y[i], z[i])); break;
	default: GIVE(bits_in(a, x[i], n)); break;
	}
}

static void
compute_real(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *const *gives)
{
	uint64_t *v = gives[0];
	const uint64_t *x = takes[0], *y = takes[1], *z = takes[2];
	uint64_t bits = a->bits, zero = zero_of((Type)a->type), one = one_of((Type)a->type);

	(void)by;
	switch ((Calc)a->calc) {
	case CALC_R_ADD: GIVE(ring(x[i], zero) + ring(y[i], zero)); break;
	case CALC_R_SUB: GIVE(ring(x[i], zero) - ring(y[i], zero)); break;
	case CALC_R_NEG: GIVE(0 - ring(x[i], zero)); break;
	case CALC_R_MUL: GIVE(product(x[i], y[i], zero, one)); break;
	default: GIVE(product(x[i], y[i], zero, one) + ring(z[i], zero)); break;
	}
}

static void
compute(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *const *gives)
{
	uint64_t *v = gives[0];
	const uint64_t *x = takes[0], *y = takes[1], *z = takes[2];
	uint64_t bits = a->bits;
	uint32_t up = a->up, n = 64u - up;

	(void)by;
	switch ((Calc)a->calc) {
	case CALC_COPY: GIVE(x[i]); break;
	case CALC_ADD: GIVE(x[i] + y[i]); break;
	case CALC_SUB: GIVE(x[i] - y[i]); break;
	case CALC_NEG: GIVE(0 - x[i]); break;
	case CALC_MUL: GIVE(x[i] * y[i]); break;
	case CALC_MAD: GIVE(x[i] * y[i] + z[i]); break;
	case CALC_AND: GIVE(x[i] & y[i]); break;
	case CALC_OR: GIVE(x[i] | y[i]); break;
	case CALC_XOR: GIVE(x[i] ^ y[i]); break;
	case CALC_NOT: GIVE(~x[i]); break;
	case CALC_SHL: GIVE((uint32_t)y[i] >= n ? 0 : x[i] << (uint32_t)y[i]); break;
	case CALC_SHR: GIVE((uint32_t)y[i] >= n ? 0 : x[i] << up >> up >> (uint32_t)y[i]); break;
	case CALC_SELP: GIVE(z[i] & 1 ? x[i] : y[i]); break;
	case CALC_ZERO_EXTEND: GIVE(x[i] << up >> up); break;
	case CALC_SIGN_EXTEND: GIVE(SIGNED(x[i])); break;
	case CALC_WIDE: GIVE((x[i] << up >> up) * (y[i] << up >> up)); break;
	case CALC_SIGNED_WIDE: GIVE(SIGNED(x[i]) * SIGNED(y[i])); break;
	case CALC_ADD_WIDE: GIVE((x[i] << up >> up) * (y[i] << up >> up) + z[i]); break;
	case CALC_ADD_SIGNED_WIDE: GIVE(SIGNED(x[i]) * SIGNED(y[i]) + z[i]); break;
	default: break;
	}
}

/* ---- what is made up ------------------------------------------------------------------------- */

void
trial_hash(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *v)
{
	static const uint64_t nothing[TRIAL_LANES];
	const uint64_t *x = a->ntakes ? takes[0] : nothing, *seed = by->seed;
	uint64_t name = a->name, bits = UINT64_MAX;
	uint32_t k = 2;

	if (a->ntakes > 1) {
		const uint64_t *y = takes[1];
		GIVE(trial_mix(trial_mix(seed[i] ^ name, x[i]), y[i]));
	} else {
		GIVE(trial_mix(seed[i] ^ name, x[i]));
	}
	for (; k < a->ntakes; k++) {
		x = takes[k];
		GIVE(trial_mix(v[i], x[i]));
	}
}

/* A register of bits may be that of a floating-point number. */
static Type
type_made(const Act *a, Type t)
{
	if (t == TYPE_PRED || !trial_is_float((Type)a->type))
		return t;
	return ptx_type_size(t) == 8 ? TYPE_F64 : TYPE_F32;
}

static void
make_up(const Act *a, const Numbers *by, const Group *g, const uint64_t *const *takes,
	uint64_t *const *gives)
{
	uint64_t first[TRIAL_LANES], others[TRIAL_LANES], *v = others, bits = UINT64_MAX;
	const uint64_t *hash = first;
	Range r = a->param && by->loads == RANGE_WIDE ? RANGE_MANY :
		a->param                              ? RANGE_PARAM :
		a->op == OP_LD ? by->loads : RANGE_SMALL;

	trial_hash(a, by, g, takes, first);
	for (uint32_t k = 0; k < a->ngives; k++) {
		Type t = type_made(a, (Type)a->gives[k].type);
		uint64_t kept = t == TYPE_F64 ? INT64_MAX : INT32_MAX;
		Integers of = integers(by, ptx_type_size(t), r);
		v = gives[k], bits = a->gives[k].value;
		if (t == TYPE_F32 || t == TYPE_F64)
			GIVE((hash[i] & kept) | 1);
		else if (t == TYPE_PRED || trial_is_float(t))
			GIVE(trial_invent(by, i, hash[i], t, r));
		else
			GIVE(invent_integer(&of, i, hash[i]));
		v = others, bits = UINT64_MAX, hash = others;
		if (k + 1 < a->ngives)
			GIVE(trial_mix(first[i], k + 1));
	}
}

Giver *
trial_giver(Calc calc)
{
	return calc == CALC_HASH                          ? make_up :
		calc < CALC_EQ                            ? compute :
		calc < CALC_R_ADD                         ? set_predicates :
		calc < CALC_EXTREME                       ? compute_real :
		calc == CALC_SPLIT || calc == CALC_JOIN ? move_parts :
							    compute_rare;
}
