/* SPDX-License-Identifier: MIT */
/* The pass driver. See pass.h. Of each function: regions, plans, the shared memory of all plans,
 * the report, the text. */
#include <string.h>
#include "analysis/dump.h"
#include "transform/choose.h"
#include "transform/frame.h"
#include "transform/measured.h"

const Step_row steps[STEP_COUNT] = {
#define STEP(id, letter, name, shows) { letter, name, shows },
#include "transform/steps.def"
#undef STEP
};

static const Pass passes[] = {
#define DOES(policy) (1u << POLICY_##policy)
#define PASS(name, policies, help) { #name, help, policies, name##_plan, name##_write },
#include "transform/passes.def"
#undef PASS
#undef DOES
};

Step
step_named(const char *name)
{
	uint32_t i = 0;

	while (i < STEP_COUNT && strcmp(name, steps[i].name) != 0)
		i++;
	return (Step)i;
}

/* What is known of the module, and of the function at hand. */
typedef struct {
	const Module *m;
	const Pass_options *opt;
	Report *report;
	Diags *diags;
	Edits *edits;
	const Effects *effects;
	const Threads *threads;
	Shared shared;
	uint32_t number;        /* of the next loop that is transformed */

	const Fn *fn;
	const Regions *rs;
	const Locals *locals;
	Room room;
	uint32_t report0;       /* of the function's first site */
	Plan *plans;            /* by site */
	Arena *scratch;         /* for what a plan is made by */
	const Pass **pass;      /* by site: whose plan stands; NULL: none does */
	bool *seen;
} Work;

/* ---- what is said of a site ------------------------------------------------------------------ */

static Report_site *
report_of(const Work *w, const Plan *x)
{
	return &w->report->sites.at[w->report0 + (uint32_t)(x - w->plans)];
}

/* Reports why a site stays as it was. */
static void
refused(const Work *w, const Plan *x)
{
	const Marker *k = plan_spoken_of(x);
	bool path = k != plan_marker(x) && x->why.kind != D_NO_GAIN &&
		!(x->nparts && x->parts[0].path->kind == REGION_ROUNDS);
	const char *lead = path ? "path left as it was: " : "loop left as it was: ";

	report_of(w, x)->why = verdict_copy(&x->why, w->report->arena);
	report_of(w, x)->lead = lead;
	if (x->why.kind != D_COUNT)
		verdict_report(&x->why, w->diags, k->cuda, lead);
}

/* Reports hints from the i-th on. */
static void
hints(const Work *w, const Plan *x, uint32_t i)
{
	for (; i < x->hints.n; i++)
		verdict_report(&x->hints.at[i], w->diags, plan_spoken_of(x)->cuda, "");
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* A site's number in the function. */
static uint32_t
number_of(const Work *w, const Region *site)
{
	uint32_t i = 0;

	while (w->rs->loops[i] != site)
		i++;
	return i;
}

/* The site around this one that is transformed; NULL: none is. */
static const Region *
transformed_around(const Work *w, const Region *s)
{
	for (const Region *o = region_site(s); o; o = region_site(o))
		if (w->pass[number_of(w, o)])
			return o;
	return NULL;
}

/* Of loops in one another the outermost is transformed that has a plan. */
static Verdict
is_inside(const Work *w, const Plan *x, const Region *around)
{
	Verdict v = verdict(x->arena, D_NESTED, fn_stmt(w->fn, plan_marker(x)->stmt)->at.pos,
		"inside the annotated loop of line %u, which was transformed",
		w->m->markers[around->marker].cuda.line);

	return verdict_note(v, x->arena, DIAG_NOWHERE,
		"'#pragma ccc while' in place of this one collects its iterations in that loop; without that loop's annotation this one is transformed");
}

/* Why no pass is asked about the site. A kind of D_COUNT: it was reported already. */
static Verdict
not_asked(const Work *w, const Plan *x)
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
	const Region *around = transformed_around(w, x->site);
	return around ? is_inside(w, x, around) : VERDICT_YES;
}

bool
pass_does(Annot_policy policy)
{
	for (size_t p = 0; p < sizeof passes / sizeof *passes; p++)
		if (passes[p].policies >> policy & 1)
			return true;
	return policy == POLICY_AUTO;
}

const Pass *
pass_of(Annot_policy policy)
{
	size_t p = 0;

	while (!(passes[p].policies >> policy & 1))
		p++;
	return &passes[p];
}

