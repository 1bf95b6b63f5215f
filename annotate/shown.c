/* SPDX-License-Identifier: MIT */
/* Repairs the source lines in cicc's messages. See shown.h.
 *
 *	warn.cu(57): warning #174-D: expression has no effect
 *	  if (p[i])
 *	      ^
 *
 * Each line shown is looked up in the source by file and line number. It is replaced if it
 * consists of bytes of the source line, in their columns, and spaces. */
#include <stdlib.h>
#include <string.h>
#include "annotate/source/edits.h"
#include "annotate/shown.h"

typedef struct {
	Span file, shown;       /* in the messages */
	uint32_t line;
	Span whole;             /* in the source; empty if not found */
} Excerpt;

typedef struct {
	const Buf *messages;
	Edits e;                /* the source; for file names */
	VEC(Excerpt) all;       /* ordered by line while the source is searched */
} Messages;

static char
is_printable(char c)
{
	return c == '\t' ? ' ' : c;
}

/* Parses `file(12): ` at byte pos, a source line indented by two spaces, and a line with a
 * caret. Returns the end of the source line shown, 0 if the text does not match. */
static uint32_t
read_shown(Messages *m, uint32_t pos)
{
	const char *s = m->messages->at + pos, *end = strchr(s, '\n'), *mark = s;
	Excerpt k = { .file = { pos, 0 } };

	while (end && mark < end && strncmp(mark, "): ", 3) != 0)
		mark++;
	if (!end || mark == end || strncmp(end + 1, "  ", 2) != 0)
		return 0;
	const char *number = mark, *shown = end + 3;
	while (number > s && number[-1] >= '0' && number[-1] <= '9')
		number--;
	if (number == mark || number == s || number[-1] != '(')
		return 0;
	for (const char *p = number; p < mark; p++)
		k.line = 10 * k.line + (uint32_t)(*p - '0');
	size_t n = strcspn(shown, "\n");
	const char *below = shown + n + (shown[n] == '\n');
	if (below[strspn(below, " ")] != '^')
		return 0;
	k.file.end = pos + (uint32_t)(number - 1 - s);
	k.shown = (Span){ pos + (uint32_t)(shown - s), pos + (uint32_t)(shown + n - s) };
	*vec_push(&m->all) = k;
	return k.shown.end;
}

static void
read_messages(Messages *m)
{
	for (const char *from = m->messages->at, *s = from; *s; s += *s == '\n') {
		uint32_t end = read_shown(m, (uint32_t)(s - from));
		s = end ? from + end : s + strcspn(s, "\n");
	}
}

/* Whether the bytes shown are part of the source line, in their columns. */
static bool
excerpt_matches(const Messages *m, const Excerpt *k, Span line)
{
	const char *shown = m->messages->at + k->shown.pos, *s = m->e.text + line.pos;
	uint32_t n = k->shown.end - k->shown.pos;

	for (uint32_t i = 0; i < n; i++)
		if (shown[i] != ' ' && (i >= line.end - line.pos || shown[i] != is_printable(s[i])))
			return false;
	return true;
}

static int
by_line(const void *va, const void *vb)
{
	const Excerpt *a = va, *b = vb;

	return a->line < b->line ? -1 : a->line > b->line;
}

static int
by_place(const void *va, const void *vb)
{
	const Excerpt *a = va, *b = vb;

	return a->shown.pos < b->shown.pos ? -1 : a->shown.pos > b->shown.pos;
}

/* Returns the first message about this or a later line. */
static uint32_t
first_of_line(const Messages *m, uint32_t line)
{
	uint32_t lo = 0, hi = m->all.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (m->all.at[mid].line < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Records the source line in the messages about it. */
static void
find_excerpt(Messages *m, Cxx_place p, Span line)
{
	for (uint32_t i = first_of_line(m, p.line); i < m->all.n && m->all.at[i].line == p.line;
		i++) {
		Excerpt *k = &m->all.at[i];
		uint32_t n = k->file.end - k->file.pos;
		if (k->whole.end || !excerpt_matches(m, k, line))
			continue;
		Buf file = { 0 };
		edits_put_file(&m->e, &file, p);
		if (file.n == n && memcmp(file.at, m->messages->at + k->file.pos, n) == 0)
			k->whole = line;
		buf_free(&file);
	}
}

static void
find_excerpts(Messages *m)
{
	Cxx x = cxx_open(m->e.text, m->e.len);

	qsort(m->all.at, m->all.n, sizeof *m->all.at, by_line);
	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; ) {
		Span line = { t.pos, t.pos };
		if (!t.first)
			continue;
		while (line.pos && m->e.text[line.pos - 1] != '\n')
			line.pos--;
		while (line.end < m->e.len && !strchr("\r\n", m->e.text[line.end]))
			line.end++;
		find_excerpt(m, t.place, line);
	}
	qsort(m->all.at, m->all.n, sizeof *m->all.at, by_place);
}

void
complete_excerpts(const Source *src, const Buf *messages, Buf *out)
{
	Messages m = { .messages = messages,
		.e = { .name = src->name, .text = src->text, .len = src->len } };
	uint32_t at = 0;

	if (messages->n) {
		read_messages(&m);
		if (m.all.n)
			find_excerpts(&m);
	}
	for (uint32_t i = 0; i < m.all.n; i++) {
		const Excerpt *k = &m.all.at[i];
		if (k->whole.end == 0)
			continue;
		buf_add(out, messages->at + at, k->shown.pos - at);
		for (uint32_t j = k->whole.pos; j < k->whole.end; j++)
			buf_putc(out, is_printable(src->text[j]));
		at = k->shown.end;
	}
	if (messages->n)
		buf_add(out, messages->at + at, messages->n - at);
	vec_free(&m.all);
}
