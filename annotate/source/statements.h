/* SPDX-License-Identifier: MIT */
/* The statements of a preprocessed source that an annotation may precede: each `if`, loop and
 * kernel definition, with the extents of its parts. */
#ifndef ANNOTATE_SOURCE_STATEMENTS_H
#define ANNOTATE_SOURCE_STATEMENTS_H

#include "annotate/source/cxx.h"
#include "base/buf.h"
#include "base/vec.h"

typedef struct { uint32_t pos; Cxx_place place; } Text_place;
typedef struct { Text_place begin, end; } Text_extent; /* end: after the last byte; pos 0: none */

typedef struct {
	char kind;              /* i: if, l: for or while, d: do, k: kernel */
	Cxx x;                  /* after the keyword, or after the first token of a kernel */
	Cxx_token t;
	/* head: the keyword and its parentheses. other: statement after `else`; `while` of a do
	 * loop. rest: statements after an `if` that jumps away, to the end of their block. */
	Text_extent head, body, other, rest;
} Statement;
typedef VEC(Statement) Statements;

/* Finds the statements, in textual order. */
void statements_find(const char *text, uint32_t len, Statements *to);

/* Writes them as comments at the end of a PTX text, in the format of suggest/source_stmts.h.
 * name: the name of the file, for places before the first line marker. */
void statements_write(const Statements *of, const char *name, const char *text, uint32_t len,
	Buf *to);
/* Writes in their place that the source is newer than the program. */
void statements_write_newer(const char *name, Buf *to);

#endif
