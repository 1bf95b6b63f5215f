/* SPDX-License-Identifier: MIT */
/* Emits the functions of recursion.h by recursion.tpl. */
#include <stdio.h>
#include <string.h>
#include "analysis/interproc/effects.h"
#include "transform/emit/mark_done.h"
#include "transform/plan/plan.h"
#include "transform/rewrite/recursion.h"
#include "transform/text/template.h"

typedef struct {
	const Recursion *r;
	const Module *m;
	const Func *f;
	Edits *edits;
	Tpl t;
	char prefix[32];
} Recursion_writer;

/* ---- values of a task ------------------------------------------------------------------------ */

/* Writes a section for each value of the task; parameter: only of this one, from 1; 0: of all. */
static void
write_values(Recursion_writer *w, const char *section, uint32_t parameter)
{
	for (uint32_t k = 0; k < w->r->values.n; k++) {
		const Recursion_value *v = &w->r->values.at[k];
		if (parameter && v->number + 1 != parameter)
			continue;
		tpl_flag(&w->t, "first", k == 0 || v[-1].size != v->size);
		tpl_value(&w->t, "k", "%u", k);
		tpl_value(&w->t, "i", "%u", v->number);
		tpl_value(&w->t, "param", "%.*s", PTX_NAME(w->m, v->param));
		tpl_value(&w->t, "size", "%u", v->size);
		tpl_value(&w->t, "width", "%u", 8 * v->size);
		tpl_value(&w->t, "register", "%u", v->size < 2 ? 16 : 8 * v->size);
		tpl_value(&w->t, "offset", "%u", v->offset);
		tpl_value(&w->t, "row", "%u", v->row);
		tpl_write_section(&w->t, section);
	}
}

static void piece_values(void *w) { write_values(w, "value", 0); }
static void piece_own(void *w) { write_values(w, "load_param", 0); }
static void piece_fill(void *w) { write_values(w, "store_row", 0); }
static void piece_take(void *w) { write_values(w, "load_row", 0); }

/* Writes a call with the values as arguments. */
static void
write_call(Recursion_writer *w, const char *callee, const char *last)
{
	Tpl *t = &w->t;

	tpl_text(t, "\t{\n");
	for (uint32_t i = 0; i < w->f->nparam; i++) {
		const Var *v = ptx_var(w->m, w->f->param + i);
		if (v->dims.end > v->dims.pos)
			tpl_text(t, "\t.param .align %u .b8 ~a_%u[%u];\n", v->align, i,
				(uint32_t)v->bytes);
		else
			tpl_text(t, "\t.param .b%u ~a_%u;\n", 8 * (uint32_t)v->bytes, i);
		write_values(w, "store_param", i + 1);
	}
	tpl_text(t, "\tcall \t%s, (", callee);
	for (uint32_t i = 0; i < w->f->nparam; i++)
		tpl_text(t, "%s~a_%u", i ? ", " : "", i);
	tpl_text(t, "%s%s);\n\t}\n", w->f->nparam && *last ? ", " : "", last);
}

static void
piece_call(void *user)
{
	Recursion_writer *w = user;
	Buf name = { 0 };

	buf_printf(&name, "%.*s", PTX_NAME(w->m, w->f->sym));
	write_call(w, name.at, "");
	buf_free(&name);
}

static void piece_run(void *w) { write_call(w, "~task", "%~store"); }

/* ---- functions ------------------------------------------------------------------------------- */

/* Returns the end of the last parameter. */
static uint32_t
list_end(const Recursion_writer *w)
{
	uint32_t end = w->f->list.end - 1;

	while (strchr(" \t\n", w->m->src->text[end - 1]))
		end--;
	return end;
}

/* Sets the parameter lists: the function's own, and with the store. */
static void
define_lists(Recursion_writer *w)
{
	uint32_t first = w->f->list.pos + 1;
	int len = w->f->nparam ? (int)(list_end(w) - first) : 0;
	const char *text = len ? w->m->src->text + first : "";

	tpl_value(&w->t, "list", "(%.*s)", len, text);
	tpl_value(&w->t, "more", "(%.*s%s.param .b32 %sstore)", len, text, len ? ", " : "",
		w->prefix);
}

static void
define_names(Recursion_writer *w)
{
	const Recursion *r = w->r;
	uint32_t warps = (r->threads + WARP - 1) / WARP;

	define_lists(w);
	tpl_value(&w->t, "capacity", "%u", r->capacity);
	tpl_value(&w->t, "stride", "%u", r->stride);
	tpl_value(&w->t, "warps", "%u", warps);
	tpl_value(&w->t, "shared", "%u", r->stride * warps);
	tpl_flag(&w->t, "check_threads", r->check_threads);
	tpl_piece(&w->t, "values", piece_values, w);
	tpl_piece(&w->t, "own", piece_own, w);
	tpl_piece(&w->t, "fill", piece_fill, w);
	tpl_piece(&w->t, "take", piece_take, w);
	tpl_piece(&w->t, "call", piece_call, w);
	tpl_piece(&w->t, "run", piece_run, w);
}

