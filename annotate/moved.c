/* SPDX-License-Identifier: MIT */
/* Detects annotations that the preprocessor has moved. See moved.h.
 *
 * After a moved annotation the line number decreases, to the macro's line. It also decreases
 * after a _Pragma in the arguments, which is not moved. The source distinguishes the two: a
 * moved annotation is inside parentheses there. */
#include <string.h>
#include "annotate/source/edits.h"
#include "annotate/files.h"
#include "annotate/moved.h"
#include "annotate/pragma.h"
#include "annotate/pragma.h"

typedef struct {
	Edits e;                /* the preprocessed text; for file names */
	Diags *d;
	VEC(Cxx_token) run;     /* the annotations in a run of adjacent directives */
	Cxx_place file;         /* the file of `lines` */
	VEC(uint32_t) lines;    /* lines of its annotations inside parentheses, ascending */
} Moved_annotations;

static bool
same_file(const Moved_annotations *m, Cxx_place a, Cxx_place b)
{
	uint32_t n = a.file.end - a.file.pos;

	return n && b.file.end - b.file.pos == n &&
		memcmp(m->e.text + a.file.pos, m->e.text + b.file.pos, n) == 0;
}

/* Whether the token's line number differs from its line in the text, because of a #line above
 * it. */
static bool
line_is_renumbered(Source *src, Cxx_token t)
{
	uint32_t line, col;

	source_position(src, t.pos, &line, &col);
	return line != t.place.line;
}

/* Records the lines of a source, but none if it has #line directives, after which line numbers
 * may decrease anyway. */
static void
note_lines(Moved_annotations *m, Source *src)
{
	Cxx x = cxx_open(src->text, src->len);
	uint32_t depth = 0;
	char buf[64];
	const char *rest;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; ) {
		if (t.first && line_is_renumbered(src, t)) {
			m->lines.n = 0;
			return;
		}
		if (t.kind == CXX_DIRECTIVE && depth &&
			pragma_sort(&x, t, buf, sizeof buf, &rest) == PRAGMA_CCC)
			*vec_push(&m->lines) = t.place.line;
		if (cxx_at(t, '('))
			depth++;
		else if (cxx_at(t, ')'))
			depth -= depth > 0;
	}
}

static void
read_lines(Moved_annotations *m, Cxx_place p)
{
	Source src;
	Buf path = { 0 };
	const char *why;

	m->file = p;
	m->lines.n = 0;
	edits_put_file(&m->e, &path, p);
	if (path.n && !source_is_special(path.at) && source_read(&src, path.at, &why)) {
		note_lines(m, &src);
		source_release(&src);
	}
	buf_free(&path);
}

static bool
in_parentheses(Moved_annotations *m, Cxx_place p)
{
	if (!same_file(m, m->file, p))
		read_lines(m, p);
	for (uint32_t i = 0; i < m->lines.n; i++)
		if (m->lines.at[i] == p.line)
			return true;
	return false;
}

/* Reports the moved annotations of the run before token t. */
static void
check_run(Moved_annotations *m, Cxx_token t)
{
	for (uint32_t i = 0; i < m->run.n; i++) {
		Cxx_place p = m->run.at[i].place;
		if (!same_file(m, p, t.place) || p.line <= t.place.line || !in_parentheses(m, p))
			continue;
		Buf file = { 0 };
		edits_put_file(&m->e, &file, p);
		Cuda_pos at = { file.at, p.line, 0 };
		at.col = pragma_column(m->d, at, NULL);
		diag_cuda(m->d, D_ANNOTATION, at, DIAG_NOWHERE,
			"an annotation in a macro's arguments: the preprocessor moves '#pragma' before the macro; "
			"write CCC_FOR(), CCC_IF() ... of <ccc.h> or _Pragma");
		buf_free(&file);
	}
	m->run.n = 0;
}

void
report_moved_annotations(const char *name, const char *text, uint32_t len, Diags *d)
{
	Moved_annotations m = { .e = { .name = name, .text = text, .len = len }, .d = d };
	Cxx x = cxx_open(text, len);
	char buf[64];
	const char *rest;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; ) {
		if (t.kind != CXX_DIRECTIVE)
			check_run(&m, t);
		else if (pragma_sort(&x, t, buf, sizeof buf, &rest) == PRAGMA_CCC)
			*vec_push(&m.run) = t;
	}
	vec_free(&m.run);
	vec_free(&m.lines);
}
