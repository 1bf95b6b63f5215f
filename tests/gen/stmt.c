/* SPDX-License-Identifier: MIT */
/* Random statements: assignments, stores, updates, branches, loops, switches, calls. */
#include <string.h>
#include "tests/gen/inner.h"

static const char *const moves[TY_COUNT] = { "mov.u16", "mov.u32", "mov.u64", "mov.f32", "mov.f64",
	"mov.pred" };

/* ---- assignments ------------------------------------------------------------------------- */

void
stmt_write(Gen *g)
{
	Ty ty = expr_type(g);
	Value *v = value_to_write(g, ty);
	if (!v) {
		expr_new(g, ty);
		return;
	}
	uint32_t reg = v->reg;
	v->dead |= (g->place == PATH || g->inside) &&
		(g->looks ? v->kind == LOCAL : !g->ordered && !g->jumps);
	if (chance(g, 75)) {
		expr_to(g, ty, reg);
		return;
	}
	uint32_t from = value_any(g, ty), p = value_any(g, PRED);
	const char *not = chance(g, 50) ? "!" : "";
	if (ty == PRED)
		line(g, "@%s%%p%u setp.gt.s32 \t%%p%u, %%r%u, 1000", not, p, reg,
			value_any(g, B32));
	else
		line(g, "@%s%%p%u %s \t%s%u, %s%u", not, p, moves[ty], reg_name(ty), reg,
			reg_name(ty), from);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Converts a value to 64 bits. */
static uint32_t
word_of(Gen *g, Ty ty, uint32_t v)
{
	uint32_t d = fresh(g, B64), r = fresh(g, B32);

	switch (ty) {
	case B16: line(g, "cvt.u64.u16 \t%%rd%u, %%rs%u", d, v); break;
	case B32: line(g, "cvt.u64.u32 \t%%rd%u, %%r%u", d, v); break;
	case B64: return v;
	case F32:
		line(g, "mov.b32 \t%%r%u, %%f%u", r, v);
		line(g, "mov.b64 \t%%rd%u, {%%r%u, %%r%u}", d, r, r);
		break;
	case F64: line(g, "mov.b64 \t%%rd%u, %%fd%u", d, v); break;
	default: line(g, "selp.b64 \t%%rd%u, 3, 5, %%p%u", d, v); break;
	}
	return d;
}

/* One of any type. */
static uint32_t
as_word(Gen *g)
{
	Ty ty = (Ty)below(g, TY_COUNT);

	return word_of(g, ty, value_any(g, ty));
}

/* Combines several values, so that a wrong one is detected. */
static uint32_t
digest(Gen *g)
{
	uint32_t d = fresh(g, B64);
	line(g, "mov.u64 \t%%rd%u, %u", d, below(g, 1000));
	for (uint32_t n = 1 + below(g, 5); n; n--) {
		uint32_t word = as_word(g);
		line(g, "mad.lo.s64 \t%%rd%u, %%rd%u, 31, %%rd%u", d, d, word);
	}
	return d;
}

void
stmt_address(Gen *g)
{
	uint32_t offset = fresh(g, B64);
	g->at = fresh(g, B64);
	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, %u", offset, g->item, 8 * GEN_SLOTS);
	line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", g->at, g->words, offset);
}

/* Each section of the iteration owns words of the item: the code before the paths word 0, the rest
 * word 1, and each path one word, or two if it is the only path. */
static uint32_t
own_slot(Gen *g)
{
	if (g->place == PREFIX && g->inside)
		return 2 + g->around;
	if (g->place != PATH)
		return g->place == REST;
	return g->paths == 1 ? 2 + below(g, 2) : 2 + g->path;
}

void
stmt_store(Gen *g)
{
	uint32_t was = g->at, offset = 8 * own_slot(g), word;
	if (!g->at)
		stmt_address(g);
	switch (below(g, 10)) {
	case 0:
		line(g, "st.global.u32 \t[%%rd%u+%u], %%r%u", g->at, offset + 4, value_any(g, B32));
		break;
	case 1:
		line(g, "st.global.u16 \t[%%rd%u+%u], %%rs%u", g->at, offset + 2,
			value_any(g, B16));
		break;
	case 2:
		line(g, "st.global.f32 \t[%%rd%u+%u], %%f%u", g->at, offset, value_any(g, F32));
		break;
	case 3:
		word = value_any(g, B32);
		line(g, "st.global.v2.u32 \t[%%rd%u+%u], {%%r%u, %%r%u}", g->at, offset, word,
			value_any(g, B32));
		break;
	case 4:
		word = value_any(g, B32);
		line(g, "@%%p%u st.global.u32 \t[%%rd%u+%u], %%r%u", value_any(g, PRED), g->at,
			offset, word);
		break;
	default:
		word = digest(g);
		line(g, "st.global.u64 \t[%%rd%u+%u], %%rd%u", g->at, offset, word);
		break;
	}
	g->at = was;
}

void
stmt_store_value(Gen *g, const Value *v)
{
	uint32_t was = g->at, offset = 8 * own_slot(g);
	if (!g->at)
		stmt_address(g);
	line(g, "st.global.b%u \t[%%rd%u+%u], %s%u", v->ty == B64 ? 64U : 32U, g->at, offset,
		reg_name((Ty)v->ty), v->reg);
	g->at = was;
}

/* Stores a word with all predicates that expr_many made. */
void
stmt_store_many(Gen *g)
{
	uint32_t was = g->at, bits = fresh(g, B32), offset = 8 * own_slot(g);
	if (!g->nmany)
		return;
	line(g, "mov.u32 \t%%r%u, %u", bits, below(g, 1000));
	for (uint32_t k = 0; k < g->nmany; k++) {
		line(g, "@%%p%u xor.b32 \t%%r%u, %%r%u, %u", g->many + k, bits, bits,
			1 + below(g, 1000));
		line(g, "mul.lo.s32 \t%%r%u, %%r%u, 5", bits, bits);
	}
	if (!g->at)
		stmt_address(g);
	line(g, "st.global.u32 \t[%%rd%u+%u], %%r%u", g->at, offset, bits);
	g->at = was;
}

/* Reads a word of the item that this section of the iteration, or an earlier one, owns. Code
 * between two paths still writes word 0, which a path that executes late must not read. */
uint32_t
stmt_load_own(Gen *g)
{
	uint32_t was = g->at, slot = own_slot(g), r = fresh(g, B64);
	bool late = g->paths > 1 && (g->place == PATH || g->inside);
	if (!chance(g, 50) && !late)
		slot = 0;
	if (!g->at)
		stmt_address(g);
	line(g, "ld.global.u64 \t%%rd%u, [%%rd%u+%u]", r, g->at, 8 * slot);
	value_add(g, B64, r, LOCAL);
	g->at = was;
	return r;
}

void
stmt_last(Gen *g)
{
	stmt_last_of(g, digest(g));
}

void
stmt_last_of(Gen *g, uint32_t word)
{
	uint32_t offset = fresh(g, B64), at = fresh(g, B64);
	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, %u", offset, g->gid, 8 * GEN_LAST);
	line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, g->last, offset);
	line(g, "st.global.u64 \t[%%rd%u+%u], %%rd%u", at, 8 * below(g, GEN_LAST), word);
}

