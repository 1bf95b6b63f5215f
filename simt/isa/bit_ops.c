/* SPDX-License-Identifier: MIT */
/* Logic, shifts and bit fields (PTX ISA 9.7.1.13 to 9.7.1.21, 9.7.8), prmt. */
#include "simt/isa/handlers.h"
#include "simt/isa/lane_loops.h"

/* ---- handlers -------------------------------------------------------------------------------- */

THREE(ROWS2, and, x & y)
THREE(ROWS2, or, x | y)
THREE(ROWS2, xor, x ^ y)
THREE(ROWS1, not, ~x)
THREE(ROWS1, cnot, x == 0)
ROWS_SHIFT(shl_16, uint32_t, uint16_t, uint16_t, y > 15 ? 0 : (uint32_t)x << y)
ROWS_SHIFT(shl_32, uint32_t, uint32_t, uint32_t, y > 31 ? 0 : x << y)
ROWS_SHIFT(shl_64, uint64_t, uint64_t, uint64_t, y > 63 ? 0 : x << y)
ROWS_SHIFT(shr_16, uint32_t, uint16_t, uint16_t, y > 15 ? 0 : x >> y)
ROWS_SHIFT(shr_32, uint32_t, uint32_t, uint32_t, y > 31 ? 0 : x >> y)
ROWS_SHIFT(shr_64, uint64_t, uint64_t, uint64_t, y > 63 ? 0 : x >> y)
ROWS_SHIFT(shr_s16, uint32_t, int16_t, uint16_t, x >> (y > 15 ? 15 : y))
ROWS_SHIFT(shr_s32, uint32_t, int32_t, uint32_t, x >> (y > 31 ? 31 : y))
ROWS_SHIFT(shr_s64, uint64_t, int64_t, uint64_t, x >> (y > 63 ? 63 : y))
static Run *const shl_u[3] = { shl_16, shl_32, shl_64 },
		  *const shr_u[3] = { shr_16, shr_32, shr_64 },
		  *const shr_s[3] = { shr_s16, shr_s32, shr_s64 };

static uint32_t
reverse_bits(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}
ROWS1(brev_32, uint32_t, uint32_t, uint32_t, reverse_bits(x))
ROWS1(brev_64, uint64_t, uint64_t, uint64_t,
	(uint64_t)reverse_bits((uint32_t)x) << 32 | reverse_bits((uint32_t)(x >> 32)))

static uint32_t
lop3_bits(uint32_t x, uint32_t y, uint32_t z, uint32_t table)
{
	uint32_t r = 0;
	for (uint32_t k = 0; k < 8; k++)
		if (table >> k & 1)
			r |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
	return r;
}
ROWS3(lop3, uint32_t, uint32_t, uint32_t, lop3_bits(x, y, z, (uint32_t)i->imm))

/* lop3.or, lop3.and with a predicate: d|p, where p = (d != 0) op q. q: row e; p: row list. */
static void
lop3_pred(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t bits = 0, q = *row32(w, i->e) ^ (i->flags & F_NOT ? UINT32_MAX : 0);
	lop3(w, i, lanes);
	for EACH_LANE(l, lanes)
		bits |= (uint32_t)(row32(w, i->d)[l] != 0) << l;
	pred_put(w, i->list, lanes, i->flags & F_HI ? bits & q : bits | q);
}

