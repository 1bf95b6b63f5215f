/* SPDX-License-Identifier: MIT */
/* An annotated loop: how it counts, how it is left, where its path stands. */
#include "tests/gen/inner.h"

enum { MAX_WAYS_OUT = 3 };
typedef enum { OUT_END, OUT_BLOCK, OUT_RETURN } Out_kind;
typedef struct { uint32_t label; Out_kind kind; Value *values; uint32_t nvalues; } Way_out;

/* How the loop goes on: the item's number steps through [gid, n) by the number of threads; or each
 * lane has items of its own, as many as a word of the input says; or as many as a value takes to be
 * shifted to zero. */
typedef enum { STRIDE, COUNT, SHIFT } Trip;

typedef struct {
	Trip trip;
	bool top;               /* tested at the top, not at the bottom behind a guard */
	bool turned;            /* and the top stands at the bottom: the loop is entered there */
	bool early;             /* the next counter and the test are computed before the path */
	/* the counter goes on before the path, whose end goes back to the top */
	bool first;
	bool once;              /* no guard: at least one iteration */
	bool negated;           /* what is tested is the contrary: @!p */
	bool falls;             /* the branch at the bottom leaves the loop */
	/* the loop goes on from a copy of the counter that each way makes (false live-out) */
	bool copied;
	bool inline_path;       /* else it stands behind the loop */
	bool has_else;
	uint32_t marker;        /* of the loop; the paths' are the next ones */
	uint32_t i, limit;      /* b32: counter, where it ends (SHIFT: the value) */
	uint32_t copy;          /* b64 */
	uint32_t next, more;    /* b32, p: with `early` */
	uint32_t wide, half;    /* b64, b16: they count, too; 0: there are none */
	uint32_t word;          /* b32: likewise */
	/* where one of these is in the end, and it is tested in place of the counter; 0: none */
	uint32_t wide_end, word_end;
	bool back;              /* they go down */
	bool equal;             /* the test is for equality */
	uint32_t base;          /* b32: the item's number less the counter */
	/* labels: the loop, behind the path, the counting, the end marker, behind */
	uint32_t begin, rest, again, end, after;
	uint32_t body;          /* the iteration, where the loop is turned */
	Way_out out[MAX_WAYS_OUT]; uint32_t nout;
	Value saved[MAX_WAYS_OUT][MAX_VALUES];
	Buf tail;               /* text that stands behind the function's return */
} Loop;

/* ---- counting ---------------------------------------------------------------------------- */

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

static void
count_start(Gen *g, Loop *l)
{
	bool more = g->looks && chance(g, 40);

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

/* Is there another iteration, the counter being i? With `negated`: is there none? */
static void
test(Gen *g, const Loop *l, uint32_t p, uint32_t i)
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

/* The branch that leaves the loop when there is none. */
static void
branch_end(Gen *g, const Loop *l, uint32_t p)
{
	line(g, "@%s%%p%u bra \t$L%u", l->negated ? "" : "!", p, l->end);
}

/* At the bottom: back to the top when there is one. */
static void
branch_back(Gen *g, const Loop *l, uint32_t p)
{
	if (l->falls) {
		branch_end(g, l, p);
		line(g, "bra.uni \t$L%u", l->begin);
	} else {
		line(g, "@%s%%p%u bra \t$L%u", l->negated ? "!" : "", p, l->begin);
	}
}

static void
step(Gen *g, const Loop *l, uint32_t to)
{
	if (l->trip == STRIDE)
		line(g, "add.s32 \t%%r%u, %%r%u, %%r%u", to, l->i, g->threads);
	else
		line(g, "add.s32 \t%%r%u, %%r%u, 1", to, l->i);
}

static void
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

/* At the end of the iteration, or of one way through it. */
static void
count(Gen *g, const Loop *l)
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
		step(g, l, l->i);
	}
	if (l->trip == SHIFT)
		line(g, "shr.u32 \t%%r%u, %%r%u, 1", l->limit, l->limit);
	if (l->top) {
		line(g, "bra.uni \t$L%u", l->begin);
		return;
	}
	test(g, l, p, l->i);
	branch_back(g, l, p);
}

