/* SPDX-License-Identifier: MIT */
/* Rewrites annotations of unpreprocessed source as pragma lines. See raw.h.
 *
 * Does what the preprocessor does with _Pragma, for annotations only. A directive is a single
 * token, so nothing is found inside macro definitions. */
#include <stdio.h>
#include <string.h>
#include "annotate/source/edits.h"
#include "annotate/pragma.h"
#include "annotate/raw.h"
#include "base/annot.h"

enum { MAX_CLAUSES = 4000 };

/* Advances x from after a word to after the parenthesis that closes its arguments, and copies
 * the arguments to buf. */
static bool
parse_arguments(Cxx *x, char *buf, uint32_t size)
{
	Cxx_token t = cxx_next(x);
	uint32_t depth = 1, from = t.end;

	if (!cxx_at(t, '('))
		return false;
	while (depth && (t = cxx_next(x)).kind != CXX_END)
		depth += cxx_at(t, '(') ? 1U : cxx_at(t, ')') ? -1U : 0U;
	if (!depth)
		cxx_plain(x, (Span){ from, t.pos }, buf, size);
	return !depth;
}

/* Converts a string literal to its contents, as _Pragma does (C++ [cpp.pragma.op]). */
static void
unquote(char *s)
{
	char *to = s;

	for (s += strcspn(s, "\""), s += *s == '"'; *s && *s != '"'; *to++ = *s++)
		s += *s == '\\' && s[1];
	*to = '\0';
}

/* Whether the word at t is the macro of ccc.h for these words: CCC_FOR_VAR for "for var". */
static bool
is_macro(const Cxx *x, Cxx_token t, const char *words)
{
	char name[32];

	snprintf(name, sizeof name, "CCC_%s", words);
	for (char *c = name; *c; c++)
		*c = *c == ' ' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
	return cxx_is(x, t, name);
}

/* Parses the annotation that starts with the word at t into the text of a pragma, and advances x
 * past it. */
static bool
parse_spelling(Cxx *x, Cxx_token t, Buf *pragma)
{
	char buf[MAX_CLAUSES];
	const char *rest;

	if (t.kind != CXX_WORD)
		return false;
	for (const Annot_spelling *s = annot_spellings; s->words; s++) {
		if (!is_macro(x, t, s->words))
			continue;
		if (!parse_arguments(x, buf, sizeof buf))
			return false;
		buf_printf(pragma, "ccc %s %s", s->words, buf);
		return true;
	}
	if (!cxx_is(x, t, "_Pragma") || !parse_arguments(x, buf, sizeof buf))
		return false;
	unquote(buf);
	buf_puts(pragma, buf);
	return pragma_sort_text(buf, &rest) >= PRAGMA_CCC;
}

void
raw_spell_out(const char *name, const char *text, uint32_t len, Buf *out)
{
	Edits e = { .name = name, .text = text, .len = len };
	Cxx x = cxx_open(text, len);

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END; ) {
		Buf line = { 0 };
		Cxx behind = x;
		buf_puts(&line, "#pragma ");
		if (parse_spelling(&behind, t, &line)) {
			buf_putc(&line, '\n');
			edits_insert(&e, t.pos, t.place, 0, 0, line.at);
			t.end = behind.pos;
			edits_remove_directive(&e, t);
			x = behind;
		}
		buf_free(&line);
	}
	buf_puts(out, "");
	edits_apply(&e, out);
	edits_release(&e);
}
