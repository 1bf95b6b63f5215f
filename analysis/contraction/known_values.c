/* SPDX-License-Identifier: MIT */
/* Comparisons and selections whose result ptxas knows: assumption I4 of
 * docs/proofs/contraction.md. */
#include <math.h>
#include <string.h>
#include "analysis/contraction/internal.h"

/* Number of statements that are followed back from a value: for its range, and for equality. */
enum { DEEP = 8, DEEP_EQUAL = 4 };

/* Returns the statement's use of the register; 0 if it does not read it. */
static uint32_t
use_of(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_USES_OF_STMT(fn, stmt, u)
		if (fn_use(fn, u)->sym == sym)
			return u;
	return 0;
}

static const Opnd *
source_operand(const Fn *fn, uint32_t stmt, uint32_t k)
{
	return &fn->m->opnds[ptx_operand(fn->m, fn_stmt(fn, stmt), k)];
}

/* ---- equal values ---------------------------------------------------------------------------- */

/* Returns the only definition that the operand reads, through moves; 0 if there are several. */
static uint32_t
only_def(const Fn *fn, uint32_t stmt, const Opnd *o)
{
	uint32_t def = 0;

	for (uint32_t n = 0; n < DEEP; n++) {
		uint32_t u = use_of(fn, stmt, o->sym);
		if (!u || fn_use(fn, u)->ndef != 1)
			return def;
		FN_REACH(fn, u, d)
			def = d;
		stmt = fn_def(fn, def)->stmt;
		if (!stmt || fn_stmt(fn, stmt)->guard || ptx_op(fn->m, fn_stmt(fn, stmt)) != OP_MOV)
			return def;
		o = source_operand(fn, stmt, 1);
		if (o->kind != OPND_SYM)
			return def;
	}
	return 0;
}

static bool
same_head(const Module *m, const Stmt *a, const Stmt *b)
{
	uint32_t n = a->head_end - a->head;

	return a->nopnd == b->nopnd && n == b->head_end - b->head &&
		memcmp(m->src->text + a->head, m->src->text + b->head, n) == 0;
}

static bool same_sources(const Fn *fn, uint32_t a, uint32_t b, uint32_t deep);

static bool
same_value(const Fn *fn, uint32_t a, uint32_t k, uint32_t b, uint32_t l, uint32_t deep)
{
	const Opnd *x = source_operand(fn, a, k), *y = source_operand(fn, b, l);
	uint64_t v, w;
	bool real;

	if (x->kind == OPND_IMM && y->kind == OPND_IMM)
		return ptx_imm(fn->m, x, &v, &real) && ptx_imm(fn->m, y, &w, &real) && v == w;
	if (x->kind != OPND_SYM || y->kind != OPND_SYM)
		return false;
	if (!ptx_is_reg(fn->m, x->sym))
		return x->sym == y->sym;
	uint32_t d = only_def(fn, a, x), e = only_def(fn, b, y);
	if (!d || !e)
		return a == b && x->sym == y->sym;
	if (d == e)
		return true;
	a = fn_def(fn, d)->stmt;
	b = fn_def(fn, e)->stmt;
	return a && b && deep && same_head(fn->m, fn_stmt(fn, a), fn_stmt(fn, b)) &&
		same_sources(fn, a, b, deep - 1);
}

/* Whether two statements with the same opcode and one result each compute the same value. */
static bool
same_sources(const Fn *fn, uint32_t a, uint32_t b, uint32_t deep)
{
	const Stmt *s = fn_stmt(fn, a);
	bool same = true;

	if (!(ptx_flags(fn->m, s) & OPF_PURE) || s->guard || fn_stmt(fn, b)->guard)
		return false;
	for (uint32_t k = 1; k < s->nopnd; k++)
		same = same && same_value(fn, a, k, b, k, deep);
	return same ||
		(s->nopnd == 3 && same_value(fn, a, 1, b, 2, deep) &&
			same_value(fn, a, 2, b, 1, deep));
}