/* ---- ways out ---------------------------------------------------------------------------- */

/* Perhaps a branch out of the loop. */
static void
leave(Gen *g, Loop *l, uint32_t percent)
{
	if (l->nout == MAX_WAYS_OUT || !chance(g, percent))
		return;
	Way_out *o = &l->out[l->nout];
	bool negated = chance(g, 40);
	uint32_t p = expr_cond(g, negated ? 92 : 8);
	const char *not = negated ? "!" : "";
	if (chance(g, 8)) {
		line(g, "@%s%%p%u exit", not, p);
		return;
	}
	o->kind = (Out_kind)below(g, 3);
	o->label = o->kind == OUT_END ? l->end : label(g);
	o->nvalues = g->nvalues;
	o->values = l->saved[l->nout++];
	for (uint32_t i = 0; i < g->nvalues; i++)
		o->values[i] = g->values[i];
	line(g, "@%s%%p%u bra \t$L%u", not, p, o->label);
}

/* Behind the loop, of an iteration of the thread's own. */
static void
read_behind(Gen *g, const Loop *l)
{
	if (!chance(g, 40))
		return;
	uint32_t item = fresh(g, B32);
	if (l->trip == STRIDE)
		line(g, "add.s32 \t%%r%u, %%r%u, %%r%u", item, l->base, g->gid);
	else
		line(g, "add.s32 \t%%r%u, %%r%u, %u", item, l->base, below(g, 8));
	stmt_read_behind(g, item);
}

/* The blocks that they lead to, each with what was in scope at its branch. */
static void
ways_out(Gen *g, const Loop *l)
{
	uint32_t n = g->nvalues;
	for (uint32_t k = 0; k < l->nout; k++) {
		const Way_out *o = &l->out[k];
		if (o->kind == OUT_END)
			continue;
		for (uint32_t i = n; i < o->nvalues; i++)
			g->values[i] = o->values[i];
		g->nvalues = o->nvalues;
		place_label(g, o->label);
		bool first = chance(g, 50);
		if (first)
			stmt_marker(g, "end", "for", l->marker);
		g->fuel += 2;
		read_behind(g, l);
		stmt_some(g, 1 + below(g, 2));
		stmt_last(g);
		if (!first)
			stmt_marker(g, "end", "for", l->marker);
		if (o->kind == OUT_RETURN)
			line(g, "ret");
		else
			line(g, "bra.uni \t$L%u", l->after);
	}
	g->nvalues = n;
}

/* ---- the path ---------------------------------------------------------------------------- */

/* A part of the path that stands elsewhere in the text, before its beginning. */
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

/* What shows whether lanes that look ahead run the right iterations, once and in order: counts in
 * memory, and a state that each run changes. */
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

/* Enough for the path to begin here, and nothing that only it may do. */
static void
pure_prefix(Gen *g)
{
	for (uint32_t n = 6; n; n--) {
		uint32_t a = value_any(g, B32), r = fresh(g, B32);
		line(g, "mad.lo.s32 \t%%r%u, %%r%u, 3, %%r%u", r, a, value_any(g, B32));
		value_add(g, B32, r, LOCAL);
	}
}

