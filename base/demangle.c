/* SPDX-License-Identifier: MIT */
/* Demangles names of C++ functions; see demangle.h. The grammar is that of the Itanium C++ ABI,
 * section 5.1; this reader covers names, lambdas, template arguments and the types in them, and
 * gives up on anything else (expressions, conversions). A lambda is shown as main::lambda#1.
 *
 * A name may refer to earlier parts of itself (S_, S0_ ...): these are recorded as text, in the
 * order of the ABI. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/buf.h"
#include "base/demangle.h"

enum { MAX_KNOWN = 64, MAX_DEPTH = 32 };

typedef struct {
	const char *at, *end;
	Arena *arena;
	const char *known[MAX_KNOWN]; /* expansions of S_, S0_ ... */
	uint32_t nknown, depth;
	bool bad;
} Demangler;

static const char *read_type(Demangler *n);
static const char *read_name(Demangler *n, bool type);

static char
peek_char(const Demangler *n)
{
	return n->at < n->end ? *n->at : '\0';
}

static bool
accept_text(Demangler *n, const char *word)
{
	size_t k = strlen(word);

	if ((size_t)(n->end - n->at) < k || memcmp(n->at, word, k) != 0)
		return false;
	n->at += k;
	return true;
}

static const char *
demangle_fail(Demangler *n)
{
	n->bad = true;
	n->at = n->end;
	return "";
}

static const char *
concatenate_texts(Demangler *n, const char *a, const char *b, const char *c)
{
	Buf out = { 0 };

	buf_printf(&out, "%s%s%s", a, b, c);
	const char *s = arena_strndup(n->arena, out.at, out.n);
	buf_free(&out);
	return s;
}

static const char *
add_substitution(Demangler *n, const char *s)
{
	if (n->nknown == MAX_KNOWN)
		return demangle_fail(n);
	n->known[n->nknown++] = s;
	return s;
}

static size_t
read_number(Demangler *n)
{
	size_t v = 0;

	while (peek_char(n) >= '0' && peek_char(n) <= '9' && v < 100000)
		v = 10 * v + (size_t)(*n->at++ - '0');
	return v;
}

/* Reads a number, and that many characters. */
static const char *
read_counted(Demangler *n)
{
	size_t k = read_number(n);

	if (k == 0 || k > (size_t)(n->end - n->at))
		return demangle_fail(n);
	const char *s = arena_strndup(n->arena, n->at, k);
	n->at += k;
	return s;
}

/* Reads a source name, and drops the ABI tags after it, by which libraries and Numba distinguish
 * versions. */
static const char *
read_source_name(Demangler *n)
{
	const char *s = read_counted(n);

	while (!n->bad && accept_text(n, "B"))
		read_counted(n);
	return strncmp(s, "_GLOBAL__N", 10) == 0 || strncmp(s, "_INTERNAL_", 10) == 0 ?
		"(anonymous namespace)" :
		s;
}

/* Reads S_, S0_ ... SZ_, St, Ss and others, after the S. */
static const char *
read_known(Demangler *n)
{
	static const struct {
		char c;
		const char *name;
	} std[] = { { 't', "std" }, { 'a', "std::allocator" }, { 'b', "std::basic_string" },
		{ 's', "std::string" }, { 'i', "std::istream" }, { 'o', "std::ostream" } };
	uint32_t i = 0;
	char c = peek_char(n);

	for (size_t k = 0; k < sizeof std / sizeof *std; k++)
		if (std[k].c == c) {
			n->at++;
			return std[k].name;
		}
	if (c != '_') {
		if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')))
			return demangle_fail(n);
		i = 1 + (uint32_t)(c <= '9' ? c - '0' : c - 'A' + 10);
		n->at++;
	}
	return accept_text(n, "_") && i < n->nknown ? n->known[i] : demangle_fail(n);
}

/* Reads a literal such as L i 4 E, after the L. */
static const char *
read_literal(Demangler *n)
{
	bool truth = peek_char(n) == 'b';
	(void)read_type(n);
	const char *sign = accept_text(n, "n") ? "-" : "", *s = n->at;

	while (peek_char(n) && peek_char(n) != 'E')
		n->at++;
	const char *value = arena_strndup(n->arena, s, (size_t)(n->at - s));
	if (!accept_text(n, "E"))
		return demangle_fail(n);
	return truth ? *value == '1' ? "true" : "false" : concatenate_texts(n, sign, value, "");
}

