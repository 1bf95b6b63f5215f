/* SPDX-License-Identifier: MIT */
/* Template expansion. See template.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "transform/text/template.h"

typedef struct { const char *at; size_t n; } Text;

/* ---- names ----------------------------------------------------------------------------------- */

static uint32_t
hash_name(Text name)
{
	uint32_t h = (uint32_t)name.n;

	for (size_t i = 0; i < name.n; i++)
		h = h * 31 + (uint8_t)name.at[i];
	return h;
}

/* Returns the hash table slot of a name, or the free one for it. */
static uint8_t *
name_slot(Tpl *t, Text name)
{
	for (uint32_t h = hash_name(name);; h++) {
		uint8_t *s = &t->slots[h % TPL_SLOTS];
		const Tpl_name *x = *s ? &t->names[*s - 1] : NULL;
		if (!x || (x->len == name.n && memcmp(x->name, name.at, name.n) == 0))
			return s;
	}
}

static Tpl_name *
find_name(Tpl *t, Text name)
{
	uint8_t s = *name_slot(t, name);

	return s ? &t->names[s - 1] : NULL;
}

static Tpl_name *
find_known_name(Tpl *t, Text name)
{
	Tpl_name *x = find_name(t, name);

	if (!x)
		die("template: unknown name '%.*s'", (int)name.n, name.at);
	return x;
}

static Tpl_name *
define_name(Tpl *t, const char *name)
{
	Text text = { name, strlen(name) };
	uint8_t *s = name_slot(t, text);

	if (!*s) {
		ASSERT(t->nnames < TPL_NAMES);
		*s = (uint8_t)++t->nnames;
	}
	t->names[*s - 1] = (Tpl_name){ .name = name, .len = (uint32_t)text.n };
	return &t->names[*s - 1];
}

