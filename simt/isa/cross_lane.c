/* SPDX-License-Identifier: MIT */
/* Instructions that communicate between the lanes of a warp, and the block's barriers (PTX ISA
 * 9.7.9.6 shfl, 9.7.13).
 *
 * The scheduler runs these handlers when all live lanes of the mask have reached the instruction;
 * `lanes` contains all of them. Inst.e is the mask's row, Inst.list the row of a second destination
 * (0: none).
 */
#include "simt/isa/handlers.h"

/* ---- handlers -------------------------------------------------------------------------------- */

typedef enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT } Vote;

static void
run_vote(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t yes = (*row32(w, i->a) ^ (i->flags & F_NOT ? UINT32_MAX : 0)) & lanes;
	bool answers[] = { yes == lanes, yes != 0, yes == 0 || yes == lanes };
	if (i->op != VOTE_BALLOT) {
		pred_put(w, i->d, lanes, answers[i->op] ? lanes : 0);
		return;
	}
	for EACH_LANE(l, lanes)
		row32(w, i->d)[l] = yes;
}

typedef enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX } Shfl;

/* Computes the lane that this one reads from; false if it is outside of the segment, so the lane
 * reads itself. */
static bool
shfl_source(const Inst *i, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from)
{
	uint32_t segment = c >> 8 & 31, low = lane & segment, high = low | (c & 31 & ~segment);
	b &= 31;
	uint32_t j = i->op == SHFL_UP ? lane - b :
		i->op == SHFL_DOWN    ? lane + b :
		i->op == SHFL_BFLY    ? lane ^ b :
					low | (b & ~segment);
	bool in = i->op == SHFL_UP ? (int32_t)j >= (int32_t)high : j <= high;
	*from = in ? j : lane;
	return in;
}

static void
run_shfl(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t value[LANES], in = 0;
	for EACH_LANE(l, lanes) {
		uint32_t from;
		in |= (uint32_t)shfl_source(i, l, row32(w, i->b)[l], row32(w, i->c)[l], &from) << l;
		/* reading from an inactive lane is undefined: return a conspicuous value */
		value[l] = lanes >> from & 1 ? row32(w, i->a)[from] : 0xbadbad00 | from;
	}
	for EACH_LANE(k, lanes)
		row32(w, i->d)[k] = value[k];
	if (i->list)
		pred_put(w, i->list, lanes, in);
}

static void
run_match(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t same[LANES];
	bool wide = ty_size((Ty)i->type) == 8, all = true;
	for EACH_LANE(l, lanes) {
		same[l] = 0;
		for EACH_LANE(k, lanes)
		same[l] |= (uint32_t)(row_get(w, i->a, wide, k) == row_get(w, i->a, wide, l)) << k;
		all = all && same[l] == lanes;
	}
	for EACH_LANE(k, lanes)
		row32(w, i->d)[k] = i->op ? all ? lanes : 0 : same[k];
	if (i->list)
		pred_put(w, i->list, lanes, all ? lanes : 0);
}

typedef enum { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR } Redux;

static uint32_t
redux_step(const Inst *i, uint32_t x, uint32_t y)
{
	bool less = i->type == T_S32 ? (int32_t)x < (int32_t)y : x < y;
	switch (i->op) {
	case REDUX_ADD: return x + y;
	case REDUX_MIN: return less ? x : y;
	case REDUX_MAX: return less ? y : x;
	case REDUX_AND: return x & y;
	case REDUX_OR: return x | y;
	default: return x ^ y;
	}
}

static void
run_redux(Warp *w, const Inst *i, uint32_t lanes)
{
	uint32_t r = row32(w, i->a)[low_bit(lanes)];
	for EACH_LANE(l, lanes & (lanes - 1))
		r = redux_step(i, r, row32(w, i->a)[l]);
	for EACH_LANE(k, lanes)
		row32(w, i->d)[k] = r;
}

static void
run_elect(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row32(w, i->d)[l] = low_bit(lanes);
	pred_put(w, i->list, lanes, lanes & -lanes);
}

static void
run_bar_warp(Warp *w, const Inst *i, uint32_t lanes)
{
	(void)i;
	if (w->sim->l->races)
		race_sync(w, lanes);
}

