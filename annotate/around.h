/* SPDX-License-Identifier: MIT */
/* What stands around a place in C++: what kind of function, and whether a statement there is one of
 * a list.
 *
 * Follows braces and parentheses token by token, without knowing declarations: the word constexpr
 * is about the next brace that is no deeper in parentheses than itself.
 */
#ifndef ANNOTATE_AROUND_H
#define ANNOTATE_AROUND_H

#include "annotate/cxx.h"
#include "base/vec.h"

/* In this order: of two that nest, the higher holds. */
typedef enum { FUNCTION_PLAIN, FUNCTION_CONSTEXPR, FUNCTION_CONSTEVAL } Function_kind;

typedef struct {
	/* the declaration being read says so: FUNCTION_PLAIN if it says nothing */
	Function_kind kind;
	uint32_t depth;         /* parentheses around the word */
} Around_head;

typedef struct {
	Function_kind kind;
	bool body;              /* opened by the brace that its head was about */
	/* this and the next two: as they are again behind the closing brace */
	Around_head head;
	uint32_t depth;
	Cxx list;
} Around_scope;

typedef struct {
	VEC(Around_scope) scopes;
	Around_head head;
	uint32_t depth;         /* open parentheses since the scope's brace */
	Function_kind popped;   /* the scope just closed, if a head may go on behind it */
	bool behind_if;
	VEC(Span) macros;       /* names of those that say constexpr */
	Cxx list;               /* behind the last ; { or } that is in no parentheses */
} Around;

Around around_open(Cxx x);
void around_release(Around *a);
/* Follows a token that is no directive; x stands behind it. */
void around_follow(Around *a, const Cxx *x, Cxx_token t);

/* Follows a directive, which in text that no preprocessor has seen may be #define. */
void around_follow_directive(Around *a, const Cxx *x, Cxx_token t);

Function_kind around_function(const Around *a);

typedef enum {
	PLACE_LIST,             /* among the statements of a block */
	PLACE_PART,             /* the statement of an if, an else or a loop */
	PLACE_UNKNOWN,          /* behind what may be a macro, or no statement */
} Place;
/* Where does a statement stand that starts at byte pos, with only directives between it and the
 * token followed last? */
Place around_place(const Around *a, uint32_t pos);

#endif
