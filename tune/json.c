/* SPDX-License-Identifier: MIT */
/* Parser of JSON. See json.h. Numbers are kept as text; callers convert those that they need. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "tune/json.h"

enum { DEEPEST = 64 };

typedef struct { const char *at; Arena *arena; uint32_t deep; bool wrong; } Json_reader;

static Json *parse_value(Json_reader *r);

static void
skip_blanks(Json_reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

static bool
accept_char(Json_reader *r, char c)
{
	skip_blanks(r);
	bool is = *r->at == c;
	r->at += is;
	return is;
}

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
		c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 :
				       -1;
}

/* Parses what follows \u, which is used for control characters only. */
static void
parse_unicode(Json_reader *r, Buf *to)
{
	int c = 0;

	for (int i = 0; i < 4; i++) {
		int d = hex_digit(*r->at);
		if (d < 0) {
			r->wrong = true;
			return;
		}
		c = 16 * c + d;
		r->at++;
	}
	if (c == 0 || c > 0x7f)
		r->wrong = true;
	else
		buf_putc(to, (char)c);
}

static void
parse_escape(Json_reader *r, Buf *to)
{
	static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	char c = *r->at;
	const char *at = c ? strchr(names, c) : NULL;

	if (c)
		r->at++;
	if (c == 'u')
		parse_unicode(r, to);
	else if (at)
		buf_putc(to, means[at - names]);
	else
		r->wrong = true;
}

/* The opening quote has been read. */
static const char *
parse_text(Json_reader *r)
{
	Buf b = { 0 };

	buf_puts(&b, "");
	while (!r->wrong && *r->at && *r->at != '"') {
		if (*r->at == '\\') {
			r->at++;
			parse_escape(r, &b);
		} else {
			buf_putc(&b, *r->at++);
		}
	}
	r->wrong |= *r->at != '"';
	if (!r->wrong)
		r->at++;
	const char *s = arena_strndup(r->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

static void
parse_members(Json_reader *r, Json *j, char end)
{
	Json **last = &j->child;

	r->wrong |= r->deep == DEEPEST;
	if (r->wrong || accept_char(r, end))
		return;
	r->deep++;
	do {
		const char *name = NULL;
		if (end == '}') {
			r->wrong |= !accept_char(r, '"');
			name = r->wrong ? NULL : parse_text(r);
			r->wrong |= !accept_char(r, ':');
		}
		if (r->wrong)
			return;
		Json *k = parse_value(r);
		k->name = name;
		*last = k;
		last = &k->next;
	} while (!r->wrong && accept_char(r, ','));
	r->wrong |= !accept_char(r, end);
	r->deep--;
}

static bool
accept_word(Json_reader *r, const char *s)
{
	size_t n = strlen(s);
	bool is = strncmp(r->at, s, n) == 0;

	r->at += is ? n : 0;
	return is;
}

static Json *
parse_value(Json_reader *r)
{
	Json *j = arena_zalloc(r->arena, sizeof *j);
	size_t n;

	skip_blanks(r);
	n = strspn(r->at, "+-.0123456789eE");
	if (accept_char(r, '{')) {
		j->kind = JSON_OBJECT;
		parse_members(r, j, '}');
	} else if (accept_char(r, '[')) {
		j->kind = JSON_LIST;
		parse_members(r, j, ']');
	} else if (accept_char(r, '"')) {
		j->kind = JSON_TEXT;
		j->text = parse_text(r);
	} else if (accept_word(r, "true")) {
		j->kind = JSON_TRUE;
	} else if (accept_word(r, "false")) {
		j->kind = JSON_FALSE;
	} else if (n && *r->at != 'e' && *r->at != 'E') {
		j->kind = JSON_NUMBER;
		j->text = arena_strndup(r->arena, r->at, n);
		r->at += n;
	} else {
		r->wrong |= !accept_word(r, "null");
	}
	return j;
}

Json *
json_read(const char *s, Arena *a)
{
	Json_reader r = { .at = s, .arena = a };
	Json *j = parse_value(&r);

	skip_blanks(&r);
	return r.wrong || *r.at ? NULL : j;
}

const Json *
json_member(const Json *j, const char *name)
{
	if (!j || j->kind != JSON_OBJECT)
		return NULL;
	JSON_EACH(j, k)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

const char *
json_text(const Json *j, const char *name)
{
	const Json *k = json_member(j, name);

	return k && k->kind == JSON_TEXT ? k->text : NULL;
}

double
json_number(const Json *j, const char *name)
{
	const Json *k = json_member(j, name);

	return k && k->kind == JSON_NUMBER ? strtod(k->text, NULL) : 0;
}

bool
json_true(const Json *j, const char *name)
{
	const Json *k = json_member(j, name);

	return k && k->kind == JSON_TRUE;
}
