/* SPDX-License-Identifier: MIT */
/* Finds the end of a C++ statement. See stmt.h. */
#include <string.h>
#include "annotate/source/stmt.h"

enum { MAX_DEPTH = 400 };

Stmt_walk
stmt_at(Cxx x, Cxx_token t, bool want_exits)
{
	return (Stmt_walk){
		.x = x, .t = t, .end = t.pos, .behind = t.place, .want_exits = want_exits
	};
}

void
stmt_release(Stmt_walk *w)
{
	vec_free(&w->exits);
}

void
stmt_advance(Stmt_walk *w)
{
	w->end = w->t.end;
	w->behind = w->x.place;
	w->t = cxx_next(&w->x);
}

static bool
stop_walk(Stmt_walk *w, const char *why)
{
	if (!w->error)
		w->error = why;
	return false;
}

static bool
token_is(const Stmt_walk *w, const char *word)
{
	return cxx_is(&w->x, w->t, word);
}

static bool
token_is_any(const Stmt_walk *w, Cxx_token t, const char *const *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (cxx_is(&w->x, t, words[i]))
			return true;
	return false;
}

static Cxx_token
token_behind(const Stmt_walk *w)
{
	Cxx x = w->x;

	return cxx_next(&x);
}

/* ---- brackets -------------------------------------------------------------------------------- */

/* Skips from an opening bracket to after the closing one. */
static bool
skip_brackets(Stmt_walk *w)
{
	uint32_t depth = 0;

	do {
		if (w->t.kind == CXX_END)
			return stop_walk(w, "a bracket is not closed");
		if (cxx_opens_bracket(w->t))
			depth++;
		else if (cxx_closes_bracket(w->t))
			depth--;
		stmt_advance(w);
	} while (depth);
	return true;
}

static bool
skip_parenthesised(Stmt_walk *w)
{
	return cxx_at(w->t, '(') ? skip_brackets(w) : stop_walk(w, "'(' expected");
}

void
stmt_skip_directives(Stmt_walk *w)
{
	while (w->t.kind == CXX_DIRECTIVE)
		stmt_advance(w);
}

