/* SPDX-License-Identifier: MIT */
/* Produces the output text. See output.h.
 *
 * The text is parsed again before it is returned (verify.h). If there is an assembler, it must
 * accept the text; each kernel must be launchable with every block size that it supported before,
 * and should keep its occupancy. Otherwise kernels get a register limit, or their loops are left
 * unchanged (register_budget.h), and the passes run again on the same module.
 *
 * Task loops (task_loop_set.h) are made first, in a text of their own. Whether one is kept is known
 * when its paths have been planned, and its number of blocks when shared memory and registers are
 * known. Both may cause another run. */
#include <stdlib.h>
#include <string.h>
#include "analysis/interproc/effects.h"
#include "transform/cost/profile_lookup.h"
#include "transform/legality/rounding.h"
#include "transform/output/register_budget.h"
#include "transform/output/verify.h"
#include "transform/pipeline/output.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/pre_passes.h"
#include "transform/rewrite/task_loop_set.h"
#include "validate/validate.h"

typedef struct {
	const Module *m;
	Pre_passes texts;       /* including the text in which task loops are made */
	Task_loop_set loops;    /* including the text that the passes read */
	uint32_t mark;          /* end of the diagnostics that precede the passes */
	size_t shown;           /* length of `opt.shown` before the passes */
	Pass_options opt;       /* the caller's options; `most` and `leave` are set here */
	Assemble *assemble;
	void *user;
	Diags *diags;
	Output *out;
	Arena *arena;
	Edits *edits;           /* edits of the last run of the passes */
	Register_limits limits;
	Transformed_fns facts;  /* analyses of the passes, for the validator */
	/* by Marker of the text that the passes read: fault of the site's text */
	const char **faults;
	uint32_t nfaults;       /* number of markers of that text */
	bool refuted;           /* some site's text was found to be wrong */
} Output_pass;

/* ---- undoing --------------------------------------------------------------------------------- */

/* Replaces a faulty text by the input, with a diagnostic. */
static void
restore_input(Output_pass *w, const char *why)
{
	const Source *src = w->m->src;
	Report *r = &w->out->report;

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

/* ---- running the assembler ------------------------------------------------------------------- */

/* Finds the functions with a transformed loop, and their direct and indirect callers. */
static void
find_changed(const Output_pass *w, Register_limits *h)
{
	const Report *r = &w->out->report;

	for (uint32_t f = 1; f < w->m->nfuncs; f++)
		if (pre_passes_changed(&w->texts, f))
			effects_flood_callers(w->m, h->effects, f, h->changed);
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].done)
			effects_flood_callers(w->m, h->effects, r->sites.at[i].func, h->changed);
	bits_copy(h->asked, h->changed);
}

/* Assembles a text in which all kernels but those of interest have empty bodies, to save time. */
static bool
assemble_text(const Output_pass *w, const char *ptx, size_t len, Buf *log)
{
	Source src;
	Buf text = { 0 };
	Edits *e = edit_new(w->arena);

	source_from(&src, w->m->src->name, ptx, len);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	for (uint32_t f = 1; m && f < m->nfuncs; f++)
		if (m->funcs[f].entry && m->funcs[f].body &&
			!bits_has(w->limits.asked, ptx_func_like(w->m, m, f)))
			edit_replace(e, m->funcs[f].block, "{ ret; }", 8);
	edit_apply(e, &src, &text);
	bool ok = w->assemble(w->user, text.at, text.n, log);
	buf_free(&text);
	edit_release(e);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return ok;
}

/* Queries the register use of these kernels. False if the assembler rejects the text; log receives
 * the reason. */
static bool
assemble_for_registers(
	const Output_pass *w, const char *ptx, size_t len, Kernel_registers *of, Buf *log)
{
	Kernel_registers *said = arena_array(w->arena, w->m->nfuncs, sizeof *said);
	bool ok = assemble_text(w, ptx, len, log);

	if (ok)
		kernel_registers_parse(w->m, log->n ? log->at : "", said);
	BITS_EACH(f, w->limits.asked)
		of[f] = said[f];
	return ok;
}

