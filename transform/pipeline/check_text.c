/* SPDX-License-Identifier: MIT */
/* Checks the text before it is returned: it must parse (verify.h), and the validator compares it
 * with the input (validate/). A site whose text is wrong is left unchanged, and the passes run
 * again. A text with any other fault is replaced by the input. */
#include <string.h>
#include "transform/output/verify.h"
#include "transform/pipeline/transformation.h"
#include "validate/validate.h"

void
transformation_undo(Transformation *w, const char *why)
{
	const Source *src = w->m->src;
	Report *r = &w->out->report;

	w->restored = true;
	w->out->text.n = 0;
	buf_add(&w->out->text, src->text, src->len);
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].done) {
			r->sites.at[i].done = false;
			r->sites.at[i].why =
				verdict(r->arena, D_BUG, DIAG_NOWHERE, "a bug in ptxccc");
		}
	diags_rewind(w->diags, w->mark);
	diag(w->diags, D_BUG, DIAG_NOWHERE,
		"the transformed text has a fault: the input is left unchanged");
	diag_note(w->diags, DIAG_NOWHERE, "%s", why);
	diag_note(w->diags, DIAG_NOWHERE,
		"this is a bug in ptxccc: please report it, with the input");
}

/* ---- validation ------------------------------------------------------------------------------ */

static void
apply_site_verdict(Transformation *w, const Transformed_fn *f, const Valid_site *v)
{
	static const char *const words[] = { "yes", "tried, ", "", "" },
				 *const shown[] = { "", "", "not known, ", "no, " };
	Report *r = &w->out->report;
	Buf b = { 0 };
	uint32_t i = 0;

	while (f->rs->loops[i]->marker != v->marker)
		i++;
	Report_site *site = &r->sites.at[f->report + i];
	if (v->valid == VALID_NO)
		buf_printf(&b, "the transformed text is wrong, at line %u: %s", v->line, v->why);
	else
		buf_printf(&b, "%s%s", words[v->valid], v->why ? v->why : "");
	bool no = v->valid == VALID_NO;
	const char *said = arena_strndup(no ? w->arena : r->arena, b.at, b.n);
	site->validated = no ? NULL : said;
	w->faults[v->marker] = no ? said : w->faults[v->marker];
	w->refuted |= no;
	if (w->opt.debug.show[STEP_VERIFY]) {
		buf_printf(w->opt.debug.dump, "validate: %s:%u: %s%s", site->loop.file, site->loop.line,
			shown[v->valid], said);
		if (v->valid == VALID_TRIED)
			buf_printf(w->opt.debug.dump, " (lanes reached %u %% of it)", v->share);
		buf_putc(w->opt.debug.dump, '\n');
	}
	buf_free(&b);
}

/* Shows which arms were melded: they were validated before the passes (check_melded.c). */
static void
show_melded(const Transformation *w)
{
	for (uint32_t i = 0; i < w->texts.arms.n && w->opt.debug.show[STEP_VERIFY]; i++) {
		const Meld_outcome *k = &w->texts.arms.at[i];
		Cuda_pos at = w->m->markers[k->marker[0]].cuda;
		if (!verdict_is_no(k->why))
			buf_printf(
				w->opt.debug.dump, "validate: %s:%u: yes\n", at.file, at.line);
	}
}

/* Runs the validator on the output (validate/). */
static bool
validate_text(void *user, const Module *m, Buf *why)
{
	Transformation *w = user;

	show_melded(w);
	for (uint32_t i = 0; i < w->facts.n; i++) {
		Arena *a = arena_new();
		Valid_func v = validate_func(w->facts.at[i].fn, w->facts.at[i].rs, m, a);
		if (v.why)
			buf_printf(why, "line %u: %s", v.line, v.why);
		for (uint32_t k = 0; k < v.nsites && !v.why; k++)
			apply_site_verdict(w, &w->facts.at[i], &v.sites[k]);
		arena_free(a);
		if (why->n)
			return false;
	}
	return true;
}

/* Compares the text for cluster launch control with the one that the validator accepted. */
static bool
validate_finish(void *user, const Module *m, Buf *why)
{
	const Transformation *w = user;

	return task_loop_set_is_finished(&w->unfinished, m, why);
}

static bool
verify_finish(Transformation *w, Buf *why)
{
	return !w->finish ||
		verify_with(w->m->src->name, w->out->text.at, w->out->text.n, w->opt.debug.verify,
			w->opt.facts ? validate_finish : NULL, w, why);
}

/* ---- step ------------------------------------------------------------------------------------ */

Outcome
check_text(Transformation *w)
{
	Buf why = { 0 };

	if (!transformation_changes(w)) /* a register limit may have undone the last change */
		return w->limits.m ? CONTINUE : STOP;
	if (!pass_continues(&w->opt, STEP_WRITE))
		return STOP;
	w->refuted = false;
	const Buf *text = w->finish ? &w->unfinished : &w->out->text;
	bool ok = verify_with(w->m->src->name, text->at, text->n, w->opt.debug.verify,
			  w->opt.facts ? validate_text : NULL, w, &why) &&
		verify_finish(w, &why);
	if (!ok) {
		if (w->opt.debug.show[STEP_VERIFY])
			buf_printf(w->opt.debug.dump, "verify: %s\n", why.at);
		transformation_undo(w, why.at);
	}
	buf_free(&why);
	return !ok ? STOP : w->refuted ? REPEAT : CONTINUE;
}
