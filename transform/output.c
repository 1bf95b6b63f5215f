/* SPDX-License-Identifier: MIT */
/* From a module to the text that is written. See output.h.
 *
 * The text is parsed before it goes out (verify.h). Where there is an assembler, it must take the
 * text too, and each kernel must start with every block that it started with before: one that takes
 * more registers than the largest such block leaves gets .maxnreg, and if that does not help, its
 * loops are left as they were. Each time the passes run anew, on the same view.
 *
 * Task loops (taskloops.h) are made before, in a text of their own. Whether one stands is known
 * when its paths were planned, and how many blocks it wants when shared memory and registers are:
 * then the text is made anew, too.
 */
#include <stdlib.h>
#include <string.h>
#include "analysis/effects.h"
#include "transform/measured.h"
#include "transform/occupancy.h"
#include "transform/output.h"
#include "transform/registers.h"
#include "transform/taskloops.h"
#include "transform/texts.h"
#include "transform/verify.h"
#include "validate/validate.h"

/* threads of the block that room is told for, where blocks may have so many */
enum { USUAL = 256 };

typedef struct {
	const Module *m;
	Texts texts;            /* with the text that task loops are made in */
	Taskloops loops;        /* with the text that the passes work on */
	uint32_t mark;          /* diagnostics of the passes come behind it */
	size_t shown;           /* and what they show */
	Pass_options opt;       /* the caller's; most and leave are set here */
	Assemble *assemble;
	void *user;
	Diags *diags;
	Output *out;
	Arena *arena;
	const Effects *effects;
	Edits *edits;           /* of the last run of the passes */
	/* Funcs that have a transformed loop, or can come to call one that has */
	Bits changed;
	/* by Func: registers a thread that a kernel is held to, 0: it is not */
	uint32_t *most;
	const char **leave;     /* by Func: why its loops stay as they were */
	Registers *before, *after;
	Facts facts;            /* what the passes knew, for who reads what they wrote */
	/* by Marker of the text that they work on: what is wrong with the site's text */
	const char **faults;
	uint32_t nfaults;       /* markers of that text */
	bool refuted;           /* some site's text was found wrong */
	uint32_t *wanted;       /* registers of a kernel that is held to fewer */
} Work;

/* ---- taking back ----------------------------------------------------------------------------- */

/* Writes the input instead of a text with a fault, and says so. */
static void
take_back(Work *w, const char *why)
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
	diags_back(w->diags, w->mark);
	diag(w->diags, D_BUG, DIAG_NOWHERE,
		"the transformed text has a fault: all is left as it was");
	diag_note(w->diags, DIAG_NOWHERE, "%s", why);
	diag_note(w->diags, DIAG_NOWHERE,
		"this is a bug in ptxccc: please report it, with the input");
}

/* ---- asking the assembler -------------------------------------------------------------------- */

static void
find_changed(Work *w)
{
	const Report *r = &w->out->report;
	Bits done = bits_new(w->arena, w->m->nfuncs), seen = bits_new(w->arena, w->m->nfuncs);

	for (uint32_t f = 1; f < w->m->nfuncs; f++)
		if (texts_changed(&w->texts, f))
			bits_set(done, f);
	w->changed = bits_new(w->arena, w->m->nfuncs);
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].done)
			bits_set(done, r->sites.at[i].func);
	for (uint32_t f = 1; f < w->m->nfuncs; f++) {
		bits_clear(seen);
		effects_flood_any(w->m, w->effects, f, seen);
		BITS_EACH(g, done)
			if (bits_has(seen, g))
				bits_set(w->changed, f);
	}
}

/* Kernels that did not change only take time: their bodies become empty. */
static void
empty_others(const Work *w, const Module *m, Edits *e)
{
	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (m->funcs[f].entry && m->funcs[f].body && !bits_has(w->changed, f))
			edit_replace(e, m->funcs[f].block, "{ ret; }", 8);
}