void
stmt_read_behind(Gen *g, uint32_t item)
{
	uint32_t p = fresh(g, PRED), offset = fresh(g, B64), at = fresh(g, B64), r = fresh(g, B64);
	line(g, "mul.wide.u32 \t%%rd%u, %%r%u, %u", offset, item, 8 * GEN_SLOTS);
	line(g, "add.s64 \t%%rd%u, %%rd%u, %%rd%u", at, g->words, offset);
	line(g, "setp.lt.s32 \t%%p%u, %%r%u, %%r%u", p, g->gid, g->n);
	line(g, "mov.u64 \t%%rd%u, 0", r);
	line(g, "@%%p%u ld.global.u64 \t%%rd%u, [%%rd%u+%u]", p, r, at, 8 * (2 + below(g, 2)));
	value_add(g, B64, r, LOCAL);
	stmt_last_of(g, r);
}

/* Accesses the thread's own array, which no path may access. With `scratch` loops do not access it
 * either, because the rest of an iteration may belong to an outer path. */
static void
local(Gen *g)
{
	uint32_t k = 4 * below(g, 4);
	if (chance(g, 50)) {
		line(g, "st.local.u32 \t[%%rd%u+%u], %%r%u", g->depot, k, value_any(g, B32));
		return;
	}
	uint32_t r = fresh(g, B32);
	line(g, "ld.local.u32 \t%%r%u, [%%rd%u+%u]", r, g->depot, k);
	value_add(g, B32, r, g->place == OUTSIDE ? FIXED : LOCAL);
}

/* A scope with its own register, as in inline assembly. */
static void
braces(Gen *g)
{
	uint32_t a = value_any(g, B32), b = value_any(g, B32), r = fresh(g, B32);
	buf_puts(g->body, "\t{\n\t.reg .b32 t;\n");
	line(g, "add.s32 \tt, %%r%u, %%r%u", a, b);
	line(g, "xor.b32 \t%%r%u, t, %%r%u", r, a);
	buf_puts(g->body, "\t}\n");
	value_add(g, B32, r, g->place == OUTSIDE ? FIXED : LOCAL);
}

