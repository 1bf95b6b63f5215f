/* SPDX-License-Identifier: MIT */
/* CCC markers: the comments that annotations become (docs/markers.md).
 *
 *	// begin inline asm
 *	// .ccc begin if 7 "bfs.cu":14 policy(stack) threshold(24)
 *	// end inline asm
 *
 * The scanner makes one token of the three lines, whatever follows ".ccc" in the middle one, and
 * even if the third is missing; the contents are parsed here. A byte that could end an asm string
 * or a line is written as =XX. Invalid clauses are not errors of the text: analysis/region/region.c
 * warns about them, and their site is not transformed. */
#include "parser/build.h"

typedef struct {
	const char *at, *end;
	const char *wrong; /* error, or NULL */
} Marker_line;

static void
skip_blanks(Marker_line *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t'))
		l->at++;
}

/* Accepts a word followed by a blank or the end. */
static bool
accept_word(Marker_line *l, const char *word)
{
	size_t n = strlen(word), left = (size_t)(l->end - l->at);

	if (left < n || memcmp(l->at, word, n) != 0 ||
		(left > n && l->at[n] != ' ' && l->at[n] != '\t'))
		return false;
	l->at += n;
	skip_blanks(l);
	return true;
}

static uint32_t
parse_number(Marker_line *l)
{
	uint64_t v = 0;
	const char *start = l->at;

	while (l->at < l->end && *l->at >= '0' && *l->at <= '9' && v < UINT32_MAX)
		v = 10 * v + (uint64_t)(*l->at++ - '0');
	if (l->at == start || v > UINT32_MAX)
		l->wrong = "a number is missing or too large";
	return (uint32_t)v;
}

/* Returns a copy of [s, end) with =XX decoded, NUL-terminated. */
static const char *
decode_text(Marker_line *l, Arena *a, const char *s, const char *end)
{
	char *to = arena_alloc(a, (size_t)(end - s) + 1);

	if (!annot_unescape(s, (size_t)(end - s), to))
		l->wrong = "'=' must be followed by two uppercase hexadecimal digits, not 00";
	return to;
}

/* "file":line, or "file":line:column */
static void
parse_position(Marker_line *l, Arena *a, Cuda_pos *at)
{
	const char *start = l->at + 1;

	while (++l->at < l->end && *l->at != '"')
		;
	if (l->end - l->at < 2 || l->at[1] != ':') {
		l->wrong = "expected \"file\":line";
		return;
	}
	at->file = decode_text(l, a, start, l->at);
	l->at += 2;
	at->line = parse_number(l);
	if (!l->wrong && l->at < l->end && *l->at == ':') {
		l->at++;
		at->col = parse_number(l);
	}
	skip_blanks(l);
}

static Annot_kind
parse_kind(Marker_line *l)
{
	uint32_t k = 0;

	while (k < ANNOT_KINDS && !accept_word(l, annot_kinds[k].marker))
		k++;
	if (k == ANNOT_KINDS)
		l->wrong = "expected "
#define KIND(id, words, marker, ...) "'" marker "', "
#define MARK(id, marker) "or '" marker "'"
#include "base/annot.def"
		;
	return (Annot_kind)k;
}

/* Parses the clauses, up to the end of the line. */
static void
parse_clauses(Marker_line *l, Parser *p, Marker *k)
{
	const char *text = decode_text(l, p->m->arena, l->at, l->end);
	Annot_error err;

	if (l->wrong)
		return;
	if (annot_parse_clauses(text, (uint32_t)strlen(text), k->annot.kind, &k->annot, &err)) {
		if (annot_is_off(&k->annot))
			k->wrong = "policy(none)";
		return;
	}
	k->annot = (Annot){ .kind = k->annot.kind };
	k->wrong = arena_strndup(p->m->arena, err.text, strlen(err.text));
	k->wrong_at = (uint32_t)(l->at - p->text + (ptrdiff_t)annot_escaped_offset(l->at, err.at));
}

static void
read_line(Marker_line *l, Parser *p, Marker *k)
{
	k->end = accept_word(l, "end");
	if (!k->end && !accept_word(l, "begin") && !(k->done = accept_word(l, "done"))) {
		l->wrong = "expected 'begin', 'end' or 'done'";
		return;
	}
	k->annot.kind = parse_kind(l);
	if (l->wrong)
		return;
	k->id = parse_number(l);
	if (!l->wrong && l->at < l->end && *l->at != ' ' && *l->at != '\t')
		l->wrong = "expected a number";
	skip_blanks(l);
	bool full = !k->end && k->annot.kind != ANNOT_ITERATION; /* has a position and clauses */
	if (!l->wrong && l->at < l->end && *l->at == '"')
		parse_position(l, p->m->arena, &k->cuda);
	else if (!l->wrong && full && !k->done)
		l->wrong = "expected \"file\":line";
	if (!l->wrong && full)
		parse_clauses(l, p, k);
}

/* Returns the second line, from after ".ccc" to its last byte that is not white space. */
static Marker_line
second_line(Parser *p, Span at)
{
	const char *s = p->text + at.pos, *end = p->text + at.end;
	const char *second = (const char *)memchr(s, '\n', (size_t)(end - s)) + 1;
	const char *third = memchr(second, '\n', (size_t)(end - second));
	Marker_line l = { second, third ? third : end, NULL };

	while (*l.at != '.')
		l.at++;
	l.at += 4;
	if (l.at < l.end && *l.at != ' ' && *l.at != '\t')
		l.wrong = "expected a blank behind '.ccc'";
	skip_blanks(&l);
	while (l.end > l.at && (l.end[-1] == ' ' || l.end[-1] == '\t' || l.end[-1] == '\r'))
		l.end--;
	if (!third)
		l.wrong = "the line behind it must be '// end inline asm'";
	return l;
}

void
parser_marker(Parser *p, Span at)
{
	Marker k = { .func = p->func };
	Marker_line l = second_line(p, at);

	if (!l.wrong)
		read_line(&l, p, &k);
	if (l.wrong) {
		parser_error(p, D_MARKER, (uint32_t)(l.at - p->text), "malformed CCC marker: %s",
			l.wrong);
		return;
	}
	k.stmt = p->stmts.n;
	parser_stmt(p, STMT_MARKER, at);
	p->stmts.at[k.stmt].sym = p->markers.n;
	*vec_push(&p->markers) = k;
	Func *f = &p->funcs.at[p->func];
	if (f->nmarkers++ == 0)
		f->marker = p->markers.n - 1;
}

void
parser_stray_marker(Parser *p, Span at)
{
	parser_error(p, D_MARKER, at.pos, "a CCC marker outside of a function's body");
}