/* elsewhere: where a part of it may stand; NULL: nowhere. */
static void
path(Gen *g, const Loop *l, Buf *elsewhere)
{
	static const char *const kinds[] = { "if", "if", "path" };
	const char *kind = g->in_switch ? "case" : kinds[below(g, 3)];
	if (g->delays && g->path < 2 && !g->inside)
		kind = g->arms % 4 ? "delay" : "predict";
	uint32_t scope = g->nvalues, at = g->at, me = g->path;
	uint8_t was = 0;
	g->place = PREFIX;
	if (chance(g, 30))
		stmt_some(g, 1 + below(g, 3));
	else if (chance(g, 10)) /* enough for the path to begin here, without a store */
		for (uint32_t n = 6; n; n--)
			expr_new(g, B32);
	else if (also(g, 30))
		pure_prefix(g);
	stmt_marker(g, "begin", kind, l->marker + 1 + me);
	g->place = PATH;
	g->fuel += 8;
	if (l->copied)
		line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", l->copy, l->i);
	Value *v = g->ordered ? NULL : flow_out(g, &was);
	stmt_some(g, 2 + below(g, 10));
	if (elsewhere)
		path_part(g, elsewhere);
	for (uint32_t n = g->paths > 1 ? below(g, 3) : 0; n && g->inside < 2; n--)
		path_inside(g, l);
	if (chance(g, 3))
		stmt_small_site(g);
	if (g->steps && chance(g, 25))
		stmt_steps(g);
	else if (chance(g, g->joins ? 70 : 10))
		stmt_rounds(g);
	if (g->nfolds && also(g, 50))
		flow_fold(g);
	for (uint32_t n = below(g, 3); n; n--)
		stmt_store(g);
	if (g->item && turns(g, 60))
		stmt_turn(g, l);
	stmt_store_many(g);
	if (!g->ordered && chance(g, 1))
		flow_out_truly(g);
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

/* Stores what flows out of the last path, if it is among the first n values. */
static void
store_flow(Gen *g, uint32_t n)
{
	if (g->flows && g->flows <= n && g->values[g->flows - 1].ty != TY_COUNT)
		stmt_store_value(g, &g->values[g->flows - 1]);
}

/* A path inside the path at hand, if the loop may have one more: what it computes may flow into the
 * rest of that. */
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
	store_flow(g, g->nvalues);
	g->flows = flows;
}

/* The path behind the loop. */
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

/* Another path where the branch to the first one leads otherwise, perhaps under a condition of its
 * own. */
static void
else_path(Gen *g, Loop *l)
{
	uint32_t over = label(g), flows = g->flows;
	bool chain = !g->plain && chance(g, 50);

	if (chain)
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 50), over);
	g->path = g->delays ? 1 : g->next_path++;
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
	if (l->has_else && (g->delays || g->next_path < g->paths))
		else_path(g, l);
	else if (l->has_else && !g->plain)
		stmt_some(g, 1);
	g->nvalues = scope;
}

/* The branch to the path, and what lies beside it. */
static void
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

/* From the switch's begin to its cases, by a table or by compares; those that it does not name go
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

/* Paths of which an iteration takes one, or where one falls through the next, too. */
static void
case_paths(Gen *g, Loop *l)
{
	uint32_t n = 1 + below(g, g->paths), scope = g->nvalues, number = l->marker + 1 + GEN_PATHS,
		 end = label(g);
	uint32_t first = g->labels + 1;

	for (uint32_t k = 0; k < n; k++)
		label(g);
	stmt_marker(g, "begin", "switch", number);
	dispatch(g, n, first, end);
	for (uint32_t k = 0; k < n; k++) {
		place_label(g, first + k);
		if (k && g->next_path == g->paths) /* those inside have taken the numbers */
			continue;
		g->path = k ? g->next_path++ : 0;
		g->in_switch = true;
		path(g, l, NULL);
		g->in_switch = false;
		g->path = 0;
		g->nvalues = scope;
		if (chance(g, 75))
			line(g, "bra.uni \t$L%u", end);
	}
	place_label(g, end);
	stmt_marker(g, "end", "switch", number);
	place_label(g, l->rest);
}

/* One more annotated path behind the first. */
static void
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

/* Perhaps a `continue`: to the counting, to a copy of it, or only over the path; the last is
 * told. */
static bool
go_on(Gen *g, const Loop *l)
{
	uint32_t over = label(g);
	if (l->copied || l->first || g->plain || !chance(g, 22))
		return false;
	if (chance(g, 25)) {
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 75), over);
		count(g, l);
		if (!l->top)
			line(g, "bra.uni \t$L%u", l->end);
		place_label(g, over);
		return false;
	}
	bool to_rest = chance(g, 30);
	line(g, "@%%p%u bra \t$L%u", expr_cond(g, 25), to_rest ? l->rest : l->again);
	return to_rest;
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* Values that live from iteration to iteration and behind the loop. */
static void
carried(Gen *g)
{
	for (uint32_t n = 1 + below(g, 4); n; n--) {
		Ty ty = expr_type(g);
		uint32_t r = fresh(g, ty);
		expr_to(g, ty, r);
		value_add(g, ty, r, g->looks ? STATE : CARRIED);
	}
}

