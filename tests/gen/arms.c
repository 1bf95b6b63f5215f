/* SPDX-License-Identifier: MIT */
/* Annotated branches whose sides can become one.
 *
 * Similar arms: the same random choices are made twice, with the values
 * permuted the second time, so that the arms have the same shape and different operands. */
#include "tests/gen/inner.h"

/* Swaps some values of one type, or duplicates one, so that an index into the list selects another
 * value. */
static void
mix_values(Gen *g, uint32_t n)
{
	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t k = i + 1 + below(g, n - i - 1);
		Value *a = &g->values[i], *b = &g->values[k], was = *a;
		if (a->ty != b->ty || a->kind != b->kind || a->dead != b->dead || chance(g, 60))
			continue;
		*a = *b;
		if (chance(g, 60))
			*b = was;
	}
}

/* The differences between the arms: which of two predicates each branch and guard uses (a bit
 * mask); whether branches are taken to the conditional code or past it; statements that the other
 * arm may lack, unconditional and under branches, the latter perhaps in a loop, and at the end; a
 * statement after the arm. */
typedef struct { uint32_t p[2], which; bool flip, more, lone, loop, late, behind; } Odds;

/* One of the predicates. */
static uint32_t
either(Odds *o)
{
	o->which >>= 1;
	return o->p[o->which & 1];
}

/* Statements under a condition, and an update under a guard. */
static void
inner_branch(Gen *g, Odds *o)
{
	uint32_t p = either(o), in = label(g), over = label(g);
	bool flip = o->flip;

	if (flip) {
		line(g, "@%%p%u bra \t$L%u", p, in);
		line(g, "bra.uni \t$L%u", over);
		place_label(g, in);
	} else {
		line(g, "@!%%p%u bra \t$L%u", p, over);
	}
	stmt_nested(g, 1);
	place_label(g, over);
	line(g, "@%%p%u red.global.add.u32 \t[%%rd%u], %%r%u", either(o), g->sums,
		value_any(g, B32));
}

/* Up to three iterations of a branch. */
static void
inner_loop(Gen *g, Odds *o)
{
	uint32_t k = fresh(g, B32), p = fresh(g, PRED), head = label(g);

	line(g, "mov.u32 \t%%r%u, 0", k);
	place_label(g, head);
	inner_branch(g, o);
	line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
	line(g, "setp.lt.u32 \t%%p%u, %%r%u, %u", p, k, 1 + (o->which & 3));
	line(g, "@%%p%u bra \t$L%u", p, head);
}

/* A branch that the other arm does not have, or not here. The random numbers drawn afterwards are
 * the same in both. */
static void
lone_branch(Gen *g, Odds o, bool late)
{
	uint64_t state = g->state;
	uint32_t fuel = g->fuel, n = g->nvalues;

	if (!o.lone || o.late != late)
		return;
	g->state ^= o.which;
	if (o.loop)
		inner_loop(g, &o);
	else
		inner_branch(g, &o);
	g->state = state;
	g->fuel = fuel;
	g->nvalues = n;
}

static void
arm(Gen *g, uint32_t number, uint32_t n, Odds o)
{
	stmt_marker(g, "begin", "distribute", number);
	stmt_nested(g, n);
	lone_branch(g, o, false);
	for (uint32_t i = below(g, 4); i > 1; i--)
		inner_branch(g, &o);
	if (o.more)
		stmt_nested(g, 1);
	lone_branch(g, o, true);
	stmt_marker(g, "end", "distribute", number);
	if (o.behind)
		stmt_nested(g, 1);
}