static Text format_text(Tpl *t, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* The result is valid until the next call. */
static Text
format_text(Tpl *t, const char *fmt, va_list ap)
{
	t->formatted.n = 0;
	buf_vprintf(&t->formatted, fmt, ap);
	return (Text){ t->formatted.at, t->formatted.n };
}

void
tpl_value(Tpl *t, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	Text s = format_text(t, fmt, ap);
	va_end(ap);
	define_name(t, name)->value = arena_strndup(t->arena, s.at, s.n);
}

void
tpl_flag(Tpl *t, const char *name, bool on)
{
	define_name(t, name)->flag = on;
}

void
tpl_piece(Tpl *t, const char *name, Tpl_piece *f, void *user)
{
	Tpl_name *x = define_name(t, name);

	x->piece = f;
	x->user = user;
}

void
tpl_each(Tpl *t, const char *name, Tpl_each *f, void *user)
{
	Tpl_name *x = define_name(t, name);

	x->each = f;
	x->user = user;
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Returns the hash table slot of a declared register, or the free one for it. */
static uint8_t *
register_slot(Tpl *t, Text name)
{
	for (uint32_t h = hash_name(name);; h++) {
		uint8_t *s = &t->register_slots[h % TPL_SLOTS];
		const Tpl_register *r = *s ? &t->registers[*s - 1] : NULL;
		if (!r || (r->len == name.n && memcmp(r->name, name.at, name.n) == 0))
			return s;
	}
}

/* Marks the register that is named after %~ or %^ as used, if it is a declared one. */
static void
mark_register_used(Tpl *t, const char *s, size_t n)
{
	size_t len = 0;

	while (len < n &&
		((s[len] >= 'a' && s[len] <= 'z') || (s[len] >= '0' && s[len] <= '9') ||
			s[len] == '_'))
		len++;
	uint8_t at = *register_slot(t, (Text){ s, len });
	Tpl_register *r = at ? &t->registers[at - 1] : NULL;
	if (r)
		r->used[r->of_region ? t->region : 0] = true;
}

/* Writes text with ^ and ~ replaced. */
static void
put_prefixed(Tpl *t, const char *s, size_t n)
{
	for (size_t i = 0, plain = 0; i <= n; i++) {
		if (i < n && s[i] != '^' && s[i] != '~')
			continue;
		buf_add(&t->out, s + plain, i - plain);
		plain = i + 1;
		if (i == n)
			return;
		buf_puts(&t->out, s[i] == '^' && t->region ? t->prefixes[t->region] : t->prefix);
		if (i && s[i - 1] == '%')
			mark_register_used(t, s + i + 1, n - i - 1);
	}
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static Text
trim_text(Text s)
{
	while (s.n && is_blank(*s.at))
		s.at++, s.n--;
	while (s.n && is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

static Text
first_word(Text s)
{
	size_t n = 0;

	while (n < s.n && !is_blank(s.at[n]))
		n++;
	return (Text){ s.at, n };
}

static bool
text_is(Text s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

/* Writes text with its names replaced. */
static void
put_text(Tpl *t, Text s)
{
	for (size_t i = 0; i < s.n;) {
		const char *from = memchr(s.at + i, '<', s.n - i),
			   *to = from ? memchr(from, '>', (size_t)(s.at + s.n - from)) : NULL;
		size_t plain = (to ? (size_t)(from - s.at) : s.n) - i;
		put_prefixed(t, s.at + i, plain);
		i += plain;
		if (!to)
			continue;
		const char *value =
			find_known_name(t, (Text){ from + 1, (size_t)(to - from) - 1 })->value;
		ASSERT(value);
		put_prefixed(t, value, strlen(value));
		i += (size_t)(to - from) + 1;
	}
}

/* Writes an instruction or declaration: a tab, its leading words, a blank and a tab, the rest. */
static void
put_code(Tpl *t, Text s)
{
	Text w = first_word(s);
	bool more = w.at[0] == '@' || text_is(w, ".reg");

	buf_putc(&t->out, '\t');
	while (more) {
		put_text(t, w);
		buf_putc(&t->out, ' ');
		s = trim_text((Text){ s.at + w.n, s.n - w.n });
		w = first_word(s);
		more = false;
	}
	put_text(t, w);
	s = trim_text((Text){ s.at + w.n, s.n - w.n });
	if (s.n) {
		buf_puts(&t->out, " \t");
		put_text(t, s);
	}
	buf_putc(&t->out, '\n');
}

static void
put_line(Tpl *t, Text line)
{
	bool indented = line.n && is_blank(*line.at);
	Text s = trim_text(line);

	if (s.n == 0)
		return;
	if (indented && *s.at != '{' && *s.at != '}') {
		put_code(t, s);
		return;
	}
	buf_puts(&t->out, indented ? "\t" : "");
	put_text(t, s);
	buf_putc(&t->out, '\n');
}

void
tpl_text(Tpl *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	Text s = format_text(t, fmt, ap);
	va_end(ap);
	put_prefixed(t, s.at, s.n);
}

void
tpl_line(Tpl *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	Text s = format_text(t, fmt, ap);
	va_end(ap);
	put_line(t, s);
}

/* ---- sections -------------------------------------------------------------------------------- */

static const Tpl_section *
find_section(const Tpl *t, Text name)
{
	for (uint32_t i = 0; i < t->nsections; i++)
		if (t->sections[i].len == name.n &&
			memcmp(t->sections[i].name, name.at, name.n) == 0)
			return &t->sections[i];
	die("template: no section '%.*s'", (int)name.n, name.at);
}

/* Records that a row belongs here, whether it is left out or not. */
static void
note_row(const Tpl *t, uint32_t row)
{
	if (t->omit.seen && t->of == &templates[t->omit.in])
		t->omit.seen[row] |= (uint8_t)(1u << t->copy);
}

/* Whether a row that is not a directive is left out here. */
static bool
row_is_omitted(const Tpl *t, uint32_t row)
{
	return row + 1 == t->omit.line && t->of == &templates[t->omit.in] &&
		(!t->omit.copy || t->omit.copy == t->copy);
}

/* Adds the registers of a row. */
static void
declare_row(Tpl *t, uint32_t row)
{
	Text s = { t->of->rows[row].text, t->of->rows[row].len }, w = first_word(s);

	while ((s = trim_text((Text){ s.at + w.n, s.n - w.n })).n && !row_is_omitted(t, row)) {
		ASSERT(t->nregisters < TPL_REGISTERS);
		w = first_word(s);
		bool of_region = *w.at == '^';
		Text name = { w.at + of_region, w.n - of_region };
		uint8_t *at = register_slot(t, name);
		ASSERT(!*at);
		t->registers[t->nregisters++] = (Tpl_register){ name.at, (uint32_t)name.n, row,
			of_region, arena_array(t->arena, t->nregions + 1, sizeof(bool)) };
		*at = (uint8_t)t->nregisters;
	}
}

/* Adds the registers of a section, and records the position of their declarations. */
static void
declare_section(Tpl *t, Text name)
{
	const Tpl_section *s = find_section(t, name);

	t->declared_at = t->out.n;
	for (uint32_t i = s->row; i < s->end; i++)
		if (t->of->rows[i].kind == TPL_DECLARED)
			declare_row(t, i);
}

static void put_rows(Tpl *t, uint32_t at, uint32_t end);

static void
put_section(Tpl *t, Text name)
{
	const Tpl_section *s = find_section(t, name);
	const Template *of = t->of;

	t->of = s->of;
	put_rows(t, s->row, s->end);
	t->of = of;
}

static void
put_piece(Tpl *t, Text name)
{
	Tpl_name *x = find_name(t, name);

	if (x && x->piece)
		x->piece(x->user);
	else
		put_section(t, name);
}

static void
put_each(Tpl *t, const Tpl_name *x, uint32_t at, uint32_t end)
{
	Tpl_each *each = x->each;
	void *user = x->user;

	for (uint32_t i = 0; each(user, i); i++)
		put_rows(t, at, end);
}

/* Writes a row; returns the number of the last row that was consumed. */
static uint32_t
put_row(Tpl *t, uint32_t row)
{
	const Tpl_row *r = &t->of->rows[row];
	Text text = { r->text, r->len };

	switch ((Tpl_kind)r->kind) {
	case TPL_IF: return find_known_name(t, text)->flag ? row : r->to;
	case TPL_ELSE: return r->to;
	case TPL_EACH: put_each(t, find_known_name(t, text), row + 1, r->to); return r->to;
	default: break;
	}
	note_row(t, row);
	if (row_is_omitted(t, row))
		return row;
	if (r->kind == TPL_TEXT)
		put_text(t, text), tpl_cite_row(t, row);
	else if (r->kind == TPL_PIECE)
		put_piece(t, text);
	else if (r->kind == TPL_DECLARE)
		declare_section(t, text);
	return row;
}

/* Writes the rows from `at` to before `end`. */
static void
put_rows(Tpl *t, uint32_t at, uint32_t end)
{
	for (uint32_t i = at; i < end; i++)
		i = put_row(t, i);
}

void
tpl_write_section(Tpl *t, const char *name)
{
	put_section(t, (Text){ name, strlen(name) });
}

/* Declares a register if it is used, on one line with others of its template row. *row: the row of
 * the previous one. */
static void
put_register(Tpl *t, const Tpl_register *r, uint32_t region, uint32_t *row)
{
	if (!r->used[region])
		return;
	note_row(t, r->row);
	Text type = first_word((Text){ t->of->rows[r->row].text, t->of->rows[r->row].len });
	if (r->row == *row)
		buf_puts(&t->out, ", ");
	else
		buf_printf(&t->out, "%s\t.reg %.*s \t", *row == UINT32_MAX ? "" : ";\n",
			(int)type.n, type.at);
	buf_putc(&t->out, '%');
	buf_puts(&t->out, region ? t->prefixes[region] : t->prefix);
	buf_add(&t->out, r->name, r->len);
	*row = r->row;
}

void
tpl_end(Tpl *t)
{
	Buf text = t->out;
	uint32_t row = UINT32_MAX;

	t->out = (Buf){ 0 };
	buf_add(&t->out, text.at, t->declared_at);
	for (uint32_t i = 0; i < t->nregisters; i++)
		for (uint32_t region = 0; region <= t->nregions; region++)
			put_register(t, &t->registers[i], region, &row);
	buf_puts(&t->out, row == UINT32_MAX ? "" : ";\n");
	buf_add(&t->out, text.at + t->declared_at, text.n - t->declared_at);
	buf_free(&text);
}

/* Adds the sections of a template. */
static void
add_sections(Tpl *t, const Template *of)
{
	for (uint32_t i = 0; i < of->n; i++) {
		if (of->rows[i].kind == TPL_SECTION) {
			ASSERT(t->nsections < TPL_SECTIONS);
			t->sections[t->nsections++] = (Tpl_section){
				of->rows[i].text, of->rows[i].len, of, i + 1, i + 1
			};
		} else if (t->nsections && t->sections[t->nsections - 1].of == of) {
			t->sections[t->nsections - 1].end = i + 1;
		}
	}
}

void
tpl_init(Tpl *t, Template_id id, Tpl_place omit, Arena *a)
{
	*t = (Tpl){ .arena = a, .of = &templates[id], .omit = omit };
	for (const Template *of = t->of; of; of = of->also)
		add_sections(t, of);
}

void
tpl_begin(Tpl *t, const char *prefix)
{
	t->prefix = prefix;
	t->nregions = t->region = 0;
	t->nnames = t->nregisters = 0;
	memset(t->slots, 0, sizeof t->slots);
	memset(t->register_slots, 0, sizeof t->register_slots);
	t->declared_at = t->out.n = 0;
}

void
tpl_set_regions(Tpl *t, const char *const *prefixes, uint32_t n)
{
	t->prefixes = prefixes;
	t->nregions = n;
}

void
tpl_select_region(Tpl *t, uint32_t region)
{
	ASSERT(region <= t->nregions);
	t->region = region;
}

void
tpl_release(Tpl *t)
{
	buf_free(&t->out);
	buf_free(&t->formatted);
}
