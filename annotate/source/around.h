/* SPDX-License-Identifier: MIT */
/* Determines the context of a place in C++: the kind of the enclosing function, and whether a
 * statement there is one of a statement list.
 *
 * Tracks braces and parentheses token by token, without parsing declarations: the word constexpr
 * applies to the next brace that is nested in no more parentheses than itself. */
#ifndef ANNOTATE_SOURCE_AROUND_H
#define ANNOTATE_SOURCE_AROUND_H

#include "annotate/source/cxx.h"
#include "base/vec.h"

/* Ascending: in nested functions, the greater kind applies. */
typedef enum { FUNCTION_PLAIN, FUNCTION_CONSTEXPR, FUNCTION_CONSTEVAL } Function_kind;

typedef struct {
	/* kind named by the declaration being read; FUNCTION_PLAIN if none */
	Function_kind kind;
	uint32_t depth;         /* number of parentheses around the word */
} Enclosing_head;

typedef struct {
	Function_kind kind;
	bool body;              /* opened by the brace of a function body */
	/* this and the next two: saved state, restored after the closing brace */
	Enclosing_head head;
	uint32_t depth;
	Cxx list;
} Scope_entry;

typedef struct {
	VEC(Scope_entry) scopes;
	Enclosing_head head;
	uint32_t depth;         /* open parentheses within the scope */
	Function_kind popped;   /* kind of the scope just closed, in case its head continues */
	bool behind_if;
	VEC(Span) macros;       /* names of macros whose definition contains constexpr */
	Cxx list;               /* after the last ; { or } outside of parentheses */
} Enclosing_scope;

Enclosing_scope enclosing_scope_open(Cxx x);
void enclosing_scope_release(Enclosing_scope *a);
/* Processes a token that is not a directive; x is after it. */
void enclosing_scope_advance(Enclosing_scope *a, const Cxx *x, Cxx_token t);

/* Processes a directive; in unpreprocessed text this may be a #define. */
void enclosing_scope_advance_directive(Enclosing_scope *a, const Cxx *x, Cxx_token t);

Function_kind enclosing_function(const Enclosing_scope *a);
/* Whether no head of an enclosing scope has __device__ or __global__, in preprocessed text. */
bool enclosing_scope_is_host(const Enclosing_scope *a);

typedef enum {
	PLACE_LIST,             /* in the statement list of a block */
	PLACE_PART,             /* the substatement of an if, an else or a loop */
	PLACE_UNKNOWN,          /* after something that may be a macro, or not a statement */
} Place;
/* Returns the kind of place of a statement that starts at byte pos. Only directives may be
 * between pos and the last token processed. */
Place enclosing_scope_at(const Enclosing_scope *a, uint32_t pos);

#endif
