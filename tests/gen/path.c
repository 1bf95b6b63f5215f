/* SPDX-License-Identifier: MIT */
/* The paths of an annotated loop, and the branches to them. See loop.h. */
#include "tests/gen/loop.h"

/* A section of the path that precedes its beginning in the text. */
static void
path_part(Gen *g, Buf *elsewhere)
{
	Buf *here = g->body;
	uint32_t part = label(g), back = label(g);
	line(g, "bra.uni \t$L%u", part);
	g->body = elsewhere;
	place_label(g, part);
	stmt_some(g, 2);
	line(g, "bra.uni \t$L%u", back);
	g->body = here;
	place_label(g, back);
}

static void path_inside(Gen *g, const Loop *l);

/* Code that detects whether look-ahead selects the right iterations, and executes them once and in
 * order: counts in memory, and a state that each execution changes. */
static void
stmt_turn(Gen *g, const Loop *l)
{
	uint32_t half = fresh(g, B32);
	const Value counts[] = { { .ty = B64, .reg = l->wide }, { .ty = B32, .reg = l->word },
		{ .ty = B32, .reg = half } };

	if (l->word)
		line(g, "cvt.u32.u16 \t%%r%u, %%rs%u", half, l->half);
	for (uint32_t i = 0; i < 3 && l->word; i++)
		stmt_store_value(g, &counts[i]);
	for (uint32_t i = 0; i < g->nvalues; i++)
		if (g->values[i].kind == STATE && g->values[i].ty == B32)
			line(g, "mad.lo.s32 \t%%r%u, %%r%u, 5, %%r%u", g->values[i].reg,
				g->values[i].reg, g->item);
}

/* Stores a 64-bit induction variable with a register step to the path's own word. */
static void
stmt_count(Gen *g, const Loop *l)
{
	uint32_t was = g->at;

	if (!g->at)
		stmt_address(g);
	line(g, "st.global.u64 \t[%%rd%u+%u], %%rd%u", g->at, 8 * (2 + g->path), l->wide);
	g->at = was;
}

/* Code that may become the beginning of the path, without effects that only a path may have. */
static void
pure_prefix(Gen *g)
{
	for (uint32_t n = 6; n; n--) {
		uint32_t a = value_any(g, B32), r = fresh(g, B32);
		line(g, "mad.lo.s32 \t%%r%u, %%r%u, 3, %%r%u", r, a, value_any(g, B32));
		value_add(g, B32, r, LOCAL);
	}
}

/* A statement in which otherwise equal paths differ. */
static void
own_number(Gen *g, const Loop *l, uint32_t path)
{
	uint32_t r = fresh(g, B32);

	line(g, "add.s32 \t%%r%u, %%r%u, %u", r, l->i, 977 * path);
	value_add(g, B32, r, LOCAL);
}

/* Loads from consecutive addresses; code between them depends only on these loads. */
static void
head(Gen *g)
{
	uint32_t x = fresh(g, B32), from = fresh(g, B64), at = fresh(g, B64);

	line(g, "mov.u32 \t%%r%u, %%tid.x", x);
	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, 4", at, x);
	line(g, "mov.u64 \t%%rd%u, table", from);
	line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, at, from);
	for (uint32_t n = 1 + g->salt / 64 % 3; n; n--) {
		uint32_t r = fresh(g, B32);
		line(g, "ld.global.u32 \t%%r%u, [%%rd%u+%u]", r, at, 4 * (100 + 111 * n));
		value_add(g, B32, r, LOCAL);
	}
}

