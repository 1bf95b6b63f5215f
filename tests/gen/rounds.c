/* SPDX-License-Identifier: MIT */
/* Inner loops whose trip count varies between lanes: `for var`. Their iterations are
 * independent: they update sums and reductions. */
#include "tests/gen/inner.h"

enum { MAX_INNER_FOLDS = 2 };

typedef struct {
	bool wide;              /* 64 bits */
	bool top;               /* tested at the top, else at the bottom */
	bool once;              /* no guard: at least one iteration */
	bool compared;          /* the bound is compared with the index */
	bool falls;             /* the branch at the bottom leaves the loop */
	/* tested at the top, which is placed at the bottom: the loop is entered there */
	bool turned;
	/* all trip counts are similar, and the compiler may not unroll the loop */
	bool alike;
	bool far;               /* it is placed after the function's return */
	bool early;             /* the other induction variable is updated first */
	bool quiet;             /* iterations only update reductions, and write no memory */
	bool stores;            /* its first iteration stores to the item's words */
	int step;
	const char *cmp, *contrary;
	uint32_t marker;
	uint32_t index, bound;  /* b32, or b64 */
	/* each test computes the bound again: b64, the address of a word from which it computes
	 * the trip count, and b32 or b64, the first index; 0: it does not */
	uint32_t reload, from;
	int less;               /* added to that bound */
	uint32_t other;         /* b64: another induction variable */
	int by;                 /* its step; 0: none */
	bool along;             /* it is computed from the index, as a pointer is */
	uint32_t first;         /* initial value of the index */
	/* b32: the value that the loop test computes from the index; 0: none */
	uint32_t lead;
	uint32_t head, body, end;       /* labels */
	uint32_t others[MAX_INNER_FOLDS];       /* a further operand of the reduction; 0: none */
	Fold folds[MAX_INNER_FOLDS]; uint32_t nfolds;
} Inner;

/* Where it begins and ends. */
static void
range(Gen *g, Inner *l)
{
	static const int steps[] = { 1, 1, 1, 2, 3, 4, 8, -1, -1, -2, -5 };
	static const struct { const char *up, *down, *not_up, *not_down; int less;
	} ways[] = {
		{ "lt", "gt", "ge", "le", 0 },
		{ "lt", "gt", "ge", "le", 0 },
		{ "le", "ge", "gt", "lt", 1 },
		{ "ne", "ne", "eq", "eq", 0 },
	};
	int step = l->step = steps[below(g, sizeof steps / sizeof *steps)];
	bool divides = (step & (step - 1)) == 0 || step == -1 || step == -2;
	uint32_t way = below(g, divides && !l->once ? 4 : 3), first = expr_small(g, 255);
	/* 128 and more: several laps */
	bool far = (g->grown && l->marker % 4 == 1) || (g->rows && chance(g, 30));
	uint32_t most = far || g->rows || (g->joins && l->marker % 2) ? 255 : 127;
	uint32_t length = expr_small(g, chance(g, g->rows ? 90 : 25) || also(g, 40) ? most : 15);

	if (far)
		line(g, "or.b32 \t%%r%u, %%r%u, 128", length, length);
	if (l->alike) {
		line(g, "and.b32 \t%%r%u, %%r%u, 7", length, length);
		line(g, "add.s32 \t%%r%u, %%r%u, %u", length, length, 2 + l->head % 3);
	}
	l->cmp = step > 0 ? ways[way].up : ways[way].down;
	l->contrary = step > 0 ? ways[way].not_up : ways[way].not_down;
	l->index = fresh(g, l->wide ? B64 : B32);
	l->bound = fresh(g, l->wide ? B64 : B32);
	int less = l->less = (step > 0 ? -1 : 1) *
		(ways[way].less + (way < 3 && step != 1 ? (int)below(g, 2) : 0));
	if (l->wide) {
		line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", l->index, first);
		line(g, "add.s64 \t%%rd%u, %%rd%u, 78187493500", l->index, l->index);
		line(g, "mad.wide.s32 \t%%rd%u, %%r%u, %d, %%rd%u", l->bound, length, step,
			l->index);
		line(g, "add.s64 \t%%rd%u, %%rd%u, %d", l->bound, l->bound, less);
		return;
	}
	line(g, "add.s32 \t%%r%u, %%r%u, 1000", l->index, first);
	line(g, "mad.lo.s32 \t%%r%u, %%r%u, %d, %%r%u", l->bound, length, step, l->index);
	line(g, "add.s32 \t%%r%u, %%r%u, %d", l->bound, l->bound, less);
}

