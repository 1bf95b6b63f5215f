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
} Body;

static void
skip(Body *b)
{
	while (b->at < b->end &&
		(b->text[b->at] == ' ' || b->text[b->at] == '\n' || b->text[b->at] == '\t'))
		b->at++;
	if (b->at < b->end && (b->text[b->at] == '/' || b->text[b->at] < ' '))
		b->at = expr_skip(b->text, b->at, b->end);
}

static bool
word(Body *b)
{
	uint32_t start = b->at;

	while (b->at < b->end && name_char(b->text[b->at]))
		b->at++;
	return b->at > start;
}

static bool
eat(Body *b, char c)
{
	if (b->at >= b->end || b->text[b->at] != c)
		return false;
	b->at++;
	skip(b);
	return true;
}

/* Reads "label" | ".section", optionally followed by "+number", "-number" or "-label". */
static bool
reference(Body *b)
{
	if (b->at < b->end && b->text[b->at] == '.')
		b->at++;
	if (!word(b))
		return false;
	skip(b);
	if (!eat(b, '+') && !eat(b, '-'))
		return true;
	bool ok = word(b);
	skip(b);
	return ok;
}

static bool
values(Body *b)
{
	skip(b);
	char c = b->at < b->end ? b->text[b->at] : '\0';
	if (c != '-' && (c < '0' || c > '9'))
		return reference(b);
	do {
		eat(b, '-');
		if (b->at >= b->end || b->text[b->at] < '0' || b->text[b->at] > '9' || !word(b))
			return false;
		skip(b);
	} while (eat(b, ','));
	return true;
}

/* Reads one label or datum. */
static bool
datum(Body *b)
{
	const char *s = b->text + b->at;

	if (*s != '.') {
		if (!word(b))
			return false;
		skip(b);
		return eat(b, ':');
	}
	if (s[1] != 'b' ||
		!(s[2] == '8' || ((s[2] == '1' || s[2] == '3' || s[2] == '6') && s[3] != '\0')))
		return false;
	b->at += s[2] == '8' ? 3 : 4;
	if (s[2] != '8' && s[3] != (s[2] == '1' ? '6' : s[2] == '3' ? '2' : '4'))
		return false;
	if (b->at < b->end && name_char(b->text[b->at]))
		return false;
	return values(b);
}

void
parser_section(Parser *p, Span at)
{
	Body b = { p->text, at.pos + 8, at.end - 1 };

	b.at = expr_skip(p->text, b.at, b.end);
	Span name = { b.at++, 0 };
	(void)word(&b);
	name.end = b.at;
	skip(&b);
	b.at++; /* the brace */
	for (skip(&b); b.at < b.end; skip(&b)) {
		if (datum(&b))
			continue;
		parser_error(p, D_SYNTAX, b.at < at.end ? b.at : at.end - 1,
			"neither a label nor data of a section");
		break;
	}
	parser_item(p, ITEM_SECTION, at, name);
}
