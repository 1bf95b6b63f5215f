/* SPDX-License-Identifier: MIT */
/* Guards: the C++ that an annotation becomes (docs/design.md 4.2). rewrite.c finds annotations
 * and statements; guards.c generates the inserted text; this header has what both share. */
#ifndef ANNOTATE_GUARDS_H
#define ANNOTATE_GUARDS_H

#include "annotate/source/around.h"
#include "annotate/source/edits.h"
#include "annotate/rewrite.h"
#include "annotate/source/stmt.h"
#include "base/annot.h"

/* Adjacent pragmas, from the first ccc or unroll to the statement. */
typedef struct {
	Cxx_token first;
	Stmt_walk statement, keyword; /* at its start; after its attributes */
	Stmt_sort sort;
	Place place;            /* for STMT_UNSURE */
	bool open, unrolled, loop;
	/* N of a #pragma unroll N; 0 if there is none or N is not a plain number */
	uint32_t unroll;
} Run;

typedef struct {
	Edits edits;
	Diags *d;
	Cxx x;
	Buf defs;               /* definitions of the guards */
	Enclosing_scope around;
	Run run;
	uint32_t nguards, nannots;
	/* end of the last annotated switch: a jump inside it may also end a case */
	uint32_t cases_end;
	Guards without;
} Rewrite;

typedef enum {
	FORM_OBJECT,            /* if (object) ; else S */
	FORM_BLOCK,             /* if (begin) ; else { S end } */
	FORM_BARE,              /* begin; S end; where S may be several statements */
} Form;

/* An annotation being processed. */
typedef struct {
	Annot a;
	Cxx_token at;           /* the annotation's directive */
	uint32_t line;
	/* the word at fault, up to the end of the text; NULL if none in particular */
	const char *word;
	Function_kind function;
	Form form;
} Site;

#define NOT_CONSTANT "!__builtin_is_constant_evaluated() && "
#define GUARD_INLINE "__attribute__((device)) __inline__ __attribute__((always_inline)) "

/* Reports an error at the annotation. */
__attribute__((format(printf, 3, 4)))
void guard_error(Rewrite *r, const Site *s, const char *fmt, ...);
/* Reports a warning at the annotation. */
__attribute__((format(printf, 4, 5)))
void guard_warning(Rewrite *r, const Site *s, Diag_kind kind, const char *fmt, ...);
bool guard_is_left_out(const Rewrite *r, uint32_t n);
/* Writes asm volatile("// .ccc begin for 3 \"bfs.cu\":57 policy(stack)"); */
void guard_write_asm(Rewrite *r, Buf *to, const Site *s, bool begin, uint32_t n);
/* Marks the definition of a recursive function if the annotation is a `while` before one; false if
 * it is before something else. A guard object for the whole body ends after every call, so that
 * none is a tail call; and the function is not inlined, so that all callers call it. */
bool guard_definition(Rewrite *r, Site *s);
/* Opens guard n at byte pos, whose place is p. */
void guard_open(Rewrite *r, const Site *s, uint32_t n, uint32_t pos, Cxx_place p);
/* Closes guard n, unless it is an object: after the statement at `at`, and before the jumps that
 * leave it. */
bool guard_close(Rewrite *r, const Site *s, uint32_t n, const Stmt_walk *at);
/* Marks the cases of a switch statement, each with its own guard. keyword: the walk at the
 * keyword `switch`. */
void guard_cases(Rewrite *r, const Site *s, Stmt_walk keyword);

#endif
