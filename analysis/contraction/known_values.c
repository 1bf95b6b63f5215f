/* SPDX-License-Identifier: MIT */
/* Statements whose result ptxas knows: assumption I4 of docs/proofs/contraction.md. */
#include <math.h>
#include <string.h>
#include "analysis/contraction/internal.h"

/* Number of statements that are followed back from a value: through copies, and for equality. */
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

/* Whether the statement copies its operand, as far as ptxas may know. */
static bool
copies_operand(const Contraction_finder *w, uint32_t stmt)
{
	return !fn_stmt(w->fn, stmt)->guard &&
		(ptx_op(w->fn->m, fn_stmt(w->fn, stmt)) == OP_MOV ||
			contraction_is_plain_abs(w, stmt));
}

/* Returns the only definition that the operand reads, through copies; 0 if there are several. */
static uint32_t
only_def(const Contraction_finder *w, uint32_t stmt, const Opnd *o)
{
	const Fn *fn = w->fn;
	uint32_t def = 0;

	for (uint32_t n = 0; n < DEEP; n++) {
		uint32_t u = use_of(fn, stmt, o->sym);
		if (!u || fn_use(fn, u)->ndef != 1)
			return def;
		FN_REACH(fn, u, d)
			def = d;
		stmt = fn_def(fn, def)->stmt;
		if (!stmt || !copies_operand(w, stmt))
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

static bool same_sources(const Contraction_finder *w, uint32_t a, uint32_t b, uint32_t deep);

static bool
same_value(const Contraction_finder *w, uint32_t a, uint32_t k, uint32_t b, uint32_t l,
	uint32_t deep)
{
	const Fn *fn = w->fn;
	const Opnd *x = source_operand(fn, a, k), *y = source_operand(fn, b, l);
	uint64_t v, u;
	bool real;

	if (x->kind == OPND_IMM && y->kind == OPND_IMM)
		return ptx_imm(fn->m, x, &v, &real) && ptx_imm(fn->m, y, &u, &real) && v == u;
	if (x->kind != OPND_SYM || y->kind != OPND_SYM)
		return false;
	if (!ptx_is_reg(fn->m, x->sym))
		return x->sym == y->sym;
	uint32_t d = only_def(w, a, x), e = only_def(w, b, y);
	if (!d || !e)
		return a == b && x->sym == y->sym;
	if (d == e)
		return true;
	a = fn_def(fn, d)->stmt;
	b = fn_def(fn, e)->stmt;
	return a && b && deep && same_head(fn->m, fn_stmt(fn, a), fn_stmt(fn, b)) &&
		same_sources(w, a, b, deep - 1);
}

/* Whether two statements with the same opcode and one result each compute the same value. */
static bool
same_sources(const Contraction_finder *w, uint32_t a, uint32_t b, uint32_t deep)
{
	const Fn *fn = w->fn;
	const Stmt *s = fn_stmt(fn, a);
	bool same = true;

	if (!(ptx_flags(fn->m, s) & OPF_PURE) || s->guard || fn_stmt(fn, b)->guard)
		return false;
	for (uint32_t k = 1; k < s->nopnd; k++)
		same = same && same_value(w, a, k, b, k, deep);
	return same ||
		(s->nopnd == 3 && same_value(w, a, 1, b, 2, deep) &&
			same_value(w, a, 2, b, 1, deep));
}

bool
contraction_equal_sources(const Contraction_finder *w, uint32_t stmt)
{
	return fn_stmt(w->fn, stmt)->nopnd > 2 && same_value(w, stmt, 1, stmt, 2, DEEP_EQUAL);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* What ptxas knows of f32 values, by experiment:
 * - Not negative: abs, ex2, rsqrt.approx.ftz, sqrt.approx.ftz, and products of equal values.
 *   Bounded: sin, cos, tanh, .sat, and sums, selections and products of bounded values.
 * - No range: f64 values, what is converted from them, fma, div, rcp, lg2, and operations with a
 *   rounding modifier; so a product in a comparison keeps its form.
 * - NaNs are ignored: x * x >= 0 is true.
 * - Ranges grow to a fixed point, through any number of operations and through iterations of
 *   completely unrolled loops.
 *
 * nvcc leaves comparisons that ranges decide in its mathematical functions, as in
 * logf(fabsf(x) + 1), so products beside such calls are unknown. */

/* Number of passes over the statements before ranges that still grow are widened. */
enum { NARROW_PASSES = 8 };

/* none: no value is known to reach */
static const Range none = { INFINITY, -INFINITY }, all = { -INFINITY, INFINITY },
		   positive = { 0, INFINITY };

static bool
is_none(Range r)
{
	return r.lo > r.hi;
}

static bool
is_literal(Range r)
{
	return r.lo == r.hi;
}

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

/* ptxas assumes any number for a product with an infinite bound, unless a factor is 0, 1 or -1. */
static Range
product_of_ranges(Range a, Range b)
{
	if (is_literal(a) && !is_literal(b))
		return product_of_ranges(b, a);
	if (is_literal(b) && b.lo == 0)
		return b;
	if (is_literal(b) && fabs(b.lo) == 1)
		return b.lo > 0 ? a : (Range){ -a.hi, -a.lo };
	double p[] = { a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi };
	Range r = none;

	for (uint32_t i = 0; i < 4; i++) {
		if (!isfinite(p[i]))
			return all;
		r = union_of_ranges(r, (Range){ p[i], p[i] });
	}
	return r;
}

static Range
range_of_square(Range a)
{
	return (Range){ 0, product_of_ranges(a, a).hi };
}

static bool
is_bounded(Range r)
{
	return is_literal(r) || (isfinite(r.lo) && isfinite(r.hi));
}

/* To ptxas, `min` and `max` are selections, unless both operands are bounded. */
static Range
range_of_extreme(Range a, Range b, bool max)
{
	if (!is_bounded(a) || !is_bounded(b))
		return union_of_ranges(a, b);
	return max ? (Range){ greater(a.lo, b.lo), greater(a.hi, b.hi) } :
		     (Range){ lesser(a.lo, b.lo), lesser(a.hi, b.hi) };
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
		return isnan(f) ? none : (Range){ f, f };
	}
	return all;
}

static Range
range_of_operand(const Contraction_finder *w, uint32_t stmt, uint32_t k)
{
	const Fn *fn = w->fn;
	const Opnd *o = source_operand(fn, stmt, k);
	Range r = none;

	if (o->kind == OPND_IMM)
		return range_of_literal(fn->m, o);
	uint32_t u = o->kind == OPND_SYM ? use_of(fn, stmt, o->sym) : 0;
	if (!u)
		return all;
	FN_REACH(fn, u, d)
		r = union_of_ranges(r, w->ranges[d]);
	return r;
}

/* Whether the statement computes or selects an f32 value, or moves any value. */
static bool
may_have_range(const Module *m, const Stmt *s)
{
	if (s->kind != STMT_INSN || !(ptx_flags(m, s) & OPF_PURE) || s->nopnd < 2)
		return false;
	Op op = ptx_op(m, s);
	return ptx_insn_type(m, s) == TYPE_F32 || op == OP_MOV ||
		(op == OP_SELP && ptx_insn_type(m, s) == TYPE_B32);
}

/* Returns the range of an operation's result before .sat. ptxas has none for an operation with a
 * rounding modifier. */
static Range
range_unsaturated(const Contraction_finder *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Op op = ptx_op(m, s);
	Range a = range_of_operand(w, stmt, 1),
	      b = s->nopnd > 2 ? range_of_operand(w, stmt, 2) : all;

	if (is_none(a) || is_none(b))
		return none;
	if (contraction_has_rounding(m, s) && op != OP_CVT)
		return all;
	switch (op) {
	case OP_MOV:
	case OP_CVT: return a;
	case OP_NEG: return (Range){ -a.hi, -a.lo };
	case OP_ABS:
		return (Range){ greater(0, greater(a.lo, -a.hi)), greater(-a.lo, a.hi) };
	case OP_EX2:
	case OP_RSQRT:
	case OP_SQRT: return positive;
	case OP_SIN:
	case OP_COS:
	case OP_TANH: return (Range){ -1, 1 };
	case OP_ADD: return bounded_range(a.lo + b.lo, a.hi + b.hi);
	case OP_SUB: return bounded_range(a.lo - b.hi, a.hi - b.lo);
	case OP_MIN:
	case OP_MAX: return range_of_extreme(a, b, op == OP_MAX);
	case OP_SELP: return union_of_ranges(a, b);
	case OP_SET: return (Range){ 0, 1 };
	case OP_MUL:
		return contraction_equal_sources(w, stmt) ? range_of_square(a) :
							    product_of_ranges(a, b);
	default: return all;
	}
}

static Range
range_of_result(const Contraction_finder *w, uint32_t stmt)
{
	Range r = range_unsaturated(w, stmt);

	return is_none(r) || !ptx_has(w->fn->m, fn_stmt(w->fn, stmt), "sat") ? r :
		(Range){ lesser(greater(r.lo, 0), 1), greater(lesser(r.hi, 1), 0) };
}

/* Returns a bound after the passes in which it moves freely. In a loop that ptxas cannot unroll
 * completely, it goes to zero or infinity, away from the old one. Elsewhere, only infinity moves
 * it: after a few iterations, the range may still be narrow. */
static double
settled_bound(double old, double bound, bool open)
{
	return bound == old || isinf(bound) ? bound :
		!open                       ? old :
		(bound < 0) == (bound < old) ? copysign(INFINITY, bound) :
					       0;
}

static bool
widen_results(Contraction_finder *w, uint32_t stmt, uint32_t pass)
{
	const Fn *fn = w->fn;
	uint32_t loop = fn->loops->loop_of[fn_block(fn, stmt)];
	Range of = may_have_range(fn->m, fn_stmt(fn, stmt)) ? range_of_result(w, stmt) : all;
	bool more = false;

	FN_DEFS_OF_STMT(fn, stmt, d) {
		Range *old = &w->ranges[d], r = union_of_ranges(*old, of);
		if (pass >= NARROW_PASSES && (r.lo != old->lo || r.hi != old->hi)) {
			bool open = loop && contraction_loop_tests_data(w, loop);
			r.lo = settled_bound(old->lo, r.lo, open);
			r.hi = settled_bound(old->hi, r.hi, open);
		}
		more |= r.lo != old->lo || r.hi != old->hi;
		*old = r;
	}
	return more;
}

void
contraction_find_ranges(Contraction_finder *w)
{
	bool more = true;

	w->ranges = arena_alloc(w->scratch, w->fn->defuse->ndefs * sizeof *w->ranges);
	for (uint32_t d = 0; d < w->fn->defuse->ndefs; d++)
		w->ranges[d] = none;
	for (uint32_t pass = 0; more; pass++) {
		more = false;
		FN_STMTS(w->fn, s)
			more |= widen_results(w, s, pass);
	}
}

/* ---- known results --------------------------------------------------------------------------- */

/* ptxas decides no comparison with an infinity. */
static bool
comparison_is_decided(const Module *m, const Stmt *s, Range a, Range b)
{
	if (a.lo == INFINITY || a.hi == -INFINITY || b.lo == INFINITY || b.hi == -INFINITY)
		return false;
	if (ptx_has_any(m, s, (const char *const[]){ "lt", "ltu", "ge", "geu", NULL }))
		return a.hi < b.lo || a.lo >= b.hi;
	if (ptx_has_any(m, s, (const char *const[]){ "gt", "gtu", "le", "leu", NULL }))
		return a.lo > b.hi || a.hi <= b.lo;
	return ptx_has(m, s, "neu") && (a.hi < b.lo || a.lo > b.hi);
}

/* Whether the statement computes something from literals alone. */
static bool
reads_literals_only(const Contraction_finder *w, uint32_t stmt)
{
	const Stmt *s = fn_stmt(w->fn, stmt);
	bool only = ptx_op(w->fn->m, s) != OP_MOV;

	for (uint32_t k = 1; k < s->nopnd && only; k++)
		only = is_literal(range_of_operand(w, stmt, k));
	return only;
}

/* Whether one of two bounded ranges is above the other, so that `min` and `max` are moves. */
static bool
ranges_are_ordered(Range a, Range b)
{
	return is_bounded(a) && is_bounded(b) && (a.hi <= b.lo || b.hi <= a.lo);
}

bool
contraction_is_decided(Contraction_finder *w, uint32_t stmt)
{
	const Module *m = w->fn->m;
	const Stmt *s = fn_stmt(w->fn, stmt);
	Op op = ptx_op(m, s);

	if (s->nopnd < 2 || !(ptx_flags(m, s) & OPF_PURE))
		return false;
	Range a = range_of_operand(w, stmt, 1),
	      b = s->nopnd > 2 ? range_of_operand(w, stmt, 2) : all, r;
	if (is_none(a) || is_none(b))
		return false;
	if (reads_literals_only(w, stmt))
		return true;
	if (may_have_range(m, s) && ptx_has(m, s, "sat")) {
		r = range_unsaturated(w, stmt);
		return r.lo >= 1 || r.hi <= 0 || (r.lo >= 0 && r.hi <= 1);
	}
	return op == OP_SETP || op == OP_SET ? s->nopnd > 2 && comparison_is_decided(m, s, a, b) :
		(op == OP_MIN || op == OP_MAX) && ranges_are_ordered(a, b);
}

bool
contraction_is_plain_abs(const Contraction_finder *w, uint32_t stmt)
{
	if (ptx_op(w->fn->m, fn_stmt(w->fn, stmt)) != OP_ABS)
		return false;
	Range r = range_of_operand(w, stmt, 1);
	return r.lo >= 0 || r.hi <= 0;
}
