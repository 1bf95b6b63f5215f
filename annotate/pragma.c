/* SPDX-License-Identifier: MIT */
/* Classifies directives. See pragma.h.
 *
 * No annotation may be dropped silently. Therefore every pragma that begins with the word ccc is
 * an annotation, and so is a word that differs from ccc only by case, or that continues with an
 * annotation's name; other words that begin with ccc belong to other tools. `cc for`, which
 * differs by one byte and precedes an annotation's name, is reported, too, because the user
 * might have silenced warning 20199. */
#include <stdlib.h>
#include <string.h>
#include "annotate/pragma.h"

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '$' || (c & 0x80);
}

static size_t
word_length(const char *s)
{
	size_t n = 0;

	while (is_word(s[n]))
		n++;
	return n;
}

static bool
word_is(const char *s, const char *word)
{
	size_t n = strlen(word);

	return word_length(s) == n && memcmp(s, word, n) == 0;
}

static char
to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the word at s equals these words except for case and separators. */
static bool
word_resembles(const char *s, const char *words)
{
	for (; *words; words++) {
		char c = to_lower(*s);
		if (*words == ' ')
			s += c == '_';
		else if (c != *words)
			return false;
		else
			s++;
	}
	return !is_word(*s);
}

/* Whether the word differs from `ccc` by one byte (cc, cccc, cxc), but is not a known pragma
 * such as acc. */
static bool
is_typo(const char *s)
{
	size_t n = word_length(s), c = 0;

	for (size_t i = 0; i < n; i++)
		c += to_lower(s[i]) == 'c';
	return (n == 2 && c == 2) || (n == 3 && c == 2 && to_lower(*s) != 'a') ||
		(n == 4 && c == 4);
}

/* Returns the annotation's name that follows a misspelt ccc, as in `cc for`; without one, the
 * word belongs to other tools. */
static const char *
annotation_behind_typo(const char *word)
{
	static const char *const all[] = {
#define KIND(id, words, ...) "ccc " words,
#include "base/annot.def"
	};
	const char *next = word + word_length(word);

	next += strspn(next, " \t");
	for (size_t i = 0; i < sizeof all / sizeof *all && is_typo(word); i++)
		if (!strchr(all[i] + 4, ' ') && word_is(next, all[i] + 4))
			return all[i];
	return NULL;
}

const char *
pragma_intended_annotation(const char *word)
{
	static const char *const all[] = {
		"ccc",
#define KIND(id, words, ...) "ccc " words,
#define ALIAS(id, words, ...) "ccc " words,
#include "base/annot.def"
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (word_resembles(word, all[i]))
			return all[i];
	return annotation_behind_typo(word);
}

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r\v\f");
}

Pragma_sort
pragma_sort_text(const char *s, const char **rest)
{
	s = *rest = skip_blanks(s);
	if (word_is(s, "ccc") || word_is(s, "CCC")) {
		*rest = s + 3;
		return PRAGMA_CCC;
	}
	return pragma_intended_annotation(s) ? PRAGMA_NEARLY : word_is(s, "unroll") ? PRAGMA_UNROLL : PRAGMA_OTHER;
}

Pragma_sort
pragma_sort(const Cxx *x, Cxx_token t, char *buf, uint32_t size, const char **rest)
{
	cxx_plain(x, (Span){ t.pos, t.end }, buf, size);
	const char *s = skip_blanks(buf + (*buf == '%' ? 2 : 1));
	return word_is(s, "pragma") ? pragma_sort_text(s + 6, rest) : PRAGMA_NOT;
}

uint32_t
pragma_unroll(const char *rest)
{
	const char *s = skip_blanks(rest + word_length(rest));
	bool in = *s == '(';
	char *end;

	s = skip_blanks(s + in);
	unsigned long n = *s >= '0' && *s <= '9' ? strtoul(s, &end, 10) : 0;
	if (!n || n > UINT32_MAX)
		return 0;
	s = skip_blanks(end);
	return *s == (in ? ')' : '\0') ? (uint32_t)n : 0;
}

/* ---- where in its line ----------------------------------------------------------------------- */

static bool
in_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		(c >= 'A' && c <= 'Z');
}

uint32_t
pragma_column(const Diags *d, Cuda_pos at, const char *word)
{
	size_t len = 0, first = 0, n = 0;
	const char *line = diags_line(d, at, &len);

	while (line && first < len && (line[first] == ' ' || line[first] == '\t'))
		first++;
	if (!line || first == len)
		return 0;
	while (word && in_word(word[n]))
		n++;
	for (size_t i = first; n && i + n <= len; i++)
		if (!memcmp(line + i, word, n) && (i == first || !in_word(line[i - 1])) &&
			(i + n == len || !in_word(line[i + n])))
			return (uint32_t)i + 1;
	return (uint32_t)first + 1;
}
