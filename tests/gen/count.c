/* SPDX-License-Identifier: MIT */
/* How an annotated loop counts and exits. See loop.h. */
#include <string.h>
#include "tests/gen/loop.h"

/* Computes the trip count without early exits. */
static uint32_t
times(Gen *g, const Loop *l)
{
	uint32_t r = fresh(g, B32);

	if (l->trip == COUNT)
		return l->limit;
	line(g, "sub.s32 \t%%r%u, %%r%u, %%r%u", r, l->limit, l->i);
	line(g, "add.s32 \t%%r%u, %%r%u, %%r%u", r, r, g->threads);
	line(g, "sub.s32 \t%%r%u, %%r%u, 1", r, r);
	line(g, "div.s32 \t%%r%u, %%r%u, %%r%u", r, r, g->threads);
	line(g, "max.s32 \t%%r%u, %%r%u, 0", r, r);
	return r;
}

/* Lanes leave the loop at different times. */
static void
leave_apart(Gen *g, Loop *l)
{
	uint32_t end = expr_small(g, 7);

	l->limit = fresh(g, B32);
	line(g, "mul.lo.s32 \t%%r%u, %%r%u, %%r%u", end, end, g->threads);
	line(g, "sub.s32 \t%%r%u, %%r%u, %%r%u", l->limit, g->n, end);
}

/* Further induction variables. One of them may be tested instead of the counter; unless the test is
 * for equality, its last value is beyond the bound. */
static void
count_more_start(Gen *g, Loop *l)
{
	l->word = fresh(g, B32);
	l->back = turns(g, 50);
	l->equal = !l->once && turns(g, 30);
	line(g, "mov.u32 \t%%r%u, 9000", l->word);
	if (l->trip == SHIFT || l->early || !turns(g, 70))
		return;
	uint32_t n = times(g, l), wide = fresh(g, B64);
	int less = l->equal ? 0 : l->back ? -3 : 3;
	if (turns(g, 50)) {
		l->word_end = fresh(g, B32);
		line(g, "mad.lo.s32 \t%%r%u, %%r%u, %d, %d", l->word_end, n, l->back ? -7 : 7,
			9000 - less);
		return;
	}
	l->wide_end = fresh(g, B64);
	line(g, "and.b64 \t%%rd%u, %%rd%u, 0xffffff", l->wide, l->wide);
	line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", wide, n);
	line(g, "mad.lo.s64 \t%%rd%u, %%rd%u, %d, %%rd%u", l->wide_end, wide, l->back ? -24 : 24,
		l->wide);
	line(g, "sub.s64 \t%%rd%u, %%rd%u, %d", l->wide_end, l->wide_end, less);
}

/* Another index with a literal step and bound, and the trip count of the counter. */
static void
literal_start(Gen *g, Loop *l)
{
	static const int steps[] = { 1, 2, 3, 7, 32, 64, -1, -2, -5, -7, -32, 4000000 };
	static const char *const ups[] = { "lt", "le", "ne" }, *const downs[] = { "gt", "ge", "ne" };
	uint32_t way = below(g, l->once ? 2 : 3), start = fresh(g, B32);
	int by = steps[below(g, sizeof steps / sizeof *steps)], size = by > 0 ? by : -by;

	l->by = by;
	l->up_to = by > 0 ? ups[way] : downs[way];
	l->bound = (int)below(g, 1200) - 100;
	l->wide_index = chance(g, 40);
	l->former = !l->top && chance(g, 60);
	/* this many steps reach the bound or pass it */
	int over = way == 2 ? 0 : (int)below(g, (uint32_t)size);
	int end = l->bound + (by > 0 ? 1 : -1) * (over + (way == 1));
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %d, %d", start, l->limit, -by, end);
	l->index = start;
	if (!l->wide_index)
		return;
	l->index = fresh(g, B64);
	line(g, "cvt.s64.s32 \t%%rd%u, %%r%u", l->index, start);
}

/* less: the distance to the counter. */
static void
literal_test(Gen *g, const Loop *l, uint32_t p, int less)
{
	static const char *const contrary[][2] = { { "lt", "ge" }, { "le", "gt" }, { "ne", "eq" },
		{ "gt", "le" }, { "ge", "lt" } };
	uint32_t k = 0;

	while (strcmp(contrary[k][0], l->up_to) != 0)
		k++;
	line(g, "setp.%s.s%d \t%%p%u, %s%u, %d", contrary[k][l->negated], l->wide_index ? 64 : 32,
		p, l->wide_index ? "%rd" : "%r", l->index, l->bound - less);
}

/* The test is after the step, or before it. */
static void
literal_step(Gen *g, const Loop *l, uint32_t p)
{
	Ty ty = l->wide_index ? B64 : B32;
	const char *reg = reg_name(ty);
	uint32_t to = l->former ? fresh(g, ty) : l->index, bits = l->wide_index ? 64 : 32;

	line(g, "add.s%u \t%s%u, %s%u, %d", bits, reg, to, reg, l->index, l->by);
	if (p)
		literal_test(g, l, p, l->former ? l->by : 0);
	if (l->former)
		line(g, "mov.u%u \t%s%u, %s%u", bits, reg, l->index, reg, to);
}

