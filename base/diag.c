/* SPDX-License-Identifier: MIT */
/* Diagnostics: kept in the order of reporting, sorted by position when visited. diag_print.c prints
 * them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

enum { MAX_ERRORS = 20 };

typedef struct {
	uint32_t pos;
	const char *text;
	uint32_t next; /* index of the next note + 1 */
} Diag_note_entry;

typedef struct {
	Diag_kind kind;
	Diag_level level;
	uint32_t pos, order;
	Cuda_pos cuda;
	const char *text;
	uint32_t note, last_note; /* indices + 1 */

	/* Set when visited: */
	Diag_remark what;
	uint32_t copies, first; /* copies 0: it is a copy of `first` */
} Diag_entry;

struct Diags {
	Source *src;
	Arena *arena;
	VEC(Diag_entry) all;
	VEC(Diag_note_entry) notes;
	Diag_settings set;
	Diag_style style;
	uint32_t errors;
	Diag_origin *origin, *base;
	void *origin_user, *base_user;
	bool last_off; /* the last diagnostic is switched off, and so are its notes */
};

static const struct { const char *name; Diag_level level; } kinds[] = {
#define DIAG(id, name, level, summary) { name, level },
#include "base/diags.def"
#undef DIAG
};

const char *
diag_name(Diag_kind kind)
{
	return kind < D_COUNT ? kinds[kind].name : NULL;
}

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
format_text(Diags *d, const char *fmt, va_list ap)
{
	Buf b = { 0 };

	buf_vprintf(&b, fmt, ap);
	const char *s = arena_strndup(d->arena, b.at, b.n);
	buf_free(&b);
	return s;
}

void
diags_set_origin(Diags *d, Diag_origin *origin, void *user)
{
	d->origin = origin;
	d->origin_user = user;
}

void
diags_set_base(Diags *d, Diag_origin *base, void *user)
{
	d->base = base;
	d->base_user = user;
}

static uint32_t
origin_of(const Diags *d, uint32_t pos)
{
	if (d->origin && pos != DIAG_NOWHERE)
		pos = d->origin(d->origin_user, pos);
	return d->base && pos != DIAG_NOWHERE ? d->base(d->base_user, pos) : pos;
}

static void
add_entry(Diags *d, Diag_kind kind, Cuda_pos at, uint32_t pos, const char *text)
{
	d->last_off = d->set.off[kind];
	if (d->last_off)
		return;
	if (at.file)
		at.file = arena_strndup(d->arena, at.file, strlen(at.file));
	uint32_t order = d->all.n;
	*vec_push(&d->all) = (Diag_entry){ .kind = kind,
		.level = d->set.level[kind],
		.pos = origin_of(d, pos),
		.order = order,
		.cuda = at,
		.text = text };
	if (d->set.level[kind] == DIAG_ERROR)
		d->errors++;
}

void
diag(Diags *d, Diag_kind kind, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_entry(d, kind, (Cuda_pos){ 0 }, pos, format_text(d, fmt, ap));
	va_end(ap);
}

void
diag_cuda(Diags *d, Diag_kind kind, Cuda_pos at, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_entry(d, kind, at, pos, format_text(d, fmt, ap));
	va_end(ap);
}

