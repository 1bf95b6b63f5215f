/* SPDX-License-Identifier: MIT */
/* Compares the register use of input and output, if there is an assembler. It must accept the text;
 * each kernel must be launchable with every block size that it supported before, and should keep
 * its occupancy. Otherwise kernels get a register limit, or their loops are left unchanged
 * (register_budget.h), and the passes run again. */
#include <string.h>
#include "transform/pipeline/transformation.h"

/* ---- running the assembler ------------------------------------------------------------------- */

/* Finds the functions with a transformed loop, and their direct and indirect callers. */
static void
find_changed(const Transformation *w, Register_limits *h)
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
assemble_text(const Transformation *w, const char *ptx, size_t len, Buf *log)
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
	bool ok = w->assemble(w->user, text.at, text.n, log, NULL);
	buf_free(&text);
	edit_release(e);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return ok;
}

/* Queries the register use of these kernels. False if the assembler rejects the text; log receives
 * the reason. whole: the other kernels have to be assembled, too. */
static bool
assemble_for_registers(const Transformation *w, const char *ptx, size_t len, bool whole,
	Kernel_registers *of, Buf *log)
{
	Kernel_registers *said = arena_array(w->arena, w->m->nfuncs, sizeof *said);
	bool ok = whole ? w->assemble(w->user, ptx, len, log, NULL) :
			  assemble_text(w, ptx, len, log);

	if (ok)
		kernel_registers_parse(w->m, log->n ? log->at : "", said);
	BITS_EACH(f, w->limits.asked)
		of[f] = said[f];
	return ok;
}

/* Queries the register use before the transformation. False if the assembler rejects the input. */
static bool
assemble_before(Transformation *w)
{
	Buf log = { 0 };
	bool ok = assemble_for_registers(
		w, w->m->src->text, w->m->src->len, false, w->limits.before, &log);

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
assemble_after(Transformation *w)
{
	const Buf *text = &w->out->text;
	Buf log = { 0 };

	if (!bits_any(w->limits.asked))
		return true;
	bool ok = assemble_for_registers(
		w, text->at, text->n, w->opt.assemble_whole, w->limits.after, &log);
	if (!ok)
		transformation_undo(w, first_line(&log, w->arena));
	buf_free(&log);
	return ok;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Whether a melded function must be left unchanged. */
static bool
must_drop_meld(const Transformation *w)
{
	for (uint32_t f = 1; f < w->m->nfuncs; f++)
		if (w->limits.refused[f] && pre_passes_changed(&w->texts, f))
			return true;
	return false;
}

Outcome
measure_input(Transformation *w)
{
	Register_limits *h = &w->limits;

	if (!w->assemble || !pass_continues(&w->opt, STEP_VERIFY))
		return STOP;
	if (h->m)
		return CONTINUE;
	register_limits_init(h, w->m, &w->opt, effects_build(w->m, w->arena), w->arena);
	w->opt.funcs.max_regs = h->max_registers;
	w->opt.funcs.refused = h->refused;
	w->opt.funcs.block_bound = h->block_bound;
	find_changed(w, h);
	return assemble_before(w) ? CONTINUE : STOP;
}

Outcome
measure_output(Transformation *w)
{
	Register_limits *h = &w->limits;

	if (!assemble_after(w))
		return STOP;
	w->limits_changed = register_limits_update(h, &w->out->report);
	w->limits_changed |= task_loop_set_update_blocks(&w->loops, h->after);
	if (w->loops.of) /* the number of blocks of a task loop depends on the register use */
		bits_copy(h->asked, h->changed);
	return CONTINUE;
}

Outcome
refuse_rewrites(Transformation *w)
{
	return w->limits_changed && must_drop_meld(w) ? REPEAT : CONTINUE;
}

Outcome
limit_registers(Transformation *w)
{
	return w->limits_changed ? REPEAT : CONTINUE;
}

Outcome
report_registers(Transformation *w)
{
	register_limits_report(&w->limits, &w->out->report, w->diags);
	return CONTINUE;
}
