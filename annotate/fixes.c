/* SPDX-License-Identifier: MIT */
/* Advised annotations. See fixes.h.
 *
 * ptxccc selects the statements by number (suggest/suggest.h, statements.h), separately in each
 * function. A statement may be in several functions: by inlining, and in templates. Of annotations
 * that exclude each other the first is taken. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/files.h"
#include "annotate/fixes.h"
#include "annotate/loudness.h"
#include "annotate/rewrite.h"
#include "annotate/source/edits.h"
#include "annotate/source/statements.h"
#include "annotate/suggested.h"

static const char LOOP[] = "for", KERNEL[] = "grid";

/* A line of ptxccc's list. */
typedef struct {
	char expected[16], part[8], words[64];
	uint32_t number, outer;         /* statements; equal: a loop alone */
	const char *outer_words;
} Fix;

typedef struct {
	Hook *h;
	const char *only;               /* CCC_FIXES_ONLY's file; NULL: none is given */
	Edits edits;                    /* all annotations, in the preprocessed text */
	uint32_t put;
	Statements all;
	const char **words;             /* by statement: the annotation there; NULL: none */
	VEC(uint32_t) outer;            /* statements with `for` or `grid` */
	Buf records;
} Fixes;

/* ---- which are possible ---------------------------------------------------------------------- */

static uint32_t
statement_end(const Statement *s)
{
	return s->kind == 'd' ? s->other.end.pos : s->body.end.pos;
}

/* Whether one loop or kernel is, or is in, the other. */
static bool
statements_nest(const Statement *a, const Statement *b)
{
	return a->head.begin.pos < statement_end(b) && b->head.begin.pos < statement_end(a);
}

static bool
is_free(const Fixes *w, uint32_t number, const char *words)
{
	return !w->words[number] || strcmp(w->words[number], words) == 0;
}

/* Whether the annotations accepted before allow this one. */
static bool
fix_is_possible(const Fixes *w, const Fix *f)
{
	const Statement *outer = &w->all.at[f->outer - 1];

	for (uint32_t i = 0; i < w->outer.n; i++)
		if (w->outer.at[i] != f->outer &&
			statements_nest(outer, &w->all.at[w->outer.at[i] - 1]))
			return false;
	return is_free(w, f->number, f->words) && is_free(w, f->outer, f->outer_words);
}

static const Text_extent *
part_extent(const Statement *s, const char *part)
{
	return strcmp(part, "body") == 0  ? &s->body :
		strcmp(part, "other") == 0 ? &s->other :
		strcmp(part, "rest") == 0  ? &s->rest :
					     &s->head;
}

/* Inserts an annotation before the extent; block: and encloses it in braces. */
static void
insert_annotation(
	Edits *e, const Text_extent *at, const char *words, bool block, uint32_t *order)
{
	const Text_place begin = at->begin, end = at->end;
	char text[96];

	snprintf(text, sizeof text, "#pragma ccc %s\n%s", words, block ? "{\n" : "");
	edits_insert(e, begin.pos, begin.place, begin.place.line, (*order)++, text);
	if (block)
		edits_insert(e, end.pos, end.place, end.place.line, (*order)++, "}\n");
}

static void
insert_fix(const Fixes *w, const Fix *f, Edits *e, uint32_t *order)
{
	const Statement *s = &w->all.at[f->number - 1];
	bool block = strcmp(f->part, "rest") == 0;

	if (e != &w->edits || !w->words[f->number])
		insert_annotation(e, part_extent(s, f->part), f->words, block, order);
	if (f->outer != f->number && (e != &w->edits || !w->words[f->outer]))
		insert_annotation(
			e, &w->all.at[f->outer - 1].head, f->outer_words, false, order);
}