static void
item_start(Gen *g, const Loop *l)
{
	g->item = fresh(g, B32);
	line(g, "add.s32 \t%%r%u, %%r%u, %%r%u", g->item, l->i, l->base);
	value_add(g, B32, g->item, FIXED);
	value_add(g, B32, l->i, FIXED);
	if (l->wide) {
		value_add(g, B64, l->wide, FIXED);
		value_add(g, B16, l->half, FIXED);
	}
	if (l->word)
		value_add(g, B32, l->word, FIXED);
	if (g->looks && l->trip == COUNT && !l->once && chance(g, 40)) {
		/* Behind its last item there is no memory. */
		uint32_t left = fresh(g, B32), offset = fresh(g, B64), at = fresh(g, B64),
			 r = fresh(g, B32);
		line(g, "sub.s32 \t%%r%u, %%r%u, %%r%u", left, l->i, l->limit);
		line(g, "mul.wide.s32 \t%%rd%u, %%r%u, 4", offset, left);
		line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, g->in, offset);
		line(g, "ld.global.u32 \t%%r%u, [%%rd%u+%u]", r, at, 4 * GEN_IN_WORDS);
		value_add(g, B32, r, LOCAL);
	}
	if (chance(g, 60))
		stmt_address(g);
	g->nmany = 0;
	if (chance(g, 5))
		expr_many(g);
}

static void
iteration(Gen *g, Loop *l)
{
	uint32_t scope = g->nvalues;
	g->place = PROLOG;
	item_start(g, l);
	if (l->early) {
		step(g, l, l->next);
		test(g, l, l->more, l->next);
	}
	if (g->flat)
		stmt_loop(g);
	stmt_some(g, 1 + below(g, 6));
	uint32_t known = g->nvalues; /* on every way to the rest */
	bool to_rest = go_on(g, l);
	if (chance(g, 20))
		stmt_some(g, 1);
	leave(g, l, 18);
	if (!to_rest)
		known = g->nvalues;
	if (l->first) {
		step(g, l, l->i);
		count_more(g, l);
		if (l->trip == SHIFT)
			line(g, "shr.u32 \t%%r%u, %%r%u, 1", l->limit, l->limit);
	}
	if (g->cases && g->paths > 1 && !l->first && !l->copied)
		case_paths(g, l);
	else
		path_or_not(g, l);
	g->nvalues = known;
	g->place = REST;
	if (!l->first)
		store_flow(g, known);
	while (g->next_path < g->paths && chance(g, 80))
		path_behind(g, l);
	if (g->steps && !l->first && chance(g, 60))
		stmt_steps(g);
	else if (!l->first && ((!g->plain && chance(g, 40)) || also(g, 35)))
		stmt_rounds(g);
	if (!l->first && chance(g, 70))
		stmt_some(g, 1 + below(g, 4));
	if (!g->plain && !l->first && !g->looks && chance(g, 4))
		stmt_small_site(g);
	if (!l->first)
		leave(g, l, 18);
	place_label(g, l->again);
	count(g, l);
	g->nvalues = scope;
	g->item = g->at = 0;
}

