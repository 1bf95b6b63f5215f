/* SPDX-License-Identifier: MIT */
/* Where a C++ statement ends: enough of the grammar of statements (C++ [stmt]) to step over one.
 *
 * Expressions and declarations are bracketed text up to a semicolon. The walk also notes the jump
 * statements that leave the statement, for guards that have no destructor.
 */
#ifndef ANNOTATE_STMT_H
#define ANNOTATE_STMT_H

#include "annotate/cxx.h"
#include "base/vec.h"

typedef struct {
	Cxx x;                  /* behind t */
	Cxx_token t;            /* the token to look at next */
	uint32_t end;           /* past the last byte that was stepped over */
	Cxx_place behind;       /* the place of end */
	const char *error;      /* why a step failed */
	bool want_exits;
	/* if want_exits: return, break and continue that leave the statement */
	VEC(Cxx_token) exits;
	/* if want_exits: a case label of no switch in what was stepped over */
	bool stray_case;
	uint32_t depth, loops, switches;
} Stmt_walk;

Stmt_walk stmt_at(Cxx x, Cxx_token t, bool want_exits);
void stmt_release(Stmt_walk *w);

void stmt_advance(Stmt_walk *w);        /* one token */
/* Steps over directives and, respectively, [[...]] and __attribute__((...)). */
void stmt_skip_directives(Stmt_walk *w);
bool stmt_skip_attributes(Stmt_walk *w);
/* Steps over one label, or over attributes; false if there are none. */
bool stmt_skip_label(Stmt_walk *w);
/* Steps over `if (...)`, `for (...)` and the like up to and with the closing parenthesis. */
bool stmt_skip_if_head(Stmt_walk *w);
/* Steps over `for (...)`, `while (...)` or `do`. */
bool stmt_skip_loop_head(Stmt_walk *w);
/* Steps over one statement; w->end is then past its last byte, w->t the token behind it. false: see
 * error. */
bool stmt_skip(Stmt_walk *w);

/* Of a switch statement: the labels that stand together, and the statements up to the next label of
 * the switch itself. */
typedef struct {
	Cxx_token label;        /* the first one */
	uint32_t pos, end;      /* of the statements */
	Cxx_place at, behind;   /* the places of both */
} Stmt_case;
/* Steps over `switch (...) {`. */
bool stmt_enter_switch(Stmt_walk *w);
/* Steps over one group of cases; w->exits are then those of its statements. false: there is none
 * left, or see error. */
bool stmt_next_case(Stmt_walk *w, Stmt_case *c);

typedef enum {
	STMT_LOOP, STMT_IF, STMT_SWITCH, STMT_BLOCK,
	STMT_PLAIN,             /* an expression or a jump */
	STMT_UNSURE,            /* an expression or a declaration: only the names' meaning tells */
	STMT_LABELLED, STMT_DECLARATION, STMT_NOT,
} Stmt_sort;
/* What sort of statement starts at w->t (behind attributes, which this steps over). */
Stmt_sort stmt_sort(Stmt_walk *w);

#endif
