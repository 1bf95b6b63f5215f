/* SPDX-License-Identifier: MIT */
/* An annotated loop: how it counts, how it exits, where its path is. */
#include "tests/gen/loop.h"

static const char *
loop_kind(const Gen *g)
{
	return g->assigns ? "assign" : "for";
}

/* ---- ways out ---------------------------------------------------------------------------- */

/* Possibly a branch out of the loop. */
static void
emit_exit(Gen *g, Loop *l, uint32_t percent)
{
	if (l->nout == MAX_WAYS_OUT || !chance(g, percent) ||
		(g->assigns && g->place != OUTSIDE && !chance(g, 2)))
		return;
	Way_out *o = &l->out[l->nout];
	bool negated = chance(g, 40);
	uint32_t p = expr_cond(g, negated ? 92 : 8);
	const char *not = negated ? "!" : "";
	if (!g->together && chance(g, 8)) {
		line(g, "@%s%%p%u exit", not, p);
		return;
	}
	o->kind = (Out_kind)below(g, g->together ? OUT_RETURN : OUT_RETURN + 1);
	o->label = o->kind == OUT_END ? l->end : label(g);
	o->nvalues = g->nvalues;
	o->values = l->saved[l->nout++];
	for (uint32_t i = 0; i < g->nvalues; i++)
		o->values[i] = g->values[i];
	line(g, "@%s%%p%u bra \t$L%u", not, p, o->label);
}

/* After the loop, for one of the thread's own iterations. */
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

/* The targets of exit branches, each with the values in scope at its branch. */
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
			stmt_marker(g, "end", loop_kind(g), l->marker);
		g->fuel += 2;
		read_behind(g, l);
		stmt_some(g, 1 + below(g, 2));
		stmt_last(g);
		if (!first)
			stmt_marker(g, "end", loop_kind(g), l->marker);
		if (o->kind == OUT_RETURN)
			line(g, "ret");
		else
			line(g, "bra.uni \t$L%u", l->after);
	}
	g->nvalues = n;
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* Loop-carried values that are live after the loop. */
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

/* Iterations that other lanes execute write no loop-carried value. */
static void
freeze(Gen *g)
{
	for (uint32_t i = 0; g->assigns && i < g->nvalues; i++)
		g->values[i].kind = FIXED;
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
		/* After its last item there is no memory. */
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
		count_step(g, l, l->next);
		count_test(g, l, l->more, l->next);
	}
	if (g->flat)
		stmt_loop(g);
	stmt_some(g, 1 + below(g, 6));
	uint32_t known = g->nvalues; /* on every path of control to the rest */
	bool to_rest = path_go_on(g, l);
	if (chance(g, 20))
		stmt_some(g, 1);
	emit_exit(g, l, 18);
	if (!to_rest)
		known = g->nvalues;
	if (l->first) {
		count_step(g, l, l->i);
		count_more(g, l);
		if (l->trip == SHIFT)
			line(g, "shr.u32 \t%%r%u, %%r%u, 1", l->limit, l->limit);
	}
	g->settled = g->unifies && !l->first && also(g, 50) ? fresh(g, B32) : 0;
	if (g->settled)
		line(g, "mov.u32 \t%%r%u, 7", g->settled);
	if (g->cases && g->paths > 1 && !l->first && !l->copied)
		path_cases(g, l);
	else
		path_or_not(g, l);
	g->nvalues = known;
	g->place = REST;
	if (!l->first)
		path_flow(g, known);
	if (g->settled) {
		const Value v = { .ty = B32, .reg = g->settled };
		stmt_store_value(g, &v);
	}
	while (g->next_path < g->paths && chance(g, 80))
		path_behind(g, l);
	if (g->steps && !l->first && chance(g, 60))
		stmt_steps(g);
	else if (!l->first && ((!g->plain && chance(g, 40)) || also(g, 35) || g->rows))
		stmt_rounds(g);
	if (!l->first && chance(g, 70))
		stmt_some(g, 1 + below(g, 4));
	if (!g->plain && !l->first && !g->looks && chance(g, 4))
		stmt_small_site(g);
	if (!l->first)
		emit_exit(g, l, 18);
	place_label(g, l->again);
	count_on(g, l);
	g->nvalues = scope;
	g->item = g->at = 0;
}