bool
contraction_equal_sources(const Fn *fn, uint32_t stmt)
{
	return fn_stmt(fn, stmt)->nopnd > 2 && same_value(fn, stmt, 1, stmt, 2, DEEP_EQUAL);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct { double lo, hi; } Range;

static const Range all = { -INFINITY, INFINITY }, positive = { 0, INFINITY }, unit = { 0, 1 };

static double
lesser(double a, double b)
{
	return a < b ? a : b;
}

static double
greater(double a, double b)
{
	return a > b ? a : b;
}

/* Replaces bounds that are NaN, the result of infinite operands. */
static Range
bounded_range(double lo, double hi)
{
	return (Range){ isnan(lo) ? -INFINITY : lo, isnan(hi) ? INFINITY : hi };
}

static Range
union_of_ranges(Range a, Range b)
{
	return (Range){ lesser(a.lo, b.lo), greater(a.hi, b.hi) };
}

/* ptxas assumes any number for a product with an infinite bound. */
static Range
product_of_ranges(Range a, Range b)
{
	double p[] = { a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi };
	Range r = { p[0], p[0] };

	for (uint32_t i = 0; i < 4; i++) {
		if (!isfinite(p[i]))
			return all;
		r = union_of_ranges(r, (Range){ p[i], p[i] });
	}
	return r;
}

static Range
range_of_literal(const Module *m, const Opnd *o)
{
	uint64_t bits;
	bool real;

	if (ptx_imm(m, o, &bits, &real) && real &&
		ptx_imm_sized(m, o, 4, &bits)) {
		float f;
		uint32_t low = (uint32_t)bits;
		memcpy(&f, &low, sizeof f);
		return (Range){ f, f };
	}
	return all;
}

static Range range_of(Contraction_finder *w, uint32_t stmt, uint32_t deep);

static Range
range_of_operand(Contraction_finder *w, uint32_t stmt, uint32_t k, uint32_t deep)
{
	const Fn *fn = w->fn;
	const Opnd *o = source_operand(fn, stmt, k);
	Range r = { INFINITY, -INFINITY };

	if (o->kind == OPND_IMM)
		return range_of_literal(fn->m, o);
	uint32_t u = o->kind == OPND_SYM ? use_of(fn, stmt, o->sym) : 0;
	if (!u || !deep || ++w->followed > MOST_FOLLOWED)
		return all;
	FN_REACH(fn, u, d)
		r = union_of_ranges(r,
			fn_def(fn, d)->stmt ? range_of(w, fn_def(fn, d)->stmt, deep - 1) : all);
	return r;
}

static Range
range_of(Contraction_finder *w, uint32_t stmt, uint32_t deep)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Range a = all, b = all;

	if (s->kind != STMT_INSN || !(ptx_flags(m, s) & OPF_PURE) || !contraction_is_float(m, s))
		return all;
	if (ptx_has(m, s, "sat"))
		return unit;
	if (s->nopnd > 1)
		a = range_of_operand(w, stmt, 1, deep);
	if (s->nopnd > 2)
		b = range_of_operand(w, stmt, 2, deep);
	switch (ptx_op(m, s)) {
	case OP_MOV: return a;
	case OP_CVT: return a;
	case OP_NEG: return (Range){ -a.hi, -a.lo };
	case OP_ABS:
	case OP_EX2: return positive;
	case OP_SQRT: return ptx_has(m, s, "approx") ? positive : all;
	case OP_SIN:
	case OP_COS:
	case OP_TANH: return (Range){ -1, 1 };
	case OP_ADD: return bounded_range(a.lo + b.lo, a.hi + b.hi);
	case OP_SUB: return bounded_range(a.lo - b.hi, a.hi - b.lo);
	case OP_MIN: return (Range){ lesser(a.lo, b.lo), lesser(a.hi, b.hi) };
	case OP_MAX: return (Range){ greater(a.lo, b.lo), greater(a.hi, b.hi) };
	case OP_SELP: return union_of_ranges(a, b);
	case OP_SET: return unit;
	case OP_MUL:
		return contraction_equal_sources(w->fn, stmt) ? positive : product_of_ranges(a, b);
	default: return all;
	}
}

bool
contraction_is_decided(Contraction_finder *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Op op = ptx_op(m, s);

	if ((op != OP_SETP && op != OP_SET) || s->nopnd < 3 || !contraction_is_float(m, s))
		return false;
	w->followed = 0;
	Range a = range_of_operand(w, stmt, 1, DEEP), b = range_of_operand(w, stmt, 2, DEEP);
	if (a.lo == INFINITY || a.hi == -INFINITY || b.lo == INFINITY || b.hi == -INFINITY)
		return false; /* compared with an infinity */
	if (ptx_has_any(m, s, (const char *const[]){ "lt", "ltu", "ge", "geu", NULL }))
		return a.hi < b.lo || a.lo >= b.hi;
	return (a.lo > b.hi || a.hi <= b.lo) &&
		ptx_has_any(m, s, (const char *const[]){ "gt", "gtu", "le", "leu", NULL });
}
