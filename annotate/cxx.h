/* SPDX-License-Identifier: MIT */
/* Tokens of preprocessed C++ (or of C++ before the preprocessor), as far as finding statements
 * needs them.
 *
 * Knows comments, strings, raw strings, character literals, digit separators, line splices,
 * digraphs, and the preprocessor's line markers (`# 12 "file" 3` and `#line`), by which each token
 * has its place in the user's file. Other directives are tokens. Any bytes are accepted: what is no
 * C++ becomes punctuation, never an error.
 */
#ifndef ANNOTATE_CXX_H
#define ANNOTATE_CXX_H

#include <stdbool.h>
#include "base/source.h"

typedef enum { CXX_END, CXX_WORD, CXX_LITERAL, CXX_PUNCT, CXX_DIRECTIVE } Cxx_kind;

/* A place in the user's source, as line markers give it. */
typedef struct {
	/* the name between its quotes, still escaped; empty: no line marker yet */
	Span file;
	Span flags;             /* the marker's flags 3 and 4, empty if none */
	uint32_t line;
} Cxx_place;

typedef struct {
	/* a directive: from # to the end of its (spliced) line, without the line end */
	uint32_t pos, end;
	Cxx_kind kind;
	/* PUNCT: its character, for digraphs the one they stand for; 0 for :: */
	char punct;
	bool first;             /* first on its line */
	Cxx_place place;
} Cxx_token;

typedef struct {
	const char *text;
	uint32_t len, pos;
	bool bol;               /* only blanks since the line's start */
	Cxx_place place;        /* of pos */
} Cxx;

Cxx cxx_open(const char *text, uint32_t len);
Cxx_token cxx_next(Cxx *x);

/* Is the token this word, this punctuation? */
bool cxx_is(const Cxx *x, Cxx_token t, const char *word);
static inline bool
cxx_at(Cxx_token t, char punct)
{
	return t.kind == CXX_PUNCT && t.punct == punct;
}

/* Copies the bytes of a span to buf of size bytes without line splices, each run of blanks and
 * comments as one blank, NUL-terminated; returns the length, cut to the buffer: size - 1 if
 * something may be missing. */
uint32_t cxx_plain(const Cxx *x, Span s, char *buf, uint32_t size);

#endif
