/* SPDX-License-Identifier: MIT */
/* The transformation of a module: the table `pipeline` lists the steps in their order, and what
 * makes the pipeline return to an earlier one. See pipeline.h.
 *
 * A step never changes the module that it reads. Rewrites and task loops make a new text and parse
 * it; the passes queue edits (pass.h), which are applied to that text. A step that finds an earlier
 * decision wrong records it where the earlier step reads it, in the options or in the set of task
 * loops, and returns REPEAT. Repetitions end, because each forbids something that was allowed
 * before; the number of blocks of a task loop changes at most four times. */
#include <stdlib.h>
#include "transform/cost/profile_lookup.h"
#include "transform/legality/rounding.h"
#include "transform/output/explain.h"
#include "transform/pipeline/transformation.h"

static Pipeline_step rewrite_branches, make_task_loops, run_passes, drop_task_loops, write_text;

enum { REWRITES, TASK_LOOPS };

static const struct {
	Pipeline_step *run;
	uint32_t again;         /* the step that follows if this one returns REPEAT */
} pipeline[] = {
	[REWRITES] = { rewrite_branches },      /* melds and remaps branches, text to text */
	[TASK_LOOPS] = { make_task_loops },     /* makes task loops of kernels, text to text */
	{ run_passes },                 /* each function: regions, plans, edits (pass.c) */
	{ settle_rounding, REWRITES },  /* again with explicit products, if that permits more */
	{ drop_task_loops, TASK_LOOPS },        /* again without one that is useless or unproved */
	{ write_text },                 /* applies the edits */
	{ check_text, TASK_LOOPS },     /* parses, validates; again if a site's text is wrong */
	{ measure_input },              /* assembles the input; once */
	{ measure_output },             /* assembles the text */
	{ refuse_rewrites, REWRITES },  /* again if a melded function needs too many registers */
	{ limit_registers, TASK_LOOPS }, /* again if a register limit or a task loop changes */
	{ report_registers },
};
enum { NSTEPS = sizeof pipeline / sizeof *pipeline };

static void
run_pipeline(Transformation *w)
{
	for (uint32_t i = 0; i < NSTEPS;)
		switch (pipeline[i].run(w)) {
		case CONTINUE: i++; break;
		case REPEAT: i = pipeline[i].again; break;
		case STOP: return;
		}
}

/* ---- texts before the passes ----------------------------------------------------------------- */

static void
release_texts(Transformation *w)
{
	task_loop_set_release(&w->loops);
	pre_passes_release(&w->texts);
}

static Outcome
rewrite_branches(Transformation *w)
{
	Explained *explained = w->opt.explained;

	release_texts(w);
	w->opt.explained = NULL; /* the rewrites plan sites of another text */
	pre_passes_run(&w->texts, w->m, &w->opt, w->arena);
	w->opt.explained = explained;
	task_loop_set_collect(&w->loops, w->texts.now, &w->opt, w->arena);
	task_loop_set_use_origin(&w->loops, pre_passes_origin, &w->texts);
	return CONTINUE;
}

static void
release_finish(Transformation *w)
{
	if (w->finish)
		edit_release(w->finish);
	w->finish = NULL;
	buf_free(&w->unfinished);
}

/* Discards the results of the last run of the passes. */
static void
discard_results(Transformation *w)
{
	Buf *shown = w->opt.debug.dump;

	if (w->edits) {
		edit_release(w->edits);
		output_release(w->out);
	}
	release_finish(w);
	transformed_fns_clear(&w->facts);
	if (w->opt.explained)
		explain_clear(w->opt.explained);
	*w->out = (Output){ 0 };
	report_init(&w->out->report);
	diags_rewind(w->diags, w->mark);
	if (shown && shown->n > w->shown) {
		shown->n = w->shown;
		shown->at[shown->n] = '\0';
	}
}

static Outcome
make_task_loops(Transformation *w)
{
	discard_results(w);
	task_loop_set_write(&w->loops);
	if (w->nfaults != w->loops.now->nmarkers) {
		w->nfaults = w->loops.now->nmarkers;
		w->opt.faults = w->faults = arena_array(w->arena, w->nfaults, sizeof *w->faults);
	}
	return CONTINUE;
}

/* ---- passes ---------------------------------------------------------------------------------- */

static Outcome
run_passes(Transformation *w)
{
	task_loop_set_map_places(&w->loops, w->diags);
	w->edits = passes_run(w->loops.now, &w->opt, &w->out->report, w->diags, w->arena);
	diags_set_origin(w->diags, NULL, NULL);
	return CONTINUE;
}

static Outcome
drop_task_loops(Transformation *w)
{
	if (!pass_continues(&w->opt, STEP_REGION))
		return CONTINUE;
	return task_loop_set_drop_useless(&w->loops, &w->out->report) ||
			!task_loop_set_validate(&w->loops) ?
		REPEAT : CONTINUE;
}

static Outcome
write_text(Transformation *w)
{
	task_loop_set_report(&w->loops, &w->out->report, w->diags);
	pre_passes_report(&w->texts, &w->out->report, w->diags);
	if (edit_any(w->edits))
		edit_apply(w->edits, w->loops.now->src, &w->out->text);
	else
		buf_add(&w->out->text, w->texts.now->src->text, w->texts.now->src->len);
	w->finish = task_loop_set_finish(&w->loops, &w->out->text, &w->unfinished);
	if (w->finish) {
		const Buf made = w->out->text;
		w->out->text = w->unfinished;
		w->unfinished = made;
	}
	return CONTINUE;
}

static void
finish_explanation(Transformation *w)
{
	Explain_source s = { w->m, w->loops.now, w->restored ? NULL : w->edits,
		w->restored ? NULL : w->finish,
		task_loop_set_origin, &w->loops, false };

	if (!w->opt.explained)
		return;
	s.cites = w->opt.explained->cites && !w->restored;
	explain_finish(w->opt.explained, &s, &w->out->text, w->out->report.arena);
}

/* ---- entry points ---------------------------------------------------------------------------- */

void
output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user, Diags *d,
	Output *out)
{
	Transformation w = { .m = m,
		.opt = *opt,
		.assemble = assemble,
		.user = user,
		.diags = d,
		.out = out,
		.mark = diags_mark(d),
		.shown = opt->debug.dump ? opt->debug.dump->n : 0,
		.arena = arena_new() };

	if (opt->explained)
		explain_begin(opt->explained, m);
	w.opt.facts = opt->validate ? &w.facts : NULL;
	w.opt.measured.lookup = profile_lookup_build(m, &opt->measured, d, w.arena);
	w.opt.measured.counts_of = opt->measured.profile ? profile_lookup_counts : NULL;
	w.opt.funcs.fused_otherwise = contraction_differs_from(m, opt->unannotated, w.arena);
	w.mark = diags_mark(d);
	run_pipeline(&w);
	finish_explanation(&w);
	transformed_fns_clear(&w.facts);
	profile_lookup_release(w.opt.measured.lookup);
	edit_release(w.edits);
	release_finish(&w);
	release_texts(&w);
	arena_free(w.arena);
}

void
output_release(Output *o)
{
	report_release(&o->report);
	buf_free(&o->text);
}
