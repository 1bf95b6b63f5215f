/* SPDX-License-Identifier: MIT */
/* Finds the end of a C++ statement, with as much of the statement grammar (C++ [stmt]) as that
 * needs.
 *
 * Expressions and declarations are treated as bracketed text up to a semicolon. The walk also
 * records jumps that leave the statement, for guards without a destructor. */
#ifndef ANNOTATE_SOURCE_STMT_H
#define ANNOTATE_SOURCE_STMT_H

#include "annotate/source/cxx.h"
#include "base/vec.h"

typedef struct {
	Cxx x;                  /* after t */
	Cxx_token t;            /* the current token */
	uint32_t end;           /* end of the last byte that was skipped */
	Cxx_place behind;       /* place of end */
	const char *error;      /* why a step failed */
	bool want_exits;
	/* if want_exits: return, break and continue that leave the statement */
	VEC(Cxx_token) exits;
	/* if want_exits: a case label was skipped whose switch was not */
	bool stray_case;
	uint32_t depth, loops, switches;
} Stmt_walk;

Stmt_walk stmt_at(Cxx x, Cxx_token t, bool want_exits);
void stmt_release(Stmt_walk *w);

void stmt_advance(Stmt_walk *w);        /* one token */
void stmt_skip_directives(Stmt_walk *w);
/* Skips one label, or attributes; returns false if there are none. */
bool stmt_skip_label(Stmt_walk *w);
/* Skips `if (...)` etc. including the closing parenthesis. */
bool stmt_skip_if_head(Stmt_walk *w);
/* Skips `for (...)`, `while (...)` or `do`. */
bool stmt_skip_loop_head(Stmt_walk *w);
/* Skips one statement: w->end is then after its last byte, and w->t is the next token. Returns
 * false on failure, with the reason in error. */
bool stmt_skip(Stmt_walk *w);

/* A group of cases of a switch: consecutive labels, and the statements up to the next label of
 * the same switch. */
typedef struct {
	Cxx_token label;        /* the first one */
	uint32_t pos, end;      /* of the statements */
	Cxx_place at, behind;   /* the places of pos and end */
} Stmt_case;
/* Skips `switch (...) {`. */
bool stmt_enter_switch(Stmt_walk *w);
/* Skips one group of cases and sets w->exits to the exits of its statements. Returns false if no
 * group is left, or on failure, with the reason in error. */
bool stmt_next_case(Stmt_walk *w, Stmt_case *c);

typedef enum {
	STMT_LOOP, STMT_IF, STMT_SWITCH, STMT_BLOCK,
	STMT_PLAIN,             /* an expression or a jump */
	STMT_UNSURE, /* an expression or a declaration, depending on what its names mean */
	STMT_LABELLED, STMT_DECLARATION, STMT_NOT,
} Stmt_sort;
/* Classifies the statement that starts at w->t; skips its attributes. */
Stmt_sort stmt_sort(Stmt_walk *w);

#endif
