/* SPDX-License-Identifier: MIT */
/* Diagnostics: kept in the order of reporting, sorted by position when printed.
 *
 * The form is clang's: "file:line:column: level: message [-Wname]", the line of text, a caret. Where the place in the
 * CUDA source is known, that comes first and the place in the PTX follows as a note.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/vec.h"

enum { MAX_ERRORS = 20, MAX_COLUMNS = 160 };

typedef struct {
	uint32_t pos;
	const char *text;
	uint32_t next; /* index of the next note + 1 */
} Note;

typedef struct {
	Diag_kind kind;
	Diag_level level;
	uint32_t pos, order;
	Cuda_pos cuda;
	const char *text;
	uint32_t note, last_note; /* indexes + 1 */
} Entry;

struct Diags {
	Source *src;
	Arena *arena;
	VEC(Entry) all;
	VEC(Note) notes;
	Diag_settings set;
	uint32_t errors, warnings;
	Diag_origin *origin;
	void *origin_user;
	bool last_off; /* the diagnostic reported last was switched off: so are its notes */
};

static const struct { const char *name; Diag_level level; } kinds[] = {
#define DIAG(id, name, level, summary) { name, level },
#include "base/diags.def"
#undef DIAG
};

Diags *
diags_new(Source *src)
{
	Diags *d = xmalloc(sizeof *d);

	*d = (Diags){ .src = src, .arena = arena_new(), .set = diag_defaults() };
	return d;
}

void
diags_free(Diags *d)
{
	if (!d)
		return;
	arena_free(d->arena);
	vec_free(&d->all);
	vec_free(&d->notes);
	xfree(d);
}

/* ---- reporting ------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 0)))
static const char *
format(Diags *d, const char *fmt, va_list ap)
{
	Buf b = { 0 };

	buf_vprintf(&b, fmt, ap);
	const char *s = arena_strndup(d->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

void
diags_through(Diags *d, Diag_origin *origin, void *user)
{
	d->origin = origin;
	d->origin_user = user;
}

static uint32_t
origin(const Diags *d, uint32_t pos)
{
	return d->origin && pos != DIAG_NOWHERE ? d->origin(d->origin_user, pos) : pos;
}

static void
report(Diags *d, Diag_kind kind, Cuda_pos at, uint32_t pos, const char *text)
{
	d->last_off = d->set.off[kind];
	if (d->last_off)
		return;
	if (at.file)
		at.file = arena_strndup(d->arena, at.file, strlen(at.file));
	uint32_t order = d->all.n;
	*vec_push(&d->all) = (Entry){ kind, d->set.level[kind], origin(d, pos), order, at, text, 0, 0 };
	if (d->set.level[kind] == DIAG_ERROR)
		d->errors++;
	else if (d->set.level[kind] == DIAG_WARNING)
		d->warnings++;
}

void
diag(Diags *d, Diag_kind kind, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(d, kind, (Cuda_pos){ 0 }, pos, format(d, fmt, ap));
	va_end(ap);
}

void
diag_cuda(Diags *d, Diag_kind kind, Cuda_pos at, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(d, kind, at, pos, format(d, fmt, ap));
	va_end(ap);
}

void
diag_note(Diags *d, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	if (d->last_off || d->all.n == 0)
		return;
	va_start(ap, fmt);
	*vec_push(&d->notes) = (Note){ origin(d, pos), format(d, fmt, ap), 0 };
	va_end(ap);
	Entry *g = &d->all.at[d->all.n - 1];
	if (g->last_note)
		d->notes.at[g->last_note - 1].next = d->notes.n;
	else
		g->note = d->notes.n;
	g->last_note = d->notes.n;
}

uint32_t
diags_mark(const Diags *d)
{
	return d->all.n;
}

void
diags_back(Diags *d, uint32_t mark)
{
	for (uint32_t i = mark; i < d->all.n; i++) {
		d->errors -= d->all.at[i].level == DIAG_ERROR;
		d->warnings -= d->all.at[i].level == DIAG_WARNING;
	}
	d->all.n = mark;
}

/* ---- options --------------------------------------------------------------------------------- */

Diag_settings
diag_defaults(void)
{
	Diag_settings s = { 0 };

	for (int i = 0; i < D_COUNT; i++)
		s.level[i] = kinds[i].level;
	return s;
}

bool
diag_option(Diag_settings *s, const char *arg)
{
	bool off = strncmp(arg, "no-", 3) == 0, fatal_too = strncmp(arg, "error=", 6) == 0, found = false;
	const char *name = arg + (off ? 3 : fatal_too ? 6 : 0);

	if (strcmp(arg, "error") == 0) {
		for (int i = 0; i < D_COUNT; i++)
			s->level[i] = DIAG_ERROR;
		return true;
	}
	for (int i = 0; i < D_COUNT; i++) {
		if (strcmp(kinds[i].name, name) != 0)
			continue;
		found = true;
		s->off[i] = off && kinds[i].level != DIAG_ERROR; /* what makes the text unreadable is never silent */
		if (fatal_too)
			s->level[i] = DIAG_ERROR;
	}
	return found;
}

void
diag_strict(Diag_settings *s)
{
	for (int i = 0; i < D_COUNT; i++)
		if (kinds[i].level == DIAG_WARNING && i != D_HAZARD && i != D_SPIN && i != D_MAXNREG)
			s->level[i] = DIAG_ERROR;
}

void
diags_set(Diags *d, const Diag_settings *s)
{
	d->set = *s;
}

bool
diags_option(Diags *d, const char *arg)
{
	return diag_option(&d->set, arg);
}