/* Assembles the changed kernels of a module with these edits; log gets what is said. */
static bool
ask(const Work *w, const Module *m, Edits *e, Buf *log)
{
	Buf text = { 0 };

	empty_others(w, m, e);
	edit_apply(e, m->src, &text);
	bool ok = w->assemble(w->user, text.at, text.n, log);
	buf_free(&text);
	return ok;
}

/* What the kernels took before. False: the assembler does not take the input either. */
static bool
ask_before(Work *w)
{
	Edits *e = edit_new(w->arena);
	Buf log = { 0 };
	bool ok = ask(w, w->m, e, &log);

	if (ok)
		registers_read(w->m, log.n ? log.at : "", w->before);
	edit_release(e);
	buf_free(&log);
	return ok;
}

static const char *
first_line(const Buf *log, Arena *a)
{
	return log->n ? arena_strndup(a, log->at, strcspn(log->at, "\n")) :
			"the assembler does not take it";
}

/* What the kernels take now. False: the assembler takes the input, but not this. */
static bool
ask_after(Work *w)
{
	Buf log = { 0 };
	bool ok = ask(w, w->loops.now, w->edits, &log);

	if (ok)
		registers_read(w->m, log.n ? log.at : "", w->after);
	else
		take_back(w, first_line(&log, w->arena));
	buf_free(&log);
	return ok;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Leaves the loops of a kernel, and of the functions that it can come to call, as they were. */
static void
leave(Work *w, uint32_t kernel, const char *why)
{
	Bits seen = bits_new(w->arena, w->m->nfuncs);

	effects_flood_any(w->m, w->effects, kernel, seen);
	BITS_EACH(f, seen)
		w->leave[f] = why;
}

static const char *
too_many(const Work *w, uint32_t kernel, uint32_t warps)
{
	Buf b = { 0 };

	buf_printf(&b,
		"with it the kernel takes %u registers a thread instead of %u, too many for blocks of %u threads",
		w->after[kernel].used, w->before[kernel].used, 32 * warps);
	const char *why = arena_strndup(w->arena, b.at, b.n);
	buf_free(&b);
	return why;
}

/* Compares registers. True: a kernel lost blocks that it could be launched with, and the passes
 * must run again. */
static bool
compare(Work *w)
{
	bool again = false;

	BITS_EACH(f, w->changed) {
		const Func *k = &w->m->funcs[f];
		uint32_t warps = registers_warps(w->before[f].used);
		/* With launch bounds the assembler sees to it by itself. */
		if (!k->entry || k->maxntid[0] || k->reqntid[0] || w->leave[f] ||
			registers_warps(w->after[f].used) >= warps)
			continue;
		again = true;
		if (w->most[f])
			leave(w, f, too_many(w, f, warps));
		w->most[f] = registers_most(warps);
		w->wanted[f] = w->after[f].used;
	}
	return again;
}

/* The annotation by which a kernel is known: its first loop's. */
static Cuda_pos
place(const Work *w, uint32_t kernel)
{
	const Report *r = &w->out->report;

	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.at[i].func == kernel)
			return r->sites.at[i].loop;
	return (Cuda_pos){ 0 };
}

static void
tell_limits(const Work *w)
{
	BITS_EACH(f, w->changed) {
		if (!w->most[f] || w->leave[f])
			continue;
		diag_cuda(w->diags, D_MAXNREG, place(w, f), DIAG_NOWHERE,
			"kernel '%.*s' takes %u registers a thread instead of %u: held to %u, so that blocks of %u threads start as before",
			PTX_NAME(w->m, w->m->funcs[f].sym), w->wanted[f], w->before[f].used,
			w->most[f], 32 * registers_warps(w->before[f].used));
		if (w->after[f].spilled > w->before[f].spilled)
			diag_note(w->diags, DIAG_NOWHERE,
				"ptxas stores %u bytes a thread in local memory for that",
				w->after[f].spilled);
		diag_note(w->diags, DIAG_NOWHERE, "say __launch_bounds__(N) if blocks are smaller");
	}
}

