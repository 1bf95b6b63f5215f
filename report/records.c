/* SPDX-License-Identifier: MIT */
/* Units as records, which ptxccc writes and other programs read. See unit.h.
 *
 *	unit	bfs.cu	/home/a/graph	sm_90
 *	site
 *	function	_Z3bfsPi
 *	loop	bfs.cu	14	9
 *	value	%r22	b32	4	bfs.cu	16	5
 *	note	computed here	bfs.cu	17	2
 *
 * A line has a name and fields, separated by tabs. Tabs, newlines and backslashes in fields are
 * escaped as \t, \n and \\. */
#include <stdlib.h>
#include <string.h>
#include "report/unit.h"

void
unit_site_release(Unit_site *s)
{
	vec_free(&s->context);
	vec_free(&s->kept);
	vec_free(&s->results);
	vec_free(&s->options);
	vec_free(&s->notes);
}

void
units_release(Units *u)
{
	for (uint32_t i = 0; i < u->n; i++) {
		for (uint32_t k = 0; k < u->at[i].sites.n; k++)
			unit_site_release(&u->at[i].sites.at[k]);
		vec_free(&u->at[i].sites);
	}
	vec_free(u);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void
put_text(Buf *out, const char *s)
{
	buf_putc(out, '\t');
	for (; s && *s; s++)
		if (*s == '\t' || *s == '\n' || *s == '\\')
			buf_printf(out, "\\%c", *s == '\t' ? 't' : *s == '\n' ? 'n' : '\\');
		else
			buf_putc(out, *s);
}

static void
put_place(Buf *out, Cuda_pos p)
{
	put_text(out, p.file);
	buf_printf(out, "\t%u\t%u", p.line, p.col);
}

static void
put_value(const char *line, const Unit_value *v, Buf *out)
{
	buf_puts(out, line);
	put_text(out, v->reg);
	put_text(out, v->type);
	buf_printf(out, "\t%u", v->bytes);
	put_place(out, v->at);
	buf_putc(out, '\n');
}

static void
put_option(const Unit_option *o, Buf *out)
{
	buf_puts(out, "option");
	put_text(out, o->policy);
	buf_printf(out, "\t%u\t%u\t%u\t%u\t%u\t%u\n", o->before, o->after, o->worth, o->least,
		o->most, o->measured);
}

static void
write_site(const Unit_site *s, Buf *out)
{
	buf_puts(out, "site\n");
#define TEXT(member, ...) \
	if (s->member) { \
		buf_puts(out, #member); \
		put_text(out, s->member); \
		buf_putc(out, '\n'); \
	}
#define PLACE(member, ...) \
	if (s->member.file) { \
		buf_puts(out, #member); \
		put_place(out, s->member); \
		buf_putc(out, '\n'); \
	}
#define FLAG(member, ...) if (s->member) buf_puts(out, #member "\n");
#define NUMBER(member, ...) if (s->member) buf_printf(out, #member "\t%u\n", s->member);
#include "report/site.def"
	for (uint32_t i = 0; i < s->context.n; i++)
		put_value("value", &s->context.at[i], out);
	for (uint32_t i = 0; i < s->kept.n; i++)
		put_value("kept", &s->kept.at[i], out);
	for (uint32_t i = 0; i < s->results.n; i++)
		put_value("result", &s->results.at[i], out);
	for (uint32_t i = 0; i < s->options.n; i++)
		put_option(&s->options.at[i], out);
	for (uint32_t i = 0; i < s->notes.n; i++) {
		buf_puts(out, "note");
		put_text(out, s->notes.at[i].text);
		put_place(out, s->notes.at[i].at);
		buf_putc(out, '\n');
	}
}

void
unit_write(const Unit *u, Buf *out)
{
	buf_puts(out, "unit");
	put_text(out, u->source);
	put_text(out, u->folder);
	put_text(out, u->arch);
	buf_putc(out, '\n');
	for (uint32_t i = 0; i < u->sites.n; i++)
		write_site(&u->sites.at[i], out);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The rest of a line. */
typedef struct { const char *at; Arena *arena; } Record_line;

/* Returns the next field without escapes; NULL if it is empty or missing. */
static const char *
next_field(Record_line *l)
{
	if (*l->at == '\t')
		l->at++;
	size_t n = strcspn(l->at, "\t\n");
	char *text = arena_strndup(l->arena, l->at, n), *to = text;

	for (const char *s = l->at; s < l->at + n; s++)
		if (*s == '\\' && s + 1 < l->at + n)
			*to++ = *++s == 't' ? '\t' : *s == 'n' ? '\n' : *s;
		else
			*to++ = *s;
	*to = '\0';
	l->at += n;
	return n ? text : NULL;
}

static uint32_t
read_number(Record_line *l)
{
	const char *s = next_field(l);

	return s ? (uint32_t)strtoul(s, NULL, 10) : 0;
}

static Cuda_pos
read_place(Record_line *l)
{
	Cuda_pos p = { .file = next_field(l) };

	p.line = read_number(l);
	p.col = read_number(l);
	return p;
}

static Unit_value
read_value(Record_line *l)
{
	Unit_value v = { .reg = next_field(l) };

	v.type = next_field(l);
	v.bytes = read_number(l);
	v.at = read_place(l);
	return v;
}

static Unit_option
read_option(Record_line *l)
{
	Unit_option o = { .policy = next_field(l) };

	o.before = read_number(l);
	o.after = read_number(l);
	o.worth = read_number(l);
	o.least = read_number(l);
	o.most = read_number(l);
	o.measured = read_number(l) != 0;
	return o;
}

static void
read_member(Unit_site *s, const char *name, Record_line *l)
{
	if (strcmp(name, "value") == 0) {
		*vec_push(&s->context) = read_value(l);
	} else if (strcmp(name, "kept") == 0) {
		*vec_push(&s->kept) = read_value(l);
	} else if (strcmp(name, "result") == 0) {
		*vec_push(&s->results) = read_value(l);
	} else if (strcmp(name, "option") == 0) {
		*vec_push(&s->options) = read_option(l);
	} else if (strcmp(name, "note") == 0) {
		Unit_note k = { .text = next_field(l) };
		k.at = read_place(l);
		*vec_push(&s->notes) = k;
	}
#define TEXT(member, ...) else if (strcmp(name, #member) == 0) s->member = next_field(l);
#define PLACE(member, ...) else if (strcmp(name, #member) == 0) s->member = read_place(l);
#define FLAG(member, ...) else if (strcmp(name, #member) == 0) s->member = true;
#define NUMBER(member, ...) else if (strcmp(name, #member) == 0) s->member = read_number(l);
#include "report/site.def"
}

bool
unit_read(const char *records, Arena *a, Unit *u)
{
	*u = (Unit){ 0 };
	if (strncmp(records, "unit\t", 5) != 0)
		return false;
	for (Record_line l = { records, a }; *l.at; l.at += strcspn(l.at, "\n"), l.at += *l.at == '\n') {
		const char *name = next_field(&l);
		if (name && strcmp(name, "unit") == 0) {
			u->source = next_field(&l);
			u->folder = next_field(&l);
			u->arch = next_field(&l);
		} else if (name && strcmp(name, "site") == 0) {
			*vec_push(&u->sites) = (Unit_site){ 0 };
		} else if (name && u->sites.n) {
			read_member(&u->sites.at[u->sites.n - 1], name, &l);
		}
	}
	return true;
}