static void
add_section(Recursion_writer *w, const char *section, Buf *to)
{
	tpl_begin(&w->t, w->prefix);
	define_names(w);
	tpl_write_section(&w->t, section);
	tpl_end(&w->t);
	buf_add(to, w->t.out.at, w->t.out.n);
	buf_putc(to, '\n');
}

/* Makes a call go to another function. argument: a further one, or "". at0: position that the
 * edits are relative to. */
static void
edit_call(const Recursion_writer *w, const Stmt *s, const char *name, const char *argument,
	uint32_t at0, Edits *e)
{
	const Module *m = w->m;
	uint32_t args = ptx_operand(m, s, 1);
	const Opnd *list = args ? &m->opnds[args] : NULL;
	Buf b = { 0 };

	buf_printf(&b, "%s%s", w->prefix, name);
	edit_replace(e, edit_span_from(m->opnds[ptx_operand(m, s, 0)].at, at0), b.at, b.n);
	b.n = 0;
	if (*argument && list && m->src->text[list->at.pos] == '(')
		buf_printf(&b, "%s%s", list->tree > 1 ? ", " : "", argument);
	else if (*argument)
		buf_printf(&b, ", (%s)", argument);
	uint32_t end = list ? list->at.end - 1 : m->opnds[ptx_operand(m, s, 0)].at.end;
	if (b.n)
		edit_insert(e, end - at0, b.at, b.n);
	buf_free(&b);
}

/* Adds the copy of the function that stores its calls as tasks. */
static void
add_task(Recursion_writer *w, Buf *to)
{
	const Func *f = w->f;
	Edits *e = edit_new(w->t.arena);
	uint32_t at0 = f->word;
	Source part = { .text = w->m->src->text + at0, .len = f->at.end - at0 };
	Buf b = { 0 }, argument = { 0 };

	buf_printf(&argument, "%%%sstore", w->prefix);
	buf_printf(&b, ".func %stask", w->prefix);
	edit_replace(e, edit_span_from((Span){ f->word, f->name.end }, at0), b.at, b.n);
	b.n = 0;
	buf_printf(&b, "%s.param .b32 %sstore)", f->nparam ? ", " : "(", w->prefix);
	Span rest = { f->name.end, f->name.end };
	if (f->list.end)
		rest = (Span){ f->nparam ? list_end(w) : f->list.pos, f->list.end };
	edit_replace(e, edit_span_from(rest, at0), b.at, b.n);
	b.n = 0;
	buf_printf(&b, "\n\t.reg .b32 \t%s;\n\tld.param.b32 \t%s, [%sstore];", argument.at,
		argument.at, w->prefix);
	edit_insert(e, f->block.pos + 1 - at0, b.at, b.n);
	PTX_STMTS(f, s) {
		const Stmt *st = &w->m->stmts[s];
		if (st->kind == STMT_MARKER)
			edit_replace(e, edit_span_from(st->at, at0), "", 0);
		else if (st->kind == STMT_INSN && ptx_op(w->m, st) == OP_CALL &&
			effects_callee(w->m, s) == w->r->func)
			edit_call(w, st, "push", argument.at, at0, e);
	}
	edit_apply(e, &part, to);
	edit_release(e);
	buf_puts(to, "\n\n");
	buf_free(&b);
	buf_free(&argument);
}

/* Makes all other functions call `drive`. */
static void
edit_callers(Recursion_writer *w)
{
	for (uint32_t g = 1; g < w->m->nfuncs; g++)
		PTX_STMTS(&w->m->funcs[g], s) {
			const Stmt *st = &w->m->stmts[s];
			if (g != w->r->func && st->kind == STMT_INSN &&
				ptx_op(w->m, st) == OP_CALL &&
				effects_callee(w->m, s) == w->r->func)
				edit_call(w, st, "drive", "", 0, w->edits);
		}
}

void
recursion_write(const Recursion *r, const Pass_options *opt, Edits *e)
{
	Arena *a = arena_new();
	Recursion_writer w = { .r = r, .m = r->m, .f = &r->m->funcs[r->func], .edits = e };
	Buf text = { 0 };

	snprintf(w.prefix, sizeof w.prefix, "ccc%u_", r->number);
	tpl_init(&w.t, TEMPLATE_RECURSION, opt->debug.omit, a);
	add_section(&w, "globals", &text);
	edit_insert(e, r->m->funcs[1].at.pos, text.at, text.n);
	text.n = 0;
	buf_puts(&text, "\n\n");
	add_section(&w, "push", &text);
	add_task(&w, &text);
	add_section(&w, "drive", &text);
	edit_insert(e, ptx_functions_end(r->m), text.at, text.n);
	edit_callers(&w);
	for (uint32_t i = w.f->marker; i < w.f->marker + w.f->nmarkers; i++)
		if (r->m->markers[i].annot.kind == ANNOT_RECURSION)
			marker_queue_done(r->m, &r->m->markers[i], e);
	buf_free(&text);
	tpl_release(&w.t);
	arena_free(a);
}
