/* SPDX-License-Identifier: MIT */
/* Writes patches. See patch.h.
 *
 * Records describe places by what the compiler saw, which is not always what the file contains: a
 * macro may span lines, and #line renumbers them. So each place is checked against the file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/patch.h"
#include "annotate/source/cxx.h"

/* ---- files ----------------------------------------------------------------------------------- */

/* A line to insert before a column of a line. */
typedef struct {
	uint32_t line, col;
	uint32_t like;          /* the line with the same indentation */
	uint32_t order;         /* among those at one place: a closing brace comes first */
	const char *text;
} Line_edit;

typedef struct {
	const char *path;
	Source src;
	const char *unusable;   /* why the file cannot be patched; NULL: it can */
	VEC(Line_edit) edits;
} Patch_file;

typedef struct {
	VEC(Patch_file) files;
	char folder[4096];      /* the current one, with a final slash */
} Patch;

static const char *
text_line(const Patch_file *f, uint32_t line)
{
	return f->src.text + f->src.line[line - 1];
}

/* Returns the length of a line with its line end. */
static size_t
line_length(const Patch_file *f, uint32_t line)
{
	const uint32_t end = line < f->src.nlines ? f->src.line[line] : f->src.len;

	return end - f->src.line[line - 1];
}

/* Whether a directive renumbers the lines. */
static bool
has_line_directive(const Patch_file *f)
{
	for (uint32_t i = 1; i <= f->src.nlines; i++) {
		const char *s = text_line(f, i);
		s += strspn(s, " \t");
		if (*s++ != '#')
			continue;
		s += strspn(s, " \t");
		size_t word = strncmp(s, "line", 4) == 0 ? 4 : 0;
		if (isdigit((unsigned char)*s) || (word && isspace((unsigned char)s[word])))
			return true;
	}
	return false;
}

static const char *
relative_path(const Patch *p, const char *path)
{
	size_t n = strlen(p->folder);

	return strncmp(path, p->folder, n) == 0 && !strstr(path, "/../") ? path + n : NULL;
}

static Patch_file *
open_file(Patch *p, const char *path)
{
	uint32_t line, col;
	const char *why;

	for (uint32_t i = 0; i < p->files.n; i++)
		if (strcmp(p->files.at[i].path, path) == 0)
			return &p->files.at[i];
	Patch_file *f = vec_push(&p->files);
	*f = (Patch_file){ .path = path };
	if (!source_read(&f->src, path, &why)) {
		f->src = (Source){ 0 };
		f->unusable = "its file cannot be read";
		return f;
	}
	source_position(&f->src, 0, &line, &col); /* builds the line table */
	if (!relative_path(p, path))
		f->unusable = "its file is not in the current folder, nor below it";
	else if (strpbrk(path, "\"\\"))
		f->unusable = "a patch cannot name its file";
	else if (has_line_directive(f))
		f->unusable = "'#line' renumbers the lines of its file";
	return f;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static size_t
word_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

static bool
is_keyword(const char *s, size_t n)
{
	static const char *const words[] = { "if", "else", "for", "while", "do", "switch", "case",
		"return" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0)
			return true;
	return false;
}

/* Whether the text begins with the word, or with the name of a macro for it. */
static bool
begins_with(const char *s, const char *word)
{
	size_t n = word_length(s), k = word_length(word);

	if (n == k && strncmp(s, word, n ? n : 1) == 0)
		return true;
	return n && !isdigit((unsigned char)*s) && !is_keyword(s, n);
}

static bool
line_is_spliced(const Patch_file *f, uint32_t line)
{
	const char *s = text_line(f, line);
	size_t n = line_length(f, line);

	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return n && s[n - 1] == '\\';
}

/* Whether the lines are whole statements: brackets match, and the last one ends. */
static bool
lines_are_statements(const Patch_file *f, uint32_t first, uint32_t last)
{
	const char *from = text_line(f, first);
	Cxx x = cxx_open(from, (uint32_t)(text_line(f, last) + line_length(f, last) - from));
	Cxx_token before = { 0 };
	int depth = 0;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; before = t) {
		depth += cxx_opens_bracket(t) - cxx_closes_bracket(t);
		if (depth < 0 || t.kind == CXX_DIRECTIVE)
			return false;
	}
	return depth == 0 && (cxx_at(before, ';') || cxx_at(before, '}'));
}