static Loop
loop_choose(Gen *g)
{
	Loop l = {0};
	l.trip = (Trip)below(g, 3);
	l.top = chance(g, 30);
	l.negated = chance(g, 40);
	l.falls = chance(g, 20);
	if (g->looks && l.trip == SHIFT && chance(g, 90))
		l.trip = COUNT;
	l.copied = l.trip == STRIDE && chance(g, 12) && !g->looks;
	l.early = !l.copied && l.trip != SHIFT && chance(g, 20);
	l.first = l.top && !l.copied && !l.early && chance(g, 30);
	l.once = !l.top && l.trip == COUNT && chance(g, 25);
	l.turned = l.top && also(g, 50);
	l.inline_path = l.first || (chance(g, 85) && !also(g, 30));
	g->paths = l.first || chance(g, g->cases ? 10 : 60) ? 1 : 2 + below(g, GEN_PATHS - 1);
	g->next_path = 1;
	l.has_else = l.copied || (!l.first && chance(g, g->paths > 1 ? 40 : 15));
	if (g->delays && !l.first) {
		l.has_else = true;
		g->next_path = 2;
	}
	l.marker = g->nmarkers;
	g->arms = l.marker + 1;
	g->nmarkers += 2 + GEN_PATHS; /* a switch has the last one */
	l.begin = label(g), l.rest = label(g), l.again = label(g), l.end = label(g),
	l.after = label(g);
	l.body = l.turned ? label(g) : 0;
	l.copy = fresh(g, B64), l.next = fresh(g, B32), l.more = fresh(g, PRED);
	g->jumps = chance(g, 25);
	g->plain = chance(g, g->pair ? 85 : 60) && !g->flat;
	g->plain |= turns(g, 60);
	/* several paths, and no branch else */
	if (!g->cases && !l.first && !l.copied && also(g, 30)) {
		g->paths = 2 + g->paths % 2;
		g->plain = !g->flat;
	}
	return l;
}

/* What stands between the begin marker and the iteration. */
static void
loop_start(Gen *g, Loop *l, bool counting)
{
	uint32_t p = fresh(g, PRED);
	stmt_marker(g, "begin", "for", l->marker);
	if (!counting)
		count_start(g, l);
	if (!l->top && !l->once) {
		test(g, l, p, l->i);
		branch_end(g, l, p);
	}
	if (chance(g, 50))
		expr_uniform(g);
	if (chance(g, 50))
		stmt_some(g, 1 + below(g, 2));
	leave(g, l, 25);
	if (also(g, 25))
		leave(g, l, 90);
	if (l->turned) {
		line(g, "bra.uni \t$L%u", l->begin);
		place_label(g, l->body);
		return;
	}
	place_label(g, l->begin);
	if (chance(g, 50))
		line(g, ".pragma \"nounroll\"");
	if (!l->top)
		return;
	Value *v = chance(g, 20) ? value_to_write(g, B32) : NULL;
	if (v)
		line(g, "add.s32 \t%%r%u, %%r%u, 1", v->reg, v->reg);
	test(g, l, p, l->i);
	branch_end(g, l, p);
}

/* The test of a loop that is turned, and the branch back. */
static void
loop_bottom(Gen *g, const Loop *l)
{
	uint32_t p = fresh(g, PRED);

	place_label(g, l->begin);
	test(g, l, p, l->i);
	line(g, "@%s%%p%u bra \t$L%u", l->negated ? "!" : "", p, l->body);
}

void
site_loop(Gen *g, Buf *tail)
{
	Loop l = loop_choose(g);
	bool counting = chance(g, 50), before = chance(g, 50);
	carried(g);
	flow_folds(g);
	if (counting)
		count_start(g, &l);
	uint32_t scope = g->nvalues;
	g->tail = &l.tail;
	loop_start(g, &l, counting);
	if (l.marker % 2)
		stmt_marker(g, "begin", "iteration", l.marker);
	iteration(g, &l);
	g->tail = NULL;
	if (l.turned)
		loop_bottom(g, &l);
	g->nvalues = scope;
	g->place = OUTSIDE;
	if (before && l.nout) {
		if (!l.top || l.turned)
			line(g, "bra.uni \t$L%u", l.end);
		ways_out(g, &l);
	}
	place_label(g, l.end);
	stmt_marker(g, "end", "for", l.marker);
	if (!before && l.nout) {
		line(g, "bra.uni \t$L%u", l.after);
		ways_out(g, &l);
	}
	place_label(g, l.after);
	flow_folds_end(g);
	read_behind(g, &l);
	if (l.tail.n)
		buf_add(tail, l.tail.at, l.tail.n);
	buf_free(&l.tail);
}
