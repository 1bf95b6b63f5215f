/* SPDX-License-Identifier: MIT */
/* Inner loops whose trip count differs from lane to lane: `for var`. Their iterations are independent: they update sums, and fold. */
#include "tests/gen/inner.h"

enum { MAX_INNER_FOLDS = 2 };

typedef struct {
	bool wide;              /* 64 bits */
	bool top;               /* tested at the top, else at the bottom */
	bool once;              /* no guard: at least one iteration */
	bool turned;            /* the bound is compared with the index */
	bool falls;             /* the branch at the bottom leaves the loop */
	int step;
	const char *cmp, *contrary;
	uint32_t marker;
	uint32_t index, bound;  /* b32, or b64 */
	uint32_t other, by;     /* b64: another induction, and its step; by 0: none */
	uint32_t head, end;     /* labels */
	Fold folds[MAX_INNER_FOLDS]; uint32_t nfolds;
} Inner;

/* Where it begins and ends. */
static void
range(Gen *g, Inner *l)
{
	static const int steps[] = { 1, 1, 1, 2, 3, 4, 8, -1, -1, -2, -5 };
	static const struct { const char *up, *down, *not_up, *not_down; int less; } ways[] = {
		{ "lt", "gt", "ge", "le", 0 }, { "lt", "gt", "ge", "le", 0 }, { "le", "ge", "gt", "lt", 1 }, { "ne", "ne", "eq", "eq", 0 },
	};
	int step = l->step = steps[below(g, sizeof steps / sizeof *steps)];
	bool divides = (step & (step - 1)) == 0 || step == -1 || step == -2;
	uint32_t way = below(g, divides && !l->once ? 4 : 3), first = expr_small(g, 255);
	uint32_t length = expr_small(g, chance(g, 25) ? 127 : 15);

	l->cmp = step > 0 ? ways[way].up : ways[way].down;
	l->contrary = step > 0 ? ways[way].not_up : ways[way].not_down;
	l->index = fresh(g, l->wide ? B64 : B32);
	l->bound = fresh(g, l->wide ? B64 : B32);
	int less = (step > 0 ? -1 : 1) * (ways[way].less + (way < 3 && step != 1 ? (int)below(g, 2) : 0));
	if (l->wide) {
		line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", l->index, first);
		line(g, "add.s64 \t%%rd%u, %%rd%u, 78187493500", l->index, l->index);
		line(g, "mad.wide.s32 \t%%rd%u, %%r%u, %d, %%rd%u", l->bound, length, step, l->index);
		line(g, "add.s64 \t%%rd%u, %%rd%u, %d", l->bound, l->bound, less);
		return;
	}
	line(g, "add.s32 \t%%r%u, %%r%u, 1000", l->index, first);
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %d, %%r%u", l->bound, length, step, l->index);
	line(g, "add.s32 \t%%r%u, %%r%u, %d", l->bound, l->bound, less);
}

/* p: does it go on? With `not`: does it not? */
static void
test(Gen *g, const Inner *l, uint32_t p, bool not)
{
	static const struct { const char *word, *turned; } turns[] = {
		{ "lt", "gt" }, { "gt", "lt" }, { "le", "ge" }, { "ge", "le" }, { "ne", "ne" }, { "eq", "eq" },
	};
	const char *cmp = not ? l->contrary : l->cmp, *reg = l->wide ? "%rd" : "%r";
	uint32_t k = 0;

	while (*turns[k].word != *cmp || turns[k].word[1] != cmp[1])
		k++;
	line(g, "setp.%s.s%u \t%%p%u, %s%u, %s%u", l->turned ? turns[k].turned : cmp, l->wide ? 64 : 32, p, reg,
		l->turned ? l->bound : l->index, reg, l->turned ? l->index : l->bound);
}

static void
body(Gen *g, const Inner *l)
{
	uint32_t scope = g->nvalues, over = label(g);

	value_add(g, l->wide ? B64 : B32, l->index, FIXED);
	if (l->by)
		value_add(g, B64, l->other, FIXED);
	for (uint32_t n = 1 + below(g, 3); n; n--)
		expr_new(g, expr_type(g));
	if (chance(g, 40))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 30), over);
	uint32_t known = g->nvalues;
	stmt_update(g);
	if (l->nfolds && chance(g, 40))
		flow_fold_one(g, &l->folds[below(g, l->nfolds)]);
	place_label(g, over);
	g->nvalues = known;
	for (uint32_t i = 0; i < l->nfolds; i++)
		flow_fold_one(g, &l->folds[i]);
	g->nvalues = scope;
}

static void
go_on(Gen *g, const Inner *l)
{
	if (l->by)
		line(g, "add.s64 \t%%rd%u, %%rd%u, %u", l->other, l->other, l->by);
	line(g, "add.s%u \t%s%u, %s%u, %d", l->wide ? 64 : 32, l->wide ? "%rd" : "%r", l->index,
		l->wide ? "%rd" : "%r", l->index, l->step);
}

static void
loop(Gen *g, const Inner *l)
{
	uint32_t p = fresh(g, PRED);

	if (!l->top && !l->once) {
		test(g, l, p, true);
		line(g, "@%%p%u bra \t$L%u", p, l->end);
	}
	place_label(g, l->head);
	if (l->marker % 3)
		stmt_marker(g, "begin", "iteration", l->marker);
	if (l->top) {
		test(g, l, p, true);
		line(g, "@%%p%u bra \t$L%u", p, l->end);
	}
	body(g, l);
	go_on(g, l);
	if (l->top || l->falls) {
		test(g, l, p, true);
		if (!l->top)
			line(g, "@%%p%u bra \t$L%u", p, l->end);
		line(g, "bra.uni \t$L%u", l->head);
	} else {
		test(g, l, p, false);
		line(g, "@%%p%u bra \t$L%u", p, l->head);
	}
}

void
stmt_rounds(Gen *g)
{
	Inner l = { .wide = chance(g, 30), .top = chance(g, 20), .turned = chance(g, 25), .falls = chance(g, 25),
		.once = chance(g, 15), .marker = g->nmarkers++, .head = label(g), .end = label(g) };
	uint32_t over = label(g);

	range(g, &l);
	if (chance(g, 40)) {
		l.other = fresh(g, B64);
		l.by = 1 + below(g, 12);
		expr_to(g, B64, l.other);
	}
	for (; l.nfolds < MAX_INNER_FOLDS && chance(g, 35); l.nfolds++)
		flow_fold_begin(g, &l.folds[l.nfolds]);
	if (chance(g, 40))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 40), over);
	stmt_marker(g, "begin", "for-var", l.marker);
	loop(g, &l);
	place_label(g, l.end);
	stmt_marker(g, "end", "for-var", l.marker);
	place_label(g, over);
	for (uint32_t i = 0; i < l.nfolds; i++)
		flow_fold_end(g, &l.folds[i]);
	if (chance(g, 25))
		value_add(g, l.wide ? B64 : B32, l.index, FIXED);
	if (l.by && chance(g, 25))
		value_add(g, B64, l.other, FIXED);
}
