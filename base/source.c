/* SPDX-License-Identifier: MIT */
/* Source text and positions in it; see source.h. Reading and writing files: file.c. */
#include <string.h>
#include "base/heap.h"
#include "base/source.h"

static char *
copy_bytes(const char *s, size_t n)
{
	char *p = xmalloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

void
source_from(Source *s, const char *name, const char *text, size_t len)
{
	if (len >= UINT32_MAX)
		die("text of 4 GiB or more");
	*s = (Source){ .name = copy_bytes(name, strlen(name)),
		.text = copy_bytes(text, len),
		.len = (uint32_t)len };
}

void
source_release(Source *s)
{
	xfree(s->name);
	xfree(s->text);
	xfree(s->line);
	xfree(s->shown);
	*s = (Source){ 0 };
}

/* ---- positions ------------------------------------------------------------------------------- */

/* Returns the line feed at or after pos; the end if there is none. */
static uint32_t
next_feed(const Source *s, uint32_t pos)
{
	const char *p = memchr(s->text + pos, '\n', s->len - pos);

	return p ? (uint32_t)(p - s->text) : s->len;
}

static void
build_lines(Source *s)
{
	uint32_t n = 1;

	for (uint32_t i = next_feed(s, 0); i < s->len; i = next_feed(s, i + 1))
		n++;
	s->line = xmalloc(n * sizeof *s->line);
	s->line[0] = 0;
	s->nlines = 1;
	for (uint32_t i = next_feed(s, 0); i < s->len; i = next_feed(s, i + 1))
		s->line[s->nlines++] = i + 1;
}

/* Returns the number, from 0, of the line that contains pos: the last one that begins at or before
 * it. */
static uint32_t
find_line(Source *s, uint32_t pos)
{
	if (!s->line)
		build_lines(s);
	uint32_t lo = 0, hi = s->nlines;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->line[mid] <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void
source_text_position(Source *s, uint32_t pos, uint32_t *line, uint32_t *col)
{
	uint32_t i = find_line(s, pos);

	*line = i + 1;
	*col = pos - s->line[i] + 1;
}

void
source_position(Source *s, uint32_t pos, uint32_t *line, uint32_t *col)
{
	source_text_position(s, pos, line, col);
	if (s->shown)
		*line = s->shown[*line - 1];
}

void
source_show_lines_of(Source *s, Source *of, Source_origin *origin, const void *user)
{
	uint32_t line, col, *shown;

	source_text_position(s, 0, &line, &col); /* builds the line table */
	shown = xmalloc(s->nlines * sizeof *shown);
	for (uint32_t i = 0; i < s->nlines; i++)
		source_text_position(of, origin(user, s->line[i]), &shown[i], &col);
	s->shown = shown;
}

Span
source_line(Source *s, uint32_t pos)
{
	uint32_t i = find_line(s, pos);
	Span at = { s->line[i], i + 1 < s->nlines ? s->line[i + 1] : s->len };

	while (at.end > at.pos && (s->text[at.end - 1] == '\n' || s->text[at.end - 1] == '\r'))
		at.end--;
	return at;
}

uint32_t
source_line_start(Source *s, uint32_t line)
{
	if (!s->line)
		build_lines(s);
	return !line ? 0 : line <= s->nlines ? s->line[line - 1] : s->len;
}