/* Reads the rest of a function's name, after its own: the types of its parameters and E. */
static void
skip_parameters(Demangler *n)
{
	while (!n->bad && !accept_text(n, "E"))
		read_type(n);
}

/* Reads a lambda or unnamed type: Ul TYPES E [NUMBER] _, Ut [NUMBER] _ */
static const char *
read_unnamed(Demangler *n)
{
	Buf out = { 0 };
	bool lambda = accept_text(n, "Ul");

	if (lambda)
		skip_parameters(n);
	else if (!accept_text(n, "Ut"))
		return demangle_fail(n);
	size_t number = peek_char(n) == '_' ? 1 : read_number(n) + 2;
	buf_printf(&out, "%s#%zu", lambda ? "lambda" : "unnamed", number);
	const char *s = arena_strndup(n->arena, out.at, out.n);
	buf_free(&out);
	return accept_text(n, "_") ? s : demangle_fail(n);
}

/* Reads what a function contains, after the Z: the function's name, E, and the entity. */
static const char *
read_local(Demangler *n, bool type)
{
	if (n->depth++ == MAX_DEPTH || n->bad)
		return demangle_fail(n);
	const char *s = read_name(n, false);
	skip_parameters(n);
	s = concatenate_texts(n, s, "::",
		peek_char(n) == 'U' ? read_unnamed(n) : read_name(n, false));
	n->depth--;
	return type ? add_substitution(n, s) : s;
}

/* Reads the address of a function, after X ad L _Z: its name, E, and the E of the expression. */
static const char *
read_address(Demangler *n)
{
	if (n->depth++ == MAX_DEPTH || n->bad)
		return demangle_fail(n);
	const char *s = concatenate_texts(n, "&", read_name(n, false), "");
	skip_parameters(n);
	n->depth--;
	return accept_text(n, "E") ? s : demangle_fail(n);
}

static const char *
read_argument(Demangler *n)
{
	if (accept_text(n, "XadL_Z"))
		return read_address(n);
	if (accept_text(n, "L"))
		return read_literal(n);
	if (peek_char(n) == 'X')
		return demangle_fail(n);
	return read_type(n);
}

/* Reads I ... E, after the I. Packs (J ... E) are flattened. */
static const char *
read_arguments(Demangler *n)
{
	Buf out = { 0 };
	uint32_t packs = 0, k = 0;

	for (;;) {
		if (accept_text(n, "J")) {
			packs++;
		} else if (accept_text(n, "E")) {
			if (packs-- == 0)
				break;
		} else if (n->bad || peek_char(n) == '\0') {
			demangle_fail(n);
			break;
		} else {
			buf_printf(&out, "%s%s", k++ ? ", " : "", read_argument(n));
		}
	}
	const char *s = concatenate_texts(n, "<", out.n ? out.at : "", ">");
	buf_free(&out);
	return s;
}

/* Reads N ... E, after the N. Each prefix is a substitution candidate, except the whole name, which
 * a type records itself. */
static const char *
read_nested(Demangler *n, bool type)
{
	const char *s = NULL, *last = "";

	while (strchr("rVKRO", peek_char(n)) && peek_char(n))
		n->at++;
	while (!n->bad && !accept_text(n, "E")) {
		bool args = s && accept_text(n, "I"), known = !s && accept_text(n, "S");
		if (args) {
			s = concatenate_texts(n, s, read_arguments(n), "");
		} else if (known) {
			bool std = peek_char(n) == 't';
			s = read_known(n);
			last = std ? "std" : s;
			continue;
		} else if (s && (accept_text(n, "C1") || accept_text(n, "C2"))) {
			s = concatenate_texts(n, s, "::", last);
		} else if (s && (accept_text(n, "D0") || accept_text(n, "D1") || accept_text(n, "D2"))) {
			s = concatenate_texts(n, s, "::~", last);
		} else {
			accept_text(n, "L");
			last = accept_text(n, "cl")    ? "operator()" :
				peek_char(n) == 'U' ? read_unnamed(n) :
						      read_source_name(n);
			s = s ? concatenate_texts(n, s, "::", last) : last;
		}
		if (type || peek_char(n) != 'E')
			add_substitution(n, s);
	}
	return s ? s : demangle_fail(n);
}

