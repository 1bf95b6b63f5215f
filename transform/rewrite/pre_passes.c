/* SPDX-License-Identifier: MIT */
/* Text-to-text steps before planning. See pre_passes.h. */
#include <string.h>
#include "analysis/analyse.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/explicit_products.h"
#include "transform/rewrite/pre_passes.h"

struct Pre_pass_step {
	Pre_pass_step *before;
	Edits *edits;           /* from the previous text */
	Buf text;
	Source src;
	Module *m;
};

/* ---- making ---------------------------------------------------------------------------------- */

static void
verdict_to_input(Pre_passes *x, Verdict *v)
{
	if (v->pos != DIAG_NOWHERE)
		v->pos = pre_passes_origin(x, v->pos);
	for (uint32_t i = 0; i < v->nnotes; i++)
		if (v->note[i].pos != DIAG_NOWHERE)
			v->note[i].pos = pre_passes_origin(x, v->note[i].pos);
}

/* Writes functions with explicit products. Returns false if there are none. */
static bool
write_explicit_products(const Pre_passes *x, const Pass_options *opt, Edits *e)
{
	const Effects *effects = NULL;

	for (uint32_t f = 1; opt->funcs.explicit_products && f < x->m->nfuncs; f++) {
		if (!opt->funcs.explicit_products[f])
			continue;
		if (!effects)
			effects = effects_build(x->m, x->arena);
		explicit_products_write(fn_build(x->m, f, effects, x->arena), e);
	}
	return effects && edit_any(e);
}

static bool
is_emitted(const void *texts, uint32_t pos)
{
	const Pre_passes *x = texts;

	for (const Pre_pass_step *t = x->last; t; t = t->before) {
		if (edit_is_new(t->edits, pos))
			return true;
		pos = edit_origin(t->edits, pos);
	}
	return false;
}

/* Queues the edits of the next step. Returns false if there is none. */
static bool
next_step(Pre_passes *x, const Pass_options *opt, Edits *e)
{
	const Remap_input in = { x->now, is_emitted, x };
	uint32_t arms = x->arms.n, remaps = x->remaps.n;
	bool any = !x->last && write_explicit_products(x, opt, e);

	if (!any && !x->remaps.n && !x->recursed)
		any = distribute_run(x->now, opt, x->arena, &x->arms, e);
	if (!any && !x->recursed)
		any = remap_run(&in, opt, x->arena, &x->remaps, e);
	if (!any && !x->recursed) {
		x->recursed = true;
		any = recursion_run(x->now, opt, x->arena, &x->recursions, e);
		for (uint32_t i = 0; i < x->recursions.n; i++)
			verdict_to_input(x, &x->recursions.at[i].why);
	}
	for (; arms < x->arms.n; arms++)
		verdict_to_input(x, &x->arms.at[arms].why);
	for (; remaps < x->remaps.n; remaps++)
		verdict_to_input(x, &x->remaps.at[remaps].why);
	return any;
}

/* Whether a step that melded arms is right. If not, keeps only the outcomes of the refused ones, so
 * that the next attempt leaves them. */
static bool
step_is_valid(Pre_passes *x, const Module *m, const Pass_options *opt, uint32_t arms)
{
	Meld_outcome *k = x->arms.at + arms;
	uint32_t n = x->arms.n - arms;

	if (!opt->validate || melded_text_is_valid(x->now, m, k, n, x->arena))
		return true;
	x->arms.n = arms;
	for (uint32_t i = 0; i < n; i++)
		if (verdict_is_no(k[i].why))
			x->arms.at[x->arms.n++] = k[i];
	return false;
}

/* Corrects the reports of a step whose result does not parse. */
static void
drop_step(Pre_passes *x, uint32_t arms, uint32_t remaps)
{
	Verdict bug = verdict(x->arena, D_BUG, DIAG_NOWHERE,
		"its text has a fault: a bug in ptxccc, please report it");

	for (; arms < x->arms.n; arms++)
		x->arms.at[arms].why = bug;
	for (; remaps < x->remaps.n; remaps++) {
		x->remaps.at[remaps].done = x->remaps.at[remaps].report.done = false;
		x->remaps.at[remaps].why = bug;
	}
	for (uint32_t i = 0; i < x->recursions.n; i++) {
		x->recursions.at[i].report.done = false;
		x->recursions.at[i].why = bug;
	}
}

static void
release_step(Pre_pass_step *t)
{
	ptx_free(t->m);
	edit_release(t->edits);
	source_release(&t->src);
	buf_free(&t->text);
}

/* Makes the next text. Returns false if there is nothing left to do. */
static bool
next_text(Pre_passes *x, const Pass_options *opt)
{
	Pre_pass_step *t = arena_zalloc(x->arena, sizeof *t);
	uint32_t arms = x->arms.n, remaps = x->remaps.n;

	*t = (Pre_pass_step){ .before = x->last, .edits = edit_new(x->arena) };
	bool any = next_step(x, opt, t->edits);
	if (any) {
		edit_apply(t->edits, x->now->src, &t->text);
		source_from(&t->src, x->now->src->name, t->text.at, t->text.n);
		Diags *d = diags_new(&t->src);
		t->m = ptx_parse(&t->src, d);
		diags_free(d);
		if (t->m)
			ptx_number_like(t->m, x->now);
	}
	if (any && !t->m)
		drop_step(x, arms, remaps);
	bool valid = t->m && step_is_valid(x, t->m, opt, arms);
	if (!valid) {
		any = t->m != NULL;
		release_step(t);
		return any;
	}
	x->last = t;
	x->now = t->m;
	return true;
}

