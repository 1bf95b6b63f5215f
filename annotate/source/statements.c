/* SPDX-License-Identifier: MIT */
/* Finds the statements that may be annotated. See statements.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/source/edits.h"
#include "annotate/source/kernel.h"
#include "annotate/source/statements.h"
#include "annotate/source/stmt.h"

/* ---- extents --------------------------------------------------------------------------------- */

/* A brace, and the `if` statements directly in its block after which nothing else may run. */
typedef struct { VEC(uint32_t) guards; } Open_block;

typedef struct {
	Cxx x;
	Statements *to;
	VEC(Open_block) blocks;
	Cxx_token before;       /* the previous token that is not a directive */
	Text_place behind;      /* its end */
	Cxx begin;              /* before the current declaration or statement */
	uint32_t tail;          /* `while` at the end of the last do loop */
} Statement_search;

static Text_place
place_behind(const Stmt_walk *w)
{
	return (Text_place){ w->end, w->behind };
}

static Text_place
place_of(Cxx_token t)
{
	return (Text_place){ t.pos, t.place };
}

/* Skips a statement and returns its extent. */
static Text_extent
skip_extent(Stmt_walk *w, bool *ok)
{
	stmt_skip_directives(w);
	Text_extent e = { .begin = place_of(w->t) };

	*ok = *ok && stmt_skip(w);
	e.end = place_behind(w);
	return *ok ? e : (Text_extent){ 0 };
}

/* Whether a statement ends with a jump. w: at its start. */
static bool
ends_with_jump(Stmt_walk w)
{
	static const char *const jumps[] = { "return", "continue", "break", "goto", "throw" };
	bool block = false, jump = false;

	stmt_skip_directives(&w);
	if (cxx_at(w.t, '{')) {
		block = true;
		stmt_advance(&w);
	}
	do {
		stmt_skip_directives(&w);
		if (cxx_at(w.t, '}'))
			break;
		jump = false;
		for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
			jump |= cxx_is(&w.x, w.t, jumps[i]);
	} while (stmt_skip(&w) && block);
	stmt_release(&w);
	return jump;
}

/* Fills the extents of an `if` or loop. Returns false if it cannot be parsed. */
static bool
find_extents(Statement *s, bool *jumps)
{
	Stmt_walk w = stmt_at(s->x, s->t, false);
	bool ok = s->kind == 'i' ? stmt_skip_if_head(&w) : stmt_skip_loop_head(&w);

	s->head = (Text_extent){ place_of(s->t), place_behind(&w) };
	*jumps = ok && s->kind == 'i' && ends_with_jump(w);
	s->body = skip_extent(&w, &ok);
	if (ok && s->kind != 'l') {
		stmt_skip_directives(&w);
		bool more = cxx_is(&w.x, w.t, s->kind == 'd' ? "while" : "else");
		if (more && s->kind == 'i')
			stmt_advance(&w);
		ok = more || s->kind == 'i';
		if (more)
			s->other = skip_extent(&w, &ok);
	}
	stmt_release(&w);
	return ok;
}

/* ---- the scan -------------------------------------------------------------------------------- */

static bool
begins_statement(const Statement_search *f)
{
	return cxx_at(f->before, ';') || cxx_at(f->before, '{') || cxx_at(f->before, '}');
}

static void
note_statement(Statement_search *f, Cxx_token t, char kind)
{
	Statement s = { .kind = kind, .x = f->x, .t = t };
	bool jumps;

	if ((kind == 'l' && t.pos == f->tail) || !find_extents(&s, &jumps))
		return;
	if (kind == 'd')
		f->tail = s.other.begin.pos;
	if (jumps && !s.other.end.pos && begins_statement(f) && f->blocks.n)
		*vec_push(&f->blocks.at[f->blocks.n - 1].guards) = f->to->n;
	*vec_push(f->to) = s;
}

