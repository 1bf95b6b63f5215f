/* SPDX-License-Identifier: MIT */
/* Prints diagnostics in clang's format, "file:line:column: level: message [-Wname]", the source
 * line, a caret.
 *
 * The CUDA position comes first: the annotation's, then that of the code at fault. PTX lines are
 * shown on request, or if the CUDA position is unknown. */
#include <string.h>
#include "base/diag.h"

enum { MAX_COLUMNS = 160 };

typedef enum { PLAIN, BOLD, RED, MAGENTA, CYAN, GREEN } Color;

typedef struct {
	const Diag_style *style;
	Source *src;            /* the PTX */
	Buf *to;
} Printer;

static void
put_color(const Printer *p, Color c)
{
	/* ORDER Color */
	static const char *const codes[] = { "0", "1", "1;31", "1;35", "1;36", "1;32" };

	if (p->style->color)
		buf_printf(p->to, "\033[%sm", codes[c]);
}

static void
put_byte(Buf *to, char c)
{
	unsigned char u = (unsigned char)c;

	buf_putc(to, u == '\t' || (u >= ' ' && u != 127) ? c : '.');
}

/* Prints a line of n bytes and its number, with a caret under byte `at` unless that is more than n.
 * Truncates a long line around the caret. */
static void
put_line(const Printer *p, uint32_t number, const char *s, size_t n, size_t at)
{
	bool caret = at <= n;
	size_t from = 0;

	if (caret && at > MAX_COLUMNS / 2 && n > MAX_COLUMNS)
		from = at - MAX_COLUMNS / 2;
	if (n - from > MAX_COLUMNS)
		n = from + MAX_COLUMNS;
	buf_printf(p->to, "%7u | ", number);
	for (size_t i = from; i < n; i++)
		put_byte(p->to, s[i]);
	buf_putc(p->to, '\n');
	if (!caret)
		return;
	buf_puts(p->to, "        | ");
	for (size_t i = from; i < at; i++)
		buf_putc(p->to, s[i] == '\t' ? '\t' : ' ');
	put_color(p, GREEN);
	buf_putc(p->to, '^');
	put_color(p, PLAIN);
	buf_putc(p->to, '\n');
}

/* Prints the PTX line that contains pos. */
static void
put_ptx_line(const Printer *p, uint32_t pos)
{
	uint32_t line, col;
	Span at = source_line(p->src, pos);

	source_position(p->src, pos, &line, &col);
	if (pos > at.end)
		pos = at.end;
	put_line(p, line, p->src->text + at.pos, at.end - at.pos, pos - at.pos);
}

const char *
diag_line(const Diag_style *style, Cuda_pos at, size_t *len)
{
	size_t n = 0;
	const char *s = style->read && at.file ? style->read(style->reader, at.file, &n) : NULL,
		   *end = s + n;

	for (uint32_t line = 1; s && line < at.line; line++) {
		s = memchr(s, '\n', (size_t)(end - s));
		s += s != NULL;
	}
	if (!s || s == end)
		return NULL;
	const char *stop = memchr(s, '\n', (size_t)(end - s));
	*len = (size_t)((stop ? stop : end) - s);
	*len -= *len && s[*len - 1] == '\r';
	return s;
}

/* Prints a line of the CUDA source, if it is available. */
static void
put_cuda_line(const Printer *p, Cuda_pos at)
{
	size_t n;
	const char *s = diag_line(p->style, at, &n);

	if (s)
		put_line(p, at.line, s, n, at.col ? at.col - 1 : SIZE_MAX);
}

static void
put_cuda_place(const Printer *p, Cuda_pos at)
{
	put_color(p, BOLD);
	if (at.col)
		buf_printf(p->to, "%s:%u:%u: ", at.file, at.line, at.col);
	else
		buf_printf(p->to, "%s:%u: ", at.file, at.line);
	put_color(p, PLAIN);
}

static void
put_ptx_place(const Printer *p, uint32_t pos)
{
	uint32_t line, col;

	source_position(p->src, pos, &line, &col);
	put_color(p, BOLD);
	buf_printf(p->to, "%s:%u:%u: ", p->src->name, line, col);
	put_color(p, PLAIN);
}

