/* SPDX-License-Identifier: MIT */
/* Automatic annotations. See unasked.h.
 *
 * ptxccc selects the statements by number (suggest/auto_annotate.h, statements.h). An annotation at
 * a wrong statement does no harm, because it promises nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/child.h"
#include "annotate/source/edits.h"
#include "annotate/files.h"
#include "annotate/loudness.h"
#include "annotate/rewrite.h"
#include "annotate/source/statements.h"
#include "annotate/suggested.h"
#include "annotate/unasked.h"
#include "base/annot.h"

static const char LOOP[] = "for proven", KERNEL[] = "grid proven";

typedef struct {
	char kind[16], part[8];
	uint32_t number, loop, kernel; /* of statements; 0: none */
	const char *records;    /* lines of the profile's records (suggest/auto_annotate.h) */
} Annotation_place;

typedef struct {
	Edits edits;
	Statements all;
	const char **words;     /* by statement: the annotation that it has; NULL: none */
	uint32_t put;
	const Annotation_place *now;
	Buf profile;            /* records of the annotations that a profile selected */
} Auto_annotator;

/* ---- annotations ----------------------------------------------------------------------------- */

/* Whether the statement has no other annotation. */
static bool
is_free(const Auto_annotator *w, uint32_t number, const char *words)
{
	return !number || !w->words[number] || strcmp(w->words[number], words) == 0;
}

static void
insert_text(Auto_annotator *w, Text_place at, const char *text)
{
	edits_insert(&w->edits, at.pos, at.place, at.place.line, w->put++, text);
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

/* Adds the record of an annotation that a profile selected, unless it is there or has no counts: a
 * record without counts is of code that did not run. It is for any code: the one that was counted
 * had no annotations. */
static void
add_record(Auto_annotator *w, Cxx_place at, const char *words)
{
	const char part = words == LOOP || words == KERNEL ? '1' : '0';
	Buf file = { 0 }, record = { 0 };
	bool known = false;

	if (*w->now->records != ' ')
		return;
	edits_put_file(&w->edits, &file, at);
	buf_printf(&record, "cut %s \"", marker_of_words(words));
	annot_put_escaped(&record, file.n ? file.at : "", file.n, "");
	buf_printf(&record, "\":%u:0 any 0\n", at.line);
	for (const char *s = w->now->records; *s == ' '; s += strcspn(s, "\n") + 1)
		if (s[1] == part) {
			buf_add(&record, s + 3, strcspn(s, "\n") + 1 - 3);
			known |= strncmp(s + 3, "inlined", 7) != 0;
		}
	buf_puts(&record, "end\n");
	if (known && (!w->profile.n || !strstr(w->profile.at, record.at)))
		buf_add(&w->profile, record.at, record.n);
	buf_free(&file);
	buf_free(&record);
}

static void
insert_annotation(Auto_annotator *w, Text_place at, const char *words, const char *more)
{
	char text[64];

	snprintf(text, sizeof text, "#pragma ccc %s\n%s", words, more);
	insert_text(w, at, text);
	add_record(w, at.place, words);
}

/* Annotates an enclosing loop or kernel, if any. */
static void
annotate_outer(Auto_annotator *w, uint32_t number, const char *words)
{
	if (!number || w->words[number])
		return;
	insert_annotation(w, w->all.at[number - 1].head.begin, words, "");
	w->words[number] = words;
}

/* Annotates the place if neither it nor what encloses it has another annotation. at: where the
 * annotation goes. to: end of the statements to put into a block; NULL: it precedes a statement. */
static void
annotate_at(Auto_annotator *w, const Annotation_place *p, const char *words, Text_place at,
	const Text_place *to)
{
	if (!at.pos || !is_free(w, p->number, words) || !is_free(w, p->loop, LOOP) ||
		!is_free(w, p->kernel, KERNEL))
		return;
	if (!w->words[p->number]) {
		insert_annotation(w, at, words, to ? "{\n" : "");
		if (to)
			insert_text(w, *to, "}\n");
	} else { /* the same statement, inlined elsewhere */
		add_record(w, at.place, words);
	}
	w->words[p->number] = words;
	annotate_outer(w, p->loop, LOOP);
	annotate_outer(w, p->kernel, KERNEL);
}

static void
annotate_if(Auto_annotator *w, const Annotation_place *p)
{
	const Statement *s = &w->all.at[p->number - 1];

	if (strcmp(p->part, "other") == 0)
		annotate_at(w, p, "path proven", s->other.begin, NULL);
	else if (strcmp(p->part, "rest") == 0)
		annotate_at(w, p, "path proven", s->rest.begin, &s->rest.end);
	else
		annotate_at(w, p, "if proven", s->head.begin, NULL);
}

static void
annotate_place(Auto_annotator *w, const Annotation_place *p)
{
	const Statement *s = &w->all.at[p->number - 1];

	w->now = p;
	for (uint32_t i = 0; i < ANNOT_KINDS; i++) {
		if (strcmp(annot_kinds[i].marker, p->kind) != 0)
			continue;
		if (i == ANNOT_IF)
			annotate_if(w, p);
		else if (i != ANNOT_DISTRIBUTE)
			annotate_at(w, p, annot_kinds[i].words, s->head.begin, NULL);
		else if (s->other.end.pos)
			annotate_at(w, p, "distribute proven", s->head.begin, NULL);
	}
}

/* Follows a line of ptxccc's list, or reports a place without a statement. */
static void
follow_line(Auto_annotator *w, const Hook *h, const char *line)
{
	static const char missing[] = "missing ";
	Annotation_place p;

	if (strncmp(line, missing, sizeof missing - 1) == 0) {
		char *at = arena_strndup(h->arena, line + sizeof missing - 1,
			strcspn(line, "\n") - (sizeof missing - 1));
		char *text = strchr(at, '\t');
		if (text) {
			*text = '\0';
			hook_warn_at(h, "ccc-place", at, text + 1);
		}
	} else if (sscanf(line, "%15s %u %7s %u %u", p.kind, &p.number, p.part, &p.loop,
			   &p.kernel) == 5 && p.number && p.number <= w->all.n &&
		p.loop <= w->all.n && p.kernel <= w->all.n) {
		p.records = line + strcspn(line, "\n");
		p.records += *p.records == '\n';
		annotate_place(w, &p);
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

	rewrite_pragmas(h->cicc.source, text->at, (uint32_t)text->n, &out, &n, d);
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
	buf_printf(&text, "cccprof 7\n%s", records->at);
	child_temporary(to);
	if (file_write(to, text.at, text.n) == 0)
		*vec_push(&h->options.ptxccc) = hook_join(h, "--profile-use=", to, "");
	buf_free(&text);
}

bool
auto_annotate_source(Hook *h, const Source *src, Buf *out)
{
	Auto_annotator w = {
		.edits = { .name = h->cicc.source, .text = src->text, .len = src->len }
	};
	Buf places = { 0 };

	suggestions_collect_places(h, src, &places);
	statements_find(src->text, src->len, &w.all);
	w.words = arena_array(h->arena, w.all.n + 1u, sizeof *w.words);
	for (const char *s = places.at ? places.at : ""; *s; s += strcspn(s, "\n"), s += *s == '\n')
		follow_line(&w, h, s);
	if (w.put)
		edits_apply(&w.edits, out);
	bool any = w.put && annotations_parse(h, out);
	if (any)
		use_records(h, &w.profile);
	else
		buf_free(out);
	vec_free(&w.all);
	edits_release(&w.edits);
	buf_free(&w.profile);
	buf_free(&places);
	return any;
}
