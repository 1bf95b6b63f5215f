/* SPDX-License-Identifier: MIT */
/* Original kernels in addition to the transformed ones. See clone_kernels.h.
 *
 * A copy is the text of the kernel in which its name, and the names of other copied functions, have
 * the suffix. It has no markers, so another run of this program does not transform it. Functions
 * without annotations in their call graph are not copied.
 *
 * - Needs the parsed module; no analyses.
 * - Correctness: function names belong to the module, and PTX allows a function's registers and
 *   labels to have the name of another function. A name that a function body declares itself is
 *   renamed everywhere in that body, so it still denotes one thing. Calls through pointers that the
 *   copy takes itself reach copies; those through a table of the module (a vtable) reach the same
 *   functions as before.
 * A kernel whose plan only times justify (Report_site.needs_timing) is swapped with its original:
 * the transformed one has the suffix, so that nothing launches it by the kernel's name.
 *
 * - Cost: in builds that request it, twice the code of these kernels in the file and for ptxas;
 *   none at run time. */
#include <string.h>
#include "base/bits.h"
#include "base/untouched.h"
#include "transform/output/clone_function.h"
#include "transform/output/clone_kernels.h"
#include "transform/output/verify.h"
#include "transform/plan/plan.h"

typedef struct {
	const Module *m;
	Arena *arena;
	Bits copied;            /* by Sym: copied functions */
	Bits by_name;           /* by interned name: the same */
} Kernel_clones;

/* ---- selection ------------------------------------------------------------------------------- */

static bool
ends_in_suffix(const char *s, size_t len)
{
	size_t n = sizeof UNTOUCHED_SUFFIX - 1;

	return len > n && memcmp(s + len - n, UNTOUCHED_SUFFIX, n) == 0;
}

static bool
add_copied(Kernel_clones *w, uint32_t sym)
{
	uint32_t name = w->m->syms[sym].name;
	size_t len;
	const char *s = ptx_name(w->m, sym, &len);

	if (bits_has(w->copied, sym) || ends_in_suffix(s, len))
		return false;
	bits_set(w->copied, sym);
	bits_set(w->by_name, name);
	return true;
}

static bool
has_annotation(const Module *m, const Func *f)
{
	for (uint32_t i = 0; i < f->nmarkers; i++)
		if (!m->markers[f->marker + i].done)
			return true;
	return false;
}

static bool
name_is_in_list(const Module *m, uint32_t sym, const Name_list *names)
{
	size_t len;
	const char *s = ptx_name(m, sym, &len);

	for (uint32_t i = 0; i < names->n; i++)
		if (strlen(names->at[i]) == len && memcmp(names->at[i], s, len) == 0)
			return true;
	return false;
}

/* Whether the function names a copied one. */
static bool
names_copied(const Kernel_clones *w, const Func *f)
{
	PTX_STMTS(f, i) {
		const Stmt *s = &w->m->stmts[i];
		for (uint32_t k = 0, o = s->opnd; k < s->nopnd; k++, o += w->m->opnds[o].tree)
			for (uint32_t j = o; j < o + w->m->opnds[o].tree; j++) {
				const Opnd *at = &w->m->opnds[j];
				if (at->kind == OPND_SYM && bits_has(w->copied, at->sym))
					return true;
			}
	}
	return false;
}

/* Finds the functions to copy. Returns whether a kernel is among them. */
static bool
choose_copied(Kernel_clones *w, const Name_list *also)
{
	const Module *m = w->m;
	bool more = true, any = false;

	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (m->funcs[f].body &&
			(has_annotation(m, &m->funcs[f]) ||
				name_is_in_list(m, m->funcs[f].sym, also)))
			add_copied(w, m->funcs[f].sym);
	while (more) {
		more = false;
		for (uint32_t f = 1; f < m->nfuncs; f++)
			if (m->funcs[f].body && names_copied(w, &m->funcs[f]))
				more |= add_copied(w, m->funcs[f].sym);
	}
	for (uint32_t f = 1; f < m->nfuncs; f++)
		any |= m->funcs[f].entry && bits_has(w->copied, m->funcs[f].sym);
	return any;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '$' || c == '%';
}