static const char *
why_not_insert(const Patch_file *f, const Insertion *at)
{
	if (f->unusable)
		return f->unusable;
	if (!at->line || at->line > f->src.nlines || at->end >= f->src.nlines ||
		!line_length(f, at->line))
		return "its line is not in the file";
	if (at->line > 1 && line_is_spliced(f, at->line - 1))
		return "its line continues another one";
	const char *s = text_line(f, at->line), *in = s + strspn(s, " \t");
	size_t n = line_length(f, at->line);
	if (at->end && !lines_are_statements(f, at->line, at->end))
		return "its lines are not whole statements";
	const char *there = s + (at->col <= n ? at->col - 1 : 0);
	if (at->col > 1 && strncmp(there, at->word, strlen(at->word)) != 0)
		return "it is in a macro";
	if (at->col == 1 && at->word && !begins_with(in, at->word))
		return "its line begins with something else";
	return NULL;
}

/* ---- edits ----------------------------------------------------------------------------------- */

enum { CLOSES, ANNOTATES, OPENS };

static const Line_edit *
edit_at(const Patch_file *f, uint32_t line, uint32_t col)
{
	for (uint32_t i = 0; i < f->edits.n; i++) {
		const Line_edit *e = &f->edits.at[i];
		if (e->line == line && e->col == col && e->order == ANNOTATES)
			return e;
	}
	return NULL;
}

static void
add_edits(Patch_file *f, const Insertion *at)
{
	if (edit_at(f, at->line, at->col))
		return;
	*vec_push(&f->edits) = (Line_edit){ at->line, at->col, at->line, ANNOTATES, at->text };
	if (!at->end)
		return;
	*vec_push(&f->edits) = (Line_edit){ at->line, 1, at->line, OPENS, "{" };
	*vec_push(&f->edits) = (Line_edit){ at->end + 1, 1, at->line, CLOSES, "}" };
}

static void
add_fix(Patch *p, Patch_fix *x)
{
	for (int i = 0; i < 2; i++) {
		const Insertion *at = &x->at[i];
		const Patch_file *f = open_file(p, at->file);
		const char *why = why_not_insert(f, at);
		const Line_edit *e = why ? NULL : edit_at(f, at->line, at->col);
		x->refused = why                        ? why :
			e && strcmp(e->text, at->text) != 0 ? "another annotation of the patch excludes it" :
							      NULL;
		if (x->refused)
			return;
	}
	for (int i = 0; i < 2; i++)
		add_edits(open_file(p, x->at[i].file), &x->at[i]);
}