static void
load_bound(Gen *g, const Inner *l)
{
	uint32_t word = fresh(g, B32);

	line(g, "ld.global.u32 \t%%r%u, [%%rd%u]", word, l->reload);
	line(g, "and.b32 \t%%r%u, %%r%u, 63", word, word);
	if (l->wide)
		line(g, "mad.wide.s32 \t%%rd%u, %%r%u, %d, %%rd%u", l->bound, word, l->step, l->from);
	else
		line(g, "mad.lo.s32 \t%%r%u, %%r%u, %d, %%r%u", l->bound, word, l->step, l->from);
	line(g, "add.s%u \t%s%u, %s%u, %d", l->wide ? 64 : 32, l->wide ? "%rd" : "%r", l->bound,
		l->wide ? "%rd" : "%r", l->bound, l->less);
}

/* Computes in p whether the loop continues; with `not`, whether it ends. */
static void
emit_test(Gen *g, const Inner *l, uint32_t p, bool not)
{
	static const struct { const char *word, *turned;
	} turns[] = {
		{ "lt", "gt" },
		{ "gt", "lt" },
		{ "le", "ge" },
		{ "ge", "le" },
		{ "ne", "ne" },
		{ "eq", "eq" },
	};
	const char *cmp = not ? l->contrary : l->cmp, *reg = l->wide ? "%rd" : "%r";
	uint32_t k = 0;

	if (l->reload)
		load_bound(g, l);
	while (*turns[k].word != *cmp || turns[k].word[1] != cmp[1])
		k++;
	line(g, "setp.%s.s%u \t%%p%u, %s%u, %s%u", l->compared ? turns[k].turned : cmp,
		l->wide ? 64 : 32, p, reg, l->compared ? l->bound : l->index, reg,
		l->compared ? l->index : l->bound);
}

static void
go_on_other(Gen *g, const Inner *l)
{
	if (l->by)
		line(g, "add.s64 \t%%rd%u, %%rd%u, %d", l->other, l->other, l->by);
}

/* Uses values that helpers must get from the owner: the index, the other induction variable, a
 * value of any type, memory. */
static void
body_uses(Gen *g, const Inner *l)
{
	uint32_t p, over;

	if (also(g, 50))
		stmt_update_by(g, l->wide ? B64 : B32, l->index);
	if (l->along || (l->by && also(g, 50)))
		stmt_update_by(g, B64, l->other);
	if (also(g, 40))
		stmt_update_by_any(g);
	if (!l->stores && also(g, 30))
		stmt_update_by(g, B64, stmt_load_own(g));
	if (!l->stores)
		return;
	p = fresh(g, PRED);
	over = label(g);
	line(g, "setp.ne.s%u \t%%p%u, %s%u, %s%u", l->wide ? 64 : 32, p, l->wide ? "%rd" : "%r",
		l->index, l->wide ? "%rd" : "%r", l->first);
	line(g, "@%%p%u bra \t$L%u", p, over);
	stmt_store(g);
	place_label(g, over);
}

/* The code before a test at the top. */
static void
before_test(Gen *g, const Inner *l)
{
	if (l->lead)
		line(g, "add.s32 \t%%r%u, %%r%u, 100", l->lead, l->index);
}

