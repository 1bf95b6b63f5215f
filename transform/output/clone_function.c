/* SPDX-License-Identifier: MIT */
/* Second function bodies. See clone_function.h.
 *
 * Correctness: a copy has labels of its own and uses the function's registers, which are private to
 * a thread. For the body of another module: both modules have one source (cccnvcc guarantees that),
 * so functions of one name do the same, and each name in the body has the same meaning in both:
 * registers, labels and local memory are declared in the body's own scope. Parameters have the same
 * names, since both function heads are the same text. Names of the module are declared by the same
 * text in both, before the function, and no declaration in the function hides them. Shared memory
 * is that of the receiving function, which has the same declarations, so a block allocates it
 * once. */
#include <stdio.h>
#include <string.h>
#include "transform/output/clone_function.h"
#include "transform/plan/plan.h"
#include "transform/text/copy_code.h"

typedef struct {
	const Fn *fn;
	const Module *m, *plain;
	/* by Sym of the plain module: names that were found to have the same meaning */
	Bits seen;
} Work;

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
name_here(const Work *w, uint32_t sym)
{
	size_t len;
	const char *name = ptx_name(w->plain, sym, &len);

	return intern_find(w->m->names, name, len);
}

/* Returns the symbol of that name at module level; 0 if none. */
static uint32_t
in_module(const Work *w, uint32_t sym)
{
	uint32_t id = name_here(w, sym);

	for (uint32_t s = 1; id && s < w->m->nsyms; s++)
		if (w->m->syms[s].name == id && is_of_module(&w->m->syms[s]))
			return s;
	return 0;
}

/* Returns the symbol of that name in the function; 0 if none. */
static uint32_t
in_function(const Work *w, uint32_t sym)
{
	uint32_t id = name_here(w, sym);

	PTX_SYMS(w->fn->f, s)
		if (id && w->m->syms[s].name == id)
			return s;
	return 0;
}

/* ---- declarations of the module -------------------------------------------------------------- */

/* Returns the declaration of a variable; empty if none. */
static Span
declaration(const Module *m, uint32_t sym)
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
head(const Module *m, uint32_t sym)
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
means_same(const Work *w, uint32_t sym)
{
	uint32_t here = in_module(w, sym);
	bool function = w->plain->syms[sym].kind == SYM_FUNC;

	if (!here || w->m->syms[here].kind != w->plain->syms[sym].kind ||
		in_function(w, sym))
		return false;
	Span a = function ? head(w->m, here) : declaration(w->m, here),
	     b = function ? head(w->plain, sym) : declaration(w->plain, sym);
	return a.end && a.pos < w->fn->f->block.pos && same_text(w->m, a, w->plain, b);
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool
names_same(Work *w, const Stmt *s)
{
	for (uint32_t k = 0, o = s->opnd; k < s->nopnd; k++)
		for (uint32_t last = o + w->plain->opnds[o].tree; o < last; o++) {
			uint32_t sym = w->plain->opnds[o].sym;
			const Sym *y = &w->plain->syms[sym];
			if (w->plain->opnds[o].kind != OPND_SYM || bits_has(w->seen, sym) ||
				!is_of_module(y) || y->kind == SYM_SPECIAL ||
				y->kind == SYM_SINK)
				continue;
			if (!means_same(w, sym))
				return false;
			bits_set(w->seen, sym);
		}
	return true;
}

/* Whether the function declares the same shared memory. */
static bool
shares(const Work *w, const Stmt *s)
{
	uint32_t here = in_function(w, s->sym);

	if (!here || w->m->syms[here].kind != SYM_VAR)
		return false;
	uint32_t decl = w->m->syms[here].decl;
	return fn_depth(w->fn, decl) == 0 &&
		same_text(w->m, w->m->stmts[decl].at, w->plain, s->at);
}

uint32_t
plain_func(const Fn *fn, const Module *plain)
{
	const Module *m = fn->m;
	uint32_t f = ptx_func_like(plain, m, (uint32_t)(fn->f - m->funcs));
	const Func *g = &plain->funcs[f], *here = fn->f;
	Arena *arena = arena_new();
	Work w = { fn, m, plain, bits_new(arena, plain->nsyms) };
	bool ok = f && m->version == plain->version && m->target == plain->target &&
		m->address_size == plain->address_size &&
		same_text(m, (Span){ here->word, here->block.pos }, plain,
			(Span){ g->word, g->block.pos });

	if (ok)
		PTX_STMTS(g, i) {
			const Stmt *s = &plain->stmts[i];
			ok = ok && names_same(&w, s) &&
				(!declares_shared(plain, s) || shares(&w, s));
		}
	arena_free(arena);
	return ok ? f : 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

typedef struct {
	const Fn *fn;
	char way[16];           /* the last label that was returned */
} Text;

static const char *
way(void *user, uint32_t from, uint32_t to)
{
	Text *t = user;

	(void)from;
	snprintf(t->way, sizeof t->way, "^b%u", to);
	return t->way;
}

/* Whether the statement is a declaration at function level, which must not be repeated. */
static bool
declared(void *user, uint32_t stmt)
{
	const Fn *fn = ((Text *)user)->fn;
	uint8_t kind = fn_stmt(fn, stmt)->kind;

	return fn_depth(fn, stmt) == 0 && (kind == STMT_DECL || kind == STMT_PROTO);
}

/* Whether the statement of another module must be omitted: file numbers of .loc differ there. */
static bool
foreign(void *user, uint32_t stmt)
{
	const Fn *fn = ((Text *)user)->fn;
	const Stmt *s = fn_stmt(fn, stmt);

	return s->kind == STMT_LOC || declares_shared(fn->m, s);
}

void
plain_put(const Fn *fn, const Fn *plain, Tpl *t, Arena *a)
{
	bool own = plain == fn;
	Text text = { .fn = plain };
	Copy c = { .user = &text, .way = way, .left_out = own ? declared : foreign,
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
