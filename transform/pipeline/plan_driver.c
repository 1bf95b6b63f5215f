/* SPDX-License-Identifier: MIT */
/* Plans a function's sites, reports the results, and writes the plans. See plan_driver.h. */
#include "transform/cost/cost.h"
#include "transform/cost/profile_lookup.h"
#include "transform/output/report_plan.h"
#include "transform/pipeline/plan_driver.h"
#include "transform/pipeline/select_policy.h"
#include "transform/plan/plan.h"

/* ---- reports --------------------------------------------------------------------------------- */

static Report_site *
site_report(const Plan_context *w, const Plan *x)
{
	return &w->report->sites.at[w->first_report + (uint32_t)(x - w->plans)];
}

/* Reports why a site was not transformed. */
static void
report_refusal(const Plan_context *w, const Plan *x)
{
	const Marker *k = plan_reported_marker(x);
	bool path = k != plan_marker(x) && x->verdict.kind != D_NO_GAIN &&
		!(x->nregions && x->regions[0].path->kind == REGION_INNER_LOOP);
	const char *lead = path ? "path left unchanged: " : "loop left unchanged: ";

	site_report(w, x)->why = verdict_copy(&x->verdict, w->report->arena);
	site_report(w, x)->lead = lead;
	if (x->verdict.kind != D_COUNT)
		verdict_report(&x->verdict, w->diags, k->cuda, lead);
}

