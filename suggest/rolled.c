/* SPDX-License-Identifier: MIT */
/* Functions whose loops the compiler must not unroll. See rolled.h.
 *
 * Unrolling copies the branches of a loop: each copy is a candidate of its own, of a quarter of the
 * iterations, and no plan for one of them gains what a plan for the loop does. Other loops are
 * better unrolled. So a function is taken as the compiler makes it unless it gains more without, by
 * the model, or has an inner loop that can be transformed, and more candidates with unrolling. The
 * decision must not depend on the profile, which counts its result. */
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "suggest/rolled.h"
#include "suggest/suggest_plan.h"
#include "transform/output/clone_function.h"

static const double CLEARLY = 1.05; /* gain of a plan relative to another one */

enum { NSORTS = PROVEN + 1 };

/* Returns the expected speedup of a plan. Melded arms are taken for half as long as before. */
static double
plan_speedup(const Suggestions *w, const Suggestion *s)
{
	return w->sort == MELDED ? 1 / (1 - s->share / 2) : s->expected;
}

/* Returns the expected speedup of the function's best plan; 1 if there is none. */
static double
best_speedup(const Suggestions *planned, uint32_t func)
{
	double best = 1;

	for (int k = 0; k < NSORTS; k++) {
		const Suggestions *w = &planned[k];
		for (uint32_t i = w->first[func]; i < w->first[func + 1]; i++)
			if (w->of[i].done && plan_speedup(w, &w->of[i]) > best)
				best = plan_speedup(w, &w->of[i]);
	}
	return best;
}

static uint32_t
candidate_count(const Suggestions *planned, uint32_t func)
{
	return planned[PROVEN].first[func + 1] - planned[PROVEN].first[func];
}

/* Whether an inner loop has a plan. */
static bool
has_loop_plan(const Suggestions *planned, uint32_t func)
{
	const Suggestions *w = &planned[PROVEN];

	for (uint32_t i = w->first[func]; i < w->first[func + 1]; i++)
		if (w->all.at[i].kind == ADVICE_LOOP && w->of[i].done)
			return true;
	return false;
}

/* Whether function f of the text without unrolling is better than g of the usual one. */
static bool
is_better_rolled(const Suggestions *rolled, uint32_t f, const Suggestions *usual, uint32_t g)
{
	bool copies = candidate_count(rolled, f) < candidate_count(usual, g);

	return (copies && has_loop_plan(rolled, f)) ||
		best_speedup(rolled, f) > CLEARLY * best_speedup(usual, g);
}

void
rolled_write(const Module *m, const Pass_options *opt, Buf *out)
{
	const Module *plain = opt->unannotated;
	Arena *a = arena_new();
	Edits *e = edit_new(a);

	if (plain) {
		Suggestions rolled[NSORTS], usual[NSORTS];
		Bits keep = bits_new(a, m->nfuncs);
		suggestions_make_unmeasured(rolled, NSORTS, m, opt);
		suggestions_make_unmeasured(usual, NSORTS, plain, opt);
		for (uint32_t f = 1; f < m->nfuncs; f++) {
			uint32_t g = m->funcs[f].body ? ptx_func_like(plain, m, f) : 0;
			if (g && is_better_rolled(rolled, f, usual, g))
				bits_set(keep, f);
		}
		replace_by_plain_bodies(m, plain, keep, e);
		for (int i = 0; i < NSORTS; i++) {
			suggestions_release(&rolled[i]);
			suggestions_release(&usual[i]);
		}
	}
	edit_apply(e, m->src, out);
	edit_release(e);
	arena_free(a);
}

/* ---- whether it is worth compiling ----------------------------------------------------------- */

static int
compare_places(const void *a, const void *b)
{
	const Candidate *x = *(const Candidate *const *)a, *y = *(const Candidate *const *)b;
	const Cuda_pos *p = &x->at.at, *q = &y->at.at;
	int files = strcmp(p->file, q->file);

	return files	    ? files :
		p->line != q->line  ? (p->line > q->line ? 1 : -1) :
		p->col != q->col    ? (p->col > q->col ? 1 : -1) :
		x->kind != y->kind  ? (x->kind > y->kind ? 1 : -1) :
				      (x->annot > y->annot) - (x->annot < y->annot);
}

/* Whether a candidate of the function has no known place, or that of another one. */
static bool
has_copies(const Suggestions *w, uint32_t func)
{
	VEC(const Candidate *) all = { 0 };
	bool found = false;

	for (uint32_t i = w->first[func]; i < w->first[func + 1] && !found; i++) {
		const Candidate *c = &w->all.at[i];
		found = !c->at.at.file;
		if (c->kind != ADVICE_UNIFORM)
			*vec_push(&all) = c;
	}
	if (all.n && !found)
		qsort(all.at, all.n, sizeof *all.at, compare_places);
	for (uint32_t i = 1; i < all.n && !found; i++)
		found = compare_places(&all.at[i - 1], &all.at[i]) == 0;
	vec_free(&all);
	return found;
}

void
possible_write(const Module *m, const Pass_options *opt, Buf *out)
{
	Pass_options any = *opt;
	bool found = false;

	any.fp = FP_RELAXED;
	for (int k = 0; k < NSORTS && !found; k++) {
		Suggestions w;
		suggestions_make(&w, m, &any, (Suggestion_sort)k);
		for (uint32_t i = 0; i < w.all.n; i++)
			found |= w.of[i].done;
		for (uint32_t f = 1; f < m->nfuncs && !found; f++)
			found = has_copies(&w, f);
		suggestions_release(&w);
	}
	if (found)
		buf_puts(out, "possible\n");
}
