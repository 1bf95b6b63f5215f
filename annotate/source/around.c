/* SPDX-License-Identifier: MIT */
/* Determines the context of a place. See around.h. */
#include <string.h>
#include "annotate/source/around.h"
#include "annotate/source/stmt.h"

/* What the head of a scope says: a function's has parentheses; a function of the device also has
 * an attribute. */
typedef enum { HEAD_OTHER, HEAD_HOST, HEAD_DEVICE } Head_sort;

Enclosing_scope
enclosing_scope_open(Cxx x)
{
	return (Enclosing_scope){ .list = x };
}

void
enclosing_scope_release(Enclosing_scope *a)
{
	vec_free(&a->scopes);
	vec_free(&a->macros);
}

static bool
is_any(const Cxx *x, Cxx_token t, const char *const *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (cxx_is(x, t, words[i]))
			return true;
	return false;
}

Function_kind
enclosing_function(const Enclosing_scope *a)
{
	return a->scopes.n ? a->scopes.at[a->scopes.n - 1].kind : FUNCTION_PLAIN;
}

/* Reads the head of a scope, up to its brace. A head that continues after an inner brace, `: a{1},
 * b{2} {`, starts with punctuation here and says nothing. */
static Head_sort
head_sort(Cxx x)
{
	static const char *const statements[] = { "if", "else", "for", "while", "do", "switch",
		"catch" };
	Head_sort sort = HEAD_OTHER;
	bool first = true, word = false;

	for (Cxx_token t; (t = cxx_next(&x)).kind != CXX_END && !cxx_at(t, '{');) {
		if (cxx_is(&x, t, "device") || cxx_is(&x, t, "global"))
			return HEAD_DEVICE;
		if (t.kind == CXX_DIRECTIVE)
			continue;
		if (first)
			word = t.kind == CXX_WORD && !is_any(&x, t, statements, 7);
		first = false;
		if (word && cxx_at(t, '('))
			sort = HEAD_HOST;
	}
	return sort;
}

bool
enclosing_scope_is_host(const Enclosing_scope *a)
{
	bool host = false;

	for (uint32_t i = 0; i < a->scopes.n; i++) {
		Head_sort sort = head_sort(a->scopes.at[i].list);
		if (sort == HEAD_DEVICE)
			return false;
		host |= sort == HEAD_HOST;
	}
	return host;
}

static void
open_brace(Enclosing_scope *a)
{
	/* `constexpr S() : a{1} {`: the head continues after a brace */
	Function_kind head = a->head.kind > a->popped ? a->head.kind : a->popped,
		      outer = enclosing_function(a);
	bool body = head && a->depth <= a->head.depth;

	*vec_push(&a->scopes) = (Scope_entry){
		.kind = head > outer ? head : outer,
		.body = body,
		.head = body ? (Enclosing_head){ 0 } : a->head,
		.depth = a->depth,
		.list = a->list,
	};
	a->head = (Enclosing_head){ 0 };
	a->depth = 0;
	a->popped = FUNCTION_PLAIN;
}

static void
close_brace(Enclosing_scope *a)
{
	a->head = (Enclosing_head){ 0 };
	a->depth = 0;
	a->popped = FUNCTION_PLAIN;
	if (a->scopes.n) {
		Scope_entry s = *vec_pop(&a->scopes);
		a->head = s.head;
		a->depth = s.depth;
		a->list = s.list;
		a->popped = s.body ? s.kind : FUNCTION_PLAIN;
	}
}

static bool
is_macro(const Enclosing_scope *a, const Cxx *x, Cxx_token t)
{
	uint32_t n = t.end - t.pos;

	for (uint32_t i = 0; i < a->macros.n; i++) {
		Span name = a->macros.at[i];
		if (name.end - name.pos == n && memcmp(x->text + name.pos, x->text + t.pos, n) == 0)
			return true;
	}
	return false;
}