/* Reads a name with its template arguments; for a type, records the whole name. */
static const char *
read_name(Demangler *n, bool type)
{
	const char *s;
	bool known = false;

	if (accept_text(n, "N"))
		return read_nested(n, type);
	if (accept_text(n, "Z"))
		return read_local(n, type);
	if (accept_text(n, "St")) {
		s = concatenate_texts(n, "std", "::", read_source_name(n));
	} else if (accept_text(n, "S")) {
		s = read_known(n);
		known = true;
	} else {
		accept_text(n, "L");
		s = read_source_name(n);
	}
	bool arguments = peek_char(n) == 'I';
	if (!known && (type || arguments))
		add_substitution(n, s);
	if (accept_text(n, "I")) {
		s = concatenate_texts(n, s, read_arguments(n), "");
		if (type)
			add_substitution(n, s);
	}
	return s;
}

/* Reads F RESULT TYPES E, after the F. */
static const char *
read_function_type(Demangler *n)
{
	const char *s = concatenate_texts(n, read_type(n), "(", ""), *comma = "";

	if (accept_text(n, "vE"))
		return concatenate_texts(n, s, ")", "");
	while (!n->bad && !accept_text(n, "E")) {
		s = concatenate_texts(n, s, comma, read_type(n));
		comma = ", ";
	}
	return concatenate_texts(n, s, ")", "");
}

/* Reads T_, T0_ ..., after the T. Only skipped types contain them. */
static const char *
read_parameter(Demangler *n)
{
	if (peek_char(n) != '_')
		read_number(n);
	return accept_text(n, "_") ? "T" : demangle_fail(n);
}

static const char *
builtin_type(char c)
{
	static const char *const names[] = { ['v'] = "void",
		['w'] = "wchar_t",
		['b'] = "bool",
		['c'] = "char",
		['a'] = "signed char",
		['h'] = "unsigned char",
		['s'] = "short",
		['t'] = "unsigned short",
		['i'] = "int",
		['j'] = "unsigned",
		['l'] = "long",
		['m'] = "unsigned long",
		['x'] = "long long",
		['y'] = "unsigned long long",
		['n'] = "__int128",
		['f'] = "float",
		['d'] = "double",
		['e'] = "long double",
		['z'] = "..." };

	return (unsigned char)c < sizeof names / sizeof *names ? names[(unsigned char)c] : NULL;
}

static const char *
read_type(Demangler *n)
{
	static const struct {
		const char *code, *text;
	} around[] = { { "P", "*" }, { "R", "&" }, { "O", "&&" }, { "K", " const" },
		{ "V", " volatile" } };
	const char *s = builtin_type(peek_char(n));

	if (n->depth++ == MAX_DEPTH || n->bad)
		return demangle_fail(n);
	if (s) {
		n->at++;
	} else {
		for (size_t i = 0; i < sizeof around / sizeof *around && !s; i++)
			if (accept_text(n, around[i].code))
				s = add_substitution(n, concatenate_texts(n, read_type(n), around[i].text, ""));
		if (!s && accept_text(n, "F"))
			s = add_substitution(n, read_function_type(n));
		if (!s && accept_text(n, "T"))
			s = add_substitution(n, read_parameter(n));
		if (!s)
			s = strchr("NSZ0123456789", peek_char(n)) && peek_char(n) ? read_name(n, true) :
									 demangle_fail(n);
	}
	n->depth--;
	return s;
}

const char *
demangle(Arena *a, const char *name, size_t len)
{
	Demangler n = { .at = name, .end = name + len, .arena = a };
	const char *s = accept_text(&n, "_Z") ? read_name(&n, false) : demangle_fail(&n);

	return n.bad ? arena_strndup(a, name, len) : s;
}