/* Notes the kernel whose head contains the current token. */
static void
note_kernel(Statement_search *f)
{
	Cxx x = f->begin;
	Cxx_token t;

	while ((t = cxx_next(&x)).kind == CXX_DIRECTIVE)
		;
	const Kernel_head head = kernel_head(x, t);
	if (head.wrong || (f->to->n && f->to->at[f->to->n - 1].t.pos == t.pos))
		return;
	Statement s = { .kind = 'k', .x = x, .t = t };
	Stmt_walk w = stmt_at((Cxx){ .text = x.text, .len = x.len, .pos = head.body - 1,
		.place = head.place }, t, false);
	w.t = cxx_next(&w.x);
	bool ok = true;
	s.head = (Text_extent){ place_of(t), place_of(w.t) };
	s.body = skip_extent(&w, &ok);
	if (ok)
		*vec_push(f->to) = s;
	stmt_release(&w);
}

/* Ends a block: the statements after its guards end before its brace. */
static void
close_block(Statement_search *f)
{
	if (!f->blocks.n)
		return;
	Open_block b = *vec_pop(&f->blocks);
	for (uint32_t i = 0; i < b.guards.n; i++) {
		Statement *s = &f->to->at[b.guards.at[i]];
		if (f->behind.pos > s->body.end.pos)
			s->rest.end = f->behind;
	}
	vec_free(&b.guards);
}

/* Sets the start of the statement after guards that have just ended. */
static void
begin_rest(Statement_search *f, Cxx_token t)
{
	Open_block *b = f->blocks.n ? &f->blocks.at[f->blocks.n - 1] : NULL;
	Statement *s = b && b->guards.n ? &f->to->at[b->guards.at[b->guards.n - 1]] : NULL;

	if (s && !s->rest.begin.pos && t.pos >= s->body.end.pos)
		s->rest.begin = place_of(t);
}

static void
scan_token(Statement_search *f, Cxx_token t)
{
	static const struct { const char *word; char kind; } kinds[] = {
		{ "if", 'i' }, { "for", 'l' }, { "while", 'l' }, { "do", 'd' },
	};

	if (cxx_at(t, '}'))
		close_block(f);
	else
		begin_rest(f, t);
	if (cxx_at(t, '{'))
		*vec_push(&f->blocks) = (Open_block){ { 0 } };
	for (size_t i = 0; t.kind == CXX_WORD && i < sizeof kinds / sizeof *kinds; i++)
		if (cxx_is(&f->x, t, kinds[i].word))
			note_statement(f, t, kinds[i].kind);
	if (cxx_is(&f->x, t, "global") || cxx_is(&f->x, t, "__global__"))
		note_kernel(f);
	if (cxx_at(t, '{') || cxx_at(t, '}') || cxx_at(t, ';'))
		f->begin = f->x;
	f->before = t;
	f->behind = (Text_place){ t.end, f->x.place };
}

void
statements_find(const char *text, uint32_t len, Statements *to)
{
	Statement_search f = { .x = cxx_open(text, len), .to = to };

	f.begin = f.x;
	for (Cxx_token t; (t = cxx_next(&f.x)).kind != CXX_END; )
		if (t.kind != CXX_DIRECTIVE)
			scan_token(&f, t);
	while (f.blocks.n)
		close_block(&f);
	vec_free(&f.blocks);
	for (uint32_t i = 0; i < to->n; i++)
		if (!to->at[i].rest.begin.pos || !to->at[i].rest.end.pos)
			to->at[i].rest = (Text_extent){ 0 };
}

/* ---- output ---------------------------------------------------------------------------------- */

/* raw: the file of the statements being written, not preprocessed; empty if it cannot be read. */
typedef struct {
	Edits e;                /* the text; for file names */
	Buf *to, file, toolkit;
	Span current;
	Source raw;
} Statement_writer;

static uint32_t
column(const Statement_writer *w, uint32_t pos)
{
	uint32_t at = pos;

	while (at && w->e.text[at - 1] != '\n')
		at--;
	return pos - at + 1;
}

/* Whether only blanks are on the line before, or after, byte pos. */
static bool
is_at_line_end(const Statement_writer *w, uint32_t pos, bool start)
{
	const char *s = w->e.text + pos;

	if (start)
		while (s > w->e.text && (s[-1] == ' ' || s[-1] == '\t'))
			s--;
	else
		s += strspn(s, " \t\r");
	return start ? s == w->e.text || s[-1] == '\n' : *s == '\n' || !*s;
}