static Loop
loop_choose(Gen *g)
{
	Loop l = {0};
	l.trip = (Trip)below(g, 3);
	l.top = chance(g, 30) && (!g->assigns || chance(g, 5));
	l.negated = chance(g, 40);
	l.falls = chance(g, 20);
	if (g->looks && l.trip == SHIFT && chance(g, 90))
		l.trip = COUNT;
	l.copied = l.trip == STRIDE && chance(g, 12) && !g->looks && !g->assigns;
	l.early = !l.copied && l.trip != SHIFT && chance(g, 20);
	l.first = l.top && !l.copied && !l.early && chance(g, 30);
	l.once = !l.top && l.trip == COUNT && chance(g, 25);
	l.turned = l.top && also(g, 50);
	l.inline_path = l.first || g->unifies || (chance(g, 85) && !also(g, 30));
	g->paths = l.first || chance(g, g->cases ? 10 : 60) ? 1 : 2 + below(g, GEN_PATHS - 1);
	g->next_path = 1;
	l.has_else = l.copied || (!l.first && chance(g, g->paths > 1 ? 40 : 15));
	if (g->unifies)
		g->paths = l.first ? 1 : chance(g, 80) ? 2 : 3;
	if ((g->delays || g->unifies) && !l.first) {
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
	/* several paths, and no other branch */
	if (!g->cases && !l.first && !l.copied && also(g, 30)) {
		g->paths = 2 + g->paths % 2;
		g->plain = !g->flat;
	}
	return l;
}

/* The code between the begin marker and the iteration. */
static void
loop_start(Gen *g, Loop *l, bool counting)
{
	uint32_t p = fresh(g, PRED);
	stmt_marker(g, "begin", loop_kind(g), l->marker);
	if (!counting)
		count_start(g, l);
	if (!l->top && !l->once) {
		count_test(g, l, p, l->i);
		count_end(g, l, p);
	}
	if (chance(g, 50))
		expr_uniform(g);
	if (chance(g, 50))
		stmt_some(g, 1 + below(g, 2));
	emit_exit(g, l, 25);
	if (also(g, 25))
		emit_exit(g, l, 90);
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
	count_test(g, l, p, l->i);
	count_end(g, l, p);
}

/* The test and the back edge of a rotated loop. */
static void
loop_bottom(Gen *g, const Loop *l)
{
	uint32_t p = fresh(g, PRED);

	place_label(g, l->begin);
	count_test(g, l, p, l->i);
	line(g, "@%s%%p%u bra \t$L%u", l->negated ? "!" : "", p, l->body);
}

void
site_loop(Gen *g, Buf *tail)
{
	Loop l = loop_choose(g);
	bool counting = chance(g, 50), before = chance(g, 50);
	carried(g);
	if (!g->assigns)
		flow_folds(g);
	if (counting)
		count_start(g, &l);
	uint32_t scope = g->nvalues;
	g->tail = &l.tail;
	loop_start(g, &l, counting);
	if (l.marker % 2)
		stmt_marker(g, "begin", "iteration", l.marker);
	freeze(g);
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
	stmt_marker(g, "end", loop_kind(g), l.marker);
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

/* A whole annotated loop in a path or in the rest of an iteration: the outer one is transformed,
 * the inner one is not. */
void
stmt_small_site(Gen *g)
{
	uint32_t scope = g->nvalues, k = fresh(g, B32), p = fresh(g, PRED), head = label(g),
		 over = label(g), n = g->nmarkers;
	uint32_t trip = expr_small(g, 7);
	g->nmarkers += 2;
	line(g, "mov.u32 \t%%r%u, 0", k);
	stmt_marker(g, "begin", "for", n);
	place_label(g, head);
	if (n % 2)
		stmt_marker(g, "begin", "iteration", n);
	line(g, "@%%p%u bra \t$L%u", expr_cond(g, 60), over);
	stmt_marker(g, "begin", "if", n + 1);
	value_add(g, B32, k, FIXED);
	expr_new(g, B32);
	stmt_update(g);
	stmt_marker(g, "end", "if", n + 1);
	place_label(g, over);
	g->nvalues = scope;
	line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
	line(g, "setp.lt.u32 \t%%p%u, %%r%u, %%r%u", p, k, trip);
	line(g, "@%%p%u bra \t$L%u", p, head);
	stmt_marker(g, "end", "for", n);
}