/* Returns the end of a comment or string that begins at s; s if there is none. */
static uint32_t
skip_comment_or_string(const char *text, uint32_t s, uint32_t end)
{
	uint32_t i = s + 2;

	if (text[s] == '"') {
		for (i = s + 1; i < end && text[i] != '"'; i++)
			;
		return i < end ? i + 1 : end;
	}
	if (text[s] != '/' || s + 1 == end || (text[s + 1] != '/' && text[s + 1] != '*'))
		return s;
	if (text[s + 1] == '/')
		for (; i < end && text[i] != '\n'; i++)
			;
	else
		for (i += 2; i < end && memcmp(text + i - 2, "*/", 2) != 0; i++)
			;
	return i < end ? i : end;
}

static bool
is_copied(const Kernel_clones *w, const char *s, size_t len)
{
	uint32_t id = intern_find(w->m->names, s, len);

	return id && bits_has(w->by_name, id);
}

/* Appends the text from pos to end with renamed functions. */
static void
write_renamed(const Kernel_clones *w, uint32_t pos, uint32_t end, Buf *to)
{
	const char *text = w->m->src->text;

	while (pos < end) {
		uint32_t next = skip_comment_or_string(text, pos, end);
		bool word = next == pos && is_letter(text[pos]);
		if (next == pos)
			next++;
		while (word && next < end && is_letter(text[next]))
			next++;
		buf_add(to, text + pos, next - pos);
		if (word && is_copied(w, text + pos, next - pos))
			buf_puts(to, UNTOUCHED_SUFFIX);
		pos = next;
	}
}

/* Appends a function without its markers. */
static void
write_item(const Kernel_clones *w, const Item *item, const Func *f, Buf *to)
{
	uint32_t pos = item->at.pos;

	buf_puts(to, "\n\n");
	for (uint32_t s = f->stmt; f->body && s < f->stmt + f->nstmt; s++)
		if (w->m->stmts[s].kind == STMT_MARKER) {
			write_renamed(w, pos, w->m->stmts[s].at.pos, to);
			pos = w->m->stmts[s].at.end;
		}
	write_renamed(w, pos, item->at.end, to);
}

/* Returns the end of the last function of a text; 0 if it cannot be parsed. */
static uint32_t
end_of_last_function(const Module *like, const Buf *text)
{
	Source src;
	uint32_t end = 0;

	source_from(&src, like->src->name, text->at, text->n);
	Diags *d = diags_new(&src);
	Module *m = ptx_parse(&src, d);
	for (uint32_t i = 0; m && i < m->nitems; i++)
		if (m->items[i].kind == ITEM_FUNC)
			end = m->items[i].at.end;
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return end;
}

static void
write_copies(const Kernel_clones *w, Buf *to)
{
	for (uint32_t i = 0; i < w->m->nitems; i++) {
		const Item *item = &w->m->items[i];
		if (item->kind == ITEM_FUNC && bits_has(w->copied, w->m->funcs[item->ref].sym))
			write_item(w, item, &w->m->funcs[item->ref], to);
	}
}

/* Inserts the copies after the text's last function, if the result can be parsed. */
static bool
insert_copies(const Module *m, const Buf *copies, Buf *text, Buf *why)
{
	const uint32_t end = copies->n ? end_of_last_function(m, text) : 0;
	Buf both = { 0 };

	if (!end)
		return copies->n == 0;
	buf_add(&both, text->at, end);
	buf_add(&both, copies->at, copies->n);
	buf_add(&both, text->at + end, text->n - end);
	bool ok = verify_text(m->src->name, both.at, both.n, why);
	if (ok) {
		text->n = 0;
		buf_add(text, both.at, both.n);
	}
	buf_free(&both);
	return ok;
}

bool
clone_kernels(const Module *m, const Name_list *also, Buf *text, Buf *why)
{
	Kernel_clones w = { .m = m, .arena = arena_new() };
	Buf copies = { 0 };

	w.copied = bits_new(w.arena, m->nsyms);
	w.by_name = bits_new(w.arena, intern_count(m->names) + 1);
	if (choose_copied(&w, also))
		write_copies(&w, &copies);
	bool ok = insert_copies(m, &copies, text, why);
	buf_free(&copies);
	arena_free(w.arena);
	return ok;
}

/* ---- kernels of another module --------------------------------------------------------------- */

typedef struct {
	const Module *m, *plain;
	Bits beside, swapped;   /* by function of m: kernels whose original is added, or swapped */
	Buf copies;             /* what is added */
} Timed_kernels;

/* Appends a kernel of the plain module under its name and a suffix. Locations refer to files of
 * that module: they are left out. Returns whether there is such a kernel. */