/* What a word says about the function whose head contains it. */
static Function_kind
function_kind_of_word(const Enclosing_scope *a, const Cxx *x, Cxx_token t)
{
	if (t.kind != CXX_WORD || a->behind_if)
		return FUNCTION_PLAIN;
	return cxx_is(x, t, "consteval") ? FUNCTION_CONSTEVAL :
	       cxx_is(x, t, "constexpr") || is_macro(a, x, t) ? FUNCTION_CONSTEXPR : FUNCTION_PLAIN;
}

static void
set_function_kind(Enclosing_scope *a, Function_kind kind)
{
	a->head = (Enclosing_head){ kind, a->depth };
}

/* Whether token t, after the closing brace of a head, continues that head: `constexpr S() :
 * a{1}, b{2} {`, `constexpr I<I<2>{}> f() {`, `requires requires { ... } && C<T> {`. A token
 * that can start a declaration does not. */
static bool
head_continues(const Cxx *x, Cxx_token t)
{
	static const char *const words[] = { "noexcept", "requires", "and", "or" };

	if (t.kind == CXX_PUNCT)
		return t.punct && strchr(",&|><.-", t.punct);
	for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
		if (cxx_is(x, t, words[i]))
			return true;
	return false;
}

static void
advance_other(Enclosing_scope *a, const Cxx *x, Cxx_token t)
{
	if (cxx_at(t, '(')) {
		a->depth++;
	} else if (cxx_at(t, ')')) {
		a->depth -= a->depth > 0;
		if (a->depth < a->head.depth)
			set_function_kind(a, FUNCTION_PLAIN);
	} else if (cxx_at(t, ';')) {
		set_function_kind(a, FUNCTION_PLAIN);
	} else if (function_kind_of_word(a, x, t)) {
		set_function_kind(a, function_kind_of_word(a, x, t));
	} else if (a->popped && head_continues(x, t)) {
		set_function_kind(a, a->popped);
	}
	a->popped = FUNCTION_PLAIN;
}

void
enclosing_scope_advance(Enclosing_scope *a, const Cxx *x, Cxx_token t)
{
	if (cxx_at(t, '{'))
		open_brace(a);
	else if (cxx_at(t, '}'))
		close_brace(a);
	else
		advance_other(a, x, t);
	if (a->depth == 0 && (cxx_at(t, '{') || cxx_at(t, '}') || cxx_at(t, ';')))
		a->list = *x;
	a->behind_if = cxx_is(x, t, "if");
}

void
enclosing_scope_advance_directive(Enclosing_scope *a, const Cxx *x, Cxx_token t)
{
	Cxx in = { .text = x->text, .len = t.end, .pos = t.pos };
	bool head = false, braces = false;

	cxx_next(&in);
	if (!cxx_is(&in, cxx_next(&in), "define"))
		return;
	Cxx_token name = cxx_next(&in);
	a->behind_if = false;
	for (Cxx_token w; (w = cxx_next(&in)).kind != CXX_END;
		a->behind_if = cxx_is(&in, w, "if")) {
		head |= function_kind_of_word(a, &in, w) != FUNCTION_PLAIN;
		braces |= cxx_at(w, '{');
	}
	a->behind_if = false;
	if (head && !braces)
		*vec_push(&a->macros) = (Span){ name.pos, name.end };
}

Place
enclosing_scope_at(const Enclosing_scope *a, uint32_t pos)
{
	static const char *const heads[] = { "if", "for", "while", "switch" },
				 *const words[] = { "else", "do" };
	Place place = PLACE_LIST;
	Cxx x = a->list;
	Cxx_token t = cxx_next(&x);

	Stmt_walk w = stmt_at(x, t, false);
	for (stmt_skip_directives(&w); w.t.pos < pos; stmt_skip_directives(&w)) {
		bool head = is_any(&w.x, w.t, heads, 4), word = is_any(&w.x, w.t, words, 2);
		if (word)
			stmt_advance(&w);
		else if (!(head ? stmt_skip_if_head(&w) : stmt_skip_label(&w)))
			return PLACE_UNKNOWN;
		if (head || word)
			place = PLACE_PART;
	}
	return w.t.pos == pos ? place : PLACE_UNKNOWN;
}