/* Queries the register use before the transformation. False if the assembler rejects the input. */
static bool
assemble_before(Output_pass *w)
{
	Buf log = { 0 };
	bool ok =
		assemble_for_registers(w, w->m->src->text, w->m->src->len, w->limits.before, &log);

	buf_free(&log);
	return ok;
}

static const char *
first_line(const Buf *log, Arena *a)
{
	return log->n ? arena_strndup(a, log->at, strcspn(log->at, "\n")) :
			"the assembler rejects it";
}

/* Queries the register use of the output. False if the assembler rejects it although it accepts the
 * input. */
static bool
assemble_after(Output_pass *w)
{
	const Buf *text = &w->out->text;
	Buf log = { 0 };

	if (!bits_any(w->limits.asked))
		return true;
	bool ok = assemble_for_registers(w, text->at, text->n, w->limits.after, &log);
	if (!ok)
		restore_input(w, first_line(&log, w->arena));
	buf_free(&log);
	return ok;
}

/* ---- validation ------------------------------------------------------------------------------ */

static void
apply_site_verdict(Output_pass *w, const Transformed_fn *f, const Valid_site *v)
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
		Buf *to = w->opt.debug.dump;
		buf_printf(to, "validate: %s:%u: %s%s", site->loop.file, site->loop.line,
			shown[v->valid], said);
		if (v->valid == VALID_TRIED)
			buf_printf(to, " (lanes reached %u %% of it)", v->share);
		buf_putc(to, '\n');
	}
	buf_free(&b);
}

