/* SPDX-License-Identifier: MIT */
/* Contexts of libptxccc, and the two jobs that they execute: transforming and annotating. See
 * ptxccc.h.
 *
 * A job runs in heap_run(), so that exhausted memory and internal errors end the job, not the
 * process. Its results stay in the context's heap until the next job clears it. The diagnostic
 * function is called after the job, when the context is in a consistent state. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/rewrite.h"
#include "lib/context.h"
#include "lib/given.h"
#include "report/explain.h"
#include "suggest/auto_output.h"
#include "transform/instrument/instrument_module.h"
#include "transform/legality/rounding.h"
#include "transform/output/strip_line_info.h"
#include "transform/output/clone_kernels.h"
#include "transform/output/verify.h"

typedef struct {
	ptxccc *c;
	const char *name, *text;
	size_t len;
} Job;

ptxccc *
ptxccc_new(ptxccc_allocate *allocate, void *user)
{
	ptxccc *c = allocate ? allocate(user, NULL, sizeof *c) : malloc(sizeof *c);

	if (!c)
		return NULL;
	*c = (ptxccc){ .warnings = diag_defaults(), .pass.validate = true };
	heap_init(&c->heap, allocate, user);
	return c;
}

void
ptxccc_free(ptxccc *c)
{
	if (!c)
		return;
	given_texts_release(c, &c->profiles);
	given_texts_release(c, &c->switched);
	given_texts_release(c, &c->plain);
	if (c->generates_to)
		c->heap.allocate(c->heap.user, c->generates_to, 0);
	Heap h = c->heap; /* The context is returned to the heap that it was allocated from. */
	heap_clear(&c->heap);
	h.allocate(h.user, c, 0);
}

const char *
ptxccc_version(void)
{
	return VERSION;
}

/* ---- who is called -------------------------------------------------------------------------- */

ptxccc_status
context_fail(ptxccc *c, ptxccc_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->message, sizeof c->message, fmt, ap);
	va_end(ap);
	return status;
}

void
ptxccc_on_diagnostic(ptxccc *c, ptxccc_diagnose *f, void *user)
{
	c->diagnose = f;
	c->user = user;
}

void
ptxccc_on_source(ptxccc *c, ptxccc_read *f, void *user)
{
	c->style.read = f;
	c->style.reader = user;
}

void
ptxccc_on_assemble(ptxccc *c, ptxccc_assemble *f, void *user)
{
	c->assemble = f;
	c->assemble_user = user;
}

void
ptxccc_on_machine_code(ptxccc *c, ptxccc_machine_code *f)
{
	c->machine_code = f;
}

/* ---- a job's frame --------------------------------------------------------------------------- */

static ptxccc_place
public_place(Cuda_pos p)
{
	return (ptxccc_place){ p.file, p.line, p.col };
}

static void
forward_diagnostic(void *context, const Diag *g)
{
	ptxccc *c = context;
	VEC(ptxccc_remark) notes = { 0 };

	for (uint32_t i = 0; i < g->nnotes; i++)
		*vec_push(&notes) =
			(ptxccc_remark){ g->note[i].text, public_place(g->note[i].place.at) };
	*vec_push(&c->last.told) = (ptxccc_diagnostic){
		.severity = g->level == DIAG_ERROR ? PTXCCC_SEVERE :
			g->level == DIAG_WARNING   ? PTXCCC_WARNING :
						     PTXCCC_NOTE,
		.name = g->name,
		.text = g->text,
		.notes = g->notes,
		.printed = g->printed,
		.file = g->cuda.file,
		.line = g->cuda.line,
		.column = g->cuda.col,
		.ptx_line = g->line,
		.ptx_column = g->col,
		.at = public_place(g->what.place.at),
		.caller = public_place(g->what.place.caller),
		.note = notes.at,
		.nnotes = notes.n,
		.copies = g->copies,
		.function = g->what.place.function,
	};
}

/* Copies the job's diagnostics to the context; they live in its heap. */
static void
keep_diagnostics(ptxccc *c, Diags *d)
{
	c->last.errors = diags_errors(d);
	diags_each(d, forward_diagnostic, c);
}

/* Discards the last job's results. */
static void
drop_results(ptxccc *c)
{
	heap_clear(&c->heap);
	c->last = (Job_results){ 0 };
	c->message[0] = '\0';
}

