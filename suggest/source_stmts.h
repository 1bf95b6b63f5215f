/* SPDX-License-Identifier: MIT */
/* The statements of the CUDA source from which a PTX text was compiled, and which of them a
 * candidate is.
 *
 * cccnvcc appends them to the text as comments (annotate/source/statements.c). Numbers count from 1
 * in textual order, so an inner statement has a higher number than an outer one:
 *
 *	//.statements
 *	//.statements-of /home/u/md.cu
 *	//.statement i ll-l 49 4 49 16 50 5 50 30 0 0 0 0 51 4 56 2
 *	//.statements-newer /home/u/edited.cu    a source that was written after the program
 *
 * The kind: i: if, l: for or while, d: do, k: kernel definition. How a line can be inserted before
 * the statement, its body, other and rest: l: above that line; s: after the line is split; m: not
 * at all, it is in a macro; h: nor should it, in a header of others; -: there is none. Begin and
 * end of head (the keyword and its parentheses), body, other (the statement after `else`; the
 * `while` of a do loop) and rest (what follows an `if` that jumps away, to the end of its block),
 * each as line and column; the end is exclusive. */
#ifndef SUGGEST_SOURCE_STMTS_H
#define SUGGEST_SOURCE_STMTS_H

#include "analysis/dataflow/function.h"
#include "base/diag.h"
#include "base/vec.h"

typedef enum { PART_HEAD, PART_BODY, PART_OTHER, PART_REST, PART_COUNT } Stmt_part;

/* Their names in lists for cccnvcc. */
extern const char *const source_part_names[PART_COUNT];

typedef struct { uint32_t line, col; } Source_place;
typedef struct {
	const char *file;
	uint32_t number;
	char kind;
	char insert[PART_COUNT + 1];    /* how a line can be inserted before each part */
	Source_place begin[PART_COUNT], end[PART_COUNT];
} Source_stmt;

typedef struct {
	bool known;             /* the text has such comments */
	VEC(Source_stmt) all;
	VEC(const char *) newer; /* sources that are newer than the program: without statements */
} Source_stmts;

/* Reads them from the text of a list, such as a PTX text that ends with one. */
void source_stmts_read(const char *list, Arena *a, Source_stmts *to);
/* Whether the code at a place, or its caller, is from such a source. */
bool source_is_newer(const Source_stmts *of, const Diag_place *at);

/* A statement, NULL if there is none, and the position by which it was found: in a function that
 * was inlined into the statement, that of the call. several: its line has several of this kind. */
typedef struct { const Source_stmt *stmt; Diag_place at; bool several; } Source_match;

/* The `if` whose condition contains the branch. */
Source_match source_stmt_of_branch(const Source_stmts *of, const Fn *fn, uint32_t stmt);
/* The part of an `if` from which most code of these blocks is; PART_HEAD: unknown. */
Stmt_part source_part_of_blocks(const Source_stmt *s, const Fn *fn, Bits blocks);
/* The loop whose head, or `while` after the body, contains the branch. */
Source_match source_stmt_of_loop_test(const Source_stmts *of, const Fn *fn, uint32_t stmt);
/* The statement of a loop. None if that is also the statement of a loop around it. */
Source_match source_stmt_of_loop(const Source_stmts *of, const Fn *fn, uint32_t loop);
/* Whether the innermost loop statement that contains the statement is a loop of fn, and not that
 * around it (NULL: none). */
bool source_stmt_is_nested_deeper(
	const Source_stmts *of, const Fn *fn, const Source_stmt *s, const Source_stmt *around);
/* The definition of the kernel that contains a statement; NULL: unknown. */
const Source_stmt *source_stmt_of_kernel(const Source_stmts *of, const Fn *fn, uint32_t stmt);

#endif
