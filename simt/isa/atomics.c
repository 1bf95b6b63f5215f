/* SPDX-License-Identifier: MIT */
/* The operations of atom and red (PTX ISA 9.7.13.7, 9.7.13.9). */
#include "simt/state/access.h"
#include "simt/isa/atomics.h"
#include "simt/isa/floating_point.h"

const char *const atomic_names[] = { "and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min",
	"max", NULL };

bool
atomic_is_supported(Atomic op, Ty t, bool vector)
{
	enum {
		BITS = 1 << T_B32 | 1 << T_B64,
		WORDS = 1 << T_U32 | 1 << T_U64 | 1 << T_S32 | 1 << T_S64,
		HALVES = 1 << T_F16 | 1 << T_F16X2 | 1 << T_BF16 | 1 << T_BF16X2,
		WIDE = 1 << T_B128
	};
	static const uint32_t single[] = { [ATOM_AND] = BITS,
		[ATOM_OR] = BITS,
		[ATOM_XOR] = BITS,
		[ATOM_CAS] = BITS | 1 << T_B16 | WIDE,
		[ATOM_EXCH] = BITS | WIDE,
		[ATOM_ADD] = WORDS | HALVES | 1 << T_F32 | 1 << T_F64,
		[ATOM_INC] = 1 << T_U32,
		[ATOM_DEC] = 1 << T_U32,
		[ATOM_MIN] = WORDS,
		[ATOM_MAX] = WORDS };
	static const uint32_t vectors[ATOM_ADD_FTZ] = {
		[ATOM_ADD] = HALVES | 1 << T_F32, [ATOM_MIN] = HALVES, [ATOM_MAX] = HALVES
	};
	return (vector ? vectors : single)[op] >> t & 1;
}

static uint32_t
apply_half(Atomic op, bool bf, uint32_t x, uint32_t y)
{
	double a = half_get(x & 0xffff, bf), b = half_get(y & 0xffff, bf);
	if (op == ATOM_ADD)
		return half_put(a + b, bf, 0);
	return half_put(op == ATOM_MIN ? fmin(a, b) : fmax(a, b), bf, 0);
}

static uint32_t
add_f32(float x, float y)
{
	float r = x + y;
	return r != r ? NAN32 : float_bits(r);
}

/* f32 and f64 support only addition. */
static uint64_t
apply_float(Atomic op, Ty t, uint64_t x, uint64_t y)
{
	bool bf = t == T_BF16 || t == T_BF16X2;
	switch (t) {
	case T_F32:
		return add_f32(float_of((uint32_t)x), float_of((uint32_t)y));
	case T_F64:
		return double_bits(double_of(x) + double_of(y));
	case T_F16X2:
	case T_BF16X2:
		return apply_half(op, bf, (uint32_t)x, (uint32_t)y) |
			apply_half(op, bf, (uint32_t)x >> 16, (uint32_t)y >> 16) << 16;
	default:
		return apply_half(op, bf, (uint32_t)x, (uint32_t)y);
	}
}

static bool
is_less(Ty t, uint64_t x, uint64_t y)
{
	if (t == T_S32)
		return (int32_t)x < (int32_t)y;
	return ty_signed(t) ? (int64_t)x < (int64_t)y : x < y;
}

Atomic
atomic_at(const Warp *w, const Inst *i, uint32_t lane)
{
	uint64_t at = memory_address(w, i, lane);
	bool flushes = i->op == ATOM_ADD && i->type == T_F32 &&
		memory_space((Space)i->space, &at) == SPACE_GLOBAL;
	return flushes ? ATOM_ADD_FTZ : (Atomic)i->op;
}

uint64_t
atomic_apply(Atomic op, Ty t, uint64_t old, uint64_t b, uint64_t c)
{
	bool is_real = t >= T_F16 && t <= T_F64;
	switch (op) {
	case ATOM_AND: return old & b;
	case ATOM_OR: return old | b;
	case ATOM_XOR: return old ^ b;
	case ATOM_CAS: return old == b ? c : old;
	case ATOM_EXCH: return b;
	case ATOM_ADD: return is_real ? apply_float(op, t, old, b) : old + b;
	case ATOM_ADD_FTZ:
		return float_flush((uint32_t)apply_float(
			ATOM_ADD, t, float_flush((uint32_t)old), float_flush((uint32_t)b)));
	case ATOM_INC: return old >= b ? 0 : old + 1;
	case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
	case ATOM_MIN: return is_real ? apply_float(op, t, old, b) : is_less(t, b, old) ? b : old;
	case ATOM_MAX: return is_real ? apply_float(op, t, old, b) : is_less(t, old, b) ? b : old;
	}
	return old;
}
