/* SPDX-License-Identifier: MIT */
/* Other function bodies. See clone_function.h.
 *
 * Correctness: a copy has its own labels and uses the function's registers, which are private to a
 * thread. For the body of another module: both modules have one source (cccnvcc guarantees that),
 * so functions of one name do the same, and each name in the body has the same meaning in both:
 * registers, labels and local memory are declared in the body's own scope. Parameters have the same
 * names, since both function heads are the same text. Names of the module are declared by the same
 * text in both, before the function, and no declaration in the function hides them. Shared memory
 * is that of the receiving function, which has the same declarations, so a block allocates it
 * once; where a body is replaced, its declarations are, too. */
#include <stdio.h>
#include <string.h>
#include "transform/output/clone_function.h"
#include "transform/plan/plan.h"
#include "transform/text/copy_code.h"

typedef struct {
	const Func *f;
	const Module *m, *plain;
	/* by Sym of the plain module: names that were found to have the same meaning */
	Bits seen;
} Body_comparison;

/* Whether the statement declares shared memory, which both bodies share. */
static bool
declares_shared(const Module *m, const Stmt *s)
{
	return s->kind == STMT_DECL && s->sym && m->syms[s->sym].space == SPACE_SHARED;
}

static bool
same_text(const Module *a, Span s, const Module *b, Span t)
{
	return s.end - s.pos == t.end - t.pos &&
		memcmp(a->src->text + s.pos, b->src->text + t.pos, s.end - s.pos) == 0;
}

/* Whether the symbol is declared at module level. */
static bool
is_of_module(const Sym *y)
{
	return y->func == 0 || y->kind == SYM_FUNC;
}

/* Returns the name of a plain symbol, interned in the module; 0 if no symbol has it there. */
static uint32_t
local_name(const Body_comparison *w, uint32_t sym)
{
	size_t len;
	const char *name = ptx_name(w->plain, sym, &len);

	return intern_find(w->m->names, name, len);
}

/* Returns the symbol of that name at module level; 0 if none. */
static uint32_t
module_symbol(const Body_comparison *w, uint32_t sym)
{
	uint32_t id = local_name(w, sym);

	for (uint32_t s = 1; id && s < w->m->nsyms; s++)
		if (w->m->syms[s].name == id && is_of_module(&w->m->syms[s]))
			return s;
	return 0;
}

/* Returns the symbol of that name in the function; 0 if none. */
static uint32_t
function_symbol(const Body_comparison *w, uint32_t sym)
{
	uint32_t id = local_name(w, sym);

	PTX_SYMS(w->f, s)
		if (id && w->m->syms[s].name == id)
			return s;
	return 0;
}

/* ---- declarations of the module -------------------------------------------------------------- */

/* Returns the declaration of a variable; empty if none. */
static Span
declaration_span(const Module *m, uint32_t sym)
{
	for (uint32_t i = 0; i < m->nitems; i++) {
		const Item *k = &m->items[i];
		if (k->kind == ITEM_VAR && k->ref && sym - k->ref < k->n)
			return k->at;
	}
	return (Span){ 0 };
}

/* Returns the first declaration of a function, from its name to its parameters. */
static Span
function_head(const Module *m, uint32_t sym)
{
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		const Func *k = &m->funcs[f];
		if (k->sym == sym)
			return (Span){ k->word,
				k->list.end > k->list.pos ? k->list.end : k->name.end };
	}
	return (Span){ 0 };
}

