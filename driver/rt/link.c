/* SPDX-License-Identifier: MIT */
/* Links modules of PTX text: concatenates them under one head.
 *
 * The head has the newest version and target. A symbol that is .extern in one text and defined
 * in another is then declared and defined in one module, which PTX allows. The linker resolves
 * the remaining conflicts of names:
 *
 *	local names (neither .visible nor .weak) that another text also has get the text's
 *	number as a suffix
 *	weak functions and variables (of templates) occur in many texts: the strong definition
 *	is kept, or the first one if there is none
 *	duplicate visible names are kept, and the parser reports them
 *	file numbers of .file and .loc are offset by the number of files in earlier texts
 *
 * Debug sections are omitted. The text begins with a mark: ptxccc-run has rewritten its parts. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "driver/rt/fatbin.h"
#include "driver/rt/rt.h"

/* Properties of a name: visible in some text; defined; defined as non-weak; used by an earlier
 * text. */
typedef struct { bool shown, defined, strong, taken; } Link_name;
typedef struct { Source src; Module *m; } Link_text;
struct Link { VEC(Link_text) texts; Intern *ids; VEC(Link_name) names; Buf whole; };

Link *
link_new(void)
{
	Link *l = xmalloc(sizeof *l);
	*l = (Link){ .ids = intern_new() };
	*vec_push(&l->names) = (Link_name){ 0 };
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
	Link_text *t = vec_push(&l->texts);
	*t = (Link_text){ .src = *src };
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

/* A variable or function of a module, as its item declares it. */
typedef struct { uint32_t sym; Linkage linkage; bool defines; } Defined;

static bool
find_definition(const Module *m, const Item *i, Defined *d)
{
	if (i->kind == ITEM_FUNC) {
		const Func *f = &m->funcs[i->ref];
		*d = (Defined){ f->sym, f->linkage, f->body };
		if (f->entry && f->linkage == LINK_NONE) /* the host looks it up by name */
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

static Link_name *
name_at(Link *l, const char *s, size_t n)
{
	uint32_t id = intern_add(l->ids, s, n);
	while (l->names.n <= id)
		*vec_push(&l->names) = (Link_name){ 0 };
	return &l->names.at[id];
}

static Link_name *
name_of(Link *l, const Module *m, uint32_t sym)
{
	size_t n;
	const char *s = ptx_name(m, sym, &n);
	return name_at(l, s, n);
}

/* Collects the visible names of all texts. */
static void
collect_names(Link *l, const Module *m)
{
	Defined d;
	for (uint32_t i = 0; i < m->nitems; i++) {
		if (!find_definition(m, &m->items[i], &d) || d.linkage == LINK_NONE)
			continue;
		Link_name *name = name_of(l, m, d.sym);
		name->shown = true;
		name->defined |= d.defines;
		name->strong |= d.defines && !is_weak(d.linkage);
	}
}

/* Reports variables that no text defines; they would be allocated and zero. (The decoder reports
 * functions without a body.) */
static void
tell_missing(Link *l, const Module *m)
{
	Defined d;
	for (uint32_t i = 0; i < m->nitems; i++) {
		if (m->items[i].kind != ITEM_VAR || !find_definition(m, &m->items[i], &d) ||
			m->syms[d.sym].space == SPACE_SHARED)
			continue;
		Link_name *name = name_of(l, m, d.sym);
		if (name->shown && !name->defined)
			rt_say("variable '%.*s' is defined in no part of the device code that has PTX",
				PTX_NAME(m, d.sym));
		name->defined = true; /* report it only once */
	}
}

/* Whether each name of a text is renamed, indexed by the name's number. */
typedef VEC(bool) Renamed;

static void
choose_names(Link *l, const Module *m, Renamed *to)
{
	Defined d;
	for (uint32_t i = 0; i < m->nitems; i++)
		if (find_definition(m, &m->items[i], &d) && d.linkage == LINK_NONE) {
			Link_name *name = name_of(l, m, d.sym);
			uint32_t id = (uint32_t)(name - l->names.at);
			while (to->n <= id)
				*vec_push(to) = false;
			to->at[id] = name->shown || name->taken;
		}
	for (uint32_t i = 0; i < m->nitems; i++)
		if (find_definition(m, &m->items[i], &d) && d.linkage == LINK_NONE)
			name_of(l, m, d.sym)->taken = true;
}

/* ---- the text -------------------------------------------------------------------------------- */

/* State of writing a text: its number, and the number of files in earlier texts. */
typedef struct { Link *l; const Renamed *renamed; uint32_t number, files; } Writer;

static bool
in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Returns the end of the token at s: a comment, a string, a word, or a single byte. */
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

/* Whether a file number follows this word. */
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

/* Whether the item is omitted. */
static bool
left_out(Link *l, const Module *m, const Item *i)
{
	Defined d;
	if (i->kind == ITEM_VERSION || i->kind == ITEM_TARGET || i->kind == ITEM_ADDRESS_SIZE ||
		i->kind == ITEM_SECTION)
		return true;
	if (!find_definition(m, i, &d) || !d.defines || !is_weak(d.linkage))
		return false;
	Link_name *name = name_of(l, m, d.sym);
	bool other = name->strong || name->taken;
	name->taken = true;
	return other;
}

/* Writes a text and returns the number of the last file that it names. */
static uint32_t
write_text(Writer *w, const Link_text *t)
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

/* Writes a head with the newest version, and the newest target with its suffix. */
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
	buf_printf(&l->whole,
		LINKED_TEXT "\n.version %u.%u\n.target sm_%u%s\n.address_size 64\n",
		version / 10, version % 10, target, letter);
}

const char *
link_text(Link *l, size_t *n)
{
	uint32_t files = 0;
	l->whole.n = 0;
	for (uint32_t k = 0; k < l->names.n; k++)
		l->names.at[k] = (Link_name){ 0 };
	write_head(l);
	for (uint32_t k = 0; k < l->texts.n; k++)
		collect_names(l, l->texts.at[k].m);
	for (uint32_t k = 0; k < l->texts.n; k++)
		tell_missing(l, l->texts.at[k].m);
	for (uint32_t k = 0; k < l->texts.n; k++) {
		Renamed renamed = { 0 };
		choose_names(l, l->texts.at[k].m, &renamed);
		files = write_text(&(Writer){ l, &renamed, k + 1, files }, &l->texts.at[k]);
		buf_putc(&l->whole, '\n');
		vec_free(&renamed);
	}
	*n = l->whole.n + 1; /* includes the NUL, because the text is loaded as a string */
	return l->whole.at;
}