void
count_start(Gen *g, Loop *l)
{
	bool more = (g->looks || g->assigns) && chance(g, 40);

	if (more || g->turns) {
		l->wide = fresh(g, B64), l->half = fresh(g, B16);
		line(g, "mov.u64 \t%%rd%u, %%rd%u", l->wide, value_any(g, B64));
		line(g, "mov.u16 \t%%rs%u, 5", l->half);
	}
	l->i = fresh(g, B32);
	l->base = fresh(g, B32);
	if (l->trip == STRIDE) {
		line(g, "mov.u32 \t%%r%u, %%r%u", l->i, g->gid);
		line(g, "mul.lo.s32 \t%%r%u, %%r%u, %%r%u", l->base, g->round, g->n);
		l->limit = g->n;
		if (turns(g, 70))
			leave_apart(g, l);
	} else {
		l->limit = expr_small(g, l->trip == COUNT ? 7 : 255);
		line(g, "mov.u32 \t%%r%u, 0", l->i);
		line(g, "mad.lo.s32 \t%%r%u, %%r%u, %%r%u, %%r%u", l->base, g->round, g->threads,
			g->gid);
		line(g, "shl.b32 \t%%r%u, %%r%u, 3", l->base, l->base);
	}
	if (l->wide && g->turns)
		count_more_start(g, l);
	if (g->literal && l->trip == COUNT && !l->word_end && !l->wide_end && !l->early &&
		!l->first && !l->copied)
		literal_start(g, l);
}

/* The comparison under which the loop continues. */
static const char *
comparison_op(const Loop *l)
{
	if (l->equal)
		return l->negated ? "eq" : "ne";
	return l->negated == l->back ? (l->negated ? "le" : "lt") : l->negated ? "ge" : "gt";
}

void
count_test(Gen *g, const Loop *l, uint32_t p, uint32_t i)
{
	uint32_t limit = l->limit;

	if (l->by) {
		literal_test(g, l, p, 0);
		return;
	}
	if (l->trip == STRIDE && g->steps && also(g, 60)) /* nvcc does so rather than keep it */
		line(g, "ld.param.u32 \t%%r%u, [n]", limit = fresh(g, B32));
	if (l->word_end)
		line(g, "setp.%s.s32 \t%%p%u, %%r%u, %%r%u", comparison_op(l), p, l->word, l->word_end);
	else if (l->wide_end)
		line(g, "setp.%s.s64 \t%%p%u, %%rd%u, %%rd%u", comparison_op(l), p, l->wide,
			l->wide_end);
	else if (l->trip == SHIFT)
		line(g, "setp.%s.u32 \t%%p%u, %%r%u, 0", l->negated ? "eq" : "ne", p, l->limit);
	else
		line(g, "setp.%s.s32 \t%%p%u, %%r%u, %%r%u", l->negated ? "ge" : "lt", p, i,
			limit);
}

void
count_end(Gen *g, const Loop *l, uint32_t p)
{
	line(g, "@%s%%p%u bra \t$L%u", l->negated ? "" : "!", p, l->end);
}

/* At the bottom: branches back to the top if there is another iteration. */
static void
branch_back(Gen *g, const Loop *l, uint32_t p)
{
	if (l->falls) {
		count_end(g, l, p);
		line(g, "bra.uni \t$L%u", l->begin);
	} else {
		line(g, "@%s%%p%u bra \t$L%u", l->negated ? "!" : "", p, l->begin);
	}
}

void
count_step(Gen *g, const Loop *l, uint32_t to)
{
	uint32_t by = g->threads, less = 0;

	/* nvcc does so rather than keep it */
	if (l->trip == STRIDE && g->unifies && chance(g, 40)) {
		line(g, "sub.s32 \t%%r%u, %%r%u, 1", less = fresh(g, B32), by);
		line(g, "add.s32 \t%%r%u, %%r%u, 1", by = fresh(g, B32), less);
	}
	if (l->trip == STRIDE)
		line(g, "add.s32 \t%%r%u, %%r%u, %%r%u", to, l->i, by);
	else
		line(g, "add.s32 \t%%r%u, %%r%u, 1", to, l->i);
}

void
count_more(Gen *g, const Loop *l)
{
	if (!l->wide)
		return;
	if (l->early || l->back)
		line(g, "sub.s64 \t%%rd%u, %%rd%u, 24", l->wide, l->wide);
	else if (l->word)
		line(g, "add.s64 \t%%rd%u, %%rd%u, 24", l->wide, l->wide);
	else
		line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", l->wide, g->words, l->wide);
	if (l->word)
		line(g, "%s.s32 \t%%r%u, %%r%u, 7", l->back ? "sub" : "add", l->word, l->word);
	if (l->back)
		line(g, "sub.s16 \t%%rs%u, %%rs%u, 3", l->half, l->half);
	else
		line(g, "add.s16 \t%%rs%u, %%rs%u, -3", l->half, l->half);
}

void
count_on(Gen *g, const Loop *l)
{
	uint32_t p = fresh(g, PRED);
	if (l->first) {
		line(g, "bra.uni \t$L%u", l->begin);
		return;
	}
	count_more(g, l);
	if (l->early) {
		line(g, "mov.u32 \t%%r%u, %%r%u", l->i, l->next);
		if (!l->top) {
			branch_back(g, l, l->more);
			return;
		}
	} else if (l->copied) {
		uint32_t wide = fresh(g, B64), by = fresh(g, B64);
		line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", by, g->threads);
		line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", wide, l->copy, by);
		line(g, "cvt.u32.u64 \t%%r%u, %%rd%u", l->i, wide);
	} else {
		count_step(g, l, l->i);
	}
	if (l->trip == SHIFT)
		line(g, "shr.u32 \t%%r%u, %%r%u, 1", l->limit, l->limit);
	if (l->by)
		literal_step(g, l, l->top ? 0 : p);
	if (l->top) {
		line(g, "bra.uni \t$L%u", l->begin);
		return;
	}
	if (!l->by)
		count_test(g, l, p, l->i);
	branch_back(g, l, p);
}