static ptxccc_status
run_in_heap(ptxccc *c, void (*work)(void *), Job job)
{
	drop_results(c);
	if (job.len >= UINT32_MAX)
		return context_fail(c, PTXCCC_USAGE, "text of 4 GiB or more");
	job.c = c;
	Heap_end end = heap_run(&c->heap, work, &job);
	if (end != HEAP_DONE)
		drop_results(c);
	if (end == HEAP_NO_MEMORY)
		return context_fail(c, PTXCCC_NO_MEMORY, "out of memory");
	if (end == HEAP_BUG)
		return context_fail(c, PTXCCC_INTERNAL, "%s", c->heap.bug);
	c->last.done = c->last.errors == 0;
	for (uint32_t i = 0; i < c->last.told.n && c->diagnose; i++)
		c->diagnose(c->user, &c->last.told.at[i]);
	return c->last.done ? PTXCCC_OK :
			      context_fail(c, PTXCCC_ERROR, "%u error%s", c->last.errors,
				      c->last.errors > 1 ? "s" : "");
}

/* ---- transforming ---------------------------------------------------------------------------- */

static ptxccc_site
public_site(const Module *m, const Report_site *s, Arena *a)
{
	size_t len;
	const char *function = ptx_name(m, m->funcs[s->func].sym, &len);
	const Report_region *k = s->regions;
	ptxccc_site to = {
		.function = arena_strndup(a, function, len),
		.loop_file =
			s->loop.file ? arena_strndup(a, s->loop.file, strlen(s->loop.file)) : NULL,
		.loop_line = s->loop.line,
		.path_file =
			s->path.file ? arena_strndup(a, s->path.file, strlen(s->path.file)) : NULL,
		.path_line = s->path.line,
		.transformed = s->done,
		.number = s->number,
		.choice = s->profile.choice,
	};

	if (!s->done) {
		to.reason = s->why.text ? s->why.text : "not asked for";
		to.kind = s->why.text ? diag_name(s->why.kind) : NULL;
		return to;
	}
	ptxccc_value *values = arena_array(a, k->ncontext, sizeof *values);
	for (uint32_t i = 0; i < k->ncontext; i++)
		values[i] = (ptxccc_value){ k->context[i].name, k->context[i].type,
			k->context[i].bytes };
	to.policy = k->policy;
	to.task_bytes = k->context_bytes;
	to.shared_bytes = s->code.shared;
	to.max_threads = s->code.threads;
	to.context = values;
	to.ncontext = k->ncontext;
	return to;
}

static void
public_annotations(ptxccc *c, const Report *r)
{
	uint32_t n;
	const Report_annotation *list = report_annotations(r, r->arena, &n);

	c->last.annotations = arena_array(r->arena, n, sizeof *c->last.annotations);
	for (c->last.nannotations = 0; c->last.nannotations < n; c->last.nannotations++) {
		const Report_annotation *k = &list[c->last.nannotations];
		c->last.annotations[c->last.nannotations] = (ptxccc_annotation){
			.number = k->number,
			.file = k->at.file ?
				arena_strndup(r->arena, k->at.file, strlen(k->at.file)) :
				NULL,
			.line = k->at.line,
			.copies = k->copies,
			.followed = k->followed,
		};
	}
}

static bool
assemble(void *context, const char *ptx, size_t len, Buf *log, Buf *code)
{
	ptxccc *c = context;
	const char *said = NULL;
	Buf text = { 0 };

	buf_add(&text, ptx, len);
	if (c->strip_lines)
		strip_line_info(&text);
	bool ok = c->assemble(c->assemble_user, text.at, text.n, &said) == 0;
	buf_puts(log, said ? said : "");
	size_t n = 0;
	const char *made = ok && code && c->machine_code ?
		c->machine_code(c->assemble_user, &n) : NULL;
	if (made)
		buf_add(code, made, n);
	buf_free(&text);
	return ok;
}

static bool
prove_contraction(void *context, const Module *m, uint32_t func)
{
	return explicit_products_are_proved(m, func, m, assemble, context);
}

typedef struct { ptxccc *c; ptxccc_format format; } Asked;

