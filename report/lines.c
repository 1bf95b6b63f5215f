/* SPDX-License-Identifier: MIT */
/* The costs of source lines as a page. See lines.h. */
#include <stdlib.h>
#include <string.h>
#include "report/lines.h"
#include "report/page.h"

enum {
	AROUND = 3,     /* source lines shown around an executed line */
	LANES = 32,
	FEW = 16,       /* active lanes below which the bar marks a loss */
	COLUMNS = 7
};

/* The executed lines of one file. */
typedef struct {
	const Line_cost *at; uint32_t n;
	uint64_t all;   /* warp instructions of all files */
	Buf *out;
} Line_file;

static int
by_place(const void *x, const void *y)
{
	const Line_cost *a = x, *b = y;
	int files = strcmp(a->at.file, b->at.file);

	return files ? files : (a->at.line > b->at.line) - (a->at.line < b->at.line);
}

/* Sorts the lines and merges entries of one line. Returns the number of warp instructions. */
static uint64_t
merge_lines(Lines_page *p)
{
	uint64_t all = p->others;
	uint32_t n = 0;

	if (p->n)
		qsort(p->lines, p->n, sizeof *p->lines, by_place);
	for (uint32_t i = 0; i < p->n; i++) {
		const Line_cost *x = &p->lines[i];
		all += x->warp_insts;
		if (!n || by_place(&p->lines[n - 1], x) != 0) {
			p->lines[n++] = *x;
			continue;
		}
		Line_cost *to = &p->lines[n - 1];
		to->warp_insts += x->warp_insts;
		to->thread_insts += x->thread_insts;
		to->requests += x->requests;
		to->sectors += x->sectors;
	}
	p->n = n;
	return all;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static double
per_unit(uint64_t n, uint64_t of)
{
	return of ? (double)n / (double)of : 0;
}

/* Writes a cell with a bar that is filled to the given fraction. */
static void
write_bar(Buf *out, const char *kind, double part)
{
	buf_printf(out,
		"<td class=\"b\"><span class=\"bar%s\"><i style=\"width:%.1f%%\"></i></span></td>",
		kind, 100 * part);
}

static void
write_numbers(const Line_file *f, const Line_cost *x)
{
	double lanes = per_unit(x->thread_insts, x->warp_insts);

	buf_printf(f->out, "<td class=\"n\">%.1f %%</td>", 100 * per_unit(x->warp_insts, f->all));
	write_bar(f->out, " cost", per_unit(x->warp_insts, f->all));
	buf_printf(f->out, "<td class=\"n\">%.1f</td>", lanes);
	write_bar(f->out, lanes < FEW ? " few" : "", lanes / LANES);
	if (x->requests)
		buf_printf(f->out, "<td class=\"n\">%.1f</td>", per_unit(x->sectors, x->requests));
	else
		buf_puts(f->out, "<td></td>");
}

static const Line_cost *
find_line(const Line_file *f, unsigned line)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->at[i].at.line == line)
			return &f->at[i];
	return NULL;
}

static bool
line_is_shown(void *user, unsigned line)
{
	const Line_file *f = user;

	for (uint32_t i = 0; i < f->n; i++)
		if (line + AROUND >= f->at[i].at.line && line <= f->at[i].at.line + AROUND)
			return true;
	return false;
}

static void
write_row(void *user, unsigned line, const char *s, size_t n)
{
	const Line_file *f = user;
	const Line_cost *x = find_line(f, line);

	buf_printf(f->out, "<tr%s><td>%u</td>", x ? " class=\"cost\"" : "", line);
	if (x)
		write_numbers(f, x);
	else
		buf_puts(f->out, "<td colspan=\"5\"></td>");
	buf_puts(f->out, "<td><pre>");
	page_text_n(f->out, s, n);
	buf_puts(f->out, "</pre></td></tr>\n");
}

/* ---- the page -------------------------------------------------------------------------------- */

static void
write_file(const Lines_page *p, Line_file *f)
{
	const char *name = f->at[0].at.file;
	size_t len = 0;
	const char *s = p->read ? p->read(p->reader, name, &len) : NULL;

	buf_puts(f->out, "<h2>");
	page_text(f->out, name);
	buf_puts(f->out,
		"</h2>\n<table class=\"source\">\n<tr><th></th><th colspan=\"2\">issue slots</th>"
		"<th colspan=\"2\">active lanes</th><th>sectors</th><th></th></tr>\n");
	Page_source source = { s, len, COLUMNS, line_is_shown, write_row, f };
	unsigned lines = s ? page_source(f->out, &source) : 0;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->at[i].at.line > lines)
			write_row(f, f->at[i].at.line, "", 0);
	buf_puts(f->out, "</table>\n");
}

/* Writes the totals and, if some code has no line information, what to do about it. */
static void
write_heading(const Lines_page *p, uint64_t all, Buf *out)
{
	uint64_t thread = p->other_threads;

	for (uint32_t i = 0; i < p->n; i++)
		thread += p->lines[i].thread_insts;
	buf_printf(out,
		"<p>%llu warp instructions; %.1f of %u lanes active. A line's issue slots are its share of all of them; sectors are those of "
		"32 bytes that a request to global memory took.</p>\n",
		(unsigned long long)all, per_unit(thread, all), (unsigned)LANES);
	if (p->others)
		buf_printf(out,
			"<p>Of %.1f %% of them no line is known: the compiler's own code, or code built without <code>nvcc -lineinfo</code>, or Numba's <code>lineinfo=True</code>.</p>\n",
			100 * per_unit(p->others, all));
}

void
lines_html(Lines_page *p, Buf *out)
{
	uint64_t all = merge_lines(p);

	page_begin(out, p->title, "");
	write_heading(p, all, out);
	for (uint32_t i = 0, n; i < p->n; i += n) {
		for (n = 1; i + n < p->n &&
			strcmp(p->lines[i].at.file, p->lines[i + n].at.file) == 0; n++)
			;
		write_file(p, &(Line_file){ &p->lines[i], n, all, out });
	}
	page_end(out);
}
