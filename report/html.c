/* SPDX-License-Identifier: MIT */
/* Units as one HTML page: a table of all sites, then the sources with the sites in them. See
 * unit.h. The page needs nothing from elsewhere, and no script.
 */
#include <stdlib.h>
#include <string.h>
#include "report/unit.h"

enum { AROUND = 8 }; /* lines of the source that are shown around a site */

static const char style[] =
	"<style>\n"
	":root { color-scheme: light dark; --good: #1a7f37; --bad: #9a6700; --soft: #8884; }\n"
	"body { font: 15px/1.45 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }\n"
	"table { border-collapse: collapse; width: 100%; }\n"
	"th { text-align: left; } td, th { padding: .2rem .6rem; vertical-align: top; }\n"
	".sites tr { border-bottom: 1px solid var(--soft); }\n"
	".done { color: var(--good); } .left { color: var(--bad); }\n"
	".source { border: 1px solid var(--soft); } .source pre { margin: 0; font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; tab-size: 4; }\n"
	".source td { padding: 0 .6rem; } .source .site td { padding: .2rem .6rem; }\n"
	".source td:first-child { width: 3rem; text-align: right; opacity: .6; } .gap td { opacity: .5; }\n"
	".mark td { background: var(--soft); } .site td { border-left: 4px solid currentColor; } .site > td > div { color: CanvasText; }\n"
	"</style>\n";

/* A site with the unit that it is of. */
typedef struct { const Unit *u; const Unit_site *s; Cuda_pos at; } Mark;
typedef VEC(Mark) Marks;

static void
escape(Buf *out, const char *s, size_t n)
{
	for (; n--; s++)
		if (*s == '<' || *s == '>' || *s == '&' || *s == '"')
			buf_printf(out, "&#%d;", *s);
		else
			buf_putc(out, *s);
}

static void
text(Buf *out, const char *s)
{
	escape(out, s, strlen(s));
}

/* The file's name from anywhere; to be freed. */
static Buf
path_of(const Unit *u, const char *file)
{
	Buf b = { 0 };

	if (file[0] != '/' && u->folder)
		buf_printf(&b, "%s/", u->folder);
	buf_puts(&b, file);
	return b;
}

static int
compare_files(const Mark *a, const Mark *b)
{
	Buf x = path_of(a->u, a->at.file), y = path_of(b->u, b->at.file);
	int d = strcmp(x.at, y.at);

	buf_free(&x);
	buf_free(&y);
	return d;
}

/* By file, line, and then as they came. */
static int
by_place(const void *a, const void *b)
{
	const Mark *x = a, *y = b;
	int d = compare_files(x, y);

	if (d)
		return d;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	return x->u != y->u ? (x->u < y->u ? -1 : 1) : (x->s > y->s) - (x->s < y->s);
}

static Marks
marks(const Units *units)
{
	Marks all = { 0 };

	for (uint32_t i = 0; i < units->n; i++)
		for (uint32_t k = 0; k < units->at[i].sites.n; k++) {
			const Unit_site *s = &units->at[i].sites.at[k];
			Cuda_pos at = s->path.file ? s->path : s->loop;
			if (at.file)
				*vec_push(&all) = (Mark){ &units->at[i], s, at };
		}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_place);
	return all;
}

/* ---- one site -------------------------------------------------------------------------------- */

static void
place(Buf *out, Cuda_pos at)
{
	if (!at.file)
		return;
	buf_puts(out, " <small>(");
	text(out, at.file);
	buf_printf(out, ":%u)</small>", at.line);
}

static void
context(Buf *out, const Unit_site *s)
{
	buf_puts(out, "<br>a task: ");
	for (uint32_t i = 0; i < s->context.n; i++) {
		const Unit_value *v = &s->context.at[i];
		buf_puts(out, i ? ", <code>" : "<code>");
		text(out, v->reg);
		buf_puts(out, " .");
		text(out, v->type);
		buf_puts(out, "</code>");
		if (v->at.file)
			buf_printf(out, " of line %u", v->at.line);
	}
}

static void
details(Buf *out, const Unit_site *s)
{
	for (uint32_t i = 0; i < s->notes.n; i++) {
		buf_puts(out, "<br>");
		text(out, s->notes.at[i].text);
		place(out, s->notes.at[i].at);
	}
	if (s->done && s->context.n)
		context(out, s);
	if (s->registers && s->block)
		buf_printf(out, "<br>room for %u warps instead of %u, in blocks of %u threads",
			s->warps, s->warps_before, s->block);
	if (s->done && s->expected) {
		buf_puts(out, "<br>expected: ");
		site_gain(s, out);
	}
	if (!s->remedy)
		return;
	buf_puts(out, "<br><b>What to do:</b> ");
	text(out, s->remedy);
}

static void
outcome(Buf *out, const Unit_site *s)
{
	Buf line = { 0 };

	site_line(s, &line);
	text(out, line.at);
	buf_free(&line);
}

