/* SPDX-License-Identifier: MIT */
/* Automatic annotations. See unasked.h.
 *
 * ptxccc selects the statements by line (suggest/auto_annotate.h). A place whose statement
 * cannot be identified uniquely, as in a macro expansion, gets no annotation. An annotation at a
 * wrong statement does no harm, because it promises nothing. */
#include <stdio.h>
#include <string.h>
#include "annotate/child.h"
#include "annotate/edits.h"
#include "annotate/files.h"
#include "annotate/rewrite.h"
#include "annotate/stmt.h"
#include "annotate/suggested.h"
#include "annotate/unasked.h"
#include "base/annot.h"

enum { MOST_LINES = 3 }; /* lines of a condition before its branch */
static const char LOOP[] = "for proven";

/* A keyword on one of the requested lines. */
typedef struct {
	Cxx x;                  /* after t */
	Cxx_token t;
	uint32_t end;           /* of a `do`: position and line of its `while`; else 0 */
	unsigned last;
	const char *words;
} Keyword;

typedef struct {
	char kind[16];
	unsigned line, arm, loop;
	const char *file; uint32_t nfile;
	const char *records;    /* lines of the profile's records (suggest/auto_annotate.h) */
} Annotation_place;

typedef struct {
	Edits edits;
	VEC(Annotation_place) places;
	VEC(Keyword) keywords;
	uint32_t put;
	const Annotation_place *now;
	Buf profile;            /* records of the annotations that a profile selected */
} Auto_annotator;

/* ---- places ---------------------------------------------------------------------------------- */

static void
read_places(Auto_annotator *w, const char *s)
{
	for (; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		Annotation_place p;
		int n = 0;
		if (sscanf(s, "%15s %u %u %u %n", p.kind, &p.line, &p.arm, &p.loop, &n) != 4 || !n)
			continue;
		p.file = s + n;
		p.nfile = (uint32_t)strcspn(p.file, "\n");
		p.records = p.file + p.nfile + (p.file[p.nfile] == '\n');
		*vec_push(&w->places) = p;
	}
}

/* Whether the place's file is that of the line marker: the paths may be relative to different
 * folders. */
static bool
same_file(const Auto_annotator *w, const Annotation_place *p, Cxx_place at)
{
	Buf name = { 0 };

	edits_put_file(&w->edits, &name, at);
	const char *a = name.n > 2 && memcmp(name.at, "./", 2) == 0 ? name.at + 2 : name.at;
	uint32_t n = (uint32_t)(name.n - (uint32_t)(a - name.at));
	bool same = n && n <= p->nfile && memcmp(p->file + p->nfile - n, a, n) == 0 &&
		(n == p->nfile || p->file[p->nfile - n - 1] == '/');
	buf_free(&name);
	return same;
}

static bool
place_is_near(const Annotation_place *p, uint32_t line)
{
	return line == p->loop || (line <= p->line && line + MOST_LINES > p->line);
}

static bool
line_is_requested(const Auto_annotator *w, Cxx_token t)
{
	for (uint32_t i = 0; i < w->places.n; i++)
		if (place_is_near(&w->places.at[i], t.place.line) &&
			same_file(w, &w->places.at[i], t.place))
			return true;
	return false;
}

/* Finds the `while` at the end of the loop that this `do` starts. */
static bool
end_of_do(Cxx x, Cxx_token t, Cxx_token *end)
{
	Stmt_walk loop = stmt_at(x, t, false);
	bool found = stmt_skip_loop_head(&loop) && stmt_skip(&loop);

	stmt_skip_directives(&loop);
	*end = loop.t;
	found = found && cxx_is(&loop.x, loop.t, "while");
	stmt_release(&loop);
	return found;
}

/* Whether the `while` ends a loop that was recorded. */
static bool
loop_is_noted(const Auto_annotator *w, Cxx_token t)
{
	for (uint32_t i = 0; i < w->keywords.n; i++)
		if (w->keywords.at[i].end && w->keywords.at[i].end == t.pos)
			return true;
	return false;
}

static void
note_keyword(Auto_annotator *w, Cxx x, Cxx_token t)
{
	Cxx_token end;

	if (cxx_is(&x, t, "do")) {
		if (end_of_do(x, t, &end))
			*vec_push(&w->keywords) = (Keyword){ x, t, end.pos, end.place.line, NULL };
	} else if (!loop_is_noted(w, t) && line_is_requested(w, t)) {
		*vec_push(&w->keywords) = (Keyword){ x, t, 0, 0, NULL };
	}
}