/* elsewhere: where a section of it may be placed; NULL: nowhere. */
static void
path(Gen *g, const Loop *l, Buf *elsewhere)
{
	static const char *const kinds[] = { "if", "if", "path" };
	const char *kind = g->in_switch ? "case" : kinds[below(g, 3)];
	if (g->delays && g->path < 2 && !g->inside)
		kind = g->arms % 4 ? "delay" : "predict";
	if (g->unifies && g->path < 2 && !g->inside)
		kind = "unify";
	if (g->waits && g->in_switch)
		kind = "delay";
	uint32_t scope = g->nvalues, at = g->at, me = g->path;
	uint8_t was = 0;
	g->place = PREFIX;
	if (chance(g, 30))
		stmt_some(g, 1 + below(g, 3));
	else if (chance(g, 10)) /* may be the beginning of the path, without a store */
		for (uint32_t n = 6; n; n--)
			expr_new(g, B32);
	else if (also(g, 30))
		pure_prefix(g);
	stmt_marker(g, "begin", kind, l->marker + 1 + me);
	g->place = PATH;
	if (has_head(g, kind))
		head(g);
	g->fuel += 8;
	if (l->copied)
		line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", l->copy, l->i);
	if (g->shares)
		own_number(g, l, me);
	Value *v = g->ordered ? NULL : flow_out(g, &was);
	stmt_some(g, 2 + below(g, 10));
	if (elsewhere)
		path_part(g, elsewhere);
	bool full = g->paths == 1 || g->shares || (g->waits && !chance(g, 15));
	for (uint32_t n = full ? 0 : below(g, 3); n && g->inside < 2; n--)
		path_inside(g, l);
	if (chance(g, 3))
		stmt_small_site(g);
	if (g->steps && chance(g, 25))
		stmt_steps(g);
	else if (chance(g, g->joins ? 70 : 10))
		stmt_rounds(g);
	if (g->nfolds && (g->together || also(g, 50)))
		flow_fold(g);
	for (uint32_t n = below(g, 3); n; n--)
		stmt_store(g);
	if (g->item && turns(g, 60))
		stmt_turn(g, l);
	if (g->item && l->wide && !l->word)
		stmt_count(g, l);
	stmt_store_many(g);
	if (!g->ordered && chance(g, 1) && !g->together)
		flow_out_truly(g);
	if (g->settled && !g->inside && me < 2)
		line(g, "xor.b32 \t%%r%u, %%r%u, %u", g->settled, value_any(g, B32), 3 + me);
	if (v)
		v->kind = was;
	g->flows = v ? (uint32_t)(v - g->values) + 1 : 0;
	stmt_marker(g, "end", kind, l->marker + 1 + me);
	g->place = g->inside ? PATH : REST;
	g->path = g->inside ? g->around : me;
	g->nvalues = scope;
	g->at = at;
	values_bury(g);
	if (chance(g, 10))
		stmt_some(g, 1);
	g->nvalues = scope;
}

void
path_flow(Gen *g, uint32_t n)
{
	if (g->flows && g->flows <= n && g->values[g->flows - 1].ty != TY_COUNT)
		stmt_store_value(g, &g->values[g->flows - 1]);
}

/* A path nested in the current one, if the loop may have one more; its results may be live in the
 * rest of the outer path. */
static void
path_inside(Gen *g, const Loop *l)
{
	uint32_t over = label(g), me = g->path, around = g->around, flows = g->flows;
	Buf *here = g->body;

	if (g->next_path == g->paths)
		return;
	if (here != g->tail && also(g, 30)) {
		uint32_t far = label(g);
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 50), far);
		g->body = g->tail;
		place_label(g, far);
	} else {
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 50), over);
	}
	g->inside++;
	g->around = me;
	g->path = g->next_path++;
	bool in_switch = g->in_switch;
	g->in_switch = false;
	path(g, l, NULL);
	g->in_switch = in_switch;
	g->inside--;
	g->around = around;
	g->path = me;
	if (g->body != here)
		line(g, "bra.uni \t$L%u", over);
	g->body = here;
	place_label(g, over);
	path_flow(g, g->nvalues);
	g->flows = flows;
}

/* A path that is placed after the loop. */
static void
path_far(Gen *g, Loop *l, uint32_t at)
{
	Buf *body = g->body;
	bool parts = chance(g, 40);
	if (l->copied)
		line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", l->copy, l->i);
	if (parts)
		line(g, "bra.uni \t$L%u", l->rest);
	g->body = &l->tail;
	place_label(g, at);
	path(g, l, parts ? body : NULL);
	line(g, "bra.uni \t$L%u", l->rest);
	g->body = body;
}

/* Another path on the other side of the branch to the first one, possibly with its own
 * condition. */
static void
else_path(Gen *g, Loop *l)
{
	uint32_t over = label(g), flows = g->flows;
	bool chain = !g->plain && chance(g, 50);

	if (chain)
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 50), over);
	g->path = g->delays || g->unifies ? 1 : g->next_path++;
	path(g, l, NULL);
	g->path = 0;
	g->flows = flows;
	if (chain)
		place_label(g, over);
}

static void
path_near(Gen *g, Loop *l, uint32_t other, uint32_t scope)
{
	path(g, l, also(g, 60) ? &l->tail : NULL);
	g->nvalues = scope;
	if (l->has_else)
		line(g, "bra.uni \t$L%u", !l->copied && chance(g, 25) ? l->again : l->rest);
	if (l->first)
		line(g, "bra.uni \t$L%u", l->begin);
	place_label(g, other);
	if (l->copied)
		line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", l->copy, l->i);
	g->place = REST;
	if (l->has_else && (g->delays || g->unifies || g->next_path < g->paths))
		else_path(g, l);
	else if (l->has_else && !g->plain)
		stmt_some(g, 1);
	g->nvalues = scope;
}

