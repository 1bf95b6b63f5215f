/* SPDX-License-Identifier: MIT */
/* Units as JSON. See unit.h; docs/ptxccc.1 documents the members. */
#include <string.h>
#include "report/unit.h"

void
json_string(Buf *out, const char *s)
{
	buf_putc(out, '"');
	for (; s && *s; s++)
		if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			buf_printf(out, "\\u%04x", (unsigned)(unsigned char)*s);
		else
			buf_putc(out, *s);
	buf_putc(out, '"');
}

static void
write_place(Buf *out, Cuda_pos p)
{
	if (!p.file) {
		buf_puts(out, "null");
		return;
	}
	buf_puts(out, "{\"file\": ");
	json_string(out, p.file);
	buf_printf(out, ", \"line\": %u", p.line);
	if (p.col)
		buf_printf(out, ", \"column\": %u", p.col);
	buf_putc(out, '}');
}

static void
write_text(Buf *out, const char *s)
{
	if (s)
		json_string(out, s);
	else
		buf_puts(out, "null");
}

enum { ALWAYS, GIVEN, DONE };

/* Writes a member's name if the member is present; returns whether it is. */
static bool
begin_member(Buf *out, const char *name, bool is)
{
	if (!is)
		return false;
	buf_printf(out, "%s\"%s\": ", out->n && out->at[out->n - 1] == '{' ? "" : ", ", name);
	return true;
}

static void
write_values(const Unit_value *all, uint32_t n, Buf *out)
{
	buf_putc(out, '[');
	for (uint32_t i = 0; i < n; i++) {
		const Unit_value *v = &all[i];
		buf_puts(out, i ? ", {\"register\": " : "{\"register\": ");
		json_string(out, v->reg);
		buf_puts(out, ", \"type\": ");
		json_string(out, v->type);
		buf_printf(out, ", \"bytes\": %u", v->bytes);
		if (v->at.file) {
			buf_puts(out, ", \"computed\": ");
			write_place(out, v->at);
		}
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
}

static void
write_hundredths(const char *name, uint32_t n, Buf *out)
{
	buf_printf(out, ", \"%s\": %u.%02u", name, n / 100, n % 100);
}

static void
write_options(const Unit_site *s, Buf *out)
{
	for (uint32_t i = 0; i < s->options.n; i++) {
		const Unit_option *o = &s->options.at[i];
		buf_puts(out, i ? ", {\"policy\": " : "[{\"policy\": ");
		json_string(out, o->policy);
		if (o->after) {
			write_hundredths("slots_before", o->before, out);
			write_hundredths("slots", o->after, out);
			write_hundredths("expected", o->worth, out);
			write_hundredths("least", o->least, out);
			write_hundredths("most", o->most, out);
			buf_printf(out, ", \"measured\": %s", o->measured ? "true" : "false");
		}
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
}

void
json_site(const Unit_site *s, Buf *out)
{
	bool done = s->done && !s->branch;
#define WANTED(when, given) \
	((when) == ALWAYS || ((when) == GIVEN && (given)) || ((when) == DONE && done))
#define TEXT(field, name, when) \
	if (begin_member(out, name, WANTED(when, s->field))) write_text(out, s->field);
#define PLACE(field, name, when) \
	if (begin_member(out, name, WANTED(when, s->field.file))) \
		write_place(out, s->field);
#define FLAG(field, name, when) \
	if (begin_member(out, name, WANTED(when, s->field))) \
		buf_puts(out, s->field ? "true" : "false");
#define NUMBER(field, name, when) \
	if (begin_member(out, name, WANTED(when, s->field))) \
		buf_printf(out, "%u", s->field);
#include "report/site.def"
	if (begin_member(out, "context", done))
		write_values(s->context.at, s->context.n, out);
	if (begin_member(out, "kept", s->kept.n > 0))
		write_values(s->kept.at, s->kept.n, out);
	if (begin_member(out, "results", s->results.n > 0))
		write_values(s->results.at, s->results.n, out);
	if (begin_member(out, "options", s->options.n > 0))
		write_options(s, out);
	if (!begin_member(out, "notes", s->notes.n > 0))
		return;
	for (uint32_t i = 0; i < s->notes.n; i++) {
		buf_puts(out, i ? ", {\"text\": " : "[{\"text\": ");
		json_string(out, s->notes.at[i].text);
		buf_puts(out, ", \"at\": ");
		write_place(out, s->notes.at[i].at);
		buf_putc(out, '}');
	}
	buf_putc(out, ']');
}

void
unit_json(const Unit *u, Buf *out)
{
	buf_puts(out, "{\"input\": ");
	json_string(out, u->source);
	if (begin_member(out, "folder", u->folder != NULL))
		json_string(out, u->folder);
	if (begin_member(out, "arch", u->arch != NULL))
		json_string(out, u->arch);
	buf_puts(out, ", \"sites\": [");
	for (uint32_t i = 0; i < u->sites.n; i++) {
		buf_puts(out, i ? ",\n    {" : "\n    {");
		json_site(&u->sites.at[i], out);
		buf_putc(out, '}');
	}
	buf_puts(out, u->sites.n ? "\n]}" : "]}");
}

void
units_json(const Units_report *r, Buf *out)
{
	buf_puts(out, "{\"program\": \"ptxccc\", \"version\": ");
	json_string(out, r->version);
	buf_puts(out, ", \"units\": [");
	for (uint32_t i = 0; i < r->units->n; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		unit_json(&r->units->at[i], out);
	}
	buf_puts(out, "\n]}\n");
}
