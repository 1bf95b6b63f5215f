/* SPDX-License-Identifier: MIT */
/* Units as one HTML page: a table of all sites, then the sources with the sites marked. See
 * unit.h. */
#include <stdlib.h>
#include <string.h>
#include "report/page.h"
#include "report/unit.h"

enum { AROUND = 8 }; /* source lines shown around a site */

/* A site with its unit. */
typedef struct { const Unit *u; const Unit_site *s; Cuda_pos at; uint32_t copies; } Page_mark;
typedef VEC(Page_mark) Page_marks;

/* Returns the file's name including its folder; the caller frees it. */
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
compare_files(const Page_mark *a, const Page_mark *b)
{
	Buf x = path_of(a->u, a->at.file), y = path_of(b->u, b->at.file);
	int d = strcmp(x.at, y.at);

	buf_free(&x);
	buf_free(&y);
	return d;
}

/* Compares by file, then by line, then by original order. */
static int
by_place(const void *a, const void *b)
{
	const Page_mark *x = a, *y = b;
	int d = compare_files(x, y);

	if (d)
		return d;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	return x->u != y->u ? (x->u < y->u ? -1 : 1) : (x->s > y->s) - (x->s < y->s);
}

static Page_marks
collect_marks(const Units *units)
{
	Page_marks all = { 0 };

	for (uint32_t i = 0; i < units->n; i++)
		for (uint32_t k = 0; k < units->at[i].sites.n; k++) {
			const Unit_site *s = &units->at[i].sites.at[k];
			Cuda_pos at = s->path.file ? s->path : s->loop;
			uint32_t copies = unit_copies(&units->at[i], k);
			if (at.file && copies)
				*vec_push(&all) = (Page_mark){ &units->at[i], s, at, copies };
		}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_place);
	return all;
}

/* ---- one site -------------------------------------------------------------------------------- */

static void
write_place(Buf *out, Cuda_pos at)
{
	if (!at.file)
		return;
	buf_puts(out, " <small>(");
	page_text(out, at.file);
	buf_printf(out, ":%u)</small>", at.line);
}

static void
write_values(Buf *out, const char *what, const Unit_value *all, uint32_t n)
{
	buf_puts(out, what);
	for (uint32_t i = 0; i < n; i++) {
		const Unit_value *v = &all[i];
		buf_puts(out, i ? ", <code>" : "<code>");
		if (!v->at.file && unit_value_has_name(v, all, n)) {
			page_text(out, v->reg);
			buf_puts(out, " .");
		}
		page_text(out, v->type);
		buf_puts(out, "</code>");
		if (v->at.file)
			buf_printf(out, " of line %u", v->at.line);
	}
}

static void
write_details(Buf *out, const Unit_site *s)
{
	for (uint32_t i = 0; i < s->notes.n; i++) {
		buf_puts(out, "<br>");
		page_text(out, s->notes.at[i].text);
		write_place(out, s->notes.at[i].at);
	}
	if (s->done && s->context.n)
		write_values(out, "<br>a task: ", s->context.at, s->context.n);
	if (s->done && s->kept.n)
		write_values(out, "<br>each lane keeps: ", s->kept.at, s->kept.n);
	if (s->registers && s->block)
		buf_printf(out, "<br>occupancy: %u warps instead of %u, in blocks of %u threads",
			s->warps, s->warps_before, s->block);
	if (s->done && s->expected) {
		buf_puts(out, "<br>expected: ");
		site_gain(s, out);
	}
	if (!s->remedy)
		return;
	buf_puts(out, "<br><b>What to do:</b> ");
	page_text(out, s->remedy);
}

static void
write_outcome(Buf *out, const Unit_site *s)
{
	Buf line = { 0 };

	site_line(s, &line);
	page_text(out, line.at);
	buf_free(&line);
}

void
html_site(const Unit_site *s, const char *arch, Buf *out)
{
	buf_printf(out, "<b class=\"%s\">", s->done ? "done" : "left");
	write_outcome(out, s);
	buf_puts(out, "</b>");
	if (!s->done)
		write_place(out, s->fault);
	buf_puts(out, "<br>in <code>");
	page_text(out, s->kernel ? s->kernel : s->function);
	buf_puts(out, "</code>");
	if (arch)
		buf_printf(out, " for %s", arch);
	write_details(out, s);
}

static void
write_box(Buf *out, const Page_mark *m)
{
	buf_printf(out, "<tr class=\"site %s\"><td></td><td><div>", m->s->done ? "done" : "left");
	html_site(m->s, m->u->arch, out);
	buf_puts(out, "</div></td></tr>\n");
}