/* Whether the rewriter accepts the source with only these annotations added. */
static bool
fix_is_valid(const Fixes *w, const Fix *f)
{
	Edits e = { .name = w->edits.name, .text = w->edits.text, .len = w->edits.len };
	Diags *d = diags_new(NULL);
	Buf text = { 0 }, out = { 0 };
	uint32_t order = 0, n;

	insert_fix(w, f, &e, &order);
	edits_apply(&e, &text);
	rewrite_pragmas(e.name, text.at, (uint32_t)text.n, &out, &n, d);
	bool valid = diags_errors(d) == 0;
	diags_free(d);
	buf_free(&out);
	buf_free(&text);
	edits_release(&e);
	return valid;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Writes where a report shows the annotation. */
static void
put_place(const Fixes *w, Text_place at, Buf *out)
{
	edits_put_file(&w->edits, out, at.place);
	buf_printf(out, ":%u", at.place.line);
}

/* Writes the places of the annotated loop or kernel and of the other annotation. */
static void
put_places(const Fixes *w, const Fix *f, Buf *out)
{
	put_place(w, w->all.at[f->outer - 1].head.begin, out);
	buf_putc(out, '\t');
	put_place(w, part_extent(&w->all.at[f->number - 1], f->part)->begin, out);
	buf_putc(out, '\n');
}

/* Whether CCC_FIXES_ONLY has the annotation, or is not given. */
static bool
fix_is_wanted(const Fixes *w, const Fix *f)
{
	Buf places = { 0 };
	bool wanted = !w->only;

	put_places(w, f, &places);
	for (const char *s = w->only; s && *s && !wanted; s += strcspn(s, "\n"), s += *s == '\n')
		wanted = strncmp(s, places.at, places.n) == 0;
	buf_free(&places);
	return wanted;
}

static void
put_path(Fixes *w, Text_place at)
{
	Buf name = { 0 };

	edits_put_file(&w->edits, &name, at.place);
	buf_putc(&name, '\0');
	char *path = realpath(name.at, NULL);
	buf_puts(&w->records, path ? path : name.at);
	free(path);
	buf_free(&name);
}

/* Returns the column of a token, 1 if it is the first of its line. */
static uint32_t
column_of(const Fixes *w, uint32_t pos)
{
	uint32_t start = pos;
	bool first = true;

	for (; start && w->edits.text[start - 1] != '\n'; start--)
		first &= w->edits.text[start - 1] == ' ' || w->edits.text[start - 1] == '\t';
	return first ? 1 : pos - start + 1;
}

static void
put_insertion(Fixes *w, const Text_extent *at, const char *words, bool block)
{
	const Text_place begin = at->begin;
	Cxx x = cxx_open(w->edits.text + begin.pos, w->edits.len - begin.pos);
	uint32_t line = begin.place.line, col = column_of(w, begin.pos);

	if (block)
		buf_printf(&w->records, "enclose %u %u\t", line, at->end.place.line);
	else
		buf_printf(&w->records, "insert %u %u\t%.*s\t", line, col,
			(int)cxx_next(&x).end, w->edits.text + begin.pos);
	put_path(w, begin);
	buf_printf(&w->records, "\t#pragma ccc %s\n", words);
}

static void
put_records(Fixes *w, const Fix *f)
{
	const Statement *s = &w->all.at[f->number - 1], *outer = &w->all.at[f->outer - 1];

	buf_printf(&w->records, "fix %s\t", f->expected);
	put_places(w, f, &w->records);
	put_insertion(w, part_extent(s, f->part), f->words, strcmp(f->part, "rest") == 0);
	put_insertion(w, &outer->head, f->outer_words, false);
}

static void
put_refusal(Fixes *w, const Fix *f, const char *why)
{
	buf_puts(&w->records, "refused ");
	put_place(w, part_extent(&w->all.at[f->number - 1], f->part)->begin, &w->records);
	buf_printf(&w->records, "\t%s\n", why);
}

/* ---- ptxccc's list --------------------------------------------------------------------------- */

static bool
read_fix(const Fixes *w, const char *line, Fix *f)
{
	uint32_t loop, kernel;
	const char *words = strchr(line, '\t');

	*f = (Fix){ 0 };
	if (sscanf(line, "fix %15s %u %7s %u %u", f->expected, &f->number, f->part, &loop,
		    &kernel) != 5 || !words)
		return false;
	f->outer = loop ? loop : kernel;
	const char *policy = words + 1 + strcspn(words + 1, "\t\n");
	uint32_t len = *policy == '\t' ? (uint32_t)strcspn(policy + 1, "\n") : 0;
	int n = snprintf(f->words, sizeof f->words, "%.*s", (int)(policy - words - 1), words + 1);
	if (len && w->h->options.suggests != SUGGESTS_APPLIED) /* there ccc-tune chooses it */
		snprintf(f->words + n, sizeof f->words - (size_t)n, " policy(%.*s)", (int)len,
			policy + 1);
	f->outer_words = f->outer == f->number ? f->words : loop ? LOOP : KERNEL;
	return f->number && f->number <= w->all.n && f->outer && f->outer <= w->all.n &&
		part_extent(&w->all.at[f->number - 1], f->part)->begin.pos;
}

static void
accept_fix(Fixes *w, const Fix *f)
{
	put_records(w, f);
	insert_fix(w, f, &w->edits, &w->put);
	w->words[f->number] = arena_strndup(w->h->arena, f->words, strlen(f->words));
	if (f->outer != f->number)
		w->words[f->outer] = f->outer_words;
	*vec_push(&w->outer) = f->outer;
}

/* Follows a line of the list. Returns whether the rows after it are those of a fix. */
static bool
follow_line(Fixes *w, const char *line)
{
	Fix f;

	if (!read_fix(w, line, &f))
		return strncmp(line, "none", 4) == 0 ? (buf_puts(&w->records, "none\n"), true) :
						       false;
	if (!fix_is_wanted(w, &f))
		return false;
	if (!fix_is_possible(w, &f))
		put_refusal(w, &f, "another annotation of the patch excludes it");
	else if (!fix_is_valid(w, &f))
		put_refusal(w, &f, "an annotation is not allowed there");
	else
		return accept_fix(w, &f), true;
	return false;
}

static void
follow_list(Fixes *w, const char *list)
{
	bool rows = false;

	for (const char *s = list, *end; *s; s = end) {
		end = s + strcspn(s, "\n");
		end += *end == '\n';
		if (*s != ' ')
			rows = follow_line(w, s);
		else if (rows)
			buf_add(&w->records, s, (size_t)(end - s));
	}
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Writes the source with the selected annotations; nothing if there are none. */
static void
find_fixes(Hook *h, const Source *src, Buf *out)
{
	Fixes w = {
		.h = h,
		.edits = { .name = h->cicc.source, .text = src->text, .len = src->len }
	};
	const char *to = getenv("CCC_FIXES"), *only = getenv("CCC_FIXES_ONLY"), *why;
	Source wanted;
	Buf list = { 0 };

	w.only = only ? "" : NULL;
	if (only && source_read(&wanted, only, &why)) {
		w.only = arena_strndup(h->arena, wanted.text, wanted.len);
		source_release(&wanted);
	}

	buf_printf(&w.records, "# %s\n", h->cicc.source);
	suggestions_collect_fixes(h, src, &list);
	statements_find(src->text, src->len, &w.all);
	w.words = arena_array(h->arena, w.all.n + 1u, sizeof *w.words);
	follow_list(&w, list.at ? list.at : "");
	if (to)
		file_append(to, w.records.at, w.records.n);
	if (w.put)
		edits_apply(&w.edits, out);
	vec_free(&w.outer);
	vec_free(&w.all);
	edits_release(&w.edits);
	buf_free(&w.records);
	buf_free(&list);
}

bool
fixes_apply(Hook *h, Source *src)
{
	Buf text = { 0 };
	Source own;

	if (h->options.suggests < SUGGESTS_FIXES)
		return false;
	if (h->bypass) {
		hook_warn(h, "bypass", hook_join(h, "no annotations are suggested: ", h->bypass, ""));
		return false;
	}
	find_fixes(h, src, &text);
	bool changed = text.n && h->options.suggests == SUGGESTS_APPLIED;
	if (changed) {
		source_from(&own, src->name, text.at, text.n);
		source_release(src);
		*src = own;
	}
	buf_free(&text);
	return changed;
}
