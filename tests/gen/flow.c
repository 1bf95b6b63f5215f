/* SPDX-License-Identifier: MIT */
/* Live-outs of a path: a value that it computes and the rest of the iteration reads, or a
 * reduction of the loop. */
#include <stdio.h>
#include <string.h>
#include "tests/gen/inner.h"

/* Generates a statement that computes the value from values that its owner has at the entry, or
 * from values that the path computes from these. guard: 0 or a predicate. */
static void
write_owned(Gen *g, const Value *v, uint32_t guard)
{
	bool itself = v->ty == B32 && chance(g, 50) && !g->together; /* which is also a reduction */
	uint32_t from = itself ? v->reg : chance(g, 50) ? g->item : g->gid;
	char at[24] = "";
	if (chance(g, 30)) {
		uint32_t t = fresh(g, B32);
		line(g, "mad.lo.s32 \t%%r%u, %%r%u, 5, %%r%u", t, from, g->x);
		from = t;
	}
	if (guard)
		snprintf(at, sizeof at, "@%s%%p%u ", chance(g, 50) ? "!" : "", guard);
	if (v->ty == B32)
		line(g, "%sadd.s32 \t%%r%u, %%r%u, 7", at, v->reg, from);
	else
		line(g, "%smul.wide.u32 \t%%rd%u, %%r%u, 7", at, v->reg, from);
}

/* The same several times, at least once; the owner does not know the number. */
static void
write_in_loop(Gen *g, const Value *v)
{
	uint32_t trip = expr_small(g, 3), k = fresh(g, B32), p = fresh(g, PRED), head = label(g);
	line(g, "mov.u32 \t%%r%u, 0", k);
	place_label(g, head);
	write_owned(g, v, 0);
	line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
	line(g, "setp.lt.u32 \t%%p%u, %%r%u, %%r%u", p, k, trip);
	line(g, "@%%p%u bra \t$L%u", p, head);
}

/* No other statement of the path may write the value, hence its kind. */
Value *
flow_out(Gen *g, uint8_t *kind)
{
	if (g->jumps) {
		Value *any = value_to_write(g, chance(g, 60) ? B32 : B64);
		if (any) {
			*kind = any->kind;
			expr_to(g, (Ty)any->ty, any->reg);
		}
		return any;
	}
	g->place = REST;
	Value *v = chance(g, 20) ? value_to_write(g, chance(g, 60) ? B32 : B64) : NULL;
	g->place = PATH;
	if (!v)
		return NULL;
	*kind = v->kind;
	v->kind = FIXED;
	uint32_t how = below(g, 10), over = label(g);
	if (how == 0) {
		write_owned(g, v, expr_cond(g, 50));
	} else if (how == 1) {
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 50), over);
		write_owned(g, v, 0);
		place_label(g, over);
	} else if (how == 2) {
		write_in_loop(g, v);
	} else {
		write_owned(g, v, 0);
	}
	return v;
}

void
flow_out_truly(Gen *g)
{
	for (uint32_t i = 0; i < g->nvalues; i++) {
		uint32_t reg = g->values[i].reg;
		if (g->values[i].kind == CARRIED && g->values[i].ty == B32) {
			line(g, "xor.b32 \t%%r%u, %%r%u, %%r%u", reg, reg, value_any(g, B32));
			return;
		}
	}
}

/* ---- reductions ---------------------------------------------------------------------------- */

/* The forms of a reduction: with a value `v`, or two; old and new: the variable before and after.
 * exact: only for small integers, whose floating-point sums do not depend on the order. */
static const struct { Ty ty; bool exact; const char *ways[4];
} rows[] = {
	{ B32, false,
		{ "add.s32 \tnew, old, v", "add.u32 \tnew, v, old", "sub.s32 \tnew, old, v",
			"mad.lo.s32 \tnew, v, w, old" } },
	{ B32, false, { "min.s32 \tnew, old, v", "min.s32 \tnew, v, old" } },
	{ B32, false, { "max.s32 \tnew, old, v" } },
	{ B32, false, { "min.u32 \tnew, old, v" } },
	{ B32, false, { "max.u32 \tnew, v, old" } },
	{ B32, false, { "and.b32 \tnew, v, old" } },
	{ B32, false, { "or.b32 \tnew, v, old" } },
	{ B32, false, { "xor.b32 \tnew, old, v" } },
	{ B64, false,
		{ "add.s64 \tnew, old, v", "sub.s64 \tnew, old, v",
			"mad.lo.s64 \tnew, v, w, old" } },
	{ B64, false, { "min.s64 \tnew, old, v" } },
	{ B64, false, { "max.s64 \tnew, v, old" } },
	{ B64, false, { "min.u64 \tnew, old, v" } },
	{ B64, false, { "max.u64 \tnew, v, old" } },
	{ B64, false, { "and.b64 \tnew, v, old" } },
	{ B64, false, { "or.b64 \tnew, v, old" } },
	{ B64, false, { "xor.b64 \tnew, old, v" } },
	{ F32, true,
		{ "add.f32 \tnew, old, v", "sub.f32 \tnew, old, v",
			"fma.rn.f32 \tnew, v, v, old" } },
	{ F32, false, { "min.f32 \tnew, old, v" } },
	{ F32, false, { "max.f32 \tnew, v, old" } },
	{ F64, true,
		{ "add.f64 \tnew, old, v", "sub.f64 \tnew, old, v",
			"fma.rn.f64 \tnew, v, v, old" } },
	{ F64, false, { "min.f64 \tnew, old, v" } },
	{ F64, false, { "max.f64 \tnew, v, old" } },
};
enum { ROWS = sizeof rows / sizeof *rows, WORDS = 8 };
/* The number of the operation of stmt_update for the row, if there is one. */
static const struct { uint32_t row, update; } totals[] = { { 0, 0 }, { 1, 2 }, { 4, 1 }, { 6, 4 },
	{ 7, 3 }, { 8, 0 }, { 14, 4 }, { 15, 3 }, { 16, 0 }, { 19, 0 } };
