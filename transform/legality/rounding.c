/* SPDX-License-Identifier: MIT */
/* Whether a plan keeps floating-point results bit-identical. docs/proofs/contraction.md has the
 * argument: where it is known what ptxas does with a product, the copy fixes that (copy_code.c). A
 * loop with a product for which it is unknown is refused here, and so is a function in which the
 * compiler has fused other multiplications and additions because of the annotations. */
#include <stdlib.h>
#include "analysis/analyse.h"
#include "analysis/contraction/contraction.h"
#include "base/vec.h"
#include "transform/legality/rounding.h"
#include "transform/plan/plan.h"

bool
rounding_is_exact(const Pass_options *o, bool promises_nothing)
{
	return o->fp == FP_EXACT || (o->fp == FP_PROMISED && promises_nothing);
}

bool
module_may_round_differently(const Module *m)
{
	Arena *a = arena_new();
	bool may = false;

	for (uint32_t f = 1; f < m->nfuncs && !may; f++) {
		const Fn *fn = m->funcs[f].body ? fn_build(m, f, NULL, a) : NULL;
		for (uint32_t b = 1; fn && fn->contraction && b < fn->cfg->nblocks; b++)
			may |= fn->contraction->unknown[b] != 0;
	}
	arena_free(a);
	return may;
}

Verdict
contraction_may_differ(const Fn *fn, uint32_t stmt, Arena *a)
{
	if (contraction_shows_sign(fn, stmt))
		return verdict_note(
			verdict(a, D_ROUNDING, fn_stmt(fn, stmt)->at.pos,
				"whether ptxas keeps the sign of a NaN here depends on the code around it, so that sign may change in results"),
			a, DIAG_NOWHERE,
			"'--fp=relaxed' (cccnvcc: '--ccc-fp=relaxed') allows it");
	return verdict_note(
		verdict(a, D_ROUNDING, fn_stmt(fn, stmt)->at.pos,
			"whether ptxas fuses this multiplication with an addition depends on the code around it, so the last bit of results may change"),
		a, DIAG_NOWHERE,
		"'--fp=relaxed' (cccnvcc: '--ccc-fp=relaxed') allows it; '-fmad=false' fuses none");
}

Verdict
plan_rounding(const Plan *x)
{
	Verdict v = rounding_of_plain(x->opt, x->fn, plan_has_proven_clause(x), x->arena);
	uint32_t product = 0;

	if (!verdict_is_no(v) && rounding_is_exact(x->opt, plan_has_proven_clause(x)))
		product = contraction_unknown_in(x->fn, x->site->blocks);
	return product ? contraction_may_differ(x->fn, product, x->arena) : v;
}

/* ---- comparison with the source without annotations ------------------------------------------ */

/* Number of fused operations, products and sums of a source line. */
typedef struct { uint64_t file; uint32_t line, n[3]; } Line_operations;
typedef VEC(Line_operations) Line_list;

static int
by_place(const void *a, const void *b)
{
	const Line_operations *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Adds up the entries of each line and sorts them; code without a line comes first. */
static void
merge_lines(Line_list *l)
{
	uint32_t n = 0;

	if (l->n)
		qsort(l->at, l->n, sizeof *l->at, by_place);
	for (uint32_t i = 0; i < l->n; i++) {
		if (!n || by_place(&l->at[n - 1], &l->at[i]) != 0) {
			l->at[n++] = l->at[i];
			continue;
		}
		for (uint32_t k = 0; k < 3; k++)
			l->at[n - 1].n[k] += l->at[i].n[k];
	}
	l->n = n;
}

static Line_list
collect_lines(const Module *m, const Func *f)
{
	Line_list l = { 0 };
	Ptx_place at = { 0 };

	*vec_push(&l) = (Line_operations){ 0 };
	PTX_STMTS(f, s) {
		const Stmt *st = &m->stmts[s];
		if (st->kind == STMT_LOC && !ptx_loc_place(m, s, &at))
			at = (Ptx_place){ 0 };
		Float_kind kind = contraction_kind(m, st);
		if (kind == FLOAT_NONE)
			continue;
		*vec_push(&l) = (Line_operations){ .file = at.line ? at.file : 0, .line = at.line };
		l.at[l.n - 1].n[kind - FLOAT_FUSED] = 1;
	}
	merge_lines(&l);
	return l;
}

/* Whether the three kinds of operations are in the same proportions. Unrolling repeats all
 * operations of a line. */
static bool
lines_are_proportional(const Line_operations *a, const Line_operations *b)
{
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t k = 0; k < 3; k++)
			if ((uint64_t)a->n[i] * b->n[k] != (uint64_t)a->n[k] * b->n[i] ||
				!a->n[i] != !b->n[i])
				return false;
	return true;
}

static Line_operations
add_lines(const Line_operations *a, const Line_operations *b)
{
	Line_operations sum = *a;

	for (uint32_t k = 0; k < 3; k++)
		sum.n[k] += b->n[k];
	return sum;
}

/* Whether the lines have the same proportions, possibly after adding code without a line to one of
 * them: the compiler drops the line of code that it merges. */
static bool
line_matches(const Line_operations *a, const Line_operations *a0, const Line_operations *b,
	const Line_operations *b0)
{
	Line_operations a_all = add_lines(a, a0), b_all = add_lines(b, b0);

	return lines_are_proportional(a, b) || lines_are_proportional(a, &b_all) ||
		lines_are_proportional(&a_all, b);
}

static bool
lists_are_proportional(const Line_list *a, const Line_list *b)
{
	uint32_t i = 1, k = 1;

	while (i < a->n || k < b->n) {
		static const Line_operations none;
		int order = i == a->n ? 1 : k == b->n ? -1 : by_place(&a->at[i], &b->at[k]);
		if (!line_matches(order > 0 ? &none : &a->at[i], &a->at[0],
			    order < 0 ? &none : &b->at[k], &b->at[0]))
			return false;
		i += order <= 0;
		k += order >= 0;
	}
	return a->n > 1 || lines_are_proportional(&a->at[0], &b->at[0]);
}

static bool
function_differs(const Module *m, uint32_t func, const Module *plain)
{
	uint32_t like = ptx_func_like(plain, m, func);

	if (!like)
		return true;
	Line_list a = collect_lines(m, &m->funcs[func]),
		  b = collect_lines(plain, &plain->funcs[like]);
	bool same = lists_are_proportional(&a, &b);
	vec_free(&a);
	vec_free(&b);
	return !same;
}

const bool *
contraction_differs_from(const Module *m, const Module *plain, Arena *a)
{
	bool *differs = plain ? arena_zalloc(a, m->nfuncs * sizeof *differs) : NULL;

	for (uint32_t f = 1; differs && f < m->nfuncs; f++)
		differs[f] =
			m->funcs[f].body && m->funcs[f].nmarkers && function_differs(m, f, plain);
	return differs;
}

Verdict
rounding_of_plain(const Pass_options *o, const Fn *fn, bool promises_nothing, Arena *a)
{
	if ((o->funcs.explicit_products && o->funcs.explicit_products[fn->func]) ||
		!o->funcs.fused_otherwise || !o->funcs.fused_otherwise[fn->func] ||
		!rounding_is_exact(o, promises_nothing))
		return VERDICT_YES;
	return verdict_note(
		verdict(a, D_ROUNDING, DIAG_NOWHERE,
			"the compiler fuses other multiplications with additions in the annotated source than without annotations, so the last bit of results may change"),
		a, DIAG_NOWHERE,
		"'--fp=relaxed' (cccnvcc: '--ccc-fp=relaxed') allows it; '-fmad=false' fuses none");
}