static uint32_t
prmt_byte(uint64_t both, uint32_t select)
{
	uint32_t byte = (uint32_t)(both >> 8 * (select & 7)) & 0xff;
	return select & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
static uint32_t
prmt_mode(uint32_t mode, uint32_t c, uint32_t k)
{
	uint32_t s = c & 3;
	switch (mode) {
	case 0: return s + k;                   /* f4e */
	case 1: return (s - k) & 7;             /* b4e */
	case 2: return s;                       /* rc8 */
	case 3: return k > s ? k : s;           /* ecl */
	case 4: return k < s ? k : s;           /* ecr */
	case 5: return (s & 1) * 2 + (k & 1);   /* rc16 */
	default: return c >> 4 * k & 15;
	}
}
static uint32_t
prmt_bits(uint32_t x, uint32_t y, uint32_t c, uint32_t mode)
{
	uint64_t both = (uint64_t)y << 32 | x;
	uint32_t r = 0;
	for (uint32_t k = 0; k < 4; k++)
		r |= prmt_byte(both, prmt_mode(mode, c, k)) << 8 * k;
	return r;
}
ROWS3(prmt, uint32_t, uint32_t, uint32_t, prmt_bits(x, y, z, (uint32_t)i->imm))

static uint32_t
funnel_shift_bits(uint32_t lo, uint32_t hi, uint32_t n, bool left, bool clamp)
{
	uint64_t both = (uint64_t)hi << 32 | lo;
	n = clamp ? n > 32 ? 32 : n : n & 31;
	return left ? (uint32_t)(both << n >> 32) : (uint32_t)(both >> n);
}
ROWS3(shf_l, uint32_t, uint32_t, uint32_t, funnel_shift_bits(x, y, z, true, i->imm != 0))
ROWS3(shf_r, uint32_t, uint32_t, uint32_t, funnel_shift_bits(x, y, z, false, i->imm != 0))

static uint32_t
nth_set(uint32_t mask, uint32_t base, int32_t n)
{
	int32_t step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
	if (n == 0)
		return mask >> (base & 31) & 1 ? base & 31 : UINT32_MAX;
	for (int32_t at = (int32_t)(base & 31); at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && --left == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}
ROWS3(fns, uint32_t, uint32_t, uint32_t, nth_set(x, y, (int32_t)z))
ROWS2(bmsk_clamp, uint32_t, uint32_t, uint32_t,
	x > 31 ? 0 : (y > 31 ? UINT32_MAX : (UINT32_C(1) << y) - 1) << x)
ROWS2(bmsk_wrap, uint32_t, uint32_t, uint32_t, ((UINT32_C(1) << (y & 31)) - 1) << (x & 31))

/* Extracts the field of len bits at pos. Signed types are sign-extended; a field that extends
 * beyond the register takes the register's sign bit. */
static uint64_t
extract_field(uint64_t x, uint32_t pos, uint32_t len, uint32_t bits, bool sign)
{
	pos &= 0xff, len &= 0xff;
	uint32_t top = pos + len < bits ? pos + len - 1 : bits - 1;
	bool fill = sign && len && x >> top & 1;
	uint64_t r = pos < bits ? x >> pos : 0;
	uint32_t have = pos >= bits ? 0 : len < bits - pos ? len : bits - pos;
	uint64_t keep = have > 63 ? UINT64_MAX : (UINT64_C(1) << have) - 1;
	return (r & keep) | (fill ? ~keep : 0);
}

/* popc, clz, bfind: a 32-bit result from 32 or 64 bits. bfe, bfi: two 32-bit numbers specify the
 * field. */
static void
run_counts(Warp *w, const Inst *i, uint32_t lanes)
{
	bool wide = ty_size((Ty)i->type) == 8;
	uint32_t bits = wide ? 64 : 32;
	for EACH_LANE(l, lanes) {
		uint64_t x = row_get(w, i->a, wide, l);
		uint32_t r;
		if (i->op == OP_BFIND && ty_signed((Ty)i->type) && x >> (bits - 1))
			x = wide ? ~x : (uint32_t)~x;
		if (i->op == OP_POPC)
			r = (uint32_t)__builtin_popcountll(x);
		else if (i->op == OP_CLZ)
			r = x ? (uint32_t)__builtin_clzll(x) - (64 - bits) : bits;
		else if (!x)
			r = UINT32_MAX;
		else
			r = i->imm ? (uint32_t)__builtin_clzll(x) - (64 - bits) :
				     63 - (uint32_t)__builtin_clzll(x);
		row32(w, i->d)[l] = r;
	}
}

static void
run_fields(Warp *w, const Inst *i, uint32_t lanes)
{
	bool wide = ty_size((Ty)i->type) == 8, insert = i->op == OP_BFI;
	uint32_t bits = wide ? 64 : 32;
	for EACH_LANE(l, lanes) {
		uint64_t x = row_get(w, i->a, wide, l), r;
		uint32_t pos = row32(w, insert ? i->c : i->b)[l] & 0xff,
			 len = row32(w, insert ? i->e : i->c)[l] & 0xff;
		if (insert) {
			r = row_get(w, i->b, wide, l);
			for (uint32_t k = 0; k < len && pos + k < bits; k++)
				r = (r & ~(UINT64_C(1) << (pos + k))) | (x >> k & 1) << (pos + k);
		} else {
			r = extract_field(x, pos, len, bits, ty_signed((Ty)i->type));
		}
		row_put(w, i->d, wide, l, r);
	}
}

static void
szext(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes) {
		uint32_t n = row32(w, i->b)[l];
		n = i->imm ? n & 31 : n > 32 ? 32 : n;
		row32(w, i->d)[l] = n == 0 ?
			0 :
			(uint32_t)extract_field(row32(w, i->a)[l], 0, n, 32, i->type == T_S32);
	}
}

static void
pred_logic(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t x = *row32(w, i->a), y = *row32(w, i->b), r = ~x;
	if (i->op == OP_AND)
		r = x & y;
	else if (i->op == OP_OR)
		r = x | y;
	else if (i->op == OP_XOR)
		r = x ^ y;
	pred_put(w, i->d, lanes, r);
}

/* ---- decoding -------------------------------------------------------------------------------- */

static uint32_t size_index(Ty t) { return ty_size(t) == 8 ? 2 : ty_size(t) == 4 ? 1 : 0; }

static const struct { Op op; Run *const *run; uint32_t nsources;
} plain[] = { { OP_AND, and_u, 2 }, { OP_OR, or_u, 2 }, { OP_XOR, xor_u, 2 }, { OP_NOT, not_u, 1 },
	{ OP_CNOT, cnot_u, 1 } };

static bool
decode_logic(Opcode *h, Inst *i, Ty t)
{
	for (uint32_t k = 0; k < sizeof plain / sizeof *plain; k++)
		if (plain[k].op == i->op) {
			operands_decode(h, i, t, plain[k].nsources);
			i->run = t == T_PRED ? pred_logic : plain[k].run[size_index(t)];
			return t == T_PRED || ty_size(t) >= 2;
		}
	return false;
}

static bool
decode_shift(Opcode *h, Inst *i, Ty t)
{
	i->d = operand_dest(h, operand_next(h, 0), t);
	i->a = operand_source(h, operand_next(h, 1), t, NULL);
	i->b = operand_source(h, operand_next(h, 2), T_B32, NULL);
	i->run = (i->op == OP_SHL ? shl_u : ty_signed(t) ? shr_s : shr_u)[size_index(t)];
	return ty_size(t) >= 2;
}

static bool
constant_last(Opcode *h, Inst *i, uint32_t k)
{
	uint64_t v;
	bool real, ok = ptx_imm(h->m, &h->m->opnds[operand_next(h, k)], &v, &real);
	i->imm = (int64_t)v;
	return ok;
}

static bool
lop3_pred_decode(Opcode *h, Inst *i)
{
	uint32_t d = operand_next(h, 0);
	bool negated = false, and = opcode_has(h, "and");
	i->d = operand_dest(h, d + 1, T_B32);
	i->list = operand_dest(h, d + 1 + h->m->opnds[d + 1].tree, T_PRED);
	i->a = operand_source(h, operand_next(h, 1), T_B32, NULL);
	i->b = operand_source(h, operand_next(h, 2), T_B32, NULL);
	i->c = operand_source(h, operand_next(h, 3), T_B32, NULL);
	i->e = operand_source(h, operand_next(h, 5), T_PRED, &negated);
	i->flags |= (and ? F_HI : 0) | (negated ? F_NOT : 0);
	i->run = lop3_pred;
	return (and || opcode_has(h, "or")) && constant_last(h, i, 4);
}

static bool
three_words(Opcode *h, Inst *i)
{
	static const char *const modes[] = { "f4e", "b4e", "rc8", "ecl", "ecr", "rc16", NULL };
	switch (i->op) {
	case OP_LOP3:
		if (h->s->nopnd == 6 && h->m->opnds[operand_next(h, 0)].kind == OPND_PAIR)
			return lop3_pred_decode(h, i);
		operands_decode(h, i, T_B32, 3);
		i->run = lop3;
		return h->s->nopnd == 5 && constant_last(h, i, 4);
	case OP_PRMT:
		operands_decode(h, i, T_B32, 3);
		i->imm = opcode_which(h, modes);
		i->run = prmt;
		return true;
	case OP_SHF:
		operands_decode(h, i, T_B32, 3);
		i->imm = opcode_has(h, "clamp");
		i->run = opcode_has(h, "l") ? shf_l : shf_r;
		return true;
	case OP_FNS:
		operands_decode(h, i, T_B32, 3);
		i->run = fns;
		return true;
	case OP_BMSK:
		operands_decode(h, i, T_B32, 2);
		i->run = opcode_has(h, "clamp") ? bmsk_clamp : bmsk_wrap;
		return true;
	case OP_SZEXT:
		operands_decode(h, i, h->type[0], 2);
		i->imm = opcode_has(h, "wrap");
		i->run = szext;
		return true;
	default:
		return false;
	}
}

static bool
bit_fields(Opcode *h, Inst *i, Ty t)
{
	uint32_t o = i->op == OP_BFI ? 3 : 2;
	i->d = operand_dest(h, operand_next(h, 0), t);
	i->a = operand_source(h, operand_next(h, 1), t, NULL);
	if (i->op == OP_BFI)
		i->b = operand_source(h, operand_next(h, 2), t, NULL);
	*(i->op == OP_BFI ? &i->c : &i->b) = operand_source(h, operand_next(h, o), T_B32, NULL);
	*(i->op == OP_BFI ? &i->e : &i->c) = operand_source(h, operand_next(h, o + 1), T_B32, NULL);
	i->run = run_fields;
	return true;
}

bool
bit_decode(Opcode *h, Inst *i)
{
	Ty t = h->ntypes ? h->type[0] : T_NONE;
	i->type = (uint8_t)t;
	switch (i->op) {
	case OP_SHL:
	case OP_SHR:
		return decode_shift(h, i, t);
	case OP_POPC:
	case OP_CLZ:
	case OP_BFIND:
		i->d = operand_dest(h, operand_next(h, 0), T_B32);
		i->a = operand_source(h, operand_next(h, 1), t, NULL);
		i->imm = opcode_has(h, "shiftamt");
		i->run = run_counts;
		return ty_size(t) >= 4;
	case OP_BREV:
		operands_decode(h, i, t, 1);
		i->run = ty_size(t) == 8 ? brev_64 : brev_32;
		return ty_size(t) >= 4;
	case OP_BFE:
	case OP_BFI:
		return ty_size(t) >= 4 && bit_fields(h, i, t);
	default:
		return decode_logic(h, i, t) || three_words(h, i);
	}
}