/* Writes the report in a format. The page shows only the sources that can be read. */
static void
write_report(void *arg)
{
	const Asked *asked = arg;
	ptxccc *c = asked->c;
	Units all = { .at = &c->last.unit, .n = 1 };
	Units_report job = { &all, VERSION, c->style.read, c->style.reader };
	Buf *to = &c->last.report[asked->format];

	switch (asked->format) {
	case PTXCCC_TEXT: unit_text(&c->last.unit, to); break;
	case PTXCCC_JSON:
		unit_json(&c->last.unit, to);
		buf_putc(to, '\n');
		break;
	case PTXCCC_RECORDS: unit_write(&c->last.unit, to); break;
	case PTXCCC_SARIF: units_sarif(&job, to); break;
	case PTXCCC_REMARKS: units_remarks(&job, to); break;
	case PTXCCC_HTML: units_html(&job, to); break;
	case PTXCCC_STEPS:
	case PTXCCC_SUGGESTIONS: break;
	case PTXCCC_EXPLANATION:
		if (c->last.explained.lines.n)
			explain_html(&c->last.explained, &c->last.unit, to);
		break;
	}
}

/* Instruments the module with counters. */
static void
generate_instrumented(ptxccc *c, const Module *m, Diags *d, Output *out)
{
	Pass_options pass = c->pass;
	Buf why = { 0 };

	Source plain;
	Auto_layers layers = { 0 };
	pass.instrument.path = c->generates_to ? c->generates_to->name : NULL;
	pass.unannotated = given_plain(c->plain, &plain, d);
	report_init(&out->report);
	if (c->automatic && auto_layers_make(m, &pass, &layers))
		m = layers.m;
	generate_text(m, &pass, c->assemble ? assemble : NULL, c, d, &c->last.text);
	if (!verify_text(m->src->name, c->last.text.at, c->last.text.n, &why)) {
		diag(d, D_BUG, DIAG_NOWHERE, "the text that counts has a fault: %s", why.at);
		c->last.text.n = 0;
		buf_add(&c->last.text, m->src->text, m->src->len);
	}
	buf_free(&why);
	if (c->strip_lines)
		strip_line_info(&c->last.text);
	auto_layers_release(&layers);
}

/* Adds the originals of the kernels to the output; plain: only of those whose gain is uncertain,
 * from that module. */
static void
add_kernel_clones(ptxccc *c, const Module *m, const Module *plain, const Report *r, Diags *d)
{
	Name_list names = { 0 };
	Buf why = { 0 };

	for (Given_text *g = c->switched; g; g = g->before)
		*vec_push(&names) = g->name;
	bool ok = plain ? clone_unsure_kernels(m, plain, r, &c->last.text, &why) :
			  clone_kernels(m, &names, &c->last.text, &why);
	if (!ok) {
		diag(d, D_BUG, DIAG_NOWHERE, "the original kernels cannot be kept beside the transformed ones: %s",
			why.n ? why.at : "the text cannot be read");
		diag_note(d, DIAG_NOWHERE, "this is a bug in ptxccc: please report it, with the input");
	}
	buf_free(&why);
	vec_free(&names);
}

/* Transforms the module. The report and what it points to stay in the heap. */
static void
transform_module(ptxccc *c, const Module *m, Diags *d, Output *out)
{
	Pass_options pass = c->pass;

	Profile profile = profile_new();

	Source plain;
	pass.unannotated = given_plain(c->plain, &plain, d);
	pass.debug.dump = &c->last.report[PTXCCC_STEPS];
	pass.explained = c->explains ? &c->last.explained : NULL;
	pass.measured.profile = c->profiles ? &profile : NULL;
	given_profiles(c, m, &profile, d);
	if (c->assemble && c->machine_code)
		pass.prover = (Contraction_prover){ prove_contraction, c };
	pass.style = &c->style;
	if (c->suggest)
		c->suggest(m, &pass, &c->last.report[PTXCCC_SUGGESTIONS]);
	(c->automatic ? auto_output_make : output_make)(
		m, &pass, c->assemble ? assemble : NULL, c, d, out);
	profile_release(&profile);
	const Report *r = &out->report;
	c->last.text = out->text;
	if (c->switchable || (pass.launch.timed && pass.unannotated))
		add_kernel_clones(c, m, c->switchable ? NULL : pass.unannotated, r, d);
	if (c->strip_lines)
		strip_line_info(&c->last.text);
	ptxccc_site *sites = arena_array(r->arena, r->sites.n, sizeof *sites);
	for (uint32_t i = 0; i < r->sites.n; i++)
		sites[i] = public_site(m, &r->sites.at[i], r->arena);
	c->last.sites = sites;
	c->last.nsites = r->sites.n;
	public_annotations(c, r);
}

