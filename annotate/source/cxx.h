/* SPDX-License-Identifier: MIT */
/* Tokens of preprocessed or unpreprocessed C++, in the detail that finding statements needs.
 *
 * Handles comments, strings, raw strings, character literals, digit separators, line splices,
 * digraphs, and line markers (`# 12 "file" 3` and `#line`), from which each token gets its place
 * in the user's file. Other directives are tokens. Any input is accepted: bytes that are not
 * valid C++ become punctuation, never an error. */
#ifndef ANNOTATE_SOURCE_CXX_H
#define ANNOTATE_SOURCE_CXX_H

#include <stdbool.h>
#include "base/source.h"

typedef enum { CXX_END, CXX_WORD, CXX_LITERAL, CXX_PUNCT, CXX_DIRECTIVE } Cxx_kind;

/* A place in the user's source according to the line markers. */
typedef struct {
	/* the name between its quotes, with escapes; empty before the first line marker */
	Span file;
	Span flags;             /* flags 3 and 4 of the marker; empty if none */
	uint32_t line;
} Cxx_place;

typedef struct {
	/* of a directive: from # to the end of its (spliced) line, without the newline */
	uint32_t pos, end;
	Cxx_kind kind;
	/* the character of PUNCT, or the one that a digraph denotes; 0 for :: */
	char punct;
	bool first;             /* first token of its line */
	Cxx_place place;
} Cxx_token;

typedef struct {
	const char *text;
	uint32_t len, pos;
	bool bol;               /* only blanks since the start of the line */
	Cxx_place place;        /* of pos */
} Cxx;

Cxx cxx_open(const char *text, uint32_t len);
Cxx_token cxx_next(Cxx *x);

/* Whether the token is this word or punctuation. */
bool cxx_is(const Cxx *x, Cxx_token t, const char *word);
static inline bool
cxx_at(Cxx_token t, char punct)
{
	return t.kind == CXX_PUNCT && t.punct == punct;
}
static inline bool
cxx_opens_bracket(Cxx_token t)
{
	return cxx_at(t, '(') || cxx_at(t, '[') || cxx_at(t, '{');
}
static inline bool
cxx_closes_bracket(Cxx_token t)
{
	return cxx_at(t, ')') || cxx_at(t, ']') || cxx_at(t, '}');
}

/* Copies a span to buf of size bytes, NUL-terminated: line splices are removed, and each run of
 * blanks and comments becomes one space. Returns the length; size - 1 means that the text may be
 * truncated. */
uint32_t cxx_plain(const Cxx *x, Span s, char *buf, uint32_t size);

#endif