enum { TOTALS = sizeof totals / sizeof *totals };

/* An integer below 64, as a floating-point number. */
static uint32_t
small_integer(Gen *g, Ty ty)
{
	uint32_t r = fresh(g, B32), d = fresh(g, ty);

	line(g, "and.b32 \t%%r%u, %%r%u, 63", r, value_any(g, B32));
	line(g, "cvt.rn.%s.u32 \t%s%u, %%r%u", ty == F32 ? "f32" : "f64", reg_name(ty), d, r);
	return d;
}

static uint32_t
folded(Gen *g, uint32_t row)
{
	return rows[row].exact ? small_integer(g, rows[row].ty) : value_any(g, rows[row].ty);
}

/* Folds once, from one register into another. */
static void
fold_once(Gen *g, uint32_t row, uint32_t to, uint32_t from, const char *guard)
{
	uint32_t v = folded(g, row), w = folded(g, row), n = 1;
	const char *reg = reg_name(rows[row].ty);

	while (n < 4 && rows[row].ways[n])
		n++;
	buf_printf(g->body, "\t%s", guard);
	for (const char *s = rows[row].ways[below(g, n)]; *s; s++)
		if (strncmp(s, "new", 3) == 0 || strncmp(s, "old", 3) == 0) {
			buf_printf(g->body, "%s%u", reg, *s == 'n' ? to : from);
			s += 2;
		} else if ((*s == 'v' || *s == 'w') && s[-1] == ' ') {
			buf_printf(g->body, "%s%u", reg, *s == 'v' ? v : w);
		} else {
			buf_putc(g->body, *s);
		}
	buf_puts(g->body, ";\n");
}

static void
begin_fold(Gen *g, Fold *f, uint32_t row)
{
	f->row = row;
	Ty ty = rows[f->row].ty;
	f->reg = ty == F32 || ty == F64 ? small_integer(g, ty) : fresh(g, ty);
	if (ty == B32 || ty == B64)
		expr_to(g, ty, f->reg);
}

void
flow_fold_begin(Gen *g, Fold *f)
{
	begin_fold(g, f,
		below(g, g->rows ? WORDS : ROWS)); /* reductions of words are always possible */
}

void
flow_folds(Gen *g)
{
	for (g->nfolds = 0; g->nfolds < MAX_FOLDS &&
		((g->together && !g->nfolds) || chance(g, g->pair || also(g, 50) ? 75 : 30));
		g->nfolds++)
		begin_fold(g, &g->folds[g->nfolds],
			g->together ? totals[below(g, TOTALS)].row : below(g, ROWS));
}

void
flow_fold_one(Gen *g, const Fold *f)
{
	fold_once(g, f->row, f->reg, f->reg, "");
}

void
flow_fold_move(Gen *g, const Fold *f, uint32_t to, uint32_t from)
{
	Ty ty = rows[f->row].ty;

	line(g, "mov.b%u \t%s%u, %s%u", ty == B32 || ty == F32 ? 32U : 64U, reg_name(ty), to,
		reg_name(ty), from);
}

uint32_t
flow_fold_into_other(Gen *g, const Fold *f, uint32_t other)
{
	other = other ? other : fresh(g, rows[f->row].ty);
	fold_once(g, f->row, other, f->reg, "");
	return other;
}

void
flow_fold_end(Gen *g, const Fold *f)
{
	value_add(g, rows[f->row].ty, f->reg, FIXED);
	if (g->rows || also(g, 80))
		stmt_update_by(g, rows[f->row].ty, f->reg);
}

void
flow_fold(Gen *g)
{
	const Fold *f = &g->folds[below(g, g->nfolds)];
	Ty ty = rows[f->row].ty;
	uint32_t how = below(g, 12), other = fresh(g, ty);
	char guard[24] = "";

	if (how == 0 && !g->together) /* the loop reads it */
		value_add(g, ty, f->reg, LOCAL);
	if (how == 1)
		snprintf(guard, sizeof guard, "@%s%%p%u ", chance(g, 50) ? "!" : "",
			value_any(g, PRED));
	if (how == 2 || how == 3) { /* by another register */
		if (how == 2)
			flow_fold_move(g, f, other, f->reg);
		else
			fold_once(g, f->row, other, f->reg, "");
		fold_once(g, f->row, f->reg, other, "");
	} else {
		fold_once(g, f->row, f->reg, f->reg, guard);
	}
}

/* The results of all lanes are combined, so that the share of each lane is not visible. */
static void
total(Gen *g, const Fold *f)
{
	static const char *const words[TY_COUNT] = { NULL, "mov.u32", "cvt.u32.u64",
		"cvt.rzi.s32.f32", "cvt.rzi.s32.f64" };
	Ty ty = rows[f->row].ty;
	uint32_t r = fresh(g, B32), k = 0;

	while (totals[k].row != f->row)
		k++;
	line(g, "%s \t%%r%u, %s%u", words[ty], r, reg_name(ty), f->reg);
	stmt_update_total(g, totals[k].update, r);
}

void
flow_folds_end(Gen *g)
{
	for (; g->nfolds; g->nfolds--)
		if (g->together)
			total(g, &g->folds[g->nfolds - 1]);
		else
			flow_fold_end(g, &g->folds[g->nfolds - 1]);
}