static void
body(Gen *g, const Inner *l)
{
	uint32_t scope = g->nvalues, over = label(g);

	value_add(g, l->wide ? B64 : B32, l->index, FIXED);
	if (l->by)
		value_add(g, B64, l->other, FIXED);
	if (l->early)
		go_on_other(g, l);
	bool light = g->rows && l->quiet; /* long enough for several laps */
	for (uint32_t n = 1 + below(g, light ? 1 : 3); n; n--)
		expr_new(g, light ? B32 : expr_type(g));
	if (!l->quiet)
		body_uses(g, l);
	if (!light && chance(g, 40))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 30), over);
	uint32_t known = g->nvalues;
	if (!l->quiet)
		stmt_update(g);
	if (l->nfolds && chance(g, 40))
		flow_fold_one(g, &l->folds[below(g, l->nfolds)]);
	place_label(g, over);
	g->nvalues = known;
	for (uint32_t i = 0; i < l->nfolds; i++)
		if (l->others[i])
			flow_fold_into_other(g, &l->folds[i], l->others[i]);
		else
			flow_fold_one(g, &l->folds[i]);
	g->nvalues = scope;
}

static void
go_on(Gen *g, const Inner *l)
{
	for (uint32_t i = 0; i < l->nfolds; i++)
		if (l->others[i])
			flow_fold_move(g, &l->folds[i], l->folds[i].reg, l->others[i]);
	if (!l->early)
		go_on_other(g, l);
	line(g, "add.s%u \t%s%u, %s%u, %d", l->wide ? 64 : 32, l->wide ? "%rd" : "%r", l->index,
		l->wide ? "%rd" : "%r", l->index, l->step);
}

/* The test is at the bottom, where the loop is entered. */
static void
loop_turned(Gen *g, const Inner *l)
{
	uint32_t p = fresh(g, PRED);

	line(g, "bra.uni \t$L%u", l->head);
	place_label(g, l->body);
	body(g, l);
	go_on(g, l);
	place_label(g, l->head);
	before_test(g, l);
	emit_test(g, l, p, false);
	line(g, "@%%p%u bra \t$L%u", p, l->body);
}

static void
loop(Gen *g, const Inner *l)
{
	uint32_t p = fresh(g, PRED);

	if (l->turned) {
		loop_turned(g, l);
		return;
	}
	if (!l->top && !l->once) {
		emit_test(g, l, p, true);
		line(g, "@%%p%u bra \t$L%u", p, l->end);
	}
	place_label(g, l->head);
	if (l->alike)
		line(g, ".pragma \"nounroll\"");
	if (l->marker % 3)
		stmt_marker(g, "begin", "iteration", l->marker);
	if (l->top) {
		before_test(g, l);
		emit_test(g, l, p, true);
		line(g, "@%%p%u bra \t$L%u", p, l->end);
	}
	body(g, l);
	go_on(g, l);
	if (l->top || l->falls) {
		emit_test(g, l, p, true);
		if (!l->top)
			line(g, "@%%p%u bra \t$L%u", p, l->end);
		line(g, "bra.uni \t$L%u", l->head);
	} else {
		emit_test(g, l, p, false);
		line(g, "@%%p%u bra \t$L%u", p, l->head);
	}
}

/* The loop between its markers. */
static void
annotated(Gen *g, Inner *l)
{
	stmt_marker(g, "begin", "for-var", l->marker);
	loop(g, l);
	place_label(g, l->end);
	stmt_marker(g, "end", "for-var", l->marker);
}

/* After the function's return. */
static void
annotated_far(Gen *g, Inner *l)
{
	Buf *here = g->body;
	uint32_t far = label(g), back = label(g);

	line(g, "bra.uni \t$L%u", far);
	g->body = g->tail;
	place_label(g, far);
	annotated(g, l);
	line(g, "bra.uni \t$L%u", back);
	g->body = here;
	place_label(g, back);
}