static Report_machine
machine(const Work *w, const Registers *r, uint32_t block)
{
	Occupancy o = occupancy_of(w->m->target, r->used, r->shared);

	return (Report_machine){ .registers = r->used, .spilled = r->spilled,
		.warps = occupancy_blocks(&o, block) * (block / 32) };
}

/* Tells the report what the assembler said of kernels with a transformed loop. */
static void
tell_machine(const Work *w)
{
	Report *r = &w->out->report;

	for (uint32_t i = 0; i < r->sites.n; i++) {
		Report_site *s = &r->sites.at[i];
		if (!s->done || !w->before[s->func].used || !w->after[s->func].used)
			continue;
		s->block = s->threads >= USUAL ? USUAL : (s->threads + 31) / 32 * 32;
		s->before = machine(w, &w->before[s->func], s->block);
		s->after = machine(w, &w->after[s->func], s->block);
	}
}

/* ---- is it right? ---------------------------------------------------------------------------- */

static void
judge_site(Work *w, const Fact *f, const Valid_site *v)
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
		buf_printf(&b, "its text is not right, at line %u: %s", v->line, v->why);
	else
		buf_printf(&b, "%s%s", words[v->valid], v->why ? v->why : "");
	bool no = v->valid == VALID_NO;
	const char *said = arena_strndup(no ? w->arena : r->arena, b.at, b.n);
	site->validated = no ? NULL : said;
	w->faults[v->marker] = no ? said : w->faults[v->marker];
	w->refuted |= no;
	if (w->opt.show[STEP_VERIFY]) {
		buf_printf(w->opt.shown, "validate: %s:%u: %s%s", site->loop.file, site->loop.line,
			shown[v->valid], said);
		if (v->valid == VALID_TRIED)
			buf_printf(w->opt.shown, " (lanes came to %u %% of it)", v->share);
		buf_putc(w->opt.shown, '\n');
	}
	buf_free(&b);
}

/* Reads what was written (validate/). */
static bool
validate(void *user, const Module *m, Buf *why)
{
	Work *w = user;

	for (uint32_t i = 0; i < w->facts.n; i++) {
		Arena *a = arena_new();
		Valid_func v = validate_func(w->facts.at[i].fn, w->facts.at[i].rs, m, a);
		if (v.why)
			buf_printf(why, "line %u: %s", v.line, v.why);
		for (uint32_t k = 0; k < v.nsites && !v.why; k++)
			judge_site(w, &w->facts.at[i], &v.sites[k]);
		arena_free(a);
		if (why->n)
			return false;
	}
	return true;
}

static void run_passes(Work *w);

/* Is the text PTX, and right? A site whose text is not is left as it was, and the text made anew.
 * False: all was taken back. */
