/* SPDX-License-Identifier: MIT */
/* The annotation language: its tables, and its form in markers; see annot.h. */
#include <stdlib.h>
#include <string.h>
#include "base/annot.h"

#define ALL \
	(UINT32_MAX >> (32 - ANNOT_ITERATION) | \
		UINT32_C(1) << ANNOT_CASE | /* a case has the clauses of its switch, */ \
		UINT32_C(1) << ANNOT_RECURSION) /* a function those of `while` */
#define ONLY(id) (UINT32_C(1) << ANNOT_##id)

const Annot_kind_row annot_kinds[ANNOT_KINDS] = {
#define KIND(id, words, marker, before) { words, marker, BEFORE_##before },
#define MARK(id, marker) { NULL, marker, BEFORE_ANY },
#include "base/annot.def"
};

const Annot_clause_row annot_clauses[CLAUSE_COUNT] = {
#define CLAUSE(id, name, argument, least, most, kinds) \
	{ name, ARGUMENT_##argument, { least, most }, kinds },
#include "base/annot.def"
};

const Annot_policy_row annot_policies[POLICY_COUNT] = {
#define POLICY(id, name, numbers, word, least, most) \
	{ name, numbers, word, { least, most } },
#include "base/annot.def"
};

const char *const annot_operators[OPERATOR_COUNT] = {
#define OPERATOR(id, name) name,
#include "base/annot.def"
};

const Annot_spelling annot_spellings[] = {
#define KIND(id, words, marker, before) { words, ANNOT_##id, BEFORE_##before == BEFORE_IF_ELSE },
#define ALIAS(id, words, both) { words, ANNOT_##id, both },
#include "base/annot.def"
	{ NULL, ANNOT_KINDS, false }
};

const char *
annot_words(const Annot *a)
{
	const Annot_spelling *s = annot_spellings;

	while (s->words && (s->kind != a->kind || s->both != a->both))
		s++;
	return s->words;
}

/* ---- escapes --------------------------------------------------------------------------------- */

static bool
is_plain(char c, const char *also)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(c && (strchr("_./+-", c) || strchr(also, c)));
}

void
annot_put_escaped(Buf *to, const char *s, size_t len, const char *also)
{
	for (size_t i = 0; i < len; i++) {
		if (is_plain(s[i], also))
			buf_putc(to, s[i]);
		else
			buf_printf(to, "=%02X", (unsigned)(unsigned char)s[i]);
	}
}

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool
annot_unescape(const char *s, size_t len, char *to)
{
	bool ok = true;

	for (const char *end = s + len; ok && s < end; s++) {
		if (*s != '=') {
			*to++ = *s;
			continue;
		}
		ok = end - s >= 3 && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0 &&
			(s[1] != '0' || s[2] != '0');
		if (ok)
			*to++ = (char)(hex_digit(s[1]) << 4 | hex_digit(s[2]));
		s += 2;
	}
	*to = '\0';
	return ok;
}

size_t
annot_escaped_offset(const char *s, size_t n)
{
	size_t i = 0;

	while (n--)
		i += s[i] == '=' ? 3 : 1;
	return i;
}

/* ---- clauses --------------------------------------------------------------------------------- */

Annot_text
annot_expression(const char *text, uint32_t len)
{
	uint32_t depth = 0, i = 0;
	bool any = false;
	char quote = 0;

	for (; i < len && (quote || depth || text[i] != ')'); i++) {
		any |= text[i] != ' ' && text[i] != '\t';
		if (quote && text[i] == '\\')
			i += i + 1 < len;
		else if (quote)
			quote = text[i] == quote ? 0 : quote;
		else if (text[i] == '\'' || text[i] == '"')
			quote = text[i];
		else
			depth += (uint32_t)(text[i] == '(') - (uint32_t)(text[i] == ')');
	}
	return (Annot_text){ text, any ? i : 0 };
}