static int
by_place(const void *a, const void *b)
{
	const Line_edit *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* ---- the diff -------------------------------------------------------------------------------- */

enum { CONTEXT = 3 };

typedef struct { char tag; size_t from, to; } Diff_line; /* tag: ' ', '-' or '+'; in Diff.text */
typedef struct { VEC(Diff_line) lines; Buf text; } Diff;

/* Adds a line that consists of two parts. */
static void
add_line(Diff *d, char tag, const char *s, size_t n, const char *t, size_t k)
{
	size_t from = d->text.n;

	buf_add(&d->text, s, n);
	buf_add(&d->text, t, k);
	*vec_push(&d->lines) = (Diff_line){ tag, from, d->text.n };
}

static void
add_inserted(Diff *d, const Patch_file *f, const Line_edit *e)
{
	const char *like = text_line(f, e->like);
	size_t n = line_length(f, e->like);
	bool cr = n > 1 && like[n - 2] == '\r';
	Buf text = { 0 };

	buf_printf(&text, "%s%s\n", e->text, cr ? "\r" : "");
	add_line(d, '+', like, strspn(like, " \t"), text.at, text.n);
	buf_free(&text);
}

/* Splits a line at the columns of its n edits, which are above 1. */
static void
split_line(Diff *d, const Patch_file *f, const Line_edit *e, uint32_t n)
{
	const char *s = text_line(f, e->line);
	size_t len = line_length(f, e->line), indent = strspn(s, " \t"), at = 0;
	const char *end = len > 1 && s[len - 2] == '\r' ? "\r\n" : "\n";

	add_line(d, '-', s, len, "", 0);
	for (uint32_t i = 0; i < n; i++) {
		size_t to = e[i].col - 1, from = at;
		while (to > from && (s[to - 1] == ' ' || s[to - 1] == '\t'))
			to--;
		Buf part = { 0 };
		buf_add(&part, s + from, to - from);
		buf_puts(&part, end);
		add_line(d, '+', s, i ? indent : 0, part.at, part.n);
		buf_free(&part);
		add_inserted(d, f, &e[i]);
		at = e[i].col - 1;
	}
	add_line(d, '+', s, indent, s + at, len - at);
}

static void
diff_file(const Patch_file *f, Diff *d)
{
	const Line_edit *e = f->edits.at, *end = e + f->edits.n;

	for (uint32_t line = 1; line <= f->src.nlines; line++) {
		uint32_t n = 0;
		for (; e < end && e->line == line && e->col == 1; e++)
			add_inserted(d, f, e);
		while (e + n < end && e[n].line == line)
			n++;
		if (n)
			split_line(d, f, e, n);
		else if (line_length(f, line))
			add_line(d, ' ', text_line(f, line), line_length(f, line), "", 0);
		e += n;
	}
}

/* Returns the end of the hunk that begins at line i: more than 2 * CONTEXT unchanged lines, or the
 * end of the file. */
static uint32_t
hunk_end(const Diff *d, uint32_t i)
{
	uint32_t last = i;

	for (; i < d->lines.n && i <= last + 2 * CONTEXT + 1; i++)
		if (d->lines.at[i].tag != ' ')
			last = i;
	return last + 1 + CONTEXT < d->lines.n ? last + 1 + CONTEXT : d->lines.n;
}

static void
write_hunk(const Diff *d, uint32_t from, uint32_t to, Buf *out)
{
	uint32_t before[2] = { 0 }, in[2] = { 0 };

	for (uint32_t i = 0; i < to; i++) {
		uint32_t *n = i < from ? before : in;
		n[0] += d->lines.at[i].tag != '+';
		n[1] += d->lines.at[i].tag != '-';
	}
	buf_printf(out, "@@ -%u,%u +%u,%u @@\n", before[0] + 1, in[0], before[1] + 1, in[1]);
	for (uint32_t i = from; i < to; i++) {
		const Diff_line *l = &d->lines.at[i];
		buf_putc(out, l->tag);
		buf_add(out, d->text.at + l->from, l->to - l->from);
		if (d->text.at[l->to - 1] != '\n')
			buf_puts(out, "\n\\ No newline at end of file\n");
	}
}

static void
write_file(const Patch *p, const Patch_file *f, Buf *out)
{
	const char *name = relative_path(p, f->path), *tab = strchr(name, ' ') ? "\t" : "";
	Diff d = { 0 };

	qsort(f->edits.at, f->edits.n, sizeof *f->edits.at, by_place);
	diff_file(f, &d);
	buf_printf(out, "--- a/%s%s\n+++ b/%s%s\n", name, tab, name, tab);
	for (uint32_t i = 0, end = 0; i < d.lines.n; i++) {
		if (d.lines.at[i].tag == ' ')
			continue;
		uint32_t from = i > end + CONTEXT ? i - CONTEXT : end;
		end = hunk_end(&d, i);
		write_hunk(&d, from, end, out);
		i = end - 1;
	}
	vec_free(&d.lines);
	buf_free(&d.text);
}

void
patch_write(Patch_fixes *of, Buf *out)
{
	Patch p = { 0 };

	if (!getcwd(p.folder, sizeof p.folder - 1))
		p.folder[0] = '\0';
	if (strcmp(p.folder, "/") != 0)
		strcat(p.folder, "/");
	for (uint32_t i = 0; i < of->n; i++)
		if (of->at[i].loop && !of->at[i].refused)
			add_fix(&p, &of->at[i]);
	for (uint32_t i = 0; i < p.files.n; i++) {
		Patch_file *f = &p.files.at[i];
		if (f->edits.n)
			write_file(&p, f, out);
		vec_free(&f->edits);
		source_release(&f->src);
	}
	vec_free(&p.files);
}