/* Runs the validator on the output (validate/). */
static bool
validate_text(void *user, const Module *m, Buf *why)
{
	Output_pass *w = user;

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

static void run_passes(Output_pass *w);

/* Checks the syntax of the output and validates it. A site whose text is wrong is left unchanged,
 * and the text is made again. False if everything was undone. */
static bool
check_output(Output_pass *w)
{
	Buf why = { 0 };
	bool ok;

	do {
		w->refuted = false;
		ok = verify_with(w->m->src->name, w->out->text.at, w->out->text.n,
			w->opt.debug.verify, w->opt.facts ? validate_text : NULL, w, &why);
		if (ok && w->refuted)
			run_passes(w);
	} while (ok && w->refuted);
	if (!ok) {
		if (w->opt.debug.show[STEP_VERIFY])
			buf_printf(w->opt.debug.dump, "verify: %s\n", why.at);
		restore_input(w, why.at);
	}
	buf_free(&why);
	return ok;
}

/* ---- driver ---------------------------------------------------------------------------------- */

/* Discards the results of the previous run. */
static void
discard_results(Output_pass *w)
{
	Buf *shown = w->opt.debug.dump;

	if (w->edits) {
		edit_release(w->edits);
		output_release(w->out);
	}
	transformed_fns_clear(&w->facts);
	*w->out = (Output){ 0 };
	report_init(&w->out->report);
	diags_rewind(w->diags, w->mark);
	if (shown && shown->n > w->shown) {
		shown->n = w->shown;
		shown->at[shown->n] = '\0';
	}
}

/* Runs the passes until the set of task loops is stable. */
static void
run_passes(Output_pass *w)
{
	do {
		discard_results(w);
		task_loop_set_write(&w->loops);
		if (w->nfaults != w->loops.now->nmarkers) {
			w->nfaults = w->loops.now->nmarkers;
			w->opt.faults = w->faults =
				arena_array(w->arena, w->nfaults, sizeof *w->faults);
		}
		task_loop_set_map_places(&w->loops, w->diags);
		w->edits = passes_run(
			w->loops.now, &w->opt, &w->out->report, w->diags, w->arena);
		diags_set_origin(w->diags, NULL, NULL);
	} while (pass_continues(&w->opt, STEP_REGION) &&
		task_loop_set_drop_useless(&w->loops, &w->out->report));
	task_loop_set_report(&w->loops, &w->out->report, w->diags);
	pre_passes_report(&w->texts, &w->out->report, w->diags);
	if (edit_any(w->edits))
		edit_apply(w->edits, w->loops.now->src, &w->out->text);
	else
		buf_add(&w->out->text, w->texts.now->src->text, w->texts.now->src->len);
}

/* Makes the texts that the passes read. */
static void
make_texts(Output_pass *w)
{
	pre_passes_run(&w->texts, w->m, &w->opt, w->arena);
	task_loop_set_collect(&w->loops, w->texts.now, &w->opt, w->arena);
	task_loop_set_use_origin(&w->loops, pre_passes_origin, &w->texts);
}

static void
write_output(Output_pass *w)
{
	task_loop_set_release(&w->loops);
	pre_passes_release(&w->texts);
}

/* Whether the passes or the steps before them changed anything. */
static bool
any_change(const Output_pass *w)
{
	return edit_any(w->edits) || w->texts.last;
}

/* Whether a melded function must be left unchanged. */
static bool
must_drop_meld(const Output_pass *w)
{
	for (uint32_t f = 1; f < w->m->nfuncs; f++)
		if (w->limits.refused[f] && pre_passes_changed(&w->texts, f))
			return true;
	return false;
}

/* Compares register use. True: the passes must run again. */
static bool
compare_registers(Output_pass *w)
{
	Register_limits *h = &w->limits;
	bool again = register_limits_update(h, &w->out->report);

	again |= task_loop_set_update_blocks(&w->loops, h->after);
	if (w->loops.of) /* the number of blocks of a task loop depends on the register use */
		bits_copy(h->asked, h->changed);
	return again;
}

/* Repeats the passes until the output's kernels are launchable like the input's. */
static void
run_until_stable(Output_pass *w)
{
	Register_limits *h = &w->limits;
	bool taken;

	register_limits_init(h, w->m, &w->opt, effects_build(w->m, w->arena), w->arena);
	w->opt.funcs.max_regs = h->max_registers;
	w->opt.funcs.refused = h->refused;
	find_changed(w, h);
	if (!assemble_before(w))
		return;
	while ((taken = assemble_after(w)) && compare_registers(w)) {
		if (must_drop_meld(w)) {
			write_output(w);
			make_texts(w);
		}
		run_passes(w);
		if (any_change(w) && !check_output(w))
			return;
	}
	if (taken)
		register_limits_report(h, &w->out->report, w->diags);
}

void
output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user, Diags *d,
	Output *out)
{
	Output_pass w = { .m = m,
		.opt = *opt,
		.assemble = assemble,
		.user = user,
		.diags = d,
		.out = out,
		.mark = diags_mark(d),
		.shown = opt->debug.dump ? opt->debug.dump->n : 0,
		.arena = arena_new() };

	w.opt.facts = opt->validate ? &w.facts : NULL;
	w.opt.measured.lookup = profile_lookup_build(m, opt->measured.profile, d, w.arena);
	w.opt.measured.counts_of = opt->measured.profile ? profile_lookup_counts : NULL;
	w.opt.funcs.fused_otherwise = contraction_differs_from(m, opt->unannotated, w.arena);
	w.mark = diags_mark(d);
	make_texts(&w);
	run_passes(&w);
	if (!any_change(&w) || !pass_continues(opt, STEP_WRITE))
		assemble = NULL;
	else if (!check_output(&w))
		assemble = NULL;
	if (assemble && pass_continues(opt, STEP_VERIFY))
		run_until_stable(&w);
	transformed_fns_clear(&w.facts);
	profile_lookup_release(w.opt.measured.lookup);
	edit_release(w.edits);
	write_output(&w);
	arena_free(w.arena);
}

void
output_release(Output *o)
{
	report_release(&o->report);
	buf_free(&o->text);
}