static void
find_keywords(Auto_annotator *w)
{
	static const char *const begin[] = { "if", "for", "while", "do" };
	Cxx x = cxx_open(w->edits.text, w->edits.len);

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; )
		for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
			if (t.kind == CXX_WORD && cxx_is(&x, t, begin[i]))
				note_keyword(w, x, t);
}

/* Returns the only `if`, or start of a loop, on that line; NULL if there is none or more than
 * one. */
static Keyword *
find_only_keyword(Auto_annotator *w, const Annotation_place *p, uint32_t line, bool loop)
{
	Keyword *found = NULL;

	for (uint32_t i = 0; i < w->keywords.n; i++) {
		Keyword *k = &w->keywords.at[i];
		if (k->t.place.line != line || cxx_is(&k->x, k->t, "if") == loop ||
			!same_file(w, p, k->t.place))
			continue;
		if (found)
			return NULL;
		found = k;
	}
	return found;
}

/* Returns the loop at a line. A `do` loop is identified by a line of its body or of its `while`;
 * the innermost one is meant. */
static Keyword *
find_loop_keyword(Auto_annotator *w, const Annotation_place *p, uint32_t line)
{
	Keyword *found = find_only_keyword(w, p, line, true);

	for (uint32_t i = 0; !found && i < w->keywords.n; i++) {
		Keyword *k = &w->keywords.at[w->keywords.n - 1 - i];
		if (k->end && k->t.place.line < line && line <= k->last &&
			same_file(w, p, k->t.place))
			found = k;
	}
	return found;
}