/* Instructions with two destinations. */
static void
pair(Gen *g)
{
	Kind kind = g->place == OUTSIDE ? FIXED : LOCAL;
	Ty ty = chance(g, 50) ? B32 : PRED;
	uint32_t a = value_any(g, ty == B32 ? B64 : B32), r = fresh(g, ty), s = fresh(g, ty);
	if (ty == B32)
		line(g, "mov.b64 \t{%%r%u, %%r%u}, %%rd%u", r, s, a);
	else
		line(g, "setp.gt.s32 \t%%p%u|%%p%u, %%r%u, 500000", r, s, a);
	value_add(g, ty, r, kind);
	value_add(g, ty, s, kind);
}

/* Word k of sums is updated by one operation only. */
static const char *const ops[] = { "add.u32", "max.u32", "min.s32", "xor.b32", "or.b32",
	"add.s32" };

void
stmt_update_total(Gen *g, uint32_t k, uint32_t v)
{
	line(g, "red.global.%s \t[%%rd%u+%u], %%r%u", ops[k], g->sums,
		4 * (6 * below(g, GEN_SUMS / 6) + k), v);
}

void
stmt_update(Gen *g)
{
	uint32_t k = below(g, GEN_SUMS), v = value_any(g, B32), old = fresh(g, B32);
	const char *op = ops[k % (sizeof ops / sizeof *ops)];
	if (chance(g, 50))
		line(g, "red.global.%s \t[%%rd%u+%u], %%r%u", op, g->sums, 4 * k, v);
	else
		line(g, "atom.global.%s \t%%r%u, [%%rd%u+%u], %%r%u", op, old, g->sums, 4 * k, v);
}

void
stmt_update_by(Gen *g, Ty ty, uint32_t v)
{
	uint32_t r = fresh(g, B32), d = word_of(g, ty, v);

	line(g, "cvt.u32.u64 \t%%r%u, %%rd%u", r, d);
	line(g, "red.global.add.u32 \t[%%rd%u+%u], %%r%u", g->sums, 24 * below(g, GEN_SUMS / 6), r);
}

void
stmt_update_by_any(Gen *g)
{
	Ty ty = (Ty)below(g, TY_COUNT);

	stmt_update_by(g, ty, value_any(g, ty));
}

/* ---- control ----------------------------------------------------------------------------- */

void
stmt_nested(Gen *g, uint32_t n)
{
	uint32_t scope = g->nvalues, at = g->at;
	g->depth++;
	stmt_some(g, n);
	g->depth--;
	g->nvalues = scope;
	g->at = at;
}

static void
branch(Gen *g)
{
	uint32_t p = expr_cond(g, 20 + below(g, 60)), other = label(g), end = label(g);
	bool both = chance(g, 50), uniform = g->place != LEAF && chance(g, 12);
	if (uniform)
		line(g, "setp.lt.u32 \t%%p%u, %%r%u, %u", p, g->x, below(g, 1000000));
	line(g, "@%s%%p%u bra%s \t$L%u", both ? "!" : "", p, uniform ? ".uni" : "", other);
	stmt_nested(g, 1 + below(g, 3));
	if (both)
		line(g, "%s \t$L%u", chance(g, 70) ? "bra.uni" : "bra", end);
	place_label(g, other);
	if (both) {
		stmt_nested(g, 1 + below(g, 3));
		place_label(g, end);
	}
}

/* A statement before which lanes wait for each other. */
static void
predicted(Gen *g)
{
	uint32_t over = label(g), number = g->nmarkers++;

	if (chance(g, 80))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 20 + below(g, 60)), over);
	stmt_marker(g, "begin", "predict", number);
	stmt_nested(g, 1 + below(g, 4));
	stmt_marker(g, "end", "predict", number);
	place_label(g, over);
}

void
stmt_loop(Gen *g)
{
	uint32_t trip = expr_small(g, 3), k = fresh(g, B32), p = fresh(g, PRED), head = label(g),
		 end = label(g);
	bool guarded = chance(g, 60);
	bool annotated = g->flat && (g->depth == 0 || g->nests) && in_own_part(g);
	const char *kind = g->merges ? "predict" : "for-var";
	uint32_t number = g->nmarkers;
	if (annotated) {
		g->nmarkers++;
		stmt_marker(g, "begin", kind, number);
	}
	line(g, "mov.u32 \t%%r%u, 0", k);
	if (guarded) {
		line(g, "setp.eq.s32 \t%%p%u, %%r%u, 0", p, trip);
		line(g, "@%%p%u bra \t$L%u", p, end);
	}
	place_label(g, head);
	if (annotated && g->merges)
		stmt_marker(g, "begin", "iteration", number);
	uint32_t scope = g->nvalues;
	value_add(g, B32, k, FIXED);
	stmt_nested(g, 1 + below(g, 3));
	if (chance(g, 25))
		line(g, "@%%p%u bra \t$L%u", expr_cond(g, 20), end);
	g->nvalues = scope;
	line(g, "add.s32 \t%%r%u, %%r%u, 1", k, k);
	line(g, "setp.lt.u32 \t%%p%u, %%r%u, %%r%u", p, k, trip);
	line(g, "@%%p%u bra \t$L%u", p, head);
	place_label(g, end);
	if (annotated)
		stmt_marker(g, "end", kind, number);
}

