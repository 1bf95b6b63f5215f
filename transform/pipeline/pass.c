/* SPDX-License-Identifier: MIT */
/* The pass driver. See pass.h. */
#include <string.h>
#include "analysis/analyse.h"
#include "analysis/dump/dump.h"
#include "analysis/region/region_left.h"
#include "transform/cost/profile_lookup.h"
#include "transform/output/explain.h"
#include "transform/output/maxnreg.h"
#include "transform/pipeline/pass.h"
#include "transform/pipeline/plan_driver.h"
#include "transform/pipeline/select_policy.h"
#include "transform/plan/passes.h"
#include "transform/plan/plan.h"
#include "transform/text/unique_names.h"

const Step_row steps[STEP_COUNT] = {
#define STEP(id, letter, name, shows) { letter, name, shows },
#include "transform/plan/steps.def"
#undef STEP
};

static const Pass passes[] = {
#define DOES(policy) (1u << POLICY_##policy)
#define PASS(name, policies, needs, help) \
	{ #name, help, policies, NEEDS_##needs, name##_plan, name##_write },
#include "transform/plan/passes.def"
#undef PASS
#undef DOES
};

Step
step_by_name(const char *name)
{
	uint32_t i = 0;

	while (i < STEP_COUNT && strcmp(name, steps[i].name) != 0)
		i++;
	return (Step)i;
}

const Pass *
pass_for_policy(Annot_policy policy)
{
	size_t p = 0;

	while (!(passes[p].policies >> policy & 1))
		p++;
	return &passes[p];
}

/* ---- functions ------------------------------------------------------------------------------- */

static void
show_regions(const Plan_context *w)
{
	Diags *quiet = diags_new(NULL);

	if (w->opt->debug.show[STEP_REGION])
		dump_region(w->fn, quiet, w->opt->debug.dump);
	diags_free(quiet);
}

static void
show_plans(const Plan_context *w)
{
	for (uint32_t i = 0; w->opt->debug.show[STEP_PLAN] && i < w->rs->nloops; i++)
		plan_dump(&w->plans[i], w->pass[i] ? w->pass[i]->name : NULL, w->opt->debug.dot,
			w->opt->debug.dump);
	for (uint32_t i = 0; w->opt->explained && i < w->rs->nloops; i++)
		explain_site(w->opt->explained, &w->plans[i],
			w->pass[i] ? w->pass[i]->name : NULL, w->report->arena);
}

/* Records the annotations of the function for the report. */
static void
note_annotations(const Plan_context *w)
{
	for (uint32_t i = 0; i < w->fn->f->nmarkers; i++) {
		const Marker *k = &w->m->markers[w->fn->f->marker + i];
		if (!k->end && !k->done && k->annot.kind != ANNOT_ITERATION)
			*vec_push(&w->report->met) =
				report_annotation(w->report->arena, k, false);
	}
}

/* Reports annotations that are part of no site, except those that the user switched off, and paths
 * of a function with sites. */
static void
report_left(const Plan_context *w)
{
	Arena *a = w->report->arena;

	for (const Region_left *l = w->rs->left; l; l = l->next)
		if (l->why.kind != D_OFF && (l->why.kind != D_CLAUSE || !w->rs->nloops ||
				annot_is_loop(l->marker->annot.kind)))
			*vec_push(&w->report->sites) = (Report_site){ .func = w->fn->func,
				.number = l->marker->id,
				.loop = report_copy_place(a, l->marker->cuda),
				.unplanned = true,
				.why = verdict_copy(&l->why, a) };
}

static void
run_function(Plan_context *w)
{
	Buf name = { 0 };

	buf_printf(&name, "ccc%u_tasks", w->number);
	Regions *rs = region_build(w->fn, w->diags, w->fn->arena);
	w->rs = rs;
	if (!w->opt->funcs.strays_reported || !w->opt->funcs.strays_reported[w->fn->func])
		region_report_strays(w->fn, rs);
	report_left(w);
	plan_context_begin(w);
	note_annotations(w);
	show_regions(w);
	if (pass_continues(w->opt, STEP_REGION)) {
		sites_plan(w);
		sites_write(w, name.at);
		show_plans(w);
	}
	plan_context_end(w);
	buf_free(&name);
}

/* ---- modules --------------------------------------------------------------------------------- */

void
transformed_fns_clear(Transformed_fns *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		arena_free(f->at[i].arena);
	vec_free(f);
}

/* Keeps the analyses of the function if a loop was transformed and the caller wants them. */
static void
keep_analyses(const Plan_context *w, Arena *tables)
{
	bool any = false;

	for (uint32_t i = w->first_report; i < w->report->sites.n; i++)
		any |= w->report->sites.at[i].done;
	if (any && w->opt->facts)
		*vec_push(w->opt->facts) =
			(Transformed_fn){ tables, w->fn, w->rs, w->first_report };
	else
		arena_free(tables);
}

Edits *
passes_run(const Module *m, const Pass_options *opt, Report *rep, Diags *d, Arena *a)
{
	Plan_context w = { .m = m, .opt = opt, .report = rep, .diags = d, .edits = edit_new(a) };

	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!m->funcs[i].nmarkers)
			continue;
		if (!w.effects) {
			w.effects = effects_build(m, a);
			w.threads = threads_build(m, w.effects, a);
			w.shared = shared_usage_build(m, a);
			w.number = unique_first_number(m);
		}
		if (module_has_guard_names(m, w.effects, i))
			continue;
		Arena *tables = NULL;
		w.fn = profile_lookup_take_tables(opt->measured.lookup, m, i, &tables);
		if (!w.fn) {
			tables = arena_new();
			w.fn = fn_build(m, i, w.effects, tables);
		}
		run_function(&w);
		keep_analyses(&w, tables);
	}
	arena_free(w.latest_arena);
	if (w.effects && pass_continues(opt, STEP_PLAN))
		maxnreg_write(m, opt, rep, w.effects, w.edits, a);
	return w.edits;
}