/* Plans site i, the site around it first. */
static void
plan_site(Work *w, uint32_t i)
{
	Plan *x = &w->plans[i];

	if (w->seen[i])
		return;
	w->seen[i] = true;
	if (region_site(w->rs->loops[i]))
		plan_site(w, number_of(w, region_site(w->rs->loops[i])));
	*x = (Plan){ .fn = w->fn,
		.site = w->rs->loops[i],
		.locals = w->locals,
		.opt = w->opt,
		.arena = w->fn->arena,
		.scratch = w->scratch };
	x->why = not_asked(w, x);
	if (!verdict_no(x->why))
		w->pass[i] = choose_plan(x, &w->room);
	const Marker *path = x->nparts ? part_marker(x, &x->parts[0]) :
		x->bound.at ? &w->m->markers[x->bound.at->marker] :
		x->site->npaths ? &w->m->markers[x->site->paths[0]->marker] : NULL;
	const Region *measured = x->nparts ? x->parts[0].path :
		x->bound.at ? x->bound.at :
		x->site->npaths ? x->site->paths[0] : x->site->nrounds ? x->site->rounds[0] : NULL;
	if (path)
		report_of(w, x)->path = report_place(w->report->arena, path->cuda);
	if (measured)
		report_of(w, x)->measured =
			measured_note(w->opt, w->fn, measured, w->report->arena);
	report_choice(report_of(w, x), x, w->report->arena);
	hints(w, x, 0);
	if (w->pass[i] || x->why.kind == D_NO_GAIN)
		report_of(w, x)->gain = x->gain;
	if (w->pass[i])
		x->number = w->number++;
	else
		refused(w, x);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Puts the plans that stand into the text, and their common buffer. */
static void
write_plans(Work *w, const char *buffer)
{
	Buffer b = { .name = buffer };
	Buf decl = { 0 };

	for (uint32_t i = 0; i < w->rs->nloops; i++)
		if (w->pass[i])
			frame_share(&w->plans[i], &b);
	uint32_t bytes = frame_fit(&b, w->room.shared);
	for (uint32_t i = 0; i < w->rs->nloops; i++) {
		Plan *x = &w->plans[i];
		uint32_t told = x->hints.n;
		if (!w->pass[i])
			continue;
		frame_limit(x, &b);
		hints(w, x, told);
		report_plan(report_of(w, x), x, bytes, w->report->arena);
		if (!pass_goes_on(w->opt, STEP_PLAN))
			continue;
		Arena_mark mark = arena_mark(w->fn->arena);
		w->pass[i]->write(x, &b, w->edits);
		arena_release(w->fn->arena, mark);
	}
	w->shared.declared[w->fn->func] += bytes;
	if (bytes && pass_goes_on(w->opt, STEP_PLAN)) {
		buf_printf(&decl, "\n\t.shared .align 16 .b8 %s[%u];", buffer, bytes);
		edit_insert(w->edits, w->fn->f->block.pos + 1, decl.at, decl.n);
	}
	buf_free(&decl);
}

/* ---- functions and module -------------------------------------------------------------------- */

static void
show_regions(const Work *w)
{
	Diags *quiet = diags_new(NULL);

	if (w->opt->show[STEP_REGION])
		dump_region(w->fn, quiet, w->opt->shown);
	diags_free(quiet);
}

static void
show_plans(const Work *w)
{
	for (uint32_t i = 0; w->opt->show[STEP_PLAN] && i < w->rs->nloops; i++)
		plan_dump(&w->plans[i], w->pass[i] ? w->pass[i]->name : NULL, w->opt->dot,
			w->opt->shown);
}

/* Makes the plans of the function's loops, and drops them. */
static void
plan_function(Work *w, const char *buffer)
{
	w->scratch = arena_new();
	for (uint32_t i = 0; i < w->rs->nloops; i++) {
		Arena_mark mark = arena_mark(w->scratch);
		plan_site(w, i);
		arena_release(w->scratch, mark);
	}
	arena_free(w->scratch);
	write_plans(w, buffer);
	show_plans(w);
	for (uint32_t i = 0; i < w->rs->nloops; i++)
		vec_free(&w->plans[i].hints);
}

/* Notes the annotations of the function for the report. */
static void
meet(const Work *w)
{
	for (uint32_t i = 0; i < w->fn->f->nmarkers; i++) {
		const Marker *k = &w->m->markers[w->fn->f->marker + i];
		if (!k->end && !k->done && k->annot.kind != ANNOT_ITERATION)
			*vec_push(&w->report->met) =
				report_annotation(w->report->arena, k, false);
	}
}

static void
run_function(Work *w)
{
	Arena *a = w->fn->arena;
	Buf name = { 0 };

	buf_printf(&name, "ccc%u_tasks", w->number);
	w->rs = region_build(w->fn, w->diags, a);
	if (!w->opt->strays_told || !w->opt->strays_told[w->fn->func])
		region_strays(w->fn, w->rs, w->diags);
	uint32_t n = w->rs->nloops;
	w->plans = arena_array(a, n + 1, sizeof *w->plans);
	w->pass = arena_array(a, n + 1, sizeof *w->pass);
	w->seen = arena_array(a, n + 1, sizeof *w->seen);
	w->locals = n ? local_build(w->m, w->threads, w->fn->func, a) : NULL;
	w->room = n ? shared_room(&w->shared, w->fn, w->opt) : (Room){ 0 };
	w->report0 = w->report->sites.n;
	for (uint32_t i = 0; i < n; i++) {
		const Marker *k = &w->m->markers[w->rs->loops[i]->marker];
		*vec_push(&w->report->sites) = (Report_site){ .func = w->fn->func,
			.number = k->id,
			.loop = report_place(w->report->arena, k->cuda),
			.grid = k->annot.kind == ANNOT_GRID };
	}
	meet(w);
	show_regions(w);
	if (pass_goes_on(w->opt, STEP_REGION))
		plan_function(w, name.at);
	buf_free(&name);
}

uint32_t
pass_first_number(const Module *m)
{
	uint32_t next = 1;

	for (uint32_t i = 1; i <= intern_count(m->names); i++) {
		size_t len;
		const char *s = intern_text(m->names, i, &len);
		size_t lead = len && (*s == '%' || *s == '$');
		uint32_t n = 0;
		if (len < lead + 4 || memcmp(s + lead, "ccc", 3) != 0)
			continue;
		for (size_t k = lead + 3; k < len && s[k] >= '0' && s[k] <= '9' && n < 100000000;
			k++)
			n = 10 * n + (uint32_t)(s[k] - '0');
		next = n >= next ? n + 1 : next;
	}
	return next;
}

/* Is it a constructor or destructor of one of cccnvcc's guards (_ZN8__ccc_g0C1Ev) that nothing
 * calls? nvcc's -keep-device-functions leaves those behind after they were inlined, each with one
 * marker. If it is called, the markers are missing elsewhere. */
static bool
is_left_of_guard(const Module *m, const Effects *effects, uint32_t func)
{
	size_t len, k = 3;
	const char *s = intern_text(m->names, m->syms[m->funcs[func].sym].name, &len);

	if (len < 12 || memcmp(s, "_ZN", 3) != 0)
		return false;
	while (k < len && s[k] >= '0' && s[k] <= '9')
		k++;
	if (len - k < 7 || memcmp(s + k, "__ccc_g", 7) != 0)
		return false;
	for (uint32_t i = 0; i < effects->callee_of[m->nfuncs]; i++)
		if (effects->callees[i] == func)
			return false;
	return true;
}

void
facts_clear(Facts *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		arena_free(f->at[i].arena);
	vec_free(f);
}

/* Keeps what is known of the function, if any of its loops was transformed and somebody asks. */
static void
keep(const Work *w, Arena *tables)
{
	bool any = false;

	for (uint32_t i = w->report0; i < w->report->sites.n; i++)
		any |= w->report->sites.at[i].done;
	if (any && w->opt->facts)
		*vec_push(w->opt->facts) = (Fact){ tables, w->fn, w->rs, w->report0 };
	else
		arena_free(tables);
}

Edits *
passes_run(const Module *m, const Pass_options *opt, Report *rep, Diags *d, Arena *a)
{
	Work w = { .m = m, .opt = opt, .report = rep, .diags = d, .edits = edit_new(a) };

	for (uint32_t i = 1; i < m->nfuncs; i++) {
		if (!m->funcs[i].nmarkers)
			continue;
		if (!w.effects) {
			w.effects = effects_build(m, a);
			w.threads = threads_build(m, w.effects, a);
			w.shared = shared_of(m, a);
			w.number = pass_first_number(m);
		}
		if (is_left_of_guard(m, w.effects, i))
			continue;
		Arena *tables = NULL;
		w.fn = measured_take(opt->measured, m, i, &tables);
		if (!w.fn) {
			tables = arena_new();
			w.fn = fn_build(m, i, w.effects, tables);
		}
		run_function(&w);
		keep(&w, tables);
	}
	if (w.effects && pass_goes_on(opt, STEP_PLAN))
		maxnreg_put(m, opt, rep, w.effects, w.edits, a);
	return w.edits;
}