/* Whether a name of the plain module has the same meaning in the function. */
static bool
name_means_same(const Body_comparison *w, uint32_t sym)
{
	uint32_t here = module_symbol(w, sym);
	bool function = w->plain->syms[sym].kind == SYM_FUNC;

	if (!here || w->m->syms[here].kind != w->plain->syms[sym].kind ||
		function_symbol(w, sym))
		return false;
	Span a = function ? function_head(w->m, here) : declaration_span(w->m, here),
	     b = function ? function_head(w->plain, sym) : declaration_span(w->plain, sym);
	return a.end && a.pos < w->f->block.pos && same_text(w->m, a, w->plain, b);
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool
stmt_names_same(Body_comparison *w, const Stmt *s)
{
	for (uint32_t k = 0, o = s->opnd; k < s->nopnd; k++)
		for (uint32_t last = o + w->plain->opnds[o].tree; o < last; o++) {
			uint32_t sym = w->plain->opnds[o].sym;
			const Sym *y = &w->plain->syms[sym];
			if (w->plain->opnds[o].kind != OPND_SYM || bits_has(w->seen, sym) ||
				!is_of_module(y) || y->kind == SYM_SPECIAL ||
				y->kind == SYM_SINK)
				continue;
			if (!name_means_same(w, sym))
				return false;
			bits_set(w->seen, sym);
		}
	return true;
}

/* Returns the function of the same name in module `plain`, if its head is the same and each name in
 * its body means the same in m; else 0. */
static uint32_t
find_same_names(const Module *m, const Func *here, const Module *plain)
{
	uint32_t f = ptx_func_like(plain, m, (uint32_t)(here - m->funcs));
	const Func *g = &plain->funcs[f];
	Arena *arena = arena_new();
	Body_comparison w = { here, m, plain, bits_new(arena, plain->nsyms) };
	bool ok = f && m->version == plain->version && m->target == plain->target &&
		m->address_size == plain->address_size &&
		same_text(m, (Span){ here->word, here->block.pos }, plain,
			(Span){ g->word, g->block.pos });

	if (ok)
		PTX_STMTS(g, i)
			ok = ok && stmt_names_same(&w, &plain->stmts[i]);
	arena_free(arena);
	return ok ? f : 0;
}

uint32_t
find_plain_func(const Module *m, uint32_t func, const Module *plain)
{
	return find_same_names(m, &m->funcs[func], plain);
}

/* Whether the function declares the same shared memory. */
static bool
shared_declarations_match(const Fn *fn, const Module *plain, const Stmt *s)
{
	const Body_comparison w = { .f = fn->f, .m = fn->m, .plain = plain };
	uint32_t here = function_symbol(&w, s->sym);

	if (!here || fn->m->syms[here].kind != SYM_VAR)
		return false;
	uint32_t decl = fn->m->syms[here].decl;
	return fn_depth(fn, decl) == 0 &&
		same_text(fn->m, fn->m->stmts[decl].at, plain, s->at);
}

uint32_t
find_unannotated_func(const Fn *fn, const Module *plain)
{
	uint32_t f = find_same_names(fn->m, fn->f, plain);

	if (f)
		PTX_STMTS(&plain->funcs[f], i) {
			const Stmt *s = &plain->stmts[i];
			if (declares_shared(plain, s) && !shared_declarations_match(fn, plain, s))
				return 0;
		}
	return f;
}

/* Whether .loc in `plain` and in m refer to the same files. */
static bool
files_match(const Module *m, const Module *plain)
{
	for (uint32_t i = 0; i < plain->nitems; i++) {
		bool found = plain->items[i].kind != ITEM_FILE;
		for (uint32_t k = 0; k < m->nitems && !found; k++)
			found = m->items[k].kind == ITEM_FILE &&
				same_text(m, m->items[k].at, plain, plain->items[i].at);
		if (!found)
			return false;
	}
	return true;
}

void
replace_by_plain_bodies(const Module *m, const Module *plain, Bits keep, Edits *e)
{
	if (!files_match(m, plain))
		return;
	for (uint32_t f = 1; f < m->nfuncs; f++) {
		const Func *here = &m->funcs[f];
		if (!here->body || here->nmarkers || bits_has(keep, f))
			continue;
		const Func *g = &plain->funcs[find_same_names(m, here, plain)];
		if (g->body)
			edit_replace(e, here->block, plain->src->text + g->block.pos,
				g->block.end - g->block.pos);
	}
}

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct {
	const Fn *fn;
	char last_label[16];    /* the last label that was returned */
} Body_writer;

static const char *
edge_label(void *user, uint32_t from, uint32_t to)
{
	Body_writer *t = user;

	(void)from;
	snprintf(t->last_label, sizeof t->last_label, "^b%u", to);
	return t->last_label;
}

/* Whether the statement is a declaration at function level, which must not be repeated. */
static bool
is_module_declaration(void *user, uint32_t stmt)
{
	const Fn *fn = ((Body_writer *)user)->fn;
	uint8_t kind = fn_stmt(fn, stmt)->kind;

	return fn_depth(fn, stmt) == 0 && (kind == STMT_DECL || kind == STMT_PROTO);
}

/* Whether the statement of another module must be omitted: file numbers of .loc differ there. */
static bool
stmt_is_foreign(void *user, uint32_t stmt)
{
	const Fn *fn = ((Body_writer *)user)->fn;
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_LOC || declares_shared(fn->m, s);
}

void
write_second_body(const Fn *fn, const Fn *plain, Tpl *t, Arena *a)
{
	bool own = plain == fn;
	Body_writer text = { .fn = plain };
	Copy c = { .user = &text,
		.edge_label = edge_label,
		.is_omitted = own ? is_module_declaration : stmt_is_foreign,
		.table = "btable" };
	Bits told = bits_new(a, plain->f->nstmt);
	char label[16], next[16];

	if (!own)
		tpl_text(t, "{\n");
	copy_init(&c, plain, t, plain->f->stmt, &told);
	for (uint32_t b = 1; b < plain->cfg->nblocks; b++) {
		snprintf(label, sizeof label, "^b%u", b);
		snprintf(next, sizeof next, "^b%u", b + 1);
		copy_block(&c, b, label, next);
	}
	if (!own)
		tpl_text(t, "}\n");
}
