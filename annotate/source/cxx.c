/* SPDX-License-Identifier: MIT */
/* Tokens of preprocessed C++. See cxx.h.
 *
 * The scanner reads bytes only by advance_char() and peek_char(), which skip line splices, so that
 * a splice may be anywhere. Raw strings are the exception: they are read without removing splices.
 * C++ [lex.phases], [lex.pptoken]. */
#include <string.h>
#include "annotate/source/cxx.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Returns the length of the line splice at byte i: a backslash, blanks and the newline. Returns
 * 0 if there is none. */
static uint32_t
splice_length(const char *s, uint32_t len, uint32_t i)
{
	uint32_t from = i;

	if (i >= len || s[i] != '\\')
		return 0;
	for (i++; i < len && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r'); i++)
		;
	return i < len && s[i] == '\n' ? i + 1 - from : 0;
}

static void
skip_splices(Cxx *x)
{
	for (uint32_t n; (n = splice_length(x->text, x->len, x->pos)) != 0; x->pos += n)
		x->place.line++;
}

/* The current byte; NUL at the end. */
static char
current_char(const Cxx *x)
{
	return x->pos < x->len ? x->text[x->pos] : '\0';
}

static void
advance_char(Cxx *x)
{
	if (x->pos >= x->len)
		return;
	if (x->text[x->pos++] == '\n')
		x->place.line++;
	if (x->pos < x->len && x->text[x->pos] == '\\')
		skip_splices(x);
}

static char
peek_char(const Cxx *x)
{
	uint32_t i = x->pos + 1;

	for (uint32_t n; (n = splice_length(x->text, x->len, i)) != 0; )
		i += n;
	return i < x->len ? x->text[i] : '\0';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
		c == '$' || (c & 0x80);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

Cxx
cxx_open(const char *text, uint32_t len)
{
	Cxx x = { .text = text, .len = len, .bol = true, .place = { .line = 1 } };

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		x.pos = 3;
	skip_splices(&x);
	return x;
}

/* ---- what is skipped ------------------------------------------------------------------------- */

static void
skip_line_comment(Cxx *x)
{
	while (x->pos < x->len && current_char(x) != '\n')
		advance_char(x);
}

static void
skip_block_comment(Cxx *x)
{
	advance_char(x);
	for (advance_char(x); x->pos < x->len; advance_char(x))
		if (current_char(x) == '*' && peek_char(x) == '/') {
			advance_char(x);
			advance_char(x);
			return;
		}
}

static void
skip_space(Cxx *x)
{
	for (;;) {
		char c = current_char(x);
		if (c == '\n') {
			advance_char(x);
			x->bol = true;
		} else if (is_blank(c)) {
			advance_char(x);
		} else if (c == '/' && peek_char(x) == '/') {
			skip_line_comment(x);
		} else if (c == '/' && peek_char(x) == '*') {
			skip_block_comment(x);
		} else {
			return;
		}
	}
}

/* Skips a string or character literal to its closing quote or, if unterminated, to the end of
 * the line. */
static void
skip_quoted(Cxx *x)
{
	char quote = current_char(x);

	for (advance_char(x); x->pos < x->len && current_char(x) != '\n'; advance_char(x)) {
		if (current_char(x) == quote) {
			advance_char(x);
			return;
		}
		if (current_char(x) == '\\' && peek_char(x) != '\n')
			advance_char(x);
	}
}

/* Skips a raw string from its quote; if unterminated, to the end of the text. */
static void
skip_raw(Cxx *x)
{
	const char *s = x->text;
	uint32_t d = x->pos + 1, n = 0;

	while (d + n < x->len && n < 16 && !strchr("() \\\t\v\f\n\"", s[d + n]))
		n++;
	if (d + n >= x->len || s[d + n] != '(') {
		skip_quoted(x); /* ill-formed */
		return;
	}
	for (x->pos = d + n + 1; x->pos < x->len; x->pos++) {
		if (s[x->pos] == '\n')
			x->place.line++;
		if (s[x->pos] == ')' && x->len - x->pos > n + 1 &&
			memcmp(s + x->pos + 1, s + d, n) == 0 && s[x->pos + 1 + n] == '"') {
			x->pos += n + 2;
			skip_splices(x);
			return;
		}
	}
}

/* ---- directives ------------------------------------------------------------------------------ */

static void
skip_directive(Cxx *x)
{
	while (x->pos < x->len && current_char(x) != '\n') {
		char c = current_char(x);
		if (c == '/' && peek_char(x) == '/')
			skip_line_comment(x);
		else if (c == '/' && peek_char(x) == '*')
			skip_block_comment(x);
		else if (c == '"')
			skip_quoted(x);
		else
			advance_char(x);
	}
}

static uint32_t
skip_blanks_in(const Cxx *x, uint32_t i, uint32_t end)
{
	while (i < end && is_blank(x->text[i]))
		i++;
	return i;
}

/* Returns the position of the last definition, in the text so far, of a macro; the position of
 * the name if it is not defined. */
static uint32_t
macro_definition(const Cxx *x, Span name)
{
	const char *s = x->text;
	uint32_t n = name.end - name.pos;

	for (uint32_t i = name.pos; i-- > 0; ) {
		if (name.pos - i < n + 8 || memcmp(s + i, "define", 6) != 0)
			continue;
		uint32_t k = skip_blanks_in(x, i + 6, name.pos);
		if (k > i + 6 && name.pos - k > n && memcmp(s + k, s + name.pos, n) == 0 &&
			is_blank(s[k + n]))
			return skip_blanks_in(x, k + n, name.pos);
	}
	return name.pos;
}

/* Parses the number of a line marker at *i and advances *i: digits or, after `#line`, a macro. */
static bool
line_number(const Cxx *x, uint32_t *i, uint32_t end, bool macro, uint32_t *n)
{
	const char *s = x->text;
	Span word = { *i, *i };

	while (word.end < end && is_word(s[word.end]))
		word.end++;
	uint32_t at = macro && word.end > word.pos && !is_digit(s[word.pos]) ?
		macro_definition(x, word) :
		word.pos;
	if (word.pos == word.end || !is_digit(s[at]))
		return false;
	for (*n = 0; at < end && is_digit(s[at]); at++)
		*n = 10 * *n + (uint32_t)(s[at] - '0');
	*i = word.end;
	return true;
}

/* Returns the flags 3 and 4 after the file name of a line marker: digits, perhaps followed by a
 * comment. */
static Span
line_flags(const char *s, Span at)
{
	uint32_t i = at.pos, from = 0;

	for (; i < at.end && (is_blank(s[i]) || is_digit(s[i])); i++)
		if (!from && (s[i] == '3' || s[i] == '4'))
			from = i;
	return from ? (Span){ from, i } : (Span){ at.end, at.end };
}

/* If the directive is a line marker, updates the place. The newline after it has not been read
 * yet. */
static bool
line_marker(Cxx *x, Span at)
{
	const char *s = x->text;
	uint32_t i = skip_blanks_in(x, at.pos + (s[at.pos] == '%' ? 2 : 1), at.end), n;
	bool word = at.end - i > 4 && memcmp(s + i, "line", 4) == 0 && is_blank(s[i + 4]);

	if (word)
		i = skip_blanks_in(x, i + 4, at.end);
	if (!line_number(x, &i, at.end, word, &n))
		return false;
	x->place.line = n - 1;
	i = skip_blanks_in(x, i, at.end);
	if (i == at.end || s[i] != '"')
		return true;
	uint32_t from = ++i;
	while (i < at.end && s[i] != '"')
		i += s[i] == '\\' && i + 1 < at.end ? 2 : 1;
	x->place.file = (Span){ from, i < at.end ? i : at.end };
	x->place.flags = line_flags(s, (Span){ i + 1, at.end });
	return true;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool
raw_prefix(const Cxx *x, uint32_t pos)
{
	static const char *const prefixes[] = { "R", "u8R", "uR", "UR", "LR" };
	uint32_t n = x->pos - pos;

	for (uint32_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strlen(prefixes[i]) == n && memcmp(x->text + pos, prefixes[i], n) == 0)
			return true;
	return false;
}

static Cxx_kind
scan_word(Cxx *x)
{
	uint32_t pos = x->pos;

	while (is_word(current_char(x)))
		advance_char(x);
	if (current_char(x) != '"' || !raw_prefix(x, pos))
		return CXX_WORD;
	skip_raw(x);
	return CXX_LITERAL;
}

static Cxx_kind
scan_number(Cxx *x)
{
	while (is_word(current_char(x)) || current_char(x) == '.' ||
		(current_char(x) == '\'' && is_word(peek_char(x))))
		advance_char(x);
	return CXX_LITERAL;
}

static char
scan_punct(Cxx *x)
{
	static const struct { char first, second, is;
	} pairs[] = {
		{ '<', '%', '{' },
		{ '%', '>', '}' },
		{ '<', ':', '[' },
		{ ':', '>', ']' },
		{ '%', ':', '#' },
		{ ':', ':', '\0' },
	};
	char c = current_char(x), d = peek_char(x);

	advance_char(x);
	for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		if (c != pairs[i].first || d != pairs[i].second)
			continue;
		/* <:: is < and ::, C++ [lex.pptoken] */
		if (pairs[i].is == '[' && peek_char(x) == ':')
			break;
		advance_char(x);
		return pairs[i].is;
	}
	return c;
}

Cxx_token
cxx_next(Cxx *x)
{
	for (;;) {
		skip_space(x);
		Cxx_token t = { .pos = x->pos,
			.end = x->pos,
			.kind = CXX_END,
			.first = x->bol,
			.place = x->place };
		char c = current_char(x);
		if (x->pos >= x->len)
			return t;
		if (x->bol && (c == '#' || (c == '%' && peek_char(x) == ':'))) {
			skip_directive(x);
			t.kind = CXX_DIRECTIVE;
			t.end = x->pos;
			if (line_marker(x, (Span){ t.pos, t.end }))
				continue;
			return t;
		}
		x->bol = false;
		if (is_digit(c) || (c == '.' && is_digit(peek_char(x))))
			t.kind = scan_number(x);
		else if (is_word(c))
			t.kind = scan_word(x);
		else if (c == '"' || c == '\'')
			skip_quoted(x), t.kind = CXX_LITERAL;
		else
			t.punct = scan_punct(x), t.kind = CXX_PUNCT;
		t.end = x->pos;
		return t;
	}
}

bool
cxx_is(const Cxx *x, Cxx_token t, const char *word)
{
	char plain[32];

	if (t.kind != CXX_WORD || x->text[t.pos] != *word)
		return false;
	size_t n = strlen(word);
	if (t.end - t.pos <= n)
		return t.end - t.pos == n && memcmp(x->text + t.pos, word, n) == 0;
	if (!memchr(x->text + t.pos, '\\', t.end - t.pos))
		return false;
	cxx_plain(x, (Span){ t.pos, t.end }, plain, sizeof plain);
	return strcmp(plain, word) == 0;
}

uint32_t
cxx_plain(const Cxx *x, Span s, char *buf, uint32_t size)
{
	Cxx in = *x;
	uint32_t n = 0;

	in.pos = s.pos;
	in.len = s.end;
	skip_splices(&in);
	while (in.pos < in.len && n + 1 < size) {
		char c = current_char(&in);
		if (c == '/' && peek_char(&in) == '/')
			break;
		if (is_blank(c) || c == '\n' || (c == '/' && peek_char(&in) == '*')) {
			if (c == '/')
				skip_block_comment(&in);
			else
				advance_char(&in);
			if (n == 0 || buf[n - 1] != ' ')
				buf[n++] = ' ';
			continue;
		}
		buf[n++] = c ? c : '?';
		advance_char(&in);
	}
	buf[n] = '\0';
	return n;
}
