/* SPDX-License-Identifier: MIT */
/* How an annotated loop counts and ends. See loop.h. */
#include "tests/gen/loop.h"

/* How often the loop goes round, if nothing leaves it. */
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

/* What counts beside the counter. Perhaps one of these is tested in place of it; where that is not
 * for equality, it goes beyond its end. */
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
}

/* The comparison by which a loop goes on. */
static const char *
compare(const Loop *l)
{
	if (l->equal)
		return l->negated ? "eq" : "ne";
	return l->negated == l->back ? (l->negated ? "le" : "lt") : l->negated ? "ge" : "gt";
}

void
count_test(Gen *g, const Loop *l, uint32_t p, uint32_t i)
{
	uint32_t limit = l->limit;

	if (l->trip == STRIDE && g->steps && also(g, 60)) /* nvcc does so rather than keep it */
		line(g, "ld.param.u32 \t%%r%u, [n]", limit = fresh(g, B32));
	if (l->word_end)
		line(g, "setp.%s.s32 \t%%p%u, %%r%u, %%r%u", compare(l), p, l->word, l->word_end);
	else if (l->wide_end)
		line(g, "setp.%s.s64 \t%%p%u, %%rd%u, %%rd%u", compare(l), p, l->wide,
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

/* At the bottom: back to the top when there is one. */
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
	if (l->top) {
		line(g, "bra.uni \t$L%u", l->begin);
		return;
	}
	count_test(g, l, p, l->i);
	branch_back(g, l, p);
}