static void
box(Buf *out, const Mark *m)
{
	buf_printf(out, "<tr class=\"site %s\"><td></td><td><div><b class=\"%s\">",
		m->s->done ? "done" : "left", m->s->done ? "done" : "left");
	outcome(out, m->s);
	buf_puts(out, "</b>");
	if (!m->s->done)
		place(out, m->s->fault);
	buf_puts(out, "<br>in <code>");
	text(out, m->s->kernel ? m->s->kernel : m->s->function);
	buf_puts(out, "</code>");
	if (m->u->arch)
		buf_printf(out, " for %s", m->u->arch);
	details(out, m->s);
	buf_puts(out, "</div></td></tr>\n");
}

/* ---- sources --------------------------------------------------------------------------------- */

/* Shown are the lines near one of n marks. */
static bool
near(const Mark *m, uint32_t n, uint32_t line)
{
	for (uint32_t i = 0; i < n; i++)
		if (line + AROUND >= m[i].at.line && line <= m[i].at.line + AROUND)
			return true;
	return false;
}

static void
line(Buf *out, const Mark *m, uint32_t n, uint32_t number, Span at, const char *s)
{
	bool marked = false;

	for (uint32_t i = 0; i < n; i++)
		marked |= m[i].at.line == number;
	buf_printf(out, "<tr%s><td>%u</td><td><pre>", marked ? " class=\"mark\"" : "", number);
	escape(out, s + at.pos, at.end - at.pos);
	buf_puts(out, "</pre></td></tr>\n");
	for (uint32_t i = 0; i < n; i++)
		if (m[i].at.line == number)
			box(out, &m[i]);
}

static void
lines(Buf *out, const Mark *m, uint32_t n, const char *s, size_t len)
{
	bool gap = false;
	uint32_t number = 1;

	for (size_t i = 0, end; i < len; i = end + 1, number++) {
		const char *stop = memchr(s + i, '\n', len - i);
		end = stop ? (size_t)(stop - s) : len;
		if (near(m, n, number)) {
			line(out, m, n, number, (Span){ (uint32_t)i, (uint32_t)end }, s);
			gap = true;
		} else if (gap) {
			buf_puts(out, "<tr class=\"gap\"><td></td><td>&#8942;</td></tr>\n");
			gap = false;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (m[i].at.line >= number)
			box(out, &m[i]);
}

/* The file of n marks. */
static void
file(const Units_report *r, const Mark *m, uint32_t n, Buf *out)
{
	Buf path = path_of(m->u, m->at.file);
	size_t len = 0;
	const char *s = r->read ? r->read(r->reader, path.at, &len) : NULL;

	buf_puts(out, "<h2>");
	text(out, m->at.file);
	buf_puts(out, "</h2>\n<table class=\"source\">\n");
	if (s)
		lines(out, m, n, s, len);
	for (uint32_t i = 0; !s && i < n; i++) {
		buf_printf(out, "<tr class=\"mark\"><td>%u</td><td></td></tr>\n", m[i].at.line);
		box(out, &m[i]);
	}
	buf_puts(out, "</table>\n");
	buf_free(&path);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void
row(Buf *out, const Mark *m)
{
	buf_puts(out, "<tr><td><code>");
	text(out, m->at.file);
	buf_printf(out, ":%u</code></td><td><code>", m->at.line);
	text(out, m->s->kernel ? m->s->kernel : m->s->function);
	buf_puts(out, "</code></td><td>");
	text(out, m->u->arch ? m->u->arch : "");
	buf_puts(out, "</td><td>");
	if (m->s->expected)
		buf_printf(out, "%u.%02u&times;", m->s->expected / 100, m->s->expected % 100);
	buf_printf(out, "</td><td class=\"%s\">", m->s->done ? "done" : "left");
	outcome(out, m->s);
	buf_puts(out, "</td></tr>\n");
}

void
units_html(const Units_report *r, Buf *out)
{
	Marks all = marks(r->units);
	uint32_t done = 0;

	for (uint32_t i = 0; i < all.n; i++)
		done += all.at[i].s->done;
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>ptxccc</title>\n");
	buf_puts(out, style);
	buf_printf(out,
		"</head>\n<body>\n<h1>ptxccc %s</h1>\n<p>%u of %u annotated sites transformed, in %u compilations.</p>\n",
		r->version, done, all.n, r->units->n);
	buf_puts(out,
		"<table class=\"sites\">\n<tr><th>Place</th><th>Kernel</th><th>GPU</th><th>Expected</th><th>Outcome</th></tr>\n");
	for (uint32_t i = 0; i < all.n; i++)
		row(out, &all.at[i]);
	buf_puts(out, "</table>\n");
	for (uint32_t i = 0, n; i < all.n; i += n) {
		for (n = 1; i + n < all.n && compare_files(&all.at[i], &all.at[i + n]) == 0; n++)
			;
		file(r, &all.at[i], n, out);
	}
	buf_puts(out, "</body>\n</html>\n");
	vec_free(&all);
}