void
diag_note(Diags *d, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	if (d->last_off || d->all.n == 0)
		return;
	va_start(ap, fmt);
	*vec_push(&d->notes) = (Diag_note_entry){ origin_of(d, pos), format_text(d, fmt, ap), 0 };
	va_end(ap);
	Diag_entry *g = &d->all.at[d->all.n - 1];
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
diags_rewind(Diags *d, uint32_t mark)
{
	for (uint32_t i = mark; i < d->all.n; i++)
		d->errors -= d->all.at[i].level == DIAG_ERROR;
	d->all.n = mark;
}

/* ---- options --------------------------------------------------------------------------------- */

Diag_settings
diag_defaults(void)
{
	Diag_settings s = { 0 };

	for (int i = 0; i < D_COUNT; i++)
		s.level[i] = kinds[i].level;
	s.off[D_PROFILE_MISSING] = true; /* most profiles cover only a part of a program */
	s.off[D_OFF] = true; /* it does what the source says */
	return s;
}

bool
diag_option(Diag_settings *s, const char *arg)
{
	bool off = strncmp(arg, "no-", 3) == 0, fatal_too = strncmp(arg, "error=", 6) == 0,
	     found = false;
	const char *name = arg + (off ? 3 : fatal_too ? 6 : 0);

	if (strcmp(arg, "error") == 0) {
		for (int i = 0; i < D_COUNT; i++)
			s->level[i] = DIAG_ERROR;
		return true;
	}
	if (strcmp(arg, "no-all") == 0) {
		for (int i = 0; i < D_COUNT; i++)
			s->off[i] |= s->level[i] != DIAG_ERROR;
		return true;
	}
	for (int i = 0; i < D_COUNT; i++) {
		if (strcmp(kinds[i].name, name) != 0)
			continue;
		found = true;
		/* errors about unreadable text are never silent */
		s->off[i] = off && kinds[i].level != DIAG_ERROR;
		if (fatal_too)
			s->level[i] = DIAG_ERROR;
	}
	return found;
}

void
diag_strict(Diag_settings *s)
{
	for (int i = 0; i < D_COUNT; i++)
		if (kinds[i].level == DIAG_WARNING && i != D_HAZARD && i != D_PROMISE &&
			i != D_SPIN && i != D_MAXNREG && i != D_HOST && i != D_PROFILE_STALE &&
			i != D_PROFILE_MISSING)
			s->level[i] = DIAG_ERROR;
}

void
diags_set(Diags *d, const Diag_settings *s)
{
	d->set = *s;
}

void
diags_style(Diags *d, const Diag_style *s)
{
	d->style = *s;
}

const char *
diags_line(const Diags *d, Cuda_pos at, size_t *len)
{
	return diag_line(&d->style, at, len);
}

uint32_t
diags_errors(const Diags *d)
{
	return d->errors;
}

/* ---- visiting -------------------------------------------------------------------------------- */

static int
by_position(const void *va, const void *vb)
{
	const Diag_entry *a = va, *b = vb;

	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static const char *
copy_text(const Diags *d, const char *s)
{
	return s ? arena_strndup(d->arena, s, strlen(s)) : NULL;
}

/* Makes a remark. Copies its texts, whose source may be freed before the diagnostics are. */
static Diag_remark
add_remark(const Diags *d, uint32_t pos, const char *text)
{
	Diag_remark r = { .text = text, .pos = DIAG_NOWHERE };

	if (d->src && pos <= d->src->len)
		r.pos = pos;
	if (r.pos != DIAG_NOWHERE && d->style.locate) {
		r.place = d->style.locate(d->style.locator, pos);
		r.place.at.file = copy_text(d, r.place.at.file);
		r.place.caller.file = copy_text(d, r.place.caller.file);
		r.place.function = copy_text(d, r.place.function);
	}
	return r;
}

static bool
same_line(Cuda_pos a, Cuda_pos b)
{
	return a.line == b.line && strcmp(a.file ? a.file : "", b.file ? b.file : "") == 0;
}

/* Whether both have the same message about copies of one place. */
static bool
entries_equal(const Diag_entry *a, const Diag_entry *b)
{
	return a->kind == b->kind && a->cuda.file && same_line(a->cuda, b->cuda) &&
		strcmp(a->text, b->text) == 0 && same_line(a->what.place.at, b->what.place.at);
}

static uint32_t
hash_entry(const Diag_entry *g)
{
	uint32_t h = g->cuda.line;

	for (const char *s = g->text; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x01000193u;
	return h;
}

/* Chains the entries with the same message: the first is printed, the others are counted. */
static void
join_copies(Diags *d)
{
	Arena *tmp = arena_new();
	/* hash table with chaining: 1 + the last entry of a bucket; by entry, 1 + the one before */
	uint32_t n = d->all.n, *last = arena_array(tmp, n, sizeof *last),
		 *before = arena_array(tmp, n, sizeof *before);

	for (uint32_t i = 0; i < n; i++) {
		Diag_entry *g = &d->all.at[i];
		uint32_t *bucket = &last[hash_entry(g) % n], k = *bucket;
		g->what = add_remark(d, g->pos, g->text);
		g->copies = 1;
		while (k && !entries_equal(&d->all.at[k - 1], g))
			k = before[k - 1];
		if (k) {
			d->all.at[k - 1].copies++;
			g->copies = 0;
			g->first = k - 1;
		} else {
			before[i] = *bucket;
			*bucket = i + 1;
		}
	}
	arena_free(tmp);
}

/* Returns "'f<1>', 'f<2>'": the functions of the i-th entry and its copies, if there are several or
 * they are template instances; else "". */
static const char *
describe_instances(Diags *d, uint32_t i)
{
	enum { SHOWN = 4 };
	Buf b = { 0 };
	const char *last = NULL;
	uint32_t n = 0;
	bool template = false;

	for (uint32_t k = i; k < d->all.n; k++) {
		const Diag_entry *g = &d->all.at[k];
		const char *f = g->what.place.function;
		if ((k != i && (g->copies || g->first != i)) || !f ||
			(last && strcmp(f, last) == 0))
			continue;
		template |= strchr(f, '<') != NULL;
		last = f;
		if (++n <= SHOWN)
			buf_printf(&b, "%s'%s'", n > 1 ? ", " : "", f);
		else if (n == SHOWN + 1)
			buf_puts(&b, " ...");
	}
	const char *s = arena_strndup(d->arena, b.n ? b.at : "", b.n);
	buf_free(&b);
	return n > 1 || template ? s : "";
}

static void
fill_notes(Diags *d, const Diag_entry *g, Diag *v)
{
	Buf notes = { 0 };

	for (uint32_t i = g->note; i; i = d->notes.at[i - 1].next)
		v->nnotes++;
	v->note = arena_array(d->arena, v->nnotes, sizeof *v->note);
	v->nnotes = 0;
	for (uint32_t i = g->note; i; i = d->notes.at[i - 1].next) {
		v->note[v->nnotes++] =
			add_remark(d, d->notes.at[i - 1].pos, d->notes.at[i - 1].text);
		buf_printf(&notes, "%s\n", d->notes.at[i - 1].text);
	}
	v->notes = arena_strndup(d->arena, notes.n ? notes.at : "", notes.n);
	buf_free(&notes);
}

static void
visit_entry(Diags *d, uint32_t i, Diag_visit *visit, void *user)
{
	const Diag_entry *g = &d->all.at[i];
	Diag v = { .name = kinds[g->kind].name,
		.level = g->level,
		.text = g->text,
		.cuda = g->cuda,
		.what = g->what,
		.copies = g->copies,
		.instances = describe_instances(d, i) };
	Buf printed = { 0 };

	v.promoted = g->level == DIAG_ERROR && kinds[g->kind].level != DIAG_ERROR;
	if (g->what.pos != DIAG_NOWHERE)
		source_position(d->src, g->pos, &v.line, &v.col);
	fill_notes(d, g, &v);
	diag_print(&v, &d->style, d->src, &printed);
	v.printed = arena_strndup(d->arena, printed.at, printed.n);
	buf_free(&printed);
	visit(user, &v);
}

static void
visit_count(Diags *d, uint32_t more, Diag_visit *visit, void *user)
{
	Buf printed = { 0 };
	const char *name = d->src ? d->src->name : "ptxccc";

	buf_printf(&printed, "%s: note: %u more errors\n", name, more);
	const char *s = arena_strndup(d->arena, printed.at, printed.n),
		   *text = s + strlen(name) + strlen(": note: ");
	buf_free(&printed);
	visit(user,
		&(Diag){ .name = "",
			.text = arena_strndup(d->arena, text, strlen(text) - 1),
			.notes = "",
			.instances = "",
			.printed = s });
}

void
diags_each(Diags *d, Diag_visit *visit, void *user)
{
	uint32_t errors = 0, more = 0;

	if (d->all.n > 1)
		qsort(d->all.at, d->all.n, sizeof *d->all.at, by_position);
	join_copies(d);
	for (uint32_t i = 0; i < d->all.n; i++) {
		if (d->all.at[i].copies == 0)
			continue;
		if (d->all.at[i].level == DIAG_ERROR && ++errors > MAX_ERRORS)
			more++;
		else
			visit_entry(d, i, visit, user);
	}
	if (more)
		visit_count(d, more, visit, user);
	d->all.n = 0;
	d->notes.n = 0;
}