uint32_t
diags_errors(const Diags *d)
{
	return d->errors;
}

uint32_t
diags_warnings(const Diags *d)
{
	return d->warnings;
}

/* ---- printing -------------------------------------------------------------------------------- */

static int
by_position(const void *va, const void *vb)
{
	const Entry *a = va, *b = vb;

	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void
put_byte(Buf *to, char c)
{
	unsigned char u = (unsigned char)c;

	buf_putc(to, u == '\t' || (u >= ' ' && u != 127) ? c : '.');
}

/* The line that holds pos, with a caret under pos. Of a long line, the part around pos. */
static void
put_line(const Diags *d, uint32_t pos, Buf *to)
{
	uint32_t line, col;
	Span at = source_line(d->src, pos);

	source_position(d->src, pos, &line, &col);
	if (pos > at.end)
		pos = at.end;
	if (pos - at.pos > MAX_COLUMNS / 2 && at.end - at.pos > MAX_COLUMNS)
		at.pos = pos - MAX_COLUMNS / 2;
	if (at.end - at.pos > MAX_COLUMNS)
		at.end = at.pos + MAX_COLUMNS;
	buf_printf(to, "%7u | ", line);
	for (uint32_t i = at.pos; i < at.end; i++)
		put_byte(to, d->src->text[i]);
	buf_puts(to, "\n        | ");
	for (uint32_t i = at.pos; i < pos; i++)
		buf_putc(to, d->src->text[i] == '\t' ? '\t' : ' ');
	buf_puts(to, "^\n");
}

static void
put_place(const Diags *d, uint32_t pos, Buf *to)
{
	uint32_t line, col;

	source_position(d->src, pos, &line, &col);
	buf_printf(to, "%s:%u:%u: ", d->src->name, line, col);
}

static bool
has_place(const Diags *d, uint32_t pos)
{
	return d->src && pos != DIAG_NOWHERE && pos <= d->src->len;
}

static void
put_note(const Diags *d, uint32_t pos, const char *text, Buf *to)
{
	buf_puts(to, "  ");
	if (has_place(d, pos))
		put_place(d, pos, to);
	buf_printf(to, "note: %s\n", text);
	if (has_place(d, pos))
		put_line(d, pos, to);
}

static const char *
source_name(const Diags *d)
{
	return d->src ? d->src->name : "ptxccc";
}

static void
put_entry(const Diags *d, const Entry *g, const Diag *v, Buf *to)
{
	bool place = has_place(d, g->pos);

	if (g->cuda.file && g->cuda.col)
		buf_printf(to, "%s:%u:%u: ", g->cuda.file, g->cuda.line, g->cuda.col);
	else if (g->cuda.file)
		buf_printf(to, "%s:%u: ", g->cuda.file, g->cuda.line);
	else if (place)
		put_place(d, g->pos, to);
	else
		buf_printf(to, "%s: ", source_name(d));
	buf_printf(to, "%s: %s [-W%s%s]\n", g->level == DIAG_ERROR ? "error" : g->level == DIAG_NOTE ? "note" : "warning",
		g->text, v->promoted ? "error=" : "", v->name);
	if (place && g->cuda.file)
		put_note(d, g->pos, "in the PTX here", to);
	else if (place)
		put_line(d, g->pos, to);
	for (uint32_t i = g->note; i; i = d->notes.at[i - 1].next)
		put_note(d, d->notes.at[i - 1].pos, d->notes.at[i - 1].text, to);
}

static void
visit_entry(Diags *d, const Entry *g, Diag_visit *visit, void *user)
{
	Diag v = { .name = kinds[g->kind].name, .level = g->level, .text = g->text, .cuda = g->cuda };
	Buf printed = { 0 }, notes = { 0 };

	v.promoted = g->level == DIAG_ERROR && kinds[g->kind].level != DIAG_ERROR;
	if (has_place(d, g->pos))
		source_position(d->src, g->pos, &v.line, &v.col);
	put_entry(d, g, &v, &printed);
	for (uint32_t i = g->note; i; i = d->notes.at[i - 1].next)
		buf_printf(&notes, "%s\n", d->notes.at[i - 1].text);
	v.printed = arena_strndup(d->arena, printed.at, printed.n);
	v.notes = arena_strndup(d->arena, notes.at, notes.n);
	buf_free(&printed);
	buf_free(&notes);
	visit(user, &v);
}

static void
visit_count(Diags *d, uint32_t more, Diag_visit *visit, void *user)
{
	Buf printed = { 0 };

	buf_printf(&printed, "%s: note: %u more errors\n", source_name(d), more);
	const char *s = arena_strndup(d->arena, printed.at, printed.n), *text = s + strlen(source_name(d)) + strlen(": note: ");
	buf_free(&printed);
	visit(user, &(Diag){ .name = "", .text = arena_strndup(d->arena, text, strlen(text) - 1), .notes = "", .printed = s });
}

void
diags_each(Diags *d, Diag_visit *visit, void *user)
{
	uint32_t errors = 0, more = 0;

	if (d->all.n > 1)
		qsort(d->all.at, d->all.n, sizeof *d->all.at, by_position);
	for (uint32_t i = 0; i < d->all.n; i++) {
		if (d->all.at[i].level == DIAG_ERROR && ++errors > MAX_ERRORS)
			more++;
		else
			visit_entry(d, &d->all.at[i], visit, user);
	}
	if (more)
		visit_count(d, more, visit, user);
	d->all.n = 0;
	d->notes.n = 0;
}