static void
cases(Gen *g)
{
	uint32_t n = 2 + below(g, 3), index = fresh(g, B32), table = label(g), end = label(g),
		 first = g->labels + 1;
	uint32_t r = expr_small(g, 1023);
	line(g, "rem.u32 \t%%r%u, %%r%u, %u", index, r, n);
	buf_printf(g->body, "\tts%u: .branchtargets ", table);
	for (uint32_t k = 0; k < n; k++)
		buf_printf(g->body, "%s$L%u", k ? ", " : "", label(g));
	buf_puts(g->body, ";\n");
	line(g, "brx.idx \t%%r%u, ts%u", index, table);
	for (uint32_t k = 0; k < n; k++) {
		place_label(g, first + k);
		stmt_nested(g, below(g, 3));
		if (k + 1 < n && chance(g, 80))
			line(g, "bra.uni \t$L%u", end);
	}
	place_label(g, end);
}

void
stmt_call_leaf(Gen *g, uint32_t leaf, uint32_t value, uint32_t result)
{
	buf_puts(g->body, "\t{\n\t.param .b32 param0;\n");
	line(g, "st.param.b32 \t[param0], %%r%u", value);
	buf_puts(g->body, "\t.param .b64 param1;\n");
	line(g, "st.param.b64 \t[param1], %%rd%u", g->sums);
	buf_puts(g->body, "\t.param .b32 retval0;\n");
	line(g, "call.uni (retval0), leaf%u, (param0, param1)", leaf);
	line(g, "ld.param.b32 \t%%r%u, [retval0]", result);
	buf_puts(g->body, "\t}\n");
}

void
stmt_call(Gen *g)
{
	uint32_t result = fresh(g, B32);

	if (!g->nleaves)
		return;
	uint32_t value = value_any(g, B32);
	stmt_call_leaf(g, below(g, g->nleaves), value, result);
	if (chance(g, 50))
		line(g, "red.global.add.u32 \t[%%rd%u], %%r%u", g->sums, result);
	value_add(g, B32, result, g->place == OUTSIDE ? FIXED : LOCAL);
}

/* Generates a statement with control flow; returns false if none is allowed here. */
static bool
control(Gen *g)
{
	if (g->depth >= 3 || g->place == PREFIX ||
		(g->plain && (g->place == PROLOG || g->place == REST)))
		return false;
	switch (below(g, g->looks && in_own_part(g) ? 6 : 9)) {
	case 0: case 1: case 2: branch(g); return true;
	case 8: arms_alike(g); return true;
	case 3: case 4: if (g->depth < 2) stmt_loop(g); return g->depth < 2;
	case 5: cases(g); return true;
	default: stmt_call(g); return g->nleaves != 0;
	}
}

static void
statement(Gen *g)
{
	uint32_t k = below(g, 100);
	bool in_loop = g->place != OUTSIDE && g->place != LEAF;
	if (g->nests && k < 12 && g->depth < 3 && in_own_part(g)) {
		predicted(g);
		return;
	}
	if (g->ends && g->place == PATH && chance(g, 12)) {
		stmt_end(g);
		return;
	}
	if (g->pad && chance(g, 25)) {
		stmt_pad(g);
		return;
	}
	if (k < 22 && control(g))
		return;
	if (in_loop && g->nfolds && g->place != PREFIX && chance(g, g->place == PATH ? 25 : 8)) {
		flow_fold(g);
		return;
	}
	if (k < 26)
		pair(g);
	else if (k < 55)
		expr_new(g, expr_type(g));
	else if (k < 75)
		stmt_write(g);
	else if (g->looks && in_own_part(g))
		braces(g);
	else if (k < 88 && in_loop)
		stmt_store(g);
	else if (k < 93 && in_loop)
		stmt_load_own(g);
	else if (k < 93 && g->place == OUTSIDE)
		stmt_last(g);
	else if (k < 95)
		braces(g);
	else if (k < 97 && g->depot && (g->place != PATH || (g->looks && !g->unifies)) &&
		((!g->assigns && !g->said) || g->place == OUTSIDE))
		local(g);
	else
		stmt_update(g);
}

void
stmt_some(Gen *g, uint32_t n)
{
	for (; n && g->fuel; n--) {
		g->fuel--;
		statement(g);
	}
}