/* ---- sources --------------------------------------------------------------------------------- */

/* The n sites of a file. */
typedef struct { const Page_mark *at; uint32_t n; Buf *out; } Marked_file;

/* Whether the line is near a site, and therefore shown. */
static bool
line_is_near_mark(void *user, unsigned line)
{
	const Marked_file *m = user;

	for (uint32_t i = 0; i < m->n; i++)
		if (line + AROUND >= m->at[i].at.line && line <= m->at[i].at.line + AROUND)
			return true;
	return false;
}

static void
write_line_marks(void *user, unsigned number, const char *s, size_t n)
{
	const Marked_file *m = user;
	bool marked = false;

	for (uint32_t i = 0; i < m->n; i++)
		marked |= m->at[i].at.line == number;
	buf_printf(m->out, "<tr%s><td>%u</td><td><pre>", marked ? " class=\"mark\"" : "", number);
	page_text_n(m->out, s, n);
	buf_puts(m->out, "</pre></td></tr>\n");
	for (uint32_t i = 0; i < m->n; i++)
		if (m->at[i].at.line == number)
			write_box(m->out, &m->at[i]);
}

/* Includes sites beyond the last line. */
static void
write_source_lines(Marked_file *m, const char *s, size_t len)
{
	unsigned n = page_source(
		m->out, &(Page_source){ s, len, 2, line_is_near_mark, write_line_marks, m });

	for (uint32_t i = 0; i < m->n; i++)
		if (m->at[i].at.line > n)
			write_box(m->out, &m->at[i]);
}

/* Writes a file with n sites. */
static void
write_file(const Units_report *r, const Page_mark *m, uint32_t n, Buf *out)
{
	Buf path = path_of(m->u, m->at.file);
	size_t len = 0;
	const char *s = r->read ? r->read(r->reader, path.at, &len) : NULL;

	buf_puts(out, "<h2>");
	page_text(out, m->at.file);
	buf_puts(out, "</h2>\n<table class=\"source\">\n");
	if (s)
		write_source_lines(&(Marked_file){ m, n, out }, s, len);
	for (uint32_t i = 0; !s && i < n; i++) {
		buf_printf(out, "<tr class=\"mark\"><td>%u</td><td></td></tr>\n", m[i].at.line);
		write_box(out, &m[i]);
	}
	buf_puts(out, "</table>\n");
	buf_free(&path);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void
write_row(Buf *out, const Page_mark *m)
{
	buf_puts(out, "<tr><td><code>");
	page_text(out, m->at.file);
	buf_printf(out, ":%u</code></td><td><code>", m->at.line);
	page_text(out, m->s->kernel ? m->s->kernel : m->s->function);
	buf_puts(out, "</code>");
	if (m->copies > 1)
		buf_printf(out, " <small>(%u sites)</small>", m->copies);
	buf_puts(out, "</td><td>");
	page_text(out, m->u->arch ? m->u->arch : "");
	buf_puts(out, "</td><td>");
	if (m->s->expected)
		buf_printf(out, "%u.%02u&times;", m->s->expected / 100, m->s->expected % 100);
	buf_printf(out, "</td><td class=\"%s\">", m->s->done ? "done" : "left");
	write_outcome(out, m->s);
	buf_puts(out, "</td></tr>\n");
}

void
units_html(const Units_report *r, Buf *out)
{
	Page_marks all = collect_marks(r->units);
	Buf title = { 0 };
	uint32_t done = 0;

	buf_printf(&title, "ptxccc %s", r->version);
	for (uint32_t i = 0; i < all.n; i++)
		done += all.at[i].s->done;
	page_begin(out, title.at, "");
	buf_printf(out, "<p>%u of %u annotated sites transformed, in %u compilations.</p>\n", done,
		all.n, r->units->n);
	buf_puts(out,
		"<table class=\"sites\">\n<tr><th>Place</th><th>Kernel</th><th>GPU</th><th>Expected</th><th>Outcome</th></tr>\n");
	for (uint32_t i = 0; i < all.n; i++)
		write_row(out, &all.at[i]);
	buf_puts(out, "</table>\n");
	for (uint32_t i = 0, n; i < all.n; i += n) {
		for (n = 1; i + n < all.n && compare_files(&all.at[i], &all.at[i + n]) == 0; n++)
			;
		write_file(r, &all.at[i], n, out);
	}
	page_end(out);
	buf_free(&title);
	vec_free(&all);
}