/* Sets the file that the following rows are of. */
static void
begin_file(Statement_writer *w, Cxx_place p)
{
	char here[4096];
	const char *why;

	if (w->current.pos == p.file.pos && w->current.end == p.file.end && w->file.n)
		return;
	w->current = p.file;
	w->file.n = 0;
	source_release(&w->raw);
	w->raw = (Source){ 0 };
	edits_put_file(&w->e, &w->file, p);
	if (!source_read(&w->raw, w->file.at, &why))
		w->raw = (Source){ 0 };
	buf_puts(w->to, "//.statements-of ");
	if (*w->file.at != '/' && getcwd(here, sizeof here))
		buf_printf(w->to, "%s/", here);
	buf_printf(w->to, "%s\n", w->file.at);
}

/* Returns line n of the file, not preprocessed; NULL if there is none. */
static const char *
raw_line(const Statement_writer *w, uint32_t n)
{
	const char *s = w->raw.text;

	for (; s && n > 1; n--) {
		s = strchr(s, '\n');
		s = s ? s + 1 : NULL;
	}
	return s;
}

/* Whether the file, not preprocessed, has the token in the same column: it does unless a macro
 * was expanded. */
static bool
is_spelt_out(const Statement_writer *w, Text_place at)
{
	const char *s = raw_line(w, at.place.line);
	Cxx x = cxx_open(w->e.text + at.pos, w->e.len - at.pos);
	uint32_t n = cxx_next(&x).end, col = column(w, at.pos);

	return s && strcspn(s, "\n") >= col - 1 + n &&
		memcmp(s + col - 1, w->e.text + at.pos, n) == 0;
}

static bool
is_foreign(const Statement_writer *w, Cxx_place p)
{
	return p.flags.end > p.flags.pos ||
		(w->toolkit.n && strncmp(w->file.at, w->toolkit.at, w->toolkit.n) == 0);
}

/* Returns how a line can be inserted before the token: l, above its line; s, after the line is
 * split; m, not at all: it is in a macro; h: nor should it, in a header of others; -: there is no
 * token. */
static char
position_kind(const Statement_writer *w, Text_place at)
{
	if (!at.pos)
		return '-';
	if (is_foreign(w, at.place))
		return 'h';
	if (is_at_line_end(w, at.pos, true))
		return 'l';
	return is_spelt_out(w, at) ? 's' : 'm';
}

static void
put_extent(Statement_writer *w, const Text_extent *e)
{
	const Text_place *p[] = { &e->begin, &e->end };

	for (int i = 0; i < 2; i++)
		buf_printf(w->to, " %u %u", e->end.pos ? p[i]->place.line : 0,
			e->end.pos ? column(w, p[i]->pos) : 0);
}

static void
write_statement(Statement_writer *w, const Statement *s)
{
	begin_file(w, s->t.place);
	char rest = position_kind(w, s->rest.begin);

	if (rest != 'l' || !is_at_line_end(w, s->rest.end.pos, false))
		rest = rest == '-' ? '-' : 'm';
	buf_printf(w->to, "//.statement %c %c%c%c%c", s->kind, position_kind(w, s->head.begin),
		position_kind(w, s->body.begin), position_kind(w, s->other.begin), rest);
	put_extent(w, &s->head);
	put_extent(w, &s->body);
	put_extent(w, &s->other);
	put_extent(w, &s->rest);
	buf_putc(w->to, '\n');
}

/* Sets the folder of the toolkit's headers, "/usr/local/cuda/include/". */
static void
find_toolkit(Statement_writer *w, const char *text)
{
	static const char name[] = "/cuda_runtime.h\"";
	const char *s = strstr(text, name), *from = s;

	while (from && from > text && from[-1] != '"')
		from--;
	if (from)
		buf_add(&w->toolkit, from, (size_t)(s + 1 - from));
}

void
statements_write(
	const Statements *of, const char *name, const char *text, uint32_t len, Buf *to)
{
	Statement_writer w = { .e = { .name = name, .text = text, .len = len }, .to = to };

	find_toolkit(&w, text);
	buf_puts(to, "\n//.statements\n");
	for (uint32_t i = 0; i < of->n; i++)
		write_statement(&w, &of->at[i]);
	source_release(&w.raw);
	buf_free(&w.file);
	buf_free(&w.toolkit);
}

void
statements_write_newer(const char *name, Buf *to)
{
	buf_printf(to, "\n//.statements\n//.statements-newer %s\n", name);
}
