/* SPDX-License-Identifier: MIT */
/* Guards: what an annotation becomes in C++ (docs/design.md 4.2). rewrite.c finds annotations and
 * statements; this is the text that is put around them, and what both know.
 */
#ifndef ANNOTATE_GUARDS_H
#define ANNOTATE_GUARDS_H

#include "annotate/around.h"
#include "annotate/edits.h"
#include "annotate/rewrite.h"
#include "annotate/stmt.h"
#include "base/annot.h"

/* Adjacent pragmas, from the first of ccc and unroll to the statement. */
typedef struct {
	Cxx_token first;
	Stmt_walk statement, keyword; /* at its start, behind its attributes */
	Stmt_sort sort;
	Place place;            /* of STMT_UNSURE */
	bool open, unrolled, loop;
	uint32_t unroll;        /* of a #pragma unroll N; 0: none, or no plain number */
} Run;

typedef struct {
	Edits edits;
	Diags *d;
	Cxx x;
	Buf defs;               /* the guards' definitions */
	Around around;
	Run run;
	uint32_t nguards, nannots;
	/* past the last annotated switch: a jump in it may end a case, too */
	uint32_t cases_end;
	Guards without;
} Rewrite;

typedef enum {
	FORM_OBJECT,            /* if (object) ; else S */
	FORM_BLOCK,             /* if (begin) ; else { S end } */
	FORM_BARE,              /* begin; S end; where S may be several statements */
} Form;

/* An annotation while it is being worked on. */
typedef struct {
	Annot a;
	Cxx_token at;           /* its directive */
	uint32_t line;
	const char *word;       /* at fault, what follows it too; NULL: none in particular */
	Function_kind function;
	Form form;
} Site;

#define NOT_CONSTANT "!__builtin_is_constant_evaluated() && "
#define GUARD_INLINE "__attribute__((device)) __inline__ __attribute__((always_inline)) "

/* An error at the annotation. */
__attribute__((format(printf, 3, 4)))
void guard_error(Rewrite *r, const Site *s, const char *fmt, ...);
/* A warning there. */
__attribute__((format(printf, 3, 4)))
void guard_warning(Rewrite *r, const Site *s, const char *fmt, ...);
bool guard_is_left_out(const Rewrite *r, uint32_t n);
/* Adds asm volatile("// .ccc begin for 3 \"bfs.cu\":57 policy(stack)"); */
void guard_put_asm(Rewrite *r, Buf *to, const Site *s, bool begin, uint32_t n);
/* Opens guard n at byte pos, whose place is p. */
void guard_open(Rewrite *r, const Site *s, uint32_t n, uint32_t pos, Cxx_place p);
/* Closes guard n, unless it is an object: behind the statement at `at`, and before the jumps that
 * leave it. */
bool guard_close(Rewrite *r, const Site *s, uint32_t n, const Stmt_walk *at);
/* Marks the cases of a switch statement, each with a guard of its own. keyword: the walk is at the
 * statement's. */
void guard_cases(Rewrite *r, const Site *s, Stmt_walk keyword);

#endif
