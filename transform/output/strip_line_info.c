/* SPDX-License-Identifier: MIT */
/* Removes line information. See strip_line_info.h. cccnvcc requests it from nvcc for diagnostics,
 * but it must not appear in the result unless the user requested it. */
#include <stdbool.h>
#include <string.h>
#include "transform/output/strip_line_info.h"

/* Whether the text at s begins with this word. */
static bool
word_is(const char *s, const char *word)
{
	size_t n = strlen(word);

	return strncmp(s, word, n) == 0 &&
		(s[n] == ' ' || s[n] == '\t' || s[n] == '\n' || s[n] == '\r' || s[n] == '\0');
}

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

static const char *
next_line(const char *s)
{
	s += strcspn(s, "\n");
	return s + (*s == '\n');
}

/* Whether this is a label that only debug sections name, such as `$L__func_end0:`. */
static bool
is_debug_label(const char *s)
{
	static const char *const names[] = { "$L__func_begin", "$L__func_end", "$L__tmp" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]), digits;
		if (strncmp(s, names[i], n) == 0 && (digits = strspn(s + n, "0123456789")) > 0 &&
			s[n + digits] == ':')
			return true;
	}
	return false;
}

/* Returns the end of a debug section that begins at s, with its braces on separate lines; s if
 * there is none. */
static const char *
end_of_section(const char *s)
{
	const char *at = skip_blanks(s);

	if (!word_is(at, ".section") || strncmp(skip_blanks(at + strlen(".section")), ".debug_", 7) != 0)
		return s;
	const char *line = next_line(s);
	if (*skip_blanks(line) != '{')
		return s;
	while (*line && *skip_blanks(line) != '}')
		line = next_line(line);
	return *line ? next_line(line) : s;
}

void
strip_line_info(Buf *text)
{
	Buf out = { 0 };
	bool sections = false;
	static const char statement[] = "//.statement"; /* suggest/source_stmts.h */

	buf_puts(&out, "");
	for (const char *s = text->n ? text->at : "", *end; *s; s = end) {
		const char *at = skip_blanks(s);
		end = end_of_section(s);
		if (end != s) {
			sections = true;
			continue;
		}
		end = next_line(s);
		if (!word_is(at, ".loc") && !word_is(at, ".file") && !is_debug_label(at) &&
			strncmp(at, statement, sizeof statement - 1) != 0)
			buf_add(&out, s, (size_t)(end - s));
	}
	if (sections) /* where nvcc writes none, an empty line ends the text */
		buf_putc(&out, '\n');
	buf_free(text);
	*text = out;
}