/* Reports hints from the i-th on. */
static void
report_hints(const Plan_context *w, const Plan *x, uint32_t i)
{
	for (; i < x->hints.n; i++)
		verdict_report(&x->hints.at[i], w->diags, plan_reported_marker(x)->cuda, "");
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Returns a site's index in the function. */
static uint32_t
site_number(const Plan_context *w, const Region *site)
{
	uint32_t i = 0;

	while (w->rs->loops[i] != site)
		i++;
	return i;
}

/* Returns the innermost enclosing site that is transformed; NULL if none. */
static const Region *
enclosing_transformed(const Plan_context *w, const Region *s)
{
	for (const Region *o = region_enclosing_site(s); o; o = region_enclosing_site(o))
		if (w->pass[site_number(w, o)])
			return o;
	return NULL;
}

static Plan
empty_plan(const Plan_context *w, uint32_t i)
{
	return (Plan){ .fn = w->fn,
		.site = w->rs->loops[i],
		.locals = w->locals,
		.opt = w->opt,
		.arena = w->fn->arena,
		.scratch = w->scratch };
}

/* Plans the site for smaller blocks, largest first, if its plan for the largest one was refused or
 * needs no shared memory. That plan stays if none is accepted. A plan without shared memory serves
 * all launches, so another must gain more. */
static const Pass *
plan_smaller_blocks(const Plan_context *w, Plan *x, const Pass *by)
{
	const double MORE = 1.1;
	double least = by ? MORE * speedup_ratio(&x->selection.gain) : 0;
	uint32_t n = MAX_BLOCK;
	bool found = by && x->tasks.frame.warp_bytes;

	while (!found && (n = plan_smaller_block_size(x, &w->budget, n))) {
		Arena_mark mark = arena_mark(w->fn->arena);
		Plan y = empty_plan(w, site_number(w, x->site));
		y.selection.threads = n;
		const Pass *pass = select_plan(&y, &w->budget);
		found = pass && speedup_ratio(&y.selection.gain) >= least;
		vec_free(found ? &x->hints : &y.hints);
		if (found) {
			*x = y;
			by = pass;
		} else {
			arena_release(w->fn->arena, mark);
		}
	}
	return by;
}

/* Which of two nested annotations to keep, if the estimates of both are known. */
static const char *
advise_nested(const Plan_context *w, const Plan *x, const Region *around)
{
	Plan inner = *x;
	const Pass *by = plan_smaller_blocks(w, &inner, select_plan(&inner, &w->budget));
	const double outer = speedup_ratio(&w->plans[site_number(w, around)].selection.gain),
		     own = by ? speedup_ratio(&inner.selection.gain) : 0;
	Buf b = { 0 };

	vec_free(&inner.hints);
	if (own <= 0 || outer <= 0)
		return "'#pragma ccc while' in place of this one collects its iterations in that loop; without that loop's annotation this one is transformed";
	buf_printf(&b, own > outer ?
			"remove that loop's annotation: this one is expected to gain %.2fx, that one %.2fx" :
			"remove this annotation: it is expected to gain %.2fx, that loop's %.2fx",
		own, outer);
	const char *text = arena_strndup(x->arena, b.at, b.n);
	buf_free(&b);
	return text;
}

/* Among nested loops, the outermost one that has a plan is transformed. */
static Verdict
refuse_nested(const Plan_context *w, const Plan *x, const Region *around)
{
	Verdict v = verdict(x->arena, D_NESTED, fn_stmt(w->fn, plan_marker(x)->stmt)->at.pos,
		"inside the annotated loop of line %u, which was transformed",
		w->m->markers[around->marker].cuda.line);

	return verdict_note(v, x->arena, DIAG_NOWHERE, "%s", advise_nested(w, x, around));
}

/* Why no pass is tried on the site. Kind D_COUNT: already reported. */
static Verdict
why_not_planned(const Plan_context *w, const Plan *x)
{
	const Marker *k = plan_marker(x);
	uint32_t pos = fn_stmt(w->fn, k->stmt)->at.pos;

	if (k->wrong)
		return verdict(x->arena, D_COUNT, pos, "%s", k->wrong);
	if (w->opt->faults && w->opt->faults[x->site->marker])
		return verdict_note(verdict(x->arena, D_BUG, DIAG_NOWHERE, "%s",
					    w->opt->faults[x->site->marker]),
			x->arena, DIAG_NOWHERE,
			"this is a bug in ptxccc: please report it, with the input");
	const Region *around = enclosing_transformed(w, x->site);
	return around ? refuse_nested(w, x, around) : VERDICT_YES;
}

/* Plans site i, after the enclosing one. */
static void
plan_one(Plan_context *w, uint32_t i)
{
	Plan *x = &w->plans[i];

	*x = empty_plan(w, i);
	x->verdict = why_not_planned(w, x);
	if (!verdict_is_no(x->verdict))
		w->pass[i] = select_plan(x, &w->budget);
	if (w->pass[i])
		frame_widen_buffer(x, &w->budget.taken);
}

/* Reports the result for site i, and numbers its plan. */
static void
report_one(Plan_context *w, uint32_t i)
{
	Plan *x = &w->plans[i];

	const Marker *path = x->nregions ? task_region_marker(x, &x->regions[0]) :
		x->wait && x->wait->region ? &w->m->markers[x->wait->region->marker] :
		x->site->npaths ? &w->m->markers[x->site->paths[0]->marker] : NULL;
	const Region *measured = x->nregions ? x->regions[0].path :
		x->wait && x->wait->region   ? x->wait->region :
					       profile_point_of_site(x->site);
	if (path)
		site_report(w, x)->path = report_copy_place(w->report->arena, path->cuda);
	site_report(w, x)->profile.measured =
		report_measured(x, measured, w->pass[i] != NULL, w->report->arena);
	report_policy_choice(site_report(w, x), x, w->report->arena);
	report_hints(w, x, 0);
	if (w->pass[i] || x->verdict.kind == D_NO_GAIN) {
		site_report(w, x)->gain = x->selection.gain;
		site_report(w, x)->gain.assumes_trips =
			!w->pass[i] && !x->selection.gain.measured && plan_assumes_trip_counts(x);
		site_report(w, x)->gain.question =
			report_copy_text(plan_open_question(x), w->report->arena);
	}
	if (w->pass[i])
		x->number = w->number++;
	else
		report_refusal(w, x);
}

/* Whether the enclosing transformed site, if any, is planned again for smaller blocks. */
static bool
enclosing_is_retried(const Plan_context *w, uint32_t i)
{
	const Region *around = enclosing_transformed(w, w->rs->loops[i]);

	return around && w->retried[site_number(w, around)];
}

/* Plans site i, the enclosing site first. Reports the result, unless smaller blocks remain to be
 * tried, of it or of the enclosing site. The memory of the plan of a site that is left unchanged is
 * released, unless plans are to be shown. */
static void
plan_site(Plan_context *w, uint32_t i)
{
	if (w->seen[i])
		return;
	w->seen[i] = true;
	if (region_enclosing_site(w->rs->loops[i]))
		plan_site(w, site_number(w, region_enclosing_site(w->rs->loops[i])));
	Arena_mark mark = arena_mark(w->fn->arena);
	if (enclosing_is_retried(w, i)) { /* with the gain of the enclosing site's final plan */
		w->plans[i] = empty_plan(w, i);
		w->retried[i] = true;
		return;
	}
	plan_one(w, i);
	w->retried[i] = (!w->pass[i] || !w->plans[i].tasks.frame.warp_bytes) &&
		plan_smaller_block_size(&w->plans[i], &w->budget, MAX_BLOCK) != 0;
	if (w->retried[i])
		return;
	report_one(w, i);
	if (w->pass[i] || w->opt->debug.show[STEP_PLAN] || w->opt->explained)
		return;
	vec_free(&w->plans[i].hints);
	w->plans[i] = (Plan){ .site = w->rs->loops[i] };
	arena_release(w->fn->arena, mark);
}

/* Whether a site nested in site i is transformed. */
static bool
nested_site_is_transformed(const Plan_context *w, uint32_t i)
{
	for (uint32_t k = 0; k < w->rs->nloops; k++)
		for (const Region *o = region_enclosing_site(w->rs->loops[k]); w->pass[k] && o;
			o = region_enclosing_site(o))
			if (o == w->rs->loops[i])
				return true;
	return false;
}

/* The second round: sites whose plans need too much shared memory for the largest block, after the
 * plans that serve it. */
static void
retry_site(Plan_context *w, uint32_t i)
{
	Plan *x = &w->plans[i];
	Verdict no = why_not_planned(w, x);

	if (verdict_is_no(no)) { /* the enclosing site has a plan */
		vec_free(&x->hints);
		*x = empty_plan(w, i);
		x->verdict = no;
		w->pass[i] = NULL;
	} else if (!nested_site_is_transformed(w, i)) {
		w->pass[i] = plan_smaller_blocks(w, x, w->pass[i]);
		if (w->pass[i])
			frame_widen_buffer(x, &w->budget.taken);
	}
	report_one(w, i);
}

/* Functions that call each other share the result. */
static const Locals *
find_locals(Plan_context *w)
{
	const Locals *shared =
		w->latest ? local_share(w->latest, w->threads, w->fn->func, w->fn->arena) : NULL;

	if (shared)
		return shared;
	arena_free(w->latest_arena);
	w->latest_arena = arena_new();
	w->latest = local_build(w->m, w->threads, w->fn->func, w->latest_arena);
	return w->latest;
}

void
plan_context_begin(Plan_context *w)
{
	Arena *a = w->fn->arena;
	uint32_t n = w->rs->nloops;
	w->plans = arena_array(a, n + 1, sizeof *w->plans);
	w->pass = arena_array(a, n + 1, sizeof *w->pass);
	w->seen = arena_array(a, n + 1, sizeof *w->seen);
	w->retried = arena_array(a, n + 1, sizeof *w->retried);
	w->locals = n ? find_locals(w) : NULL;
	w->budget = n ? shared_budget(&w->shared, w->fn, w->opt) : (Shared_budget){ 0 };
	w->first_report = w->report->sites.n;
	for (uint32_t i = 0; i < n; i++) {
		const Marker *k = &w->m->markers[w->rs->loops[i]->marker];
		*vec_push(&w->report->sites) = (Report_site){ .func = w->fn->func,
			.number = k->id,
			.loop = report_copy_place(w->report->arena, k->cuda),
			.grid = k->annot.kind == ANNOT_GRID };
	}
}

void
sites_plan(Plan_context *w)
{
	w->scratch = arena_new();
	for (uint32_t i = 0; i < w->rs->nloops; i++) {
		Arena_mark mark = arena_mark(w->scratch);
		plan_site(w, i);
		arena_release(w->scratch, mark);
	}
	for (uint32_t i = 0; i < w->rs->nloops; i++) {
		Arena_mark mark = arena_mark(w->scratch);
		if (w->retried[i])
			retry_site(w, i);
		arena_release(w->scratch, mark);
	}
	arena_free(w->scratch);
}

/* ---- text ------------------------------------------------------------------------------------ */

void
sites_write(Plan_context *w, const char *buffer)
{
	Buffer b = { .name = buffer };
	Buf decl = { 0 };

	for (uint32_t i = 0; i < w->rs->nloops; i++)
		if (w->pass[i])
			frame_widen_buffer(&w->plans[i], &b);
	uint32_t bytes = frame_fit_buffer(&b, w->budget.shared);
	for (uint32_t i = 0; i < w->rs->nloops; i++) {
		Plan *x = &w->plans[i];
		uint32_t told = x->hints.n;
		if (!w->pass[i])
			continue;
		frame_hint_large_blocks(x, &b);
		report_hints(w, x, told);
		Report_site *site = site_report(w, x);
		report_plan(site, x, bytes, w->report->arena);
		site->needs_timing = site->unsure && plan_needs_timing(x);
		if (!pass_continues(w->opt, STEP_PLAN))
			continue;
		Arena_mark mark = arena_mark(w->fn->arena);
		w->pass[i]->write(x, &b, w->edits);
		arena_release(w->fn->arena, mark);
	}
	w->shared.declared[w->fn->func] += bytes;
	if (bytes && pass_continues(w->opt, STEP_PLAN)) {
		buf_printf(&decl, "\n\t.shared .align 16 .b8 %s[%u];", buffer, bytes);
		edit_insert(w->edits, w->fn->f->block.pos + 1, decl.at, decl.n);
	}
	buf_free(&decl);
}

void
plan_context_end(Plan_context *w)
{
	for (uint32_t i = 0; i < w->rs->nloops; i++)
		vec_free(&w->plans[i].hints);
}