static bool
write_plain_kernel(const Timed_kernels *w, uint32_t func, const char *suffix, Buf *to)
{
	const Module *plain = w->plain;
	uint32_t f = find_plain_func(w->m, func, plain), i = 0;
	const Func *k = &plain->funcs[f];

	while (i < plain->nitems && (plain->items[i].kind != ITEM_FUNC || plain->items[i].ref != f))
		i++;
	if (!f || i == plain->nitems)
		return false;
	Span item = plain->items[i].at;
	const char *text = plain->src->text;
	uint32_t pos = k->name.end;
	buf_add(to, text + item.pos, k->name.end - item.pos);
	buf_puts(to, suffix);
	PTX_STMTS(k, s)
		if (plain->stmts[s].kind == STMT_LOC) {
			buf_add(to, text + pos, plain->stmts[s].at.pos - pos);
			pos = plain->stmts[s].at.end;
		}
	buf_add(to, text + pos, item.end - pos);
	return true;
}

static void
find_timed_kernels(Timed_kernels *w, const Report *r)
{
	for (uint32_t i = 0; i < r->sites.n; i++) {
		const Report_site *s = &r->sites.at[i];
		if (s->done && s->unsure && w->m->funcs[s->func].entry)
			bits_set(s->needs_timing ? w->swapped : w->beside, s->func);
	}
	for (uint32_t i = 0; i < r->branches.n && w->m->nmarkers <= 1; i++) {
		const Report_branch *b = &r->branches.at[i]; /* not annotated */
		if (b->done && w->m->funcs[b->func].entry)
			bits_set(b->saved > 0 ? w->beside : w->swapped, b->func);
	}
	for (uint32_t f = 1; f < w->m->nfuncs; f++)
		if (bits_has(w->beside, f) && !bits_has(w->swapped, f)) {
			buf_puts(&w->copies, "\n\n");
			write_plain_kernel(w, f, UNTOUCHED_SUFFIX, &w->copies);
		}
}

/* Replaces the kernels to swap, in the text that was parsed as t, by their originals, and adds them
 * to the copies. Returns false if one has no original. */
static bool
swap_kernels(Timed_kernels *w, const Module *t, Buf *to)
{
	const char *text = t->src->text;
	uint32_t pos = 0;
	bool ok = true;

	for (uint32_t i = 0; i < t->nitems; i++) {
		const Item *item = &t->items[i];
		const Func *k = &t->funcs[item->ref];
		if (item->kind != ITEM_FUNC || !k->body || !k->entry)
			continue;
		uint32_t f = ptx_func_like(w->m, t, item->ref);
		if (!f || !bits_has(w->swapped, f))
			continue;
		buf_add(to, text + pos, item->at.pos - pos);
		ok = ok && write_plain_kernel(w, f, "", to);
		buf_puts(&w->copies, "\n\n");
		buf_add(&w->copies, text + item->at.pos, k->name.end - item->at.pos);
		buf_puts(&w->copies, TRANSFORMED_SUFFIX);
		buf_add(&w->copies, text + k->name.end, item->at.end - k->name.end);
		pos = item->at.end;
	}
	buf_puts(to, text + pos);
	return ok;
}

/* Swaps in the text. */
static bool
swap_in_text(Timed_kernels *w, Buf *text)
{
	Source src;
	Buf out = { 0 };

	source_from(&src, w->m->src->name, text->at, text->n);
	Diags *d = diags_new(&src);
	Module *t = ptx_parse(&src, d);
	bool ok = t && swap_kernels(w, t, &out);
	ptx_free(t);
	diags_free(d);
	source_release(&src);
	text->n = 0;
	buf_add(text, ok ? out.at : w->plain->src->text, ok ? out.n : w->plain->src->len);
	buf_free(&out);
	return ok;
}

bool
clone_unsure_kernels(
	const Module *m, const Module *plain, const Report *r, Buf *text, Buf *why)
{
	Arena *a = arena_new();
	Timed_kernels w = { m, plain, bits_new(a, m->nfuncs), bits_new(a, m->nfuncs), { 0 } };

	find_timed_kernels(&w, r);
	bool swaps = bits_any(w.swapped), ok = !swaps || swap_in_text(&w, text);
	if (ok && !insert_copies(m, &w.copies, text, why)) {
		ok = false;
		if (swaps) {
			text->n = 0;
			buf_add(text, plain->src->text, plain->src->len);
		}
	}
	buf_free(&w.copies);
	arena_free(a);
	return ok;
}
