/* SPDX-License-Identifier: MIT */
/* Parses the head of a function's definition. See kernel.h.
 *
 *	template <typename T, int N = (1 > 0)> static __attribute__((global))
 *	__attribute__((launch_bounds(256)))
 *	void k(T *a, S s = S{ 1 }) noexcept {
 *
 * The body starts at the first brace after the parameters. Other parentheses and braces occur in
 * template parameter lists, attributes and requirements. A definition is not a kernel's if it
 * lacks __global__, or if a semicolon, or a brace before any parameters, ends the head. */
#include "annotate/source/kernel.h"

typedef struct {
	Cxx x;
	Cxx_token t;
	bool global;            /* the head contains __global__ */
	bool parameters;        /* the parenthesis after the parameters was read */
	bool started;           /* `first` was read */
	Cxx_token first;        /* Kernel_head.first */
} Head_parser;

static Cxx_token
peek_token(const Head_parser *h)
{
	Cxx x = h->x;

	return cxx_next(&x);
}

/* Skips to the bracket that closes the current one. Returns whether the text in between contains
 * the word. */
static bool
skip_brackets(Head_parser *h, const char *word)
{
	uint32_t depth = 1;
	bool found = false;

	while (depth && h->t.kind != CXX_END) {
		h->t = cxx_next(&h->x);
		found |= cxx_is(&h->x, h->t, word);
		depth += cxx_opens_bracket(h->t);
		depth -= cxx_closes_bracket(h->t);
	}
	return found;
}

/* Skips template <...> to its last token. */
static void
skip_template(Head_parser *h)
{
	uint32_t depth = 0;

	do {
		h->t = cxx_next(&h->x);
		depth += cxx_at(h->t, '<');
		depth -= cxx_at(h->t, '>') && depth;
		if (cxx_opens_bracket(h->t))
			skip_brackets(h, "");
	} while (depth && h->t.kind != CXX_END);
}

/* requires (...), requires (...) { ... }, requires { ... } */
static void
skip_requirement(Head_parser *h)
{
	for (int k = 0; k < 2; k++)
		if (cxx_at(peek_token(h), k ? '{' : '(')) {
			h->t = cxx_next(&h->x);
			skip_brackets(h, "");
		}
}

/* Whether the parentheses after this word belong to an attribute, not to the parameters. */
static bool
is_attribute(const Head_parser *h)
{
	static const char *const words[] = { "__attribute__", "__launch_bounds__", "__maxnreg__",
		"__block_size__", "__cluster_dims__", "alignas" };

	for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
		if (cxx_is(&h->x, h->t, words[i]))
			return true;
	return false;
}

/* Whether attributes may precede the token, but none of those before it. */
static bool
begins_specifiers(const Head_parser *h)
{
	return h->t.kind != CXX_LITERAL && !cxx_is(&h->x, h->t, "template") &&
		!cxx_is(&h->x, h->t, "requires") && !cxx_is(&h->x, h->t, "extern");
}

/* Processes a token and what belongs to it. Returns false if it ends the head. */
static bool
parse_head_token(Head_parser *h)
{
	if (!h->started && begins_specifiers(h)) {
		h->started = true;
		h->first = h->t;
	}
	h->global |= cxx_is(&h->x, h->t, "__global__");
	if (h->t.kind == CXX_END || cxx_at(h->t, ';') || cxx_at(h->t, '{') ||
		cxx_closes_bracket(h->t))
		return false;
	if (cxx_is(&h->x, h->t, "template")) {
		skip_template(h);
	} else if (cxx_is(&h->x, h->t, "requires")) {
		skip_requirement(h);
	} else if (is_attribute(h) && cxx_at(peek_token(h), '(')) {
		h->t = cxx_next(&h->x);
		h->global |= skip_brackets(h, "global");
	} else if (cxx_opens_bracket(h->t)) {
		h->parameters |= cxx_at(h->t, '(');
		skip_brackets(h, "");
	}
	return true;
}

static Kernel_head
parse_head(Cxx x, Cxx_token t, bool kernel)
{
	Head_parser h = { .x = x, .t = t };

	while (parse_head_token(&h))
		h.t = cxx_next(&h.x);
	if (h.global != kernel || !h.parameters)
		return (Kernel_head){ .wrong = "must be directly before a __global__ function" };
	if (!cxx_at(h.t, '{'))
		return (Kernel_head){
			.wrong =
				"is before a declaration; move it to the kernel's definition"
		};
	return (Kernel_head){ .body = h.t.end, .place = h.x.place, .first = h.first };
}

Kernel_head
kernel_head(Cxx x, Cxx_token t)
{
	return parse_head(x, t, true);
}

Kernel_head
function_head(Cxx x, Cxx_token t)
{
	return parse_head(x, t, false);
}
