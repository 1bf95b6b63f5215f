/* SPDX-License-Identifier: MIT */
/* Inner loops whose iterations run in order, with a trip count that depends on what they
 * compute: `while`. They update sums and reductions; the rest of the iteration may read their
 * final values. */
#include <string.h>
#include "tests/gen/inner.h"

enum { MAX_STATES = 3 };

typedef struct {
	bool top;               /* tested at the top, else at the bottom */
	uint32_t marker, k, limit; /* b32: counts, so that it ends */
	uint32_t head, end;     /* labels */
	/* loop-carried values; the first is a b32 */
	uint32_t x[MAX_STATES]; Ty ty[MAX_STATES]; uint32_t nx;
} Steps;

static void
begin_loop(Gen *g, Steps *l)
{
	static const Ty types[] = { B32, B64, F32, B32, F64, B16 };

	l->nx = 1 + below(g, MAX_STATES);
	for (uint32_t i = 0; i < l->nx; i++) {
		l->ty[i] = i ? types[below(g, sizeof types / sizeof *types)] : B32;
		l->x[i] = fresh(g, l->ty[i]);
		expr_to(g, l->ty[i], l->x[i]);
	}
	l->limit = expr_small(g, chance(g, 25) ? 31 : 7);
	l->k = fresh(g, B32);
}

/* Leaves the loop at its end. */
static void
emit_test(Gen *g, const Steps *l, bool back)
{
	uint32_t p = fresh(g, PRED), q = fresh(g, PRED), bits = fresh(g, B32);

	line(g, "and.b32 \t%%r%u, %%r%u, 15", bits, l->x[0]);
	line(g, "setp.ge.u32 \t%%p%u, %%r%u, %%r%u", p, l->k, l->limit);
	line(g, "setp.eq.or.u32 \t%%p%u, %%r%u, 3, %%p%u", q, bits, p);
	if (back) {
		line(g, "@!%%p%u bra \t$L%u", q, l->head);
		return;
	}
	line(g, "@%%p%u bra \t$L%u", q, l->end);
}

static void
body(Gen *g, const Steps *l)
{
	static const char *const folds[TY_COUNT] = { "add.s16", "add.s32", "add.s64", "add.f32",
		"add.f64", "" };
	uint32_t over = label(g), scope = g->nvalues;

	for (uint32_t i = 0; i < l->nx; i++)
		value_add(g, l->ty[i], l->x[i], FIXED);
	for (uint32_t n = 1 + below(g, 3); n; n--)
		expr_new(g, expr_type(g));
	if (chance(g, 40))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 30), over);
	uint32_t known = g->nvalues;
	stmt_update(g);
	if (g->nfolds && chance(g, 35))
		flow_fold(g);
	place_label(g, over);
	g->nvalues = known;
	if (g->nfolds && chance(g, 30))
		flow_fold(g);
	if (chance(g, 25))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 15), l->end);
	for (uint32_t i = 0; i < l->nx; i++) {
		const char *reg = reg_name(l->ty[i]);
		if (i && chance(g, 20)) /* from another one of this iteration */
			expr_to(g, l->ty[i], l->x[i]);
		else
			line(g, "%s \t%s%u, %s%u, %s%u", folds[l->ty[i]], reg, l->x[i], reg,
				l->x[i], reg, value_any(g, l->ty[i]));
	}
	g->nvalues = scope;
}

void
stmt_steps(Gen *g)
{
	Steps l = {
		.top = chance(g, 40), .marker = g->nmarkers++, .head = label(g), .end = label(g)
	};
	uint32_t over = label(g);

	begin_loop(g, &l);
	if (chance(g, 40))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 40), over);
	stmt_marker(g, "begin", "while", l.marker);
	line(g, "mov.u32 \t%%r%u, 0", l.k);
	if (!l.top && chance(g, 50))
		emit_test(g, &l, false);
	place_label(g, l.head);
	if (l.marker % 3)
		stmt_marker(g, "begin", "iteration", l.marker);
	if (l.top)
		emit_test(g, &l, false);
	body(g, &l);
	line(g, "add.s32 \t%%r%u, %%r%u, 1", l.k, l.k);
	if (l.top)
		line(g, "bra.uni \t$L%u", l.head);
	else
		emit_test(g, &l, true);
	place_label(g, l.end);
	stmt_marker(g, "end", "while", l.marker);
	place_label(g, over);
	for (uint32_t i = 0; i < l.nx && chance(g, 40); i++)
		value_add(g, l.ty[i], l.x[i], FIXED);
}