/* Chooses a word of the input for the bound. */
static void
reload(Gen *g, Inner *l)
{
	uint32_t offset = fresh(g, B64);

	l->reload = fresh(g, B64);
	l->from = fresh(g, l->wide ? B64 : B32);
	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, 4", offset, expr_small(g, GEN_IN_WORDS - 1));
	line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", l->reload, g->in, offset);
	line(g, "mov.b%u \t%s%u, %s%u", l->wide ? 64 : 32, l->wide ? "%rd" : "%r", l->from,
		l->wide ? "%rd" : "%r", l->index);
}

/* Selects newer properties of inner loops. */
static void
extend_loop(Gen *g, Inner *l)
{
	l->turned = l->top && also(g, 50);
	l->body = l->turned ? label(g) : 0;
	l->far = g->tail && g->tail != g->body && also(g, 35);
	if (l->top && !l->wide && also(g, 80)) {
		l->lead = fresh(g, B32);
		line(g, "mov.u32 \t%%r%u, 0", l->lead);
	}
	l->early = also(g, 30);
	/* draws no random number, so other kernels stay as they were */
	if (g->grown && (uint32_t)(g->more >> 40) % 4 == 0)
		reload(g, l);
	l->stores = also(g, 40);
	l->first = l->stores ? fresh(g, l->wide ? B64 : B32) : 0;
	if (l->stores)
		line(g, "mov.b%u \t%s%u, %s%u", l->wide ? 64 : 32, l->wide ? "%rd" : "%r", l->first,
			l->wide ? "%rd" : "%r", l->index);
}

static void
from_index(Gen *g, Inner *l)
{
	l->along = !l->wide && also(g, 50);
	if (!l->along)
		return;
	uint32_t scaled = fresh(g, B64);
	line(g, "mul.wide.s32 \t%%rd%u, %%r%u, %d", scaled, l->index, l->by);
	line(g, "add.s64 \t%%rd%u, %%rd%u, 78187493500", l->other, scaled);
	l->by *= l->step;
}

/* Updates a reduction by two registers, where the other one is the variable after the loop. */
static void
grow_folds(Gen *g, Inner *l)
{
	for (uint32_t i = 0; i < l->nfolds; i++) {
		if (l->top || !also(g, 70))
			continue;
		l->others[i] = flow_fold_into_other(g, &l->folds[i], 0);
		flow_fold_move(g, &l->folds[i], l->others[i], l->folds[i].reg);
	}
}

void
stmt_rounds(Gen *g)
{
	Inner l = { .wide = chance(g, 30),
		.top = chance(g, 20) || also(g, 30),
		.marker = g->nmarkers++,
		.head = label(g),
		.end = label(g) };
	uint32_t over = label(g);

	l.alike = g->rows && l.marker % 2;
	l.compared = chance(g, 25), l.falls = chance(g, 25), l.once = chance(g, 15);
	range(g, &l);
	extend_loop(g, &l);
	if (chance(g, 40)) {
		l.other = fresh(g, B64);
		l.by = 1 + (int)below(g, 12);
		expr_to(g, B64, l.other);
		from_index(g, &l);
	}
	for (; l.nfolds < MAX_INNER_FOLDS &&
		(chance(g, 35) || also(g, 40) || (g->rows && !l.nfolds));
		l.nfolds++)
		flow_fold_begin(g, &l.folds[l.nfolds]);
	grow_folds(g, &l);
	l.quiet = (g->grown && l.nfolds && g->labels % 3 == 0) || (g->rows && chance(g, 70));
	if (chance(g, 40))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 40), over);
	if (l.far)
		annotated_far(g, &l);
	else
		annotated(g, &l);
	place_label(g, over);
	for (uint32_t i = 0; i < l.nfolds; i++) {
		l.folds[i].reg = l.others[i] ? l.others[i] : l.folds[i].reg;
		flow_fold_end(g, &l.folds[i]);
	}
	if (l.lead)
		stmt_update_by(g, B32, l.lead);
	if (l.stores)
		stmt_update_by(g, B64, stmt_load_own(g));
	if (chance(g, 25))
		value_add(g, l.wide ? B64 : B32, l.index, FIXED);
	if (l.by && chance(g, 25))
		value_add(g, B64, l.other, FIXED);
}