static bool
check(Work *w)
{
	Buf why = { 0 };
	bool ok;

	do {
		w->refuted = false;
		ok = verify_and(w->m->src->name, w->out->text.at, w->out->text.n, w->opt.verify,
			w->opt.facts ? validate : NULL, w, &why);
		if (ok && w->refuted)
			run_passes(w);
	} while (ok && w->refuted);
	if (!ok) {
		if (w->opt.show[STEP_VERIFY])
			buf_printf(w->opt.shown, "verify: %s\n", why.at);
		take_back(w, why.at);
	}
	buf_free(&why);
	return ok;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Nothing of what the passes did before is left. */
static void
forget(Work *w)
{
	Buf *shown = w->opt.shown;

	if (w->edits) {
		edit_release(w->edits);
		output_release(w->out);
	}
	facts_clear(&w->facts);
	*w->out = (Output){ 0 };
	report_init(&w->out->report);
	diags_back(w->diags, w->mark);
	if (shown && shown->n > w->shown) {
		shown->n = w->shown;
		shown->at[shown->n] = '\0';
	}
}

/* Runs the passes, with the task loops that stand. */
static void
run_passes(Work *w)
{
	do {
		forget(w);
		taskloops_make(&w->loops);
		if (w->nfaults != w->loops.now->nmarkers) {
			w->nfaults = w->loops.now->nmarkers;
			w->opt.faults = w->faults =
				arena_array(w->arena, w->nfaults, sizeof *w->faults);
		}
		taskloops_speak(&w->loops, w->diags);
		w->edits = passes_run(
			w->loops.now, &w->opt, &w->out->report, w->diags, w->arena);
		diags_through(w->diags, NULL, NULL);
	} while (pass_goes_on(&w->opt, STEP_REGION) && taskloops_judge(&w->loops, &w->out->report));
	taskloops_tell(&w->loops, &w->out->report, w->diags);
	texts_tell(&w->texts, &w->out->report, w->diags);
	if (edit_any(w->edits))
		edit_apply(w->edits, w->loops.now->src, &w->out->text);
	else
		buf_add(&w->out->text, w->texts.now->src->text, w->texts.now->src->len);
}

/* Makes the texts that the passes work on. */
static void
start(Work *w)
{
	texts_make(&w->texts, w->m, &w->opt, w->arena);
	taskloops_find(&w->loops, w->texts.now, &w->opt, w->arena);
	taskloops_under(&w->loops, texts_origin, &w->texts);
}

static void
finish(Work *w)
{
	taskloops_release(&w->loops);
	texts_release(&w->texts);
}

/* Did the passes, or what comes before them, change anything? */
static bool
any_change(const Work *w)
{
	return edit_any(w->edits) || w->texts.last;
}

/* Shall a function be left as it was that was melded? */
static bool
leaves_meld(const Work *w)
{
	for (uint32_t f = 1; f < w->m->nfuncs; f++)
		if (w->leave[f] && texts_changed(&w->texts, f))
			return true;
	return false;
}

/* Runs the passes until what comes out can be launched as what went in. */
static void
settle(Work *w)
{
	bool taken;

	w->effects = effects_build(w->m, w->arena);
	w->opt.most = w->most = arena_array(w->arena, w->m->nfuncs, sizeof *w->most);
	w->opt.leave = w->leave = arena_array(w->arena, w->m->nfuncs, sizeof *w->leave);
	w->wanted = arena_array(w->arena, w->m->nfuncs, sizeof *w->wanted);
	w->before = arena_array(w->arena, w->m->nfuncs, sizeof *w->before);
	w->after = arena_array(w->arena, w->m->nfuncs, sizeof *w->after);
	find_changed(w);
	if (!ask_before(w))
		return;
	while ((taken = ask_after(w))) {
		bool again = compare(w);
		if (!taskloops_registers(&w->loops, w->after) && !again)
			break;
		if (leaves_meld(w)) {
			finish(w);
			start(w);
		}
		run_passes(w);
		if (any_change(w) && !check(w))
			return;
	}
	if (!taken)
		return;
	tell_limits(w);
	tell_machine(w);
}

void
output_make(const Module *m, const Pass_options *opt, Assemble *assemble, void *user, Diags *d,
	Output *out)
{
	Work w = { .m = m,
		.opt = *opt,
		.assemble = assemble,
		.user = user,
		.diags = d,
		.out = out,
		.mark = diags_mark(d),
		.shown = opt->shown ? opt->shown->n : 0,
		.arena = arena_new() };

	w.opt.facts = opt->validate ? &w.facts : NULL;
	w.opt.measured = measured_build(m, opt->profile, d, w.arena);
	w.opt.frequency = opt->profile ? measured_of : NULL;
	w.mark = diags_mark(d);
	start(&w);
	run_passes(&w);
	if (!any_change(&w) || !pass_goes_on(opt, STEP_WRITE))
		assemble = NULL;
	else if (!check(&w))
		assemble = NULL;
	if (assemble && pass_goes_on(opt, STEP_VERIFY))
		settle(&w);
	facts_clear(&w.facts);
	measured_release(w.opt.measured);
	edit_release(w.edits);
	finish(&w);
	arena_free(w.arena);
}

void
output_release(Output *o)
{
	report_release(&o->report);
	buf_free(&o->text);
}