void
path_or_not(Gen *g, Loop *l)
{
	uint32_t p = expr_cond(g, 5 + below(g, 90)), other = label(g), scope = g->nvalues,
		 inside = label(g);
	const char *not = chance(g, 30) ? "!" : "";
	if (!l->inline_path) {
		line(g, "@%s%%p%u bra \t$L%u", not, p, other);
		path_far(g, l, other);
		place_label(g, l->rest);
		return;
	}
	bool either = chance(g, 8);
	if (either) /* a || b */
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 30), inside);
	line(g, "@%s%%p%u bra \t$L%u", not, p, l->first ? l->begin : other);
	if (chance(g, 10)) { /* a && b */
		stmt_some(g, 1);
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 30), l->first ? l->begin : other);
	}
	if (either)
		g->nvalues = scope;
	place_label(g, inside);
	path_near(g, l, other, scope);
	place_label(g, l->rest);
}

/* Branches from the switch's begin to its cases, by a table or by comparisons; other values branch
 * to `end`. */
static void
dispatch(Gen *g, uint32_t n, uint32_t first, uint32_t end)
{
	uint32_t index = expr_small(g, 7), p = fresh(g, PRED), table = label(g),
		 wanted = fresh(g, B32);

	if (chance(g, 30)) {
		line(g, "rem.u32 \t%%r%u, %%r%u, %u", wanted, index, n + 1);
		buf_printf(g->body, "\tts%u: .branchtargets ", table);
		for (uint32_t k = 0; k < n; k++)
			buf_printf(g->body, "$L%u, ", first + k);
		buf_printf(g->body, "$L%u;\n", chance(g, 50) ? end : first);
		line(g, "brx.idx \t%%r%u, ts%u", wanted, table);
		return;
	}
	for (uint32_t k = 0; k < n; k++) {
		p = fresh(g, PRED);
		line(g, "setp.eq.s32 \t%%p%u, %%r%u, %u", p, index, k);
		line(g, "@%%p%u bra \t$L%u", p, first + k);
	}
	line(g, "bra.uni \t$L%u", chance(g, 60) ? end : first + below(g, n));
}

void
path_cases(Gen *g, Loop *l)
{
	uint32_t n = 1 + below(g, g->paths), scope = g->nvalues, number = l->marker + 1 + GEN_PATHS,
		 end = label(g);
	uint32_t first = g->labels + 1;

	n = g->waits || g->shares ? g->paths : n;
	for (uint32_t k = 0; k < n; k++)
		label(g);
	if (!g->waits)
		stmt_marker(g, "begin", "switch", number);
	dispatch(g, n, first, end);
	uint64_t state = g->state;
	for (uint32_t k = 0; k < n; k++) {
		g->state = g->alike ? state : g->state;
		place_label(g, first + k);
		if (k && g->next_path == g->paths) /* nested ones have used the numbers */
			continue;
		g->path = k ? g->next_path++ : 0;
		g->in_switch = true;
		path(g, l, NULL);
		g->in_switch = false;
		g->path = 0;
		g->nvalues = scope;
		if (chance(g, 75) || g->shares)
			line(g, "bra.uni \t$L%u", end);
	}
	place_label(g, end);
	if (!g->waits)
		stmt_marker(g, "end", "switch", number);
	place_label(g, l->rest);
}

void
path_behind(Gen *g, Loop *l)
{
	uint32_t over = label(g), scope = g->nvalues;
	bool always = chance(g, 10);

	g->place = REST;
	if (!always)
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 50), over);
	g->path = g->next_path++;
	path(g, l, NULL);
	g->path = 0;
	place_label(g, over);
	g->nvalues = scope;
}

bool
path_go_on(Gen *g, const Loop *l)
{
	uint32_t over = label(g);
	if (l->copied || l->first || g->plain || !chance(g, 22))
		return false;
	if (chance(g, 25)) {
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 75), over);
		count_on(g, l);
		if (!l->top)
			line(g, "bra.uni \t$L%u", l->end);
		place_label(g, over);
		return false;
	}
	bool to_rest = chance(g, 30);
	line(g, "@%%p%u bra \t$L%u", expr_cond(g, 25), to_rest ? l->rest : l->again);
	return to_rest;
}
