/* SPDX-License-Identifier: MIT */
/* Modules of PTX text made one: the texts behind one another, under one head.
 *
 * The head is that of the newest version and target. What a text declares as .extern and another
 * one defines is then declared and defined in one module, which PTX allows. Beyond that a linker
 * has to do with names:
 *
 *	local names, without .visible or .weak, that another text has too, get the text's number
 *	behind them
 *	weak functions and variables (of templates) are in many texts: the first one stays, or the
 *	strong one if there is one
 *	names that two texts show stay, and parsing tells of them
 *	.file counts from the files of the texts before it, and .loc with it
 *
 * Sections for debuggers are left out.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "driver/rt/rt.h"

/* What is known of a name: some text shows it; defines it; not weakly; a text before has it. */
typedef struct { bool shown, defined, strong, taken; } Name;
typedef struct { Source src; Module *m; } Text;
struct Link { VEC(Text) texts; Intern *ids; VEC(Name) names; Buf whole; };

Link *
link_new(void)
{
	Link *l = xmalloc(sizeof *l);
	*l = (Link){ .ids = intern_new() };
	*vec_push(&l->names) = (Name){ 0 };
	return l;
}

void
link_free(Link *l)
{
	if (!l)
		return;
	for (uint32_t k = 0; k < l->texts.n; k++) {
		ptx_free(l->texts.at[k].m);
		source_release(&l->texts.at[k].src);
	}
	vec_free(&l->texts);
	vec_free(&l->names);
	intern_free(l->ids);
	buf_free(&l->whole);
	xfree(l);
}

/* ---- what is added --------------------------------------------------------------------------- */

bool
link_source(Link *l, Source *src)
{
	Text *t = vec_push(&l->texts);
	*t = (Text){ .src = *src };
	*src = (Source){ 0 };
	Diags *d = diags_new(&t->src);
	t->m = ptx_parse(&t->src, d);
	diags_print(d, stderr);
	diags_free(d);
	if (t->m)
		return true;
	source_release(&t->src);
	(void)vec_pop(&l->texts);
	return false;
}