void
pre_passes_run(Pre_passes *x, const Module *m, const Pass_options *opt, Arena *a)
{
	*x = (Pre_passes){ .m = m, .now = m, .arena = a };
	while (next_text(x, opt))
		;
}

void
pre_passes_release(Pre_passes *x)
{
	for (Pre_pass_step *t = x->last; t; t = t->before)
		release_step(t);
	vec_free(&x->arms);
	vec_free(&x->remaps);
	vec_free(&x->recursions);
}

uint32_t
pre_passes_origin(void *texts, uint32_t pos)
{
	const Pre_passes *x = texts;

	for (const Pre_pass_step *t = x->last; t; t = t->before)
		pos = edit_origin(t->edits, pos);
	return pos;
}

bool
pre_passes_changed(const Pre_passes *x, uint32_t func)
{
	for (uint32_t i = 0; i < x->arms.n; i++)
		if (x->arms.at[i].func == func && !verdict_is_no(x->arms.at[i].why))
			return true;
	for (uint32_t i = 0; i < x->remaps.n; i++)
		if (x->remaps.at[i].func == func && x->remaps.at[i].done)
			return true;
	for (uint32_t i = 0; i < x->recursions.n; i++)
		if (x->recursions.at[i].report.func == func && x->recursions.at[i].report.done)
			return true;
	return false;
}

/* ---- reporting ------------------------------------------------------------------------------- */

/* Records an annotation that was followed. */
static void
note_annotation(const Pre_passes *x, uint32_t marker, bool done, Report *r)
{
	const Marker *m = &x->m->markers[marker];

	if (!done) /* other passes record it */
		return;
	*vec_push(&r->met) = report_annotation(r->arena, m, false);
	*vec_push(&r->met) = report_annotation(r->arena, m, true);
}

static void
report_meld(const Pre_passes *x, const Meld_outcome *k, Report *r, Diags *d)
{
	bool done = !verdict_is_no(k->why);

	*vec_push(&r->branches) = (Report_branch){ .func = k->func,
		.at = report_copy_place(r->arena, x->m->markers[k->marker[0]].cuda),
		.done = done,
		.total = k->total,
		.both = k->both,
		.before = k->before,
		.after = k->after,
		.saved = k->saved,
		.why = verdict_copy(&k->why, r->arena) };
	if (!done)
		verdict_report(&k->why, d, x->m->markers[k->marker[0]].cuda,
			x->m->markers[k->marker[0]].annot.kind == ANNOT_PREDICT ?
				"calls left unchanged: " :
				"branch left unchanged: ");
	for (uint32_t arm = k->open; arm < 2; arm++)
		note_annotation(x, k->marker[arm], done, r);
}

static Report_value *
copy_values(const Report_value *v, uint32_t n, Arena *a)
{
	Report_value *to = arena_array(a, n + 1, sizeof *to);

	for (uint32_t i = 0; i < n; i++) {
		to[i] = v[i];
		to[i].at = report_copy_place(a, v[i].at);
	}
	return to;
}

static void
report_remap_outcome(const Pre_passes *x, const Remap_outcome *k, Report *r, Diags *d)
{
	Cuda_pos at = x->m->markers[k->markers[0]].cuda;
	Report_remap *t = vec_push(&r->remaps);

	*t = k->report;
	t->at = report_copy_place(r->arena, at);
	t->meeting_label = t->meeting_label ?
		arena_strndup(r->arena, t->meeting_label, strlen(t->meeting_label)) :
		NULL;
	t->context = copy_values(t->context, t->ncontext, r->arena);
	t->results = copy_values(t->results, t->nresults, r->arena);
	t->why = verdict_copy(&k->why, r->arena);
	if (!k->done)
		verdict_report(&k->why, d, at, "branch left unchanged: ");
	if (verdict_is_no(k->hint))
		verdict_report(&k->hint, d, at, "");
	for (uint32_t i = 0; i < k->nmarkers; i++)
		note_annotation(x, k->markers[i], k->done, r);
}

static void
report_recursion(const Pre_passes *x, const Recursion_outcome *k, Report *r, Diags *d)
{
	Cuda_pos at = x->m->markers[k->marker].cuda;
	Report_recursion *t = vec_push(&r->recursions);

	*t = k->report;
	t->at = report_copy_place(r->arena, at);
	t->meeting_label = report_copy_text(t->meeting_label, r->arena);
	t->why = verdict_copy(&k->why, r->arena);
	if (!t->done)
		verdict_report(&k->why, d, at, "function left unchanged: ");
	*vec_push(&r->met) = report_annotation(r->arena, &x->m->markers[k->marker], false);
	if (t->done)
		*vec_push(&r->met) = report_annotation(r->arena, &x->m->markers[k->marker], true);
}

void
pre_passes_report(const Pre_passes *x, Report *r, Diags *d)
{
	for (uint32_t i = 0; i < x->arms.n; i++)
		report_meld(x, &x->arms.at[i], r, d);
	for (uint32_t i = 0; i < x->remaps.n; i++)
		report_remap_outcome(x, &x->remaps.at[i], r, d);
	for (uint32_t i = 0; i < x->recursions.n; i++)
		report_recursion(x, &x->recursions.at[i], r, d);
}