/* Returns the `if` of a branch, whose condition may start some lines above. */
static Keyword *
find_if_keyword(Auto_annotator *w, const Annotation_place *p)
{
	Keyword *found = NULL;

	for (uint32_t i = 0; i < MOST_LINES && i < p->line && !found; i++)
		found = find_only_keyword(w, p, p->line - i, false);
	return found;
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* Whether the keyword has no other annotation. */
static bool
keyword_is_free(const Keyword *k, const char *words)
{
	return k && (!k->words || strcmp(k->words, words) == 0);
}

/* Returns the marker of the kind of annotation that the words begin with. */
static const char *
marker_of_words(const char *words)
{
	for (uint32_t i = ANNOT_KINDS; i-- > 0;) {
		const char *name = annot_kinds[i].words;
		size_t n = name ? strlen(name) : 0;
		if (n && strncmp(words, name, n) == 0 && (!words[n] || words[n] == ' ') &&
			!(i == ANNOT_FOR && strncmp(words, "for var", 7) == 0))
			return annot_kinds[i].marker;
	}
	return "";
}

/* Adds the record of an annotation that a profile selected. It is for any code: the one that was
 * counted had no annotations. */
static void
add_record(Auto_annotator *w, Cxx_place at, const char *words)
{
	const char part = words == LOOP ? '1' : '0';
	Buf file = { 0 };

	if (*w->now->records != ' ')
		return;
	edits_put_file(&w->edits, &file, at);
	buf_printf(&w->profile, "cut %s \"", marker_of_words(words));
	annot_put_escaped(&w->profile, file.n ? file.at : "", file.n, "");
	buf_printf(&w->profile, "\":%u:0 any 0\n", at.line);
	for (const char *s = w->now->records; *s == ' '; s += strcspn(s, "\n") + 1)
		if (s[1] == part)
			buf_add(&w->profile, s + 3, strcspn(s, "\n") + 1 - 3);
	buf_puts(&w->profile, "end\n");
	buf_free(&file);
}

static void
insert_annotation_at(Auto_annotator *w, uint32_t pos, Cxx_place at, const char *words)
{
	char text[64];

	snprintf(text, sizeof text, "#pragma ccc %s\n", words);
	edits_insert(&w->edits, pos, at, at.line, w->put++, text);
	add_record(w, at, words);
}

static void
insert_annotation(Auto_annotator *w, Keyword *k, const char *words)
{
	if (!k->words)
		insert_annotation_at(w, k->t.pos, k->t.place, words);
	k->words = words;
}

/* Skips to the statement after `else` if that contains the arm's statements. */
static bool
is_else(Stmt_walk *w, uint32_t arm)
{
	if (!stmt_skip_if_head(w) || !stmt_skip(w) || arm <= w->behind.line)
		return false;
	stmt_skip_directives(w);
	if (!cxx_is(&w->x, w->t, "else"))
		return false;
	stmt_advance(w);
	return w->t.kind != CXX_DIRECTIVE;
}

static void
annotate_if(Auto_annotator *w, const Annotation_place *p)
{
	Keyword *k = find_if_keyword(w, p),
		*loop = p->loop ? find_loop_keyword(w, p, p->loop) : NULL;

	if (!k || (p->loop && !keyword_is_free(loop, LOOP)))
		return;
	Stmt_walk arm = stmt_at(k->x, k->t, false);
	bool otherwise = is_else(&arm, p->arm);
	const char *words = otherwise ? "path proven" : "if proven";
	if (keyword_is_free(k, words)) {
		if (!k->words && otherwise)
			insert_annotation_at(w, arm.t.pos, arm.t.place, words);
		else if (!k->words)
			insert_annotation_at(w, k->t.pos, k->t.place, words);
		k->words = words;
		if (loop)
			insert_annotation(w, loop, LOOP);
	}
	stmt_release(&arm);
}

/* Annotates both statements of an `if` that may be melded. */
static void
annotate_arms(Auto_annotator *w, const Annotation_place *p)
{
	static const char MELD[] = "distribute proven";
	Keyword *k = find_if_keyword(w, p);

	if (!keyword_is_free(k, MELD))
		return;
	Stmt_walk arm = stmt_at(k->x, k->t, false);
	bool both = stmt_skip_if_head(&arm) && stmt_skip(&arm);
	stmt_skip_directives(&arm);
	if (both && cxx_is(&arm.x, arm.t, "else"))
		insert_annotation(w, k, MELD);
	stmt_release(&arm);
}

static void
annotate_loop(Auto_annotator *w, const Annotation_place *p, const char *words)
{
	Keyword *k = find_loop_keyword(w, p, p->line), *loop = find_loop_keyword(w, p, p->loop);

	if (k == loop || !keyword_is_free(k, words) || !keyword_is_free(loop, LOOP))
		return;
	insert_annotation(w, k, words);
	insert_annotation(w, loop, LOOP);
}

static void
annotate_place(Auto_annotator *w, const Annotation_place *p)
{
	w->now = p;
	for (uint32_t i = 0; i < ANNOT_KINDS; i++)
		if (strcmp(annot_kinds[i].marker, p->kind) == 0) {
			if (i == ANNOT_IF)
				annotate_if(w, p);
			else if (i == ANNOT_DISTRIBUTE)
				annotate_arms(w, p);
			else
				annotate_loop(w, p, annot_kinds[i].words);
		}
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Whether all annotations are allowed where they were inserted. */
static bool
annotations_parse(const Hook *h, const Buf *text)
{
	Diags *d = diags_new(NULL);
	Buf out = { 0 };
	uint32_t n;

	rewrite_pragmas(h->source, text->at, (uint32_t)text->n, &out, &n, d);
	bool right = diags_errors(d) == 0;
	buf_free(&out);
	diags_free(d);
	return right;
}

/* Makes ptxccc use the records of the annotations. */
static void
use_records(Hook *h, const Buf *records)
{
	const char *to = hook_temporary(h, "selected.cccprof");
	Buf text = { 0 };

	if (!records->n)
		return;
	buf_printf(&text, "cccprof 6\n%s", records->at);
	child_temporary(to);
	if (file_write(to, text.at, text.n) == 0)
		*vec_push(&h->ptxccc_options) = hook_join(h, "--profile-use=", to, "");
	buf_free(&text);
}

bool
auto_annotate_source(Hook *h, const Source *src, Buf *out)
{
	Auto_annotator w = { .edits = { .name = h->source, .text = src->text, .len = src->len } };
	Buf places = { 0 };

	suggestions_collect_places(h, src, &places);
	read_places(&w, places.at ? places.at : "");
	if (w.places.n)
		find_keywords(&w);
	for (uint32_t i = 0; i < w.places.n; i++)
		annotate_place(&w, &w.places.at[i]);
	if (w.put)
		edits_apply(&w.edits, out);
	bool any = w.put && annotations_parse(h, out);
	if (any)
		use_records(h, &w.profile);
	if (!any)
		buf_free(out);
	vec_free(&w.places);
	vec_free(&w.keywords);
	edits_release(&w.edits);
	buf_free(&w.profile);
	buf_free(&places);
	return any;
}