cudaError_t
link_add(Runtime *rt, Link *l, const void *data, size_t n)
{
	const char *why;
	Source src = { 0 };
	char name[128];
	if (!fatbin_is(data)) {
		snprintf(name, sizeof name, "%s.part%u.ptx", rt->program, l->texts.n + 1);
		source_from(&src, name, data, strnlen(data, n));
	} else if (!module_fatbin(rt, data, &src, &why)) {
		rt_say("cannot link a fat binary: %s", why);
		return cudaErrorNoKernelImageForDevice;
	}
	return link_source(l, &src) ? cudaSuccess : cudaErrorInvalidPtx;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A variable or a function of a module, as its item says. */
typedef struct { uint32_t sym; Linkage linkage; bool defines; } Defined;

static bool
defined(const Module *m, const Item *i, Defined *d)
{
	if (i->kind == ITEM_FUNC) {
		const Func *f = &m->funcs[i->ref];
		*d = (Defined){ f->sym, f->linkage, f->body };
		if (f->entry && f->linkage == LINK_NONE) /* the host looks for it by its name */
			d->linkage = LINK_VISIBLE;
		return true;
	}
	*d = (Defined){ i->ref, i->linkage, i->linkage != LINK_EXTERN };
	return i->kind == ITEM_VAR && i->ref;
}

static bool
is_weak(Linkage l)
{
	return l == LINK_WEAK || l == LINK_COMMON;
}

static Name *
name_at(Link *l, const char *s, size_t n)
{
	uint32_t id = intern_add(l->ids, s, n);
	while (l->names.n <= id)
		*vec_push(&l->names) = (Name){ 0 };
	return &l->names.at[id];
}

static Name *
name_of(Link *l, const Module *m, uint32_t sym)
{
	size_t n;
	const char *s = ptx_name(m, sym, &n);
	return name_at(l, s, n);
}

/* What all texts show. */
static void
look_around(Link *l, const Module *m)
{
	Defined d;
	for (uint32_t i = 0; i < m->nitems; i++) {
		if (!defined(m, &m->items[i], &d) || d.linkage == LINK_NONE)
			continue;
		Name *name = name_of(l, m, d.sym);
		name->shown = true;
		name->defined |= d.defines;
		name->strong |= d.defines && !is_weak(d.linkage);
	}
}

/* Says which variables no text defines: they would lie somewhere, all zeros. (Of a function without
 * a body the decoder tells.) */
static void
tell_missing(Link *l, const Module *m)
{
	Defined d;
	for (uint32_t i = 0; i < m->nitems; i++) {
		if (m->items[i].kind != ITEM_VAR || !defined(m, &m->items[i], &d) ||
			m->syms[d.sym].space == SPACE_SHARED)
			continue;
		Name *name = name_of(l, m, d.sym);
		if (name->shown && !name->defined)
			rt_say("variable '%.*s' is defined in no part of the device code that has PTX",
				PTX_NAME(m, d.sym));
		name->defined = true; /* said once */
	}
}

/* The names of a text that must be others, as 1 by their number. */
typedef VEC(bool) Renamed;

static void
choose_names(Link *l, const Module *m, Renamed *to)
{
	Defined d;
	for (uint32_t i = 0; i < m->nitems; i++)
		if (defined(m, &m->items[i], &d) && d.linkage == LINK_NONE) {
			Name *name = name_of(l, m, d.sym);
			uint32_t id = (uint32_t)(name - l->names.at);
			while (to->n <= id)
				*vec_push(to) = false;
			to->at[id] = name->shown || name->taken;
		}
	for (uint32_t i = 0; i < m->nitems; i++)
		if (defined(m, &m->items[i], &d) && d.linkage == LINK_NONE)
			name_of(l, m, d.sym)->taken = true;
}

/* ---- the text -------------------------------------------------------------------------------- */

/* A text that is written: its number, and how many files those before have. */
typedef struct { Link *l; const Renamed *renamed; uint32_t number, files; } Writer;

static bool
in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The end of what begins at s: a comment, a string, a word, else one byte. */
static const char *
token_end(const char *s, const char *end)
{
	const char *e;
	if (s[0] == '/' && s + 1 < end && s[1] == '/') {
		e = memchr(s, '\n', (size_t)(end - s));
		return e ? e : end;
	}
	if (s[0] == '/' && s + 1 < end && s[1] == '*') {
		for (e = s + 2; e + 1 < end && !(e[0] == '*' && e[1] == '/');)
			e++;
		return e + 1 < end ? e + 2 : end;
	}
	if (s[0] == '"') {
		for (e = s + 1; e < end && *e != '"';)
			e++;
		return e < end ? e + 1 : end;
	}
	for (e = s + 1; (in_name(s[0]) || s[0] == '.' || s[0] == '%') && e < end && in_name(*e);)
		e++;
	return e;
}

/* Is it a word behind which the number of a file stands? */
static bool
counts_files(const char *s, size_t n)
{
	return (n == 4 && !memcmp(s, ".loc", n)) || (n == 5 && !memcmp(s, ".file", n)) ||
		(n == 10 && !memcmp(s, "inlined_at", n));
}

static void
write_part(Writer *w, const char *s, const char *end)
{
	Buf *out = &w->l->whole;
	bool file = false;
	for (const char *e; s < end; s = e) {
		e = token_end(s, end);
		size_t n = (size_t)(e - s);
		uint32_t id = in_name(*s) ? intern_find(w->l->ids, s, n) : 0;
		if (file && isdigit((unsigned char)*s))
			buf_printf(out, "%lu", strtoul(s, NULL, 10) + w->files);
		else
			buf_add(out, s, n);
		if (id && id < w->renamed->n && w->renamed->at[id])
			buf_printf(out, "$%u", w->number);
		if (!isspace((unsigned char)*s))
			file = counts_files(s, n);
	}
}

/* Is the item left out? */
static bool
left_out(Link *l, const Module *m, const Item *i)
{
	Defined d;
	if (i->kind == ITEM_VERSION || i->kind == ITEM_TARGET || i->kind == ITEM_ADDRESS_SIZE ||
		i->kind == ITEM_SECTION)
		return true;
	if (!defined(m, i, &d) || !d.defines || !is_weak(d.linkage))
		return false;
	Name *name = name_of(l, m, d.sym);
	bool other = name->strong || name->taken;
	name->taken = true;
	return other;
}

/* Writes a text; the number of the last file that it names. */
static uint32_t
write_text(Writer *w, const Text *t)
{
	uint32_t at = 0, most = w->files;
	const Module *m = t->m;
	for (uint32_t k = 0; k < m->nitems; k++) {
		const Item *i = &m->items[k];
		if (i->kind == ITEM_FILE && i->ref + w->files > most)
			most = i->ref + w->files;
		if (!left_out(w->l, m, i))
			continue;
		write_part(w, t->src.text + at, t->src.text + i->at.pos);
		at = i->at.end;
	}
	write_part(w, t->src.text + at, t->src.text + t->src.len);
	return most;
}

/* The head of the newest version, and of the newest target with its letter. */
static void
write_head(Link *l)
{
	uint32_t version = 0, target = 0;
	char letter[2] = "";
	for (uint32_t k = 0; k < l->texts.n; k++) {
		const Module *m = l->texts.at[k].m;
		const char *words = m->src->text;
		for (uint32_t i = 0; i < m->nitems; i++)
			if (m->items[i].kind == ITEM_TARGET)
				words = m->src->text + m->items[i].at.pos;
		if (m->version > version)
			version = m->version;
		if (m->target > target) {
			target = m->target;
			words += strcspn(words, "_") + 1;
			words += strspn(words, "0123456789");
			letter[0] = *words == 'a' || *words == 'f' ? *words : 0;
		}
	}
	buf_printf(&l->whole, ".version %u.%u\n.target sm_%u%s\n.address_size 64\n", version / 10,
		version % 10, target, letter);
}

const char *
link_text(Link *l, size_t *n)
{
	uint32_t files = 0;
	l->whole.n = 0;
	for (uint32_t k = 0; k < l->names.n; k++)
		l->names.at[k] = (Name){ 0 };
	write_head(l);
	for (uint32_t k = 0; k < l->texts.n; k++)
		look_around(l, l->texts.at[k].m);
	for (uint32_t k = 0; k < l->texts.n; k++)
		tell_missing(l, l->texts.at[k].m);
	for (uint32_t k = 0; k < l->texts.n; k++) {
		Renamed renamed = { 0 };
		choose_names(l, l->texts.at[k].m, &renamed);
		files = write_text(&(Writer){ l, &renamed, k + 1, files }, &l->texts.at[k]);
		buf_putc(&l->whole, '\n');
		vec_free(&renamed);
	}
	*n = l->whole.n + 1; /* with the NUL, as it is loaded as a string */
	return l->whole.at;
}