static void
run_activemask(Warp *w, const Inst *i, uint32_t lanes)
{
	for EACH_LANE(l, lanes)
		row32(w, i->d)[l] = lanes;
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* Decodes a destination d, or d|p. */
static void
decode_destinations(Opcode *h, Inst *i, Ty t)
{
	uint32_t o = operand_next(h, 0);
	if (h->m->opnds[o].kind == OPND_PAIR) {
		i->d = operand_dest(h, o + 1, t);
		i->list = operand_dest(h, o + 1 + h->m->opnds[o + 1].tree, T_PRED);
	} else {
		i->d = operand_dest(h, o, t);
	}
}

static bool
vote_decode(Opcode *h, Inst *i)
{
	static const char *const modes[] = { "all", "any", "uni", "ballot", NULL };
	int mode = opcode_which(h, modes);
	bool negated = false;
	if (mode < 0 || h->s->nopnd != 3)
		return false;
	i->op = (uint8_t)mode;
	i->d = operand_dest(h, operand_next(h, 0), mode == VOTE_BALLOT ? T_B32 : T_PRED);
	i->a = operand_source(h, operand_next(h, 1), T_PRED, &negated);
	i->flags |= negated ? F_NOT : 0;
	i->e = operand_source(h, operand_next(h, 2), T_B32, NULL);
	i->run = run_vote;
	return true;
}

static bool
decode_exchange(Opcode *h, Inst *i)
{
	static const char *const modes[] = { "up", "down", "bfly", "idx", NULL };
	int mode = opcode_which(h, modes);
	if (i->op == OP_MATCH) {
		decode_destinations(h, i, T_B32);
		i->type = (uint8_t)h->type[0];
		i->a = operand_source(h, operand_next(h, 1), h->type[0], NULL);
		i->e = operand_source(h, operand_next(h, 2), T_B32, NULL);
		i->op = opcode_has(h, "all");
		i->run = run_match;
		return h->ntypes == 1;
	}
	decode_destinations(h, i, T_B32);
	i->a = operand_source(h, operand_next(h, 1), T_B32, NULL);
	i->b = operand_source(h, operand_next(h, 2), T_B32, NULL);
	i->c = operand_source(h, operand_next(h, 3), T_B32, NULL);
	i->e = operand_source(h, operand_next(h, 4), T_B32, NULL);
	i->op = (uint8_t)mode;
	i->run = run_shfl;
	return mode >= 0 && h->s->nopnd == 5;
}

static bool
redux_decode(Opcode *h, Inst *i)
{
	static const char *const ops[] = { "add", "min", "max", "and", "or", "xor", NULL };
	int op = opcode_which(h, ops);
	Ty t = h->ntypes ? h->type[0] : T_NONE;
	operands_decode(h, i, t, 1);
	i->e = operand_source(h, operand_next(h, 2), T_B32, NULL);
	i->op = (uint8_t)op;
	i->run = run_redux;
	return op >= 0 && ty_size(t) == 4 && !ty_float(t);
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.op d, a{, b}, {!}c. op: 0 sync, 1 arrive, 2 popc, 3
 * and, 4 or. */
static bool
decode_barrier(Opcode *h, Inst *i)
{
	static const char *const modes[] = { "sync", "arrive", "popc", "and", "or", NULL };
	int mode = opcode_which(h, modes);
	bool red = mode > 1, negated = false;
	uint32_t first = red, n = h->s->nopnd - first - (red ? 1u : 0u);
	if (mode < 0 || n < 1 || n > 2)
		return false;
	i->kind = I_BAR;
	i->op = (uint8_t)mode;
	if (red)
		i->d = operand_dest(h, operand_next(h, 0), mode == 2 ? T_B32 : T_PRED);
	i->a = operand_source(h, operand_next(h, first), T_B32, NULL);
	i->b = n == 2 ? operand_source(h, operand_next(h, first + 1), T_B32, NULL) : 0;
	if (red)
		i->c = operand_source(h, operand_next(h, first + n), T_PRED, &negated);
	i->flags |= negated ? F_NOT : 0;
	return true;
}

bool
lanes_decode(Opcode *h, Inst *i)
{
	i->kind = I_WARP;
	switch (i->op) {
	case OP_VOTE:
		return opcode_has(h, "sync") && vote_decode(h, i);
	case OP_SHFL:
	case OP_MATCH:
		return opcode_has(h, "sync") && decode_exchange(h, i);
	case OP_REDUX:
		return redux_decode(h, i);
	case OP_ELECT:
		decode_destinations(h, i, T_B32);
		i->e = operand_source(h, operand_next(h, 1), T_B32, NULL);
		i->run = run_elect;
		return i->list != 0;
	case OP_BAR_WARP:
		i->e = operand_source(h, operand_next(h, 0), T_B32, NULL);
		i->run = run_bar_warp;
		return true;
	case OP_BAR: case OP_BAR_RED: case OP_BARRIER: case OP_BARRIER_RED:
		return decode_barrier(h, i);
	case OP_ACTIVEMASK:
		i->kind = I_PLAIN;
		i->d = operand_dest(h, operand_next(h, 0), T_B32);
		i->run = run_activemask;
		return true;
	default:
		i->kind = I_PLAIN;
		return false;
	}
}