/* Skips [[...]] or __attribute__((...)). */
static bool
stmt_skip_attributes(Stmt_walk *w)
{
	for (;;) {
		if (cxx_at(w->t, '[') && cxx_at(token_behind(w), '[')) {
			if (!skip_brackets(w))
				return false;
		} else if (token_is(w, "__attribute__") || token_is(w, "__attribute")) {
			stmt_advance(w);
			if (!skip_parenthesised(w))
				return false;
		} else {
			return true;
		}
	}
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Skips to after the semicolon. */
static bool
skip_plain(Stmt_walk *w)
{
	while (!cxx_at(w->t, ';')) {
		if (w->t.kind == CXX_END || cxx_closes_bracket(w->t))
			return stop_walk(w, "the statement has no end");
		if (cxx_opens_bracket(w->t)) {
			if (!skip_brackets(w))
				return false;
		} else {
			stmt_advance(w);
		}
	}
	stmt_advance(w);
	return true;
}

static bool
skip_block(Stmt_walk *w)
{
	if (!w->want_exits)
		return skip_brackets(w);
	for (stmt_advance(w); stmt_skip_directives(w), !cxx_at(w->t, '}'); )
		if (!stmt_skip(w))
			return false;
	stmt_advance(w);
	return true;
}

bool
stmt_skip_if_head(Stmt_walk *w)
{
	stmt_advance(w);
	if (token_is(w, "constexpr"))
		stmt_advance(w);
	return skip_parenthesised(w);
}

static bool
skip_if(Stmt_walk *w)
{
	for (;;) {
		if (!stmt_skip_if_head(w) || !stmt_skip(w))
			return false;
		Stmt_walk end = *w;
		stmt_skip_directives(w);
		if (!token_is(w, "else")) { /* the directives belong to the next statement */
			*w = end;
			return true;
		}
		stmt_advance(w);
		stmt_skip_directives(w);
		if (!token_is(w, "if")) /* a chain of else if does not nest */
			return stmt_skip(w);
	}
}

bool
stmt_skip_loop_head(Stmt_walk *w)
{
	bool head = !token_is(w, "do");
	stmt_advance(w);
	return !head || skip_parenthesised(w);
}

static bool
skip_loop(Stmt_walk *w)
{
	if (!stmt_skip_loop_head(w))
		return false;
	w->loops++;
	bool ok = stmt_skip(w);
	w->loops--;
	return ok;
}

static bool
skip_do(Stmt_walk *w)
{
	stmt_skip_loop_head(w);
	w->loops++;
	bool ok = stmt_skip(w);
	w->loops--;
	stmt_skip_directives(w);
	return ok && (token_is(w, "while") ? skip_plain(w) : stop_walk(w, "'while' expected"));
}

static bool
skip_switch(Stmt_walk *w)
{
	stmt_advance(w);
	if (!skip_parenthesised(w))
		return false;
	w->switches++;
	bool ok = stmt_skip(w);
	w->switches--;
	return ok;
}

static bool
skip_try(Stmt_walk *w)
{
	stmt_advance(w);
	if (!cxx_at(w->t, '{') || !skip_block(w))
		return stop_walk(w, "'{' expected");
	while (token_is(w, "catch")) {
		stmt_advance(w);
		if (!skip_parenthesised(w) || !cxx_at(w->t, '{') || !skip_block(w))
			return stop_walk(w, "'{' expected");
	}
	return true;
}

static bool
is_label(const Stmt_walk *w)
{
	return token_is(w, "case") || (w->t.kind == CXX_WORD && cxx_at(token_behind(w), ':'));
}

/* `case x:`, `default:` or `name:`. */
static bool
skip_label(Stmt_walk *w)
{
	for (uint32_t questions = 0; ; stmt_advance(w)) {
		if (w->t.kind == CXX_END || cxx_at(w->t, ';') || cxx_closes_bracket(w->t))
			return stop_walk(w, "a label has no ':'");
		while (cxx_opens_bracket(w->t))
			if (!skip_brackets(w))
				return false;
		if (cxx_at(w->t, '?'))
			questions++;
		else if (cxx_at(w->t, ':') && questions-- == 0)
			break;
	}
	stmt_advance(w);
	return true;
}

bool
stmt_skip_label(Stmt_walk *w)
{
	uint32_t from = w->t.pos;

	return is_label(w) ? skip_label(w) : stmt_skip_attributes(w) && w->t.pos > from;
}

static void
note_exit(Stmt_walk *w)
{
	bool leaves = token_is(w, "return") || (token_is(w, "break") && !w->loops && !w->switches) ||
		(token_is(w, "continue") && !w->loops);

	if (w->want_exits && leaves)
		*vec_push(&w->exits) = w->t;
}

/* At a label: whether it is `case x:` or `default:`. */
static bool
is_case(const Stmt_walk *w)
{
	return token_is(w, "case") || token_is(w, "default");
}

static bool
skip_statement(Stmt_walk *w)
{
	while (is_label(w)) {
		w->stray_case |= is_case(w) && !w->switches;
		if (!skip_label(w))
			return false;
		stmt_skip_directives(w);
		if (cxx_at(w->t, '}')) /* a label at the end of a block */
			return true;
	}
	if (!stmt_skip_attributes(w))
		return false;
	if (cxx_at(w->t, '{'))
		return skip_block(w);
	if (token_is(w, "if"))
		return skip_if(w);
	if (token_is(w, "for") || token_is(w, "while"))
		return skip_loop(w);
	if (token_is(w, "do"))
		return skip_do(w);
	if (token_is(w, "switch"))
		return skip_switch(w);
	if (token_is(w, "try"))
		return skip_try(w);
	note_exit(w);
	return skip_plain(w);
}

bool
stmt_skip(Stmt_walk *w)
{
	if (w->depth == MAX_DEPTH)
		return stop_walk(w, "statements are nested too deeply");
	w->depth++;
	stmt_skip_directives(w);
	bool ok = skip_statement(w);
	w->depth--;
	return ok;
}

/* ---- cases ----------------------------------------------------------------------------------- */

bool
stmt_enter_switch(Stmt_walk *w)
{
	stmt_advance(w);
	if (!skip_parenthesised(w))
		return false;
	stmt_skip_directives(w);
	if (!cxx_at(w->t, '{'))
		return stop_walk(w, "the cases of the switch need braces around them");
	stmt_advance(w);
	return true;
}

/* Skips statements up to the next label of the same switch, or to its end. */
static bool
skip_case_statements(Stmt_walk *w)
{
	for (;;) {
		Stmt_walk end = *w;
		stmt_skip_directives(w);
		/* the directives are after the case */
		if (cxx_at(w->t, '}') || (is_label(w) && is_case(w))) {
			*w = end;
			return true;
		}
		if (is_label(w) ? !skip_label(w) : !stmt_skip(w))
			return false;
	}
}

bool
stmt_next_case(Stmt_walk *w, Stmt_case *c)
{
	if (!skip_case_statements(w)) /* statements can precede only the first label */
		return false;
	stmt_skip_directives(w);
	if (cxx_at(w->t, '}'))
		return false;
	c->label = w->t;
	do {
		if (!skip_label(w))
			return false;
		c->pos = w->end;
		c->at = w->behind;
		stmt_skip_directives(w);
	} while (is_label(w) && is_case(w));
	w->exits.n = 0;
	w->end = c->pos;
	w->behind = c->at;
	if (!skip_case_statements(w))
		return false;
	c->end = w->end;
	c->behind = w->behind;
	return true;
}

/* ---- what it is ------------------------------------------------------------------------------ */

/* Whether the token is a type or another word that only declarations start with. */
static bool
starts_declaration(const Stmt_walk *w)
{
	static const char *const types[] = {
		"auto", "bool", "char", "char16_t", "char32_t", "char8_t", "class", "const",
		"constexpr", "decltype", "double", "enum", "explicit", "extern", "float",
		"friend", "inline", "__inline__", "int", "long", "namespace", "private",
		"protected", "public", "register", "short", "signed", "static",
		"static_assert", "struct", "template", "thread_local", "typedef", "typename",
		"union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
	};
	Cxx_token next = token_behind(w);

	return token_is(w, "alignas") ||
		(token_is_any(w, w->t, types, sizeof types / sizeof *types) && !cxx_at(next, '(') &&
			!cxx_at(next, '{'));
}

/* Classifies a statement that starts neither with a statement's keyword nor with a word that
 * only declarations start with. */
static Stmt_sort
expression_sort(const Stmt_walk *w)
{
	static const char *const expressions[] = {
		"asm", "__asm__", "__asm", "break", "compl", "continue", "co_await",
		"co_return", "co_yield", "delete", "goto", "new", "not", "return", "sizeof",
		"this", "throw", "try",
	};
	static const char *const operators[] = {
		"and", "or", "and_eq", "or_eq", "xor", "xor_eq", "not_eq", "bitand", "bitor",
	};
	Cxx_token next = token_behind(w);

	if (cxx_at(w->t, '\0') || token_is(w, "__extension__")) /* :: */
		return STMT_UNSURE;
	if (w->t.kind != CXX_WORD ||
		token_is_any(w, w->t, expressions, sizeof expressions / sizeof *expressions))
		return STMT_PLAIN;
	if (next.kind == CXX_WORD)
		return token_is_any(w, next, operators, sizeof operators / sizeof *operators) ?
			STMT_UNSURE :
			STMT_DECLARATION;
	return next.kind == CXX_PUNCT && (next.punct == '\0' || strchr("<*&([;", next.punct)) ?
		STMT_UNSURE :
		STMT_PLAIN;
}

Stmt_sort
stmt_sort(Stmt_walk *w)
{
	if (is_label(w))
		return STMT_LABELLED;
	if (token_is(w, "__attribute__"))
		return STMT_DECLARATION;
	if (!stmt_skip_attributes(w))
		return STMT_NOT;
	if (cxx_at(w->t, '{'))
		return STMT_BLOCK;
	if (token_is(w, "if"))
		return STMT_IF;
	if (token_is(w, "for") || token_is(w, "while") || token_is(w, "do"))
		return STMT_LOOP;
	if (token_is(w, "switch"))
		return STMT_SWITCH;
	if (w->t.kind == CXX_END || w->t.kind == CXX_DIRECTIVE || cxx_closes_bracket(w->t) || token_is(w, "else") ||
		token_is(w, "catch"))
		return STMT_NOT;
	return starts_declaration(w) ? STMT_DECLARATION : expression_sort(w);
}