void
arms_alike(Gen *g)
{
	uint32_t p = expr_cond(g, 50), other = label(g), end = label(g),
		 number = (g->nmarkers + 1) & ~1u, n = 1 + below(g, 4);
	uint32_t a = expr_cond(g, 50), b = expr_cond(g, 50);
	Odds odds[2];
	Value values[MAX_VALUES];
	uint32_t nvalues = g->nvalues, fuel = g->fuel;

	g->nmarkers = number + 2; /* the arms of one annotation have one line */
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t which = (uint32_t)gen_random(&g->state);
		bool flip = chance(g, 50), more = chance(g, 20);
		odds[i] = (Odds){ { a, b }, which, flip, more, which >> 30 == 0,
			which >> 28 & 1, which >> 27 & 1, chance(g, 15) };
	}
	line(g, "@%%p%u bra \t$L%u", p, other);
	uint64_t state = g->state;
	arm(g, number, n, odds[0]);
	line(g, "bra.uni \t$L%u", end);
	place_label(g, other);
	for (uint32_t i = 0; i < nvalues; i++)
		values[i] = g->values[i];
	uint64_t behind = g->state;
	mix_values(g, nvalues);
	g->state = state;
	g->fuel = fuel;
	arm(g, number + 1, n, odds[1]);
	g->state ^= behind;
	for (uint32_t i = 0; i < nvalues; i++) {
		bool dead = values[i].dead;
		for (uint32_t k = 0; k < nvalues; k++)
			dead |= g->values[k].reg == values[i].reg &&
				g->values[k].ty == values[i].ty && g->values[k].dead;
		g->values[i] = values[i];
		g->values[i].dead = dead;
	}
	place_label(g, end);
}

/* ---- common calls ---------------------------------------------------------------------------- */

/* A side of the branch: mostly an annotated statement that calls the leaf. */
static void
calling_side(Gen *g, uint32_t leaf, uint32_t sum)
{
	uint32_t number = g->nmarkers++, result = fresh(g, B32);
	bool call = chance(g, 95), marked = chance(g, 95), plain = chance(g, 80);

	if (chance(g, 30))
		stmt_nested(g, 1);
	if (marked)
		stmt_marker(g, "begin", "predict", number);
	if (!plain)
		stmt_nested(g, 1);
	else if (chance(g, 50))
		line(g, "mad.lo.u32 \t%%r%u, %%r%u, %u, %%r%u", sum, sum, below(g, 9),
			value_any(g, B32));
	if (call)
		stmt_call_leaf(g, leaf, chance(g, 50) ? sum : value_any(g, B32), result);
	if (call)
		line(g, "xor.b32 \t%%r%u, %%r%u, %%r%u", sum, chance(g, 50) ? sum : g->x, result);
	if (chance(g, 30))
		line(g, "red.global.add.u32 \t[%%rd%u], %%r%u", g->sums, sum);
	if (!plain)
		stmt_nested(g, 1);
	if (marked)
		stmt_marker(g, "end", "predict", number);
	if (chance(g, 30))
		stmt_nested(g, 1);
}

/* Two to five sides, in a loop or not. */
void
common_calls(Gen *g)
{
	uint32_t leaf = below(g, g->nleaves), sum = fresh(g, B32), end = label(g), head = label(g);
	uint32_t k = fresh(g, B32), p = fresh(g, PRED), rounds = below(g, 4);

	line(g, "mov.u32 \t%%r%u, %u", sum, below(g, 100));
	line(g, "mov.u32 \t%%r%u, 0", k);
	place_label(g, head);
	for (uint32_t n = 1 + below(g, 4); n; n--) {
		uint32_t other = label(g);
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 30 + below(g, 40)), other);
		calling_side(g, leaf, sum);
		line(g, "bra.uni \t$L%u", end);
		place_label(g, other);
	}
	calling_side(g, leaf, sum);
	place_label(g, end);
	line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
	line(g, "setp.lt.u32 \t%%p%u, %%r%u, %u", p, k, rounds);
	line(g, "@%%p%u bra \t$L%u", p, head);
	line(g, "red.global.add.u32 \t[%%rd%u], %%r%u", g->sums, sum);
	value_add(g, B32, sum, FIXED);
}