static void
put_level(const Printer *p, Diag_level l)
{
	put_color(p, l == DIAG_ERROR ? RED : l == DIAG_WARNING ? MAGENTA : CYAN);
	buf_puts(p->to, l == DIAG_ERROR ? "error: " : l == DIAG_WARNING ? "warning: " : "note: ");
	put_color(p, PLAIN);
}

static bool
same_line(Cuda_pos a, Cuda_pos b)
{
	return a.file && b.file && a.line == b.line && strcmp(a.file, b.file) == 0;
}

/* Whether to show the PTX, given what is known of the CUDA position. */
static bool
shows_ptx(const Printer *p, Cuda_pos known)
{
	return p->style->show == SHOW_ALL || (p->style->show == SHOW_UNKNOWN && !known.file);
}

static void
put_ptx_note(const Printer *p, uint32_t pos, const char *text)
{
	buf_puts(p->to, "  ");
	put_ptx_place(p, pos);
	put_level(p, DIAG_NOTE);
	buf_printf(p->to, "%s\n", text);
	put_ptx_line(p, pos);
}

/* Prints a note, with its CUDA position if that is known. */
static void
put_note(const Printer *p, const Diag_remark *r)
{
	bool ptx = r->pos != DIAG_NOWHERE && shows_ptx(p, r->place.at);

	if (ptx && !r->place.at.file) {
		put_ptx_note(p, r->pos, r->text);
		return;
	}
	buf_puts(p->to, "  ");
	if (r->place.at.file)
		put_cuda_place(p, r->place.at);
	put_level(p, DIAG_NOTE);
	buf_printf(p->to, "%s\n", r->text);
	put_cuda_line(p, r->place.at);
	if (ptx)
		put_ptx_note(p, r->pos, "in the PTX here");
}

/* Prints the line of the code at fault, under a note unless it is the line already named. */
static void
put_fault(const Printer *p, const Diag *g)
{
	Diag_place at = g->what.place;
	bool ptx = g->what.pos != DIAG_NOWHERE && shows_ptx(p, at.at);

	if (!g->cuda.file) {
		if (g->what.pos != DIAG_NOWHERE)
			put_ptx_line(p, g->what.pos);
		return;
	}
	if (at.at.file && !same_line(at.at, g->cuda))
		put_note(p, &(Diag_remark){ .text = "here", .pos = DIAG_NOWHERE, .place = at });
	else if (!ptx)
		put_cuda_line(p, at.at.file ? at.at : g->cuda);
	if (at.caller.file && !same_line(at.caller, at.at) && !same_line(at.caller, g->cuda))
		put_note(p,
			&(Diag_remark){ .text = "inlined here",
				.pos = DIAG_NOWHERE,
				.place = { .at = at.caller } });
	if (ptx)
		put_ptx_note(p, g->what.pos, "in the PTX here");
}

static void
put_head(const Printer *p, const Diag *g)
{
	if (g->cuda.file) {
		put_cuda_place(p, g->cuda);
	} else if (g->what.pos != DIAG_NOWHERE) {
		put_ptx_place(p, g->what.pos);
	} else {
		put_color(p, BOLD);
		buf_printf(p->to, "%s: ", p->src ? p->src->name : "ptxccc");
		put_color(p, PLAIN);
	}
	put_level(p, g->level);
	put_color(p, BOLD);
	buf_puts(p->to, g->text);
	put_color(p, PLAIN);
	if (g->copies > 1)
		buf_printf(p->to, " (in %u copies%s%s)", g->copies, *g->instances ? ": " : "",
			g->instances);
	else if (*g->instances)
		buf_printf(p->to, " (in %s)", g->instances);
	buf_printf(p->to, " [-W%s%s]\n", g->promoted ? "error=" : "", g->name);
}

void
diag_print(const Diag *g, const Diag_style *s, Source *src, Buf *to)
{
	Printer p = { s, src, to };

	put_head(&p, g);
	put_fault(&p, g);
	for (uint32_t i = 0; i < g->nnotes; i++)
		put_note(&p, &g->note[i]);
}
