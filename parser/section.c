/* SPDX-License-Identifier: MIT */
/* Bodies of .section: DWARF as text. They are half of the bytes of a debug module, hence a loop
 * over characters.
 *
 *	.section .debug_info { $L__info: .b8 1, -2 .b32 .debug_abbrev .b64 $L__tmp3
 *		.b32 $L__b-$L__a .b64 f+4 }
 *
 * Source: PTX ISA 9.0, chapter 11.5, and what ptxas 13 accepts. */
#include "parser/build.h"

typedef struct {
	const char *text;
	uint32_t at, end;
} Section_reader;

static void
skip_space(Section_reader *b)
{
	while (b->at < b->end &&
		(b->text[b->at] == ' ' || b->text[b->at] == '\n' || b->text[b->at] == '\t'))
		b->at++;
	if (b->at < b->end && (b->text[b->at] == '/' || b->text[b->at] < ' '))
		b->at = expr_skip(b->text, b->at, b->end);
}

static bool
accept_word(Section_reader *b)
{
	uint32_t start = b->at;

	while (b->at < b->end && name_char(b->text[b->at]))
		b->at++;
	return b->at > start;
}

static bool
accept_char(Section_reader *b, char c)
{
	if (b->at >= b->end || b->text[b->at] != c)
		return false;
	b->at++;
	skip_space(b);
	return true;
}

/* Reads "label" | ".section", optionally followed by "+number", "-number" or "-label". */
static bool
parse_reference(Section_reader *b)
{
	if (b->at < b->end && b->text[b->at] == '.')
		b->at++;
	if (!accept_word(b))
		return false;
	skip_space(b);
	if (!accept_char(b, '+') && !accept_char(b, '-'))
		return true;
	bool ok = accept_word(b);
	skip_space(b);
	return ok;
}

static bool
parse_values(Section_reader *b)
{
	skip_space(b);
	char c = b->at < b->end ? b->text[b->at] : '\0';
	if (c != '-' && (c < '0' || c > '9'))
		return parse_reference(b);
	do {
		accept_char(b, '-');
		if (b->at >= b->end || b->text[b->at] < '0' || b->text[b->at] > '9' ||
			!accept_word(b))
			return false;
		skip_space(b);
	} while (accept_char(b, ','));
	return true;
}

/* Reads one label or datum. */
static bool
parse_datum(Section_reader *b)
{
	const char *s = b->text + b->at;

	if (*s != '.') {
		if (!accept_word(b))
			return false;
		skip_space(b);
		return accept_char(b, ':');
	}
	if (s[1] != 'b' ||
		!(s[2] == '8' || ((s[2] == '1' || s[2] == '3' || s[2] == '6') && s[3] != '\0')))
		return false;
	b->at += s[2] == '8' ? 3 : 4;
	if (s[2] != '8' && s[3] != (s[2] == '1' ? '6' : s[2] == '3' ? '2' : '4'))
		return false;
	if (b->at < b->end && name_char(b->text[b->at]))
		return false;
	return parse_values(b);
}

void
parser_section(Parser *p, Span at)
{
	Section_reader b = { p->text, at.pos + 8, at.end - 1 };

	b.at = expr_skip(p->text, b.at, b.end);
	Span name = { b.at++, 0 };
	(void)accept_word(&b);
	name.end = b.at;
	skip_space(&b);
	b.at++; /* the brace */
	for (skip_space(&b); b.at < b.end; skip_space(&b)) {
		if (parse_datum(&b))
			continue;
		parser_error(p, D_SYNTAX, b.at < at.end ? b.at : at.end - 1,
			"neither a label nor data of a section");
		break;
	}
	parser_item(p, ITEM_SECTION, at, name);
}
