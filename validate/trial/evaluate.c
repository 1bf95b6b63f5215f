/* SPDX-License-Identifier: MIT */
/* Computes the results of instructions in a trial (trial.h).
 *
 * Integer arithmetic is exact, because the inserted text counts with it. A few floating-point
 * operations are computed as integer operations. Everything else is a hash. All lanes of a group
 * execute an instruction before the next one.
 */
#include "validate/trial/operations.h"

uint64_t
trial_mix_text(uint64_t a, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a = (a ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return trial_mix(a, n);
}

static uint64_t low_bits(uint64_t v, uint32_t size) { return v & trial_bits(size); }

static int64_t
sign_extend(uint64_t v, uint32_t size)
{
	return size >= 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

/* Value for a comparison. */
static int64_t
comparable_number(Type t, uint64_t v, uint32_t size)
{
	return trial_is_signed(t) || trial_is_float(t) ? sign_extend(v, size) :
							 (int64_t)low_bits(v, size);
}

/* Parameters of random integers: range and size. */
typedef struct { const Number_source *by; const uint8_t *bits; uint32_t size; } Integer_source;

static Integer_source
integer_source(const Number_source *by, uint32_t size, Number_range r)
{
	static const uint8_t bits[5][4] = { { 3, 4, 5, 6 }, { 1, 1, 2, 2 }, { 2, 2, 3, 8 },
		{ 3, 6, 7, 7 }, { 7, 8, 8, 9 } };

	return (Integer_source){ by, bits[r], size };
}

static inline uint64_t
invent_integer(const Integer_source *k, uint32_t lane, uint64_t hash)
{
	const Number_source *by = k->by;

	if ((hash >> 16 & 7) == 0 && by->nwords)
		return low_bits(by->words[(hash >> 32) % by->nwords], k->size);
	uint32_t n = k->bits[hash >> 62];
	uint64_t v = hash >> 20 & ((UINT64_C(1) << (k->size == 1 && n > 6 ? 6 : n)) - 1);
	/* 64-bit numbers may be tested by halves, or be a trip count */
	return k->size == 8 && by->seed[lane] >> 50 & 1 ? v | (hash >> 44 & 63) << 32 : v;
}

uint64_t
trial_invent(const Number_source *by, uint32_t lane, uint64_t hash, Type t, Number_range r)
{
	uint32_t size = ptx_type_size(t);

	if (t == TYPE_PRED)
		return hash >> 40 & 1;
	if (trial_is_float(t))
		return (low_bits(hash, size) & ~(UINT64_C(1) << (8 * size - 1))) | 1;
	Integer_source k = integer_source(by, size, r);
	return invent_integer(&k, lane, hash);
}

/* ---- reductions ------------------------------------------------------------------------------ */

static uint64_t
infinity_bits(Type t, bool negative)
{
	if (t == TYPE_F64)
		return UINT64_C(0x7ff0000000000000) | (uint64_t)negative << 63;
	return UINT64_C(0x7f800000) | (uint64_t)negative << 31;
}

static uint64_t zero_bits(Type t) { return t == TYPE_F64 ? UINT64_C(1) << 63 : UINT64_C(1) << 31; }
static uint64_t
one_bits(Type t)
{
	return t == TYPE_F64 ? UINT64_C(0x3ff0000000000000) : UINT64_C(0x3f800000);
}

/* Maps a floating-point number to the ring of integers; -0 is the zero. */
static uint64_t to_integer_ring(uint64_t v, uint64_t zero) { return v == zero ? 0 : v; }

static uint64_t
ring_product(uint64_t a, uint64_t b, uint64_t zero, uint64_t one)
{
	return a == one ? b : b == one ? a : to_integer_ring(a, zero) * to_integer_ring(b, zero);
}

static uint64_t
float_extreme(Type t, uint64_t a, uint64_t b, bool most)
{
	uint32_t size = ptx_type_size(t);

	if (trial_is_float(t) && (a == infinity_bits(t, most) || b == infinity_bits(t, most)))
		return a == infinity_bits(t, most) ? b : a;
	if (t == TYPE_U64 || t == TYPE_B64)
		return (a > b) == most ? a : b;
	return (comparable_number(t, a, size) > comparable_number(t, b, size)) == most ? a : b;
}

uint64_t
trial_fold(Modifier how, Type t, uint64_t a, uint64_t b)
{
	uint64_t v = 0;

	switch (how) {
	case HOW_ADD:
		v = trial_is_float(t) ?
			to_integer_ring(a, zero_bits(t)) + to_integer_ring(b, zero_bits(t)) :
			a + b;
		break;
	case HOW_MIN:
	case HOW_MAX: v = float_extreme(t, a, b, how == HOW_MAX); break;
	case HOW_AND: v = a & b; break;
	case HOW_OR: v = a | b; break;
	case HOW_XOR: v = a ^ b; break;
	default: break;
	}
	return low_bits(v, ptx_type_size(t));
}

/* ---- integers -------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

static uint64_t
high_product(uint64_t x, uint64_t y, uint32_t size, bool with_sign)
{
	Uint128 all = with_sign ? (Uint128)((Int128)sign_extend(x, size) * sign_extend(y, size)) :
				  (Uint128)low_bits(x, size) * low_bits(y, size);
	return (uint64_t)(all >> 8 * size);
}

static uint64_t
divide_bits(const Trial_insn *a, uint64_t x, uint64_t y, uint32_t size)
{
	uint64_t u = low_bits(x, size), v = low_bits(y, size);
	bool rest = a->code.op == OP_REM;

	if (!v)
		return rest ? u : UINT64_MAX;
	if (!trial_is_signed((Type)a->code.type))
		return rest ? u % v : u / v;
	int64_t s = sign_extend(u, size), d = sign_extend(v, size);
	if (d == -1)
		return rest ? 0 : 0 - (uint64_t)s;
	return (uint64_t)(rest ? s % d : s / d);
}

static uint64_t
shift_right(uint64_t x, uint32_t by, uint32_t size)
{
	return (uint64_t)(sign_extend(x, size) >> (by >= 8 * size ? 8 * size - 1 : by));
}

/* shf: shifts a pair of words. */
static uint64_t
funnel_shift(const Trial_insn *a, uint64_t x, uint64_t y, uint32_t by)
{
	uint64_t both = (y & UINT32_MAX) << 32 | (x & UINT32_MAX);

	by = a->code.with == HOW_WRAP ? by & 31 : by > 32 ? 32 : by;
	return a->code.how == HOW_LEFT ? both << by >> 32 : both >> by;
}

/* lop3: the table has a bit for each combination of three inputs. */
static uint64_t
table_logic(uint64_t x, uint64_t y, uint64_t z, uint64_t table)
{
	uint64_t v = 0;

	for (uint32_t k = 0; k < 8; k++)
		if (table >> k & 1)
			v |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
	return v;
}

/* dp4a, unsigned. */
static uint64_t
dot_product(uint64_t x, uint64_t y, uint64_t v)
{
	for (uint32_t k = 0; k < 32; k += 8)
		v += (x >> k & 255) * (y >> k & 255);
	return v;
}

static uint64_t
bits_of_input(const Trial_insn *a, uint64_t v, uint32_t size)
{
	uint64_t back = 0;

	v = low_bits(v, size);
	switch ((Op)a->code.op) {
	case OP_POPC: return (uint64_t)__builtin_popcountll(v);
	case OP_CLZ: return v ? (uint64_t)__builtin_clzll(v) - (64 - 8 * size) : 8 * size;
	case OP_BFIND:
		if (!v)
			return UINT32_MAX;
		if (a->code.how == HOW_SHIFTAMT)
			return (uint64_t)__builtin_clzll(v) - (64 - 8 * size);
		return 63 - (uint64_t)__builtin_clzll(v);
	default: /* brev */
		for (uint32_t k = 0; k < 8 * size; k++)
			back |= (v >> k & 1) << (8 * size - 1 - k);
		return back;
	}
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* For each lane, sets v[i] to EXPR in x[i], y[i] and z[i]; with a fixed trip count for full
 * warps. */
#define GIVE(EXPR) \
	do { \
		if (g->n == TRIAL_LANES) \
			for (uint32_t i = 0; i < TRIAL_LANES; i++) \
				v[i] = (EXPR)&bits; \
		else \
			LANE_SET_EACH(i, g) \
				v[i] = (EXPR)&bits; \
	} while (0)
#define NUMBER(V) ((int64_t)((V) << up ^ flip))
#define SIGNED(V) ((uint64_t)((int64_t)((V) << up) >> up))
#define UNSIGNED(V) ((V) << up >> up)
#define SHIFTED(V) ((uint32_t)y[i] >= 64u - up ? 0 : (V))
#define RING(V) to_integer_ring((V), zero)

/* Instructions with one result, by Calc. */
#define COMPUTES(_) \
	_(COPY, x[i]) _(ADD, x[i] + y[i]) _(SUB, x[i] - y[i]) _(NEG, 0 - x[i]) \
	_(MUL, x[i] * y[i]) _(MAD, x[i] * y[i] + z[i]) \
	_(AND, x[i] & y[i]) _(OR, x[i] | y[i]) _(XOR, x[i] ^ y[i]) _(NOT, ~x[i]) \
	_(SHL, SHIFTED(x[i] << (uint32_t)y[i])) _(SHR, SHIFTED(UNSIGNED(x[i]) >> (uint32_t)y[i])) \
	_(SELP, z[i] & 1 ? x[i] : y[i]) \
	_(ZERO_EXTEND, UNSIGNED(x[i])) _(SIGN_EXTEND, SIGNED(x[i])) \
	_(WIDE, UNSIGNED(x[i]) * UNSIGNED(y[i])) _(SIGNED_WIDE, SIGNED(x[i]) * SIGNED(y[i])) \
	_(ADD_WIDE, UNSIGNED(x[i]) * UNSIGNED(y[i]) + z[i]) \
	_(ADD_SIGNED_WIDE, SIGNED(x[i]) * SIGNED(y[i]) + z[i]) \
	_(R_ADD, RING(x[i]) + RING(y[i])) _(R_SUB, RING(x[i]) - RING(y[i])) \
	_(R_NEG, 0 - RING(x[i])) _(R_MUL, ring_product(x[i], y[i], zero, one)) \
	_(R_FMA, ring_product(x[i], y[i], zero, one) + RING(z[i])) \
	_(EXTREME, float_extreme(type, x[i], y[i], a->code.op == OP_MAX)) \
	_(ABS, sign_extend(x[i], size) < 0 ? 0 - x[i] : x[i]) _(DIVIDE, divide_bits(a, x[i], y[i], \
		size)) \
	_(HIGH, high_product(x[i], y[i], size, trial_is_signed(type))) \
	_(ADD_HIGH, high_product(x[i], y[i], size, trial_is_signed(type)) + z[i]) \
	_(SHR_SIGNED, shift_right(x[i], (uint32_t)y[i], size)) \
	_(FUNNEL, funnel_shift(a, x[i], y[i], (uint32_t)z[i])) \
	_(TABLE, table_logic(x[i], y[i], z[i], takes[3][i])) _(DOT, dot_product(x[i], y[i], z[i])) \
	_(BITS, bits_of_input(a, x[i], size))
/* Comparisons: a one-bit result. */
#define COMPARES(_) \
	_(EQ, NUMBER(x[i]) == NUMBER(y[i])) _(NE, NUMBER(x[i]) != NUMBER(y[i])) \
	_(LT, NUMBER(x[i]) < NUMBER(y[i])) _(LE, NUMBER(x[i]) <= NUMBER(y[i])) \
	_(GT, NUMBER(x[i]) > NUMBER(y[i])) _(GE, NUMBER(x[i]) >= NUMBER(y[i])) \
	_(SET_NOTHING, 0 * x[i]) \
	_(SET_HASH, trial_mix(trial_mix(by->seed[i] ^ name, x[i]), y[i]) >> 40)

/* One Giver for each, so that there is no dispatch in the loop over lanes. */
#define GIVER(CALC, MASK, EXPR) \
	static void give_##CALC(const Trial_insn *a, const Number_source *by, const Lane_set *g, \
		const uint64_t *const *takes, uint64_t *const *gives) \
	{ \
		const uint64_t *x = takes[0], *y = takes[1], *z = takes[2]; \
		uint64_t *v = gives[0], bits = (MASK), flip = a->compute.flip, \
			 name = a->code.name; \
		uint32_t up = a->compute.up, size = a->code.size; \
		Type type = (Type)a->code.type; \
		uint64_t zero = zero_bits(type), one = one_bits(type); \
		(void)by, (void)x, (void)y, (void)z, (void)flip, (void)name, (void)up; \
		(void)size, (void)zero, (void)one; \
		GIVE(EXPR); \
	}
#define COMPUTE(CALC, EXPR) GIVER(CALC, a->compute.bits, EXPR)
#define COMPARE(CALC, EXPR) GIVER(CALC, 1, EXPR)
#define LISTED(CALC, EXPR) [CALC_##CALC] = give_##CALC,

COMPUTES(COMPUTE)
COMPARES(COMPARE)

static Insn_handler *const of_one[] = { COMPUTES(LISTED) COMPARES(LISTED) };

/* setp: both results, combined with the further operand. */
static void
set_predicates(const Trial_insn *a, const Number_source *by, const Lane_set *g,
	const uint64_t *const *takes, uint64_t *const *gives)
{
	uint64_t is[TRIAL_LANES], *const all[] = { is };
	bool alone = a->noperands < 3;

	of_one[a->compute.calc](a, by, g, takes, all);
	LANE_SET_EACH(i, g) {
		uint64_t p = alone ? 0 : takes[2][i] & 1, both[2] = { is[i], !is[i] };
		for (uint32_t k = 0; k < a->nresults && k < 2; k++)
			gives[k][i] = alone             ? both[k] :
				a->code.with == HOW_AND ? both[k] & p :
				a->code.with == HOW_OR  ? both[k] | p :
							  both[k] ^ p;
	}
}

/* mov that splits one value into parts, or joins parts. */
static void
move_parts(const Trial_insn *a, const Number_source *by, const Lane_set *g,
	const uint64_t *const *takes, uint64_t *const *gives)
{
	uint32_t part = (uint32_t)a->code.size /
		(a->compute.calc == CALC_SPLIT ? a->nresults : a->noperands);

	(void)by;
	LANE_SET_EACH(i, g) {
		uint64_t all = a->compute.calc == CALC_SPLIT ? takes[0][i] : 0;
		for (uint32_t k = 0; a->compute.calc == CALC_SPLIT && k < a->nresults; k++)
			gives[k][i] = low_bits(all >> 8 * part * k, part) & a->results[k].value;
		for (uint32_t k = 0; a->compute.calc == CALC_JOIN && k < a->noperands; k++)
			all |= low_bits(takes[k][i], part) << 8 * part * k;
		if (a->compute.calc == CALC_JOIN)
			gives[0][i] = all & a->compute.bits;
	}
}

/* Adds the offset, or negates the operand. */
const uint64_t *
trial_adjust(const Trial_warp *w, const Trial_operand *x, const Lane_set *g, uint64_t *room)
{
	const uint64_t *v = x->holder->of[w->which].v;
	uint64_t plus = x->value;

	if (!x->flip)
		LANE_SET_EACH(i, g)
			room[i] = v[i] + plus;
	else if (x->type == TYPE_PRED)
		LANE_SET_EACH(i, g)
			room[i] = !v[i];
	else
		LANE_SET_EACH(i, g)
			room[i] = 0 - v[i];
	return room;
}

/* ---- hashes ---------------------------------------------------------------------------------- */

void
trial_hash(const Trial_insn *a, const Number_source *by, const Lane_set *g,
	const uint64_t *const *takes, uint64_t *v)
{
	static const uint64_t nothing[TRIAL_LANES];
	const uint64_t *x = a->noperands ? takes[0] : nothing, *seed = by->seed;
	uint64_t name = a->code.name, bits = UINT64_MAX;
	uint32_t k = 2;

	if (a->noperands > 1) {
		const uint64_t *y = takes[1];
		GIVE(trial_mix(trial_mix(seed[i] ^ name, x[i]), y[i]));
	} else {
		GIVE(trial_mix(seed[i] ^ name, x[i]));
	}
	for (; k < a->noperands; k++) {
		x = takes[k];
		GIVE(trial_mix(v[i], x[i]));
	}
}

/* An untyped register may hold a floating-point number. */
static Type
type_made(const Trial_insn *a, Type t)
{
	if (t == TYPE_PRED || !trial_is_float((Type)a->code.type))
		return t;
	return ptx_type_size(t) == 8 ? TYPE_F64 : TYPE_F32;
}

static void
invent_results(const Trial_insn *a, const Number_source *by, const Lane_set *g,
	const uint64_t *const *takes, uint64_t *const *gives)
{
	uint64_t first[TRIAL_LANES], others[TRIAL_LANES], *v = others, bits = UINT64_MAX;
	const uint64_t *hash = first;
	Number_range r = a->param && by->loads == RANGE_WIDE ? RANGE_MANY :
		a->param                              ? RANGE_PARAM :
		a->code.op == OP_LD ? by->loads : RANGE_SMALL;

	trial_hash(a, by, g, takes, first);
	for (uint32_t k = 0; k < a->nresults; k++) {
		Type t = type_made(a, (Type)a->results[k].type);
		uint64_t kept = t == TYPE_F64 ? INT64_MAX : INT32_MAX;
		Integer_source of = integer_source(by, ptx_type_size(t), r);
		v = gives[k], bits = a->results[k].value;
		if (t == TYPE_F32 || t == TYPE_F64)
			GIVE((hash[i] & kept) | 1);
		else if (t == TYPE_PRED || trial_is_float(t))
			GIVE(trial_invent(by, i, hash[i], t, r));
		else
			GIVE(invent_integer(&of, i, hash[i]));
		v = others, bits = UINT64_MAX, hash = others;
		if (k + 1 < a->nresults)
			GIVE(trial_mix(first[i], k + 1));
	}
}

Insn_handler *
trial_giver(const Trial_insn *a)
{
	if (a->compute.calc == CALC_SPLIT || a->compute.calc == CALC_JOIN)
		return move_parts;
	if (a->compute.calc >= CALC_EQ && a->compute.calc < CALC_R_ADD &&
		(a->noperands > 2 || a->nresults > 1))
		return set_predicates;
	return a->compute.calc == CALC_HASH ? invent_results : of_one[a->compute.calc];
}
