/* SPDX-License-Identifier: MIT */
/* Edits of a source text with line markers. See edits.h. */
#include <stdlib.h>
#include "annotate/source/edits.h"

enum { MAX_PAD = 4096 }; /* in longer lines, columns are not preserved */

/* ---- line markers ---------------------------------------------------------------------------- */

void
cxx_edits_put_name(const Edits *e, Buf *to)
{
	for (const char *s = e->name; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_putc(to, '\\');
		buf_putc(to, *s);
	}
}

static void
write_file_name(const Edits *e, Buf *to, Cxx_place p)
{
	if (p.file.pos < p.file.end) {
		buf_add(to, e->text + p.file.pos, p.file.end - p.file.pos);
		return;
	}
	cxx_edits_put_name(e, to);
}

void
edits_put_marker(const Edits *e, Buf *to, Cxx_place p, uint32_t line)
{
	buf_printf(to, "# %u \"", line);
	write_file_name(e, to, p);
	buf_putc(to, '"');
	if (p.flags.pos < p.flags.end) {
		buf_putc(to, ' ');
		buf_add(to, e->text + p.flags.pos, p.flags.end - p.flags.pos);
	}
	buf_putc(to, '\n');
}

void
edits_put_file(const Edits *e, Buf *to, Cxx_place p)
{
	Buf raw = { 0 };

	write_file_name(e, &raw, p);
	for (size_t i = 0; i < raw.n; i++) {
		const char *s = raw.at + i;
		if (*s != '\\' || i + 1 == raw.n) {
			buf_putc(to, *s);
		} else if (s[1] >= '0' && s[1] <= '7') {
			uint32_t c = 0, k = 1;
			for (; k <= 3 && i + k < raw.n && s[k] >= '0' && s[k] <= '7'; k++)
				c = 8 * c + (uint32_t)(s[k] - '0');
			buf_putc(to, (char)(unsigned char)c);
			i += k - 1;
		} else {
			buf_putc(to, s[1]);
			i++;
		}
	}
	buf_free(&raw);
}

/* ---- edits ----------------------------------------------------------------------------------- */

static void
add_edit(Edits *e, uint32_t pos, uint32_t del, int64_t order, const Buf *text)
{
	uint32_t from = (uint32_t)e->texts.n;

	buf_add(&e->texts, text->at ? text->at : "", text->n);
	*vec_push(&e->all) = (Edit){ pos, del, order, { from, (uint32_t)e->texts.n } };
}

/* Returns the start of the line that contains byte pos, or pos - MAX_PAD if the line is longer. */
static uint32_t
line_start(const Edits *e, uint32_t pos)
{
	uint32_t least = pos > MAX_PAD ? pos - MAX_PAD : 0;

	while (pos > least && e->text[pos - 1] != '\n')
		pos--;
	return pos;
}

static uint32_t
skip_blanks(const Edits *e, uint32_t pos)
{
	while (pos < e->len &&
		(e->text[pos] == ' ' || e->text[pos] == '\t' || e->text[pos] == '\r'))
		pos++;
	return pos;
}

/* Whether the line that starts at byte start continues a spliced line. */
static bool
line_is_spliced(const Edits *e, uint32_t start)
{
	if (start == 0)
		return false;
	for (start--; start &&
		(e->text[start - 1] == ' ' || e->text[start - 1] == '\t' ||
			e->text[start - 1] == '\r');
		start--)
		;
	return start && e->text[start - 1] == '\\';
}

void
edits_insert(Edits *e, uint32_t pos, Cxx_place p, uint32_t line, int64_t order, const char *text)
{
	uint32_t start = line_start(e, pos), rest = skip_blanks(e, pos);
	bool cut = start && e->text[start - 1] != '\n';
	/* nothing precedes pos on its line */
	bool whole = !cut && skip_blanks(e, start) >= pos && !line_is_spliced(e, start);
	Buf b = { 0 };

	if (!whole)
		buf_putc(&b, '\n');
	edits_put_marker(e, &b, p, line ? line : p.line);
	buf_puts(&b, text);
	edits_put_marker(e, &b, p, p.line);
	if (!whole && !cut && rest < e->len && e->text[rest] != '\n')
		for (uint32_t i = start; i < pos; i++)
			buf_putc(&b, e->text[i] == '\t' ? '\t' : ' ');
	add_edit(e, whole ? start : pos, 0, order, &b);
	buf_free(&b);
}

void
edits_remove_directive(Edits *e, Cxx_token t)
{
	Buf lines = { 0 };

	for (uint32_t i = t.pos; i < t.end; i++)
		if (e->text[i] == '\n')
			buf_putc(&lines, '\n');
	add_edit(e, t.pos, t.end - t.pos, INT64_MAX, &lines);
	buf_free(&lines);
}

void
cxx_edits_replace(Edits *e, Span at, const char *text)
{
	Buf b = { 0 };

	buf_puts(&b, text);
	add_edit(e, at.pos, at.end - at.pos, 0, &b);
	buf_free(&b);
}

static int
by_place(const void *va, const void *vb)
{
	const Edit *a = va, *b = vb;

	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void
edits_apply(Edits *e, Buf *out)
{
	uint32_t at = 0;

	if (e->all.n)
		qsort(e->all.at, e->all.n, sizeof *e->all.at, by_place);
	for (uint32_t i = 0; i < e->all.n; i++) {
		const Edit *k = &e->all.at[i];
		if (k->pos > at) {
			buf_add(out, e->text + at, k->pos - at);
			at = k->pos;
		}
		buf_add(out, e->texts.at + k->text.pos, k->text.end - k->text.pos);
		if (k->pos + k->del > at)
			at = k->pos + k->del;
	}
	buf_add(out, e->text + at, e->len - at);
}

void
edits_release(Edits *e)
{
	buf_free(&e->texts);
	vec_free(&e->all);
}
