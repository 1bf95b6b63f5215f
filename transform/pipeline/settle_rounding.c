/* SPDX-License-Identifier: MIT */
/* Settles which multiplications are contracted in functions whose loops are refused only because
 * ptxas might contract others in the copies. docs/proofs/contraction.md, "Explicit products", has
 * the argument.
 *
 * Such a function is written with explicit products (explicit_products.h), by a guess. If the
 * assembler makes the same machine code of it as of the function without annotations, the guess is
 * right, and this text is transformed instead of the input. */
#include <string.h>
#include "analysis/analyse.h"
#include "transform/legality/same_operations.h"
#include "transform/output/strip_line_info.h"
#include "transform/pipeline/transformation.h"
#include "transform/rewrite/explicit_products.h"

/* Collects the functions with a loop that would be transformed if results need not be
 * bit-identical. */
static void
find_refused(const Transformation *w, Bits funcs)
{
	Pass_options relaxed = w->opt;
	Diags *quiet = diags_new(NULL);
	Report r;

	relaxed.fp = FP_RELAXED;
	relaxed.facts = NULL;
	relaxed.explained = NULL;
	relaxed.debug = (Debug_options){ 0 };
	report_init(&r);
	Edits *e = passes_run(w->loops.now, &relaxed, &r, quiet, w->arena);
	for (uint32_t i = 0; i < r.sites.n; i++)
		if (r.sites.at[i].done && !w->out->report.sites.at[i].done)
			bits_set(funcs, r.sites.at[i].func);
	edit_release(e);
	report_release(&r);
	diags_free(quiet);
}

/* Assembles the module with only this one of its kernels. Returns false if that fails or the
 * assembler does not supply the code. */
static bool
assemble_alone(const Module *m, uint32_t func, Assemble *assemble, void *user, Buf *code)
{
	Arena *a = arena_new();
	Edits *e = edit_new(a);
	Buf text = { 0 }, log = { 0 };

	for (uint32_t f = 1; f < m->nfuncs && m->funcs[func].entry; f++)
		if (f != func && m->funcs[f].entry && m->funcs[f].body)
			edit_replace(e, m->funcs[f].block, "{ ret; }", 8);
	edit_apply(e, m->src, &text);
	strip_line_info(&text);
	bool ok = assemble(user, text.at, text.n, &log, code) && code->n;
	buf_free(&text);
	buf_free(&log);
	edit_release(e);
	arena_free(a);
	return ok;
}

/* A function of a module, and the text in which it has explicit products. */
typedef struct {
	const Module *m;        /* the module before */
	uint32_t func;
	Buf text;
	Source src;
	Module *now;            /* NULL if the text cannot be read */
	Arena *arena;
} Explicit;

static Explicit *
explicit_text(const Module *m, uint32_t func)
{
	Arena *a = arena_new();
	Explicit *x = arena_zalloc(a, sizeof *x);
	Edits *e = edit_new(a);

	*x = (Explicit){ .m = m, .func = func, .arena = a };
	explicit_products_write(fn_build(m, func, effects_build(m, a), a), e);
	edit_apply(e, m->src, &x->text);
	edit_release(e);
	source_from(&x->src, m->src->name, x->text.at, x->text.n);
	Diags *d = diags_new(&x->src);
	x->now = ptx_parse(&x->src, d);
	diags_free(d);
	return x;
}

static void
explicit_release(Explicit *x)
{
	ptx_free(x->now);
	source_release(&x->src);
	buf_free(&x->text);
	arena_free(x->arena);
}

static bool
has_code(const Explicit *x, Assemble *assemble, void *user, const Buf *wanted)
{
	Buf code = { 0 };
	bool ok = x->now && assemble_alone(x->now, x->func, assemble, user, &code) &&
		code.n == wanted->n && memcmp(code.at, wanted->at, code.n) == 0;

	buf_free(&code);
	return ok;
}

/* Whether the annotated function has the operations of the plain one, whose code is known. */
static bool
plain_is_settled(const Explicit *x, const Module *plain, uint32_t like, Assemble *assemble,
	void *user, const Buf *code)
{
	Explicit *p = explicit_text(plain, like);
	bool ok = x->now && has_code(p, assemble, user, code);

	if (ok) {
		const Fn *a = fn_build(x->now, x->func, effects_build(x->now, p->arena), p->arena),
			 *b = fn_build(p->now, like, effects_build(p->now, p->arena), p->arena);
		ok = operations_are_same(a, b);
	}
	explicit_release(p);
	return ok;
}

bool
explicit_products_are_proved(
	const Module *m, uint32_t func, const Module *plain, Assemble *assemble, void *user)
{
	uint32_t like = ptx_func_like(plain, m, func);
	Explicit *x = explicit_text(m, func);
	Buf code = { 0 };
	bool ok = like && assemble_alone(plain, like, assemble, user, &code) &&
		(has_code(x, assemble, user, &code) ||
			(plain != m &&
				plain_is_settled(x, plain, like, assemble, user, &code)));

	buf_free(&code);
	explicit_release(x);
	return ok;
}

Outcome
settle_rounding(Transformation *w)
{
	Bits refused = bits_new(w->arena, w->m->nfuncs);
	bool any = false, *settled;

	if (w->opt.funcs.explicit_products || !w->assemble || w->opt.fp == FP_RELAXED ||
		!pass_continues(&w->opt, STEP_VERIFY))
		return CONTINUE;
	settled = arena_zalloc(w->arena, w->m->nfuncs * sizeof *settled);
	w->opt.funcs.explicit_products = settled;
	find_refused(w, refused);
	BITS_EACH(f, refused) {
		settled[f] = explicit_products_are_proved(w->m, f,
			w->opt.unannotated ? w->opt.unannotated : w->m, w->assemble, w->user);
		any |= settled[f];
	}
	return any ? REPEAT : CONTINUE;
}