/* Appends the text without blanks. */
static void
write_without_blanks(Buf *to, Annot_text w)
{
	for (uint32_t i = 0; i < w.len; i++)
		if ((unsigned char)w.at[i] > ' ')
			annot_put_escaped(to, w.at + i, 1, "(),:");
}

static void
put_lists(Buf *to, const Annot *a, Annot_clause c)
{
	for (uint32_t i = 0; i < a->nlists; i++) {
		const Annot_list *l = &a->lists[i];
		if (l->clause != c)
			continue;
		buf_printf(to, " %s(", annot_clauses[c].name);
		annot_put_escaped(to, annot_operators[l->op], strlen(annot_operators[l->op]), "");
		buf_putc(to, ':');
		write_without_blanks(to, l->names);
		buf_putc(to, ')');
	}
}

static void
put_clause(Buf *to, const Annot *a, Annot_clause c)
{
	const char *name = annot_clauses[c].name;
	uint32_t n = a->number[c];

	switch (annot_clauses[c].argument) {
	case ARGUMENT_NONE:
		buf_printf(to, " %s", name);
		break;
	case ARGUMENT_NUMBER:
	case ARGUMENT_COUNT:
		if (n == ANNOT_AUTO)
			buf_printf(to, " %s(auto)", name);
		else
			buf_printf(to, " %s(%u)", name, n);
		break;
	case ARGUMENT_ROUNDS:
		if (n == ANNOT_AUTO)
			buf_printf(to, " %s", name);
		else if (n)
			buf_printf(to, " %s(%u)", name, n);
		else
			buf_printf(to, " %s(no)", name);
		break;
	case ARGUMENT_POLICY:
		if (n && annot_policies[a->policy].word)
			buf_printf(to, " %s(%s(%s))", name, annot_policies[a->policy].name,
				annot_policies[a->policy].word);
		else if (n && annot_policies[a->policy].numbers == 2)
			buf_printf(to, " %s(%s(%u,%u))", name, annot_policies[a->policy].name, n,
				a->second);
		else if (n)
			buf_printf(to, " %s(%s(%u))", name, annot_policies[a->policy].name, n);
		else
			buf_printf(to, " %s(%s)", name, annot_policies[a->policy].name);
		break;
	case ARGUMENT_LIST:
		put_lists(to, a, c);
		break;
	case ARGUMENT_EXPRESSION:
		buf_printf(to, " %s(", name);
		write_without_blanks(to, a->key);
		buf_putc(to, ')');
		break;
	}
}

void
annot_put_clauses(Buf *to, const Annot *a)
{
	for (uint32_t c = 0; c < CLAUSE_COUNT; c++)
		if (annot_has(a, (Annot_clause)c))
			put_clause(to, a, (Annot_clause)c);
}

/* ---- policies in options and profiles -------------------------------------------------------- */

/* Parses the argument of a policy, after the opening parenthesis. */
static bool
policy_argument(const Annot_policy_row *p, const char *text, uint32_t *n)
{
	char *behind;
	unsigned long v;

	*n = 1;
	if (p->word)
		return strncmp(text, p->word, strlen(p->word)) == 0 &&
			strcmp(text + strlen(p->word), ")") == 0;
	v = strtoul(text, &behind, 10);
	if (v < p->range.least || v > p->range.most || strcmp(behind, ")") != 0 || *text < '0' ||
		*text > '9')
		return false;
	*n = (uint32_t)v;
	return true;
}

bool
annot_policy_read(const char *text, Annot_policy *policy, uint32_t *n)
{
	for (int i = 0; i < POLICY_COUNT; i++) {
		const Annot_policy_row *p = &annot_policies[i];
		size_t len = strlen(p->name);
		*n = 0;
		if (strncmp(text, p->name, len) != 0 || (text[len] && text[len] != '('))
			continue;
		if (text[len] &&
			((!p->range.most && !p->word) || !policy_argument(p, text + len + 1, n)))
			return false;
		*policy = (Annot_policy)i;
		return true;
	}
	return false;
}