/* Whether the module is left unchanged because the program's own machine code may round differently
 * than the result. Tells it. */
static bool
leave_rounding(ptxccc *c, const Module *m, Diags *d, Output *out)
{
	if (!c->other_assembler || c->pass.fp == FP_RELAXED || !module_may_round_differently(m))
		return false;
	diag(d, D_ROUNDING, DIAG_NOWHERE,
		"module left unchanged: another assembler may fuse other multiplications with additions");
	report_init(&out->report);
	buf_add(&c->last.text, m->src->text, m->src->len);
	return true;
}

static Diag_place
locate_position(void *m, uint32_t pos)
{
	return ptx_locate(m, pos);
}

static void
run_transform(void *arg)
{
	Job *job = arg;
	Job_results *last = &job->c->last;
	Source src;

	source_from(&src, job->name, job->text, job->len);
	Diags *d = diags_new(&src);
	diags_set(d, &job->c->warnings);
	Module *m = ptx_parse(&src, d);
	Diag_style style = job->c->style;
	Output out;
	if (m) {
		style.locate = locate_position;
		style.locator = m;
		if (!leave_rounding(job->c, m, d, &out))
			(job->c->generates ? generate_instrumented : transform_module)(
				job->c, m, d, &out);
	}
	diags_style(d, &style);
	keep_diagnostics(job->c, d);
	/* The module and its text stay in the heap, for the reports. */
	if (m)
		describe(&out.report, m, last->told.at, last->told.n, &last->unit);
	last->described = m;
}

ptxccc_status
ptxccc_transform(ptxccc *c, const char *name, const char *ptx, size_t len)
{
	return run_in_heap(c, run_transform, (Job){ .name = name, .text = ptx, .len = len });
}

/* ---- annotating ------------------------------------------------------------------------------ */

static void
run_annotate(void *arg)
{
	Job *job = arg;
	ptxccc *c = job->c;
	Source src;
	uint32_t guards = c->guards;

	source_from(&src, job->name, job->text, job->len);
	Diags *d = diags_new(NULL);
	diags_set(d, &c->warnings);
	rewrite_raw(src.name, src.text, src.len, &guards, &c->last.text, d);
	keep_diagnostics(c, d);
	source_release(&src);
	c->guards = guards; /* last: a job that runs out of memory uses no numbers */
}

ptxccc_status
ptxccc_annotate(ptxccc *c, const char *name, const char *cuda, size_t len)
{
	return run_in_heap(c, run_annotate, (Job){ .name = name, .text = cuda, .len = len });
}

/* ---- results --------------------------------------------------------------------------------- */

const char *
ptxccc_text(const ptxccc *c, size_t *len)
{
	if (len)
		*len = c->last.done ? c->last.text.n : 0;
	return c->last.done ? c->last.text.at : NULL;
}

const char *
ptxccc_message(const ptxccc *c)
{
	return c->message;
}

const ptxccc_site *
ptxccc_site_at(const ptxccc *c, size_t i)
{
	return i < c->last.nsites ? &c->last.sites[i] : NULL;
}

const ptxccc_annotation *
ptxccc_annotation_at(const ptxccc *c, size_t i)
{
	return i < c->last.nannotations ? &c->last.annotations[i] : NULL;
}

const char *
ptxccc_report(const ptxccc *c, ptxccc_format format)
{
	/* The cast is safe: formatting a report does not change the context for the caller. */
	Asked asked = { (ptxccc *)(uintptr_t)c, format };
	Buf *to = &asked.c->last.report[format];

	if (c->last.described && !to->at &&
		heap_run(&asked.c->heap, write_report, &asked) != HEAP_DONE)
		*to = (Buf){ 0 };
	return to->at ? to->at : "";
}
