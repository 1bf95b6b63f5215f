/* SPDX-License-Identifier: MIT */
/* Parts of a module. See module_parts.h.
 *
 * Functions are connected if one names the other, or if both name a variable of the module. What an
 * indirect call reaches, and what initialisers and aliases refer to, is not examined: a module with
 * any of these is one part. */
#include <ctype.h>
#include "base/bits.h"
#include "suggest/module_parts.h"

/* A forest over symbols: by symbol, another one of its set, or itself. */
typedef uint32_t *Symbol_sets;

static uint32_t
find_set(Symbol_sets s, uint32_t sym)
{
	while (s[sym] != sym)
		sym = s[sym] = s[s[sym]];
	return sym;
}

/* Whether an initialiser names a symbol. */
static bool
names_symbol(const Module *m, Span init)
{
	bool in_word = false;

	for (uint32_t i = init.pos; i < init.end; i++) {
		const char c = m->src->text[i];
		const bool digit = isdigit((unsigned char)c) != 0;
		const bool letter = isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
		if (letter && !in_word)
			return true;
		in_word = letter || digit;
	}
	return false;
}

static bool
has_indirect_references(const Module *m)
{
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_ALIAS)
			return true;
	for (uint32_t i = 0; i < m->nvars; i++)
		if (names_symbol(m, m->vars[i].init))
			return true;
	for (uint32_t i = 1; i < m->nstmts; i++)
		if (m->stmts[i].kind == STMT_PROTO)
			return true;
	return false;
}

/* Whether the symbol connects the functions that name it. Functions without a body do not. */
static bool
connects(const Module *m, const bool *defined, uint32_t sym)
{
	const Sym *y = &m->syms[sym];

	return y->kind == SYM_FUNC ? defined[sym] : y->kind != SYM_SPECIAL && !y->func;
}

static void
connect_operands(const Module *m, uint32_t func, const bool *defined, Symbol_sets sets)
{
	PTX_STMTS(&m->funcs[func], i) {
		const Stmt *s = &m->stmts[i];
		uint32_t o = s->opnd;
		for (uint32_t k = 0; k < s->nopnd; k++)
			for (uint32_t end = o + m->opnds[o].tree; o < end; o++)
				if (m->opnds[o].kind == OPND_SYM &&
					connects(m, defined, m->opnds[o].sym))
					sets[find_set(sets, m->opnds[o].sym)] =
						find_set(sets, m->funcs[func].sym);
	}
}

Module_parts
module_parts_build(const Module *m, Arena *a)
{
	uint32_t *of = arena_array(a, m->nfuncs + 1u, sizeof *of), n = 1;
	Arena *tmp = arena_new();
	Symbol_sets sets = arena_array(tmp, m->nsyms, sizeof *sets);
	uint32_t *part = arena_array(tmp, m->nsyms, sizeof *part);
	bool *defined = arena_array(tmp, m->nsyms, sizeof *defined);

	for (uint32_t i = 0; i < m->nsyms; i++)
		sets[i] = i;
	for (uint32_t f = 1; f < m->nfuncs; f++)
		defined[m->funcs[f].sym] |= m->funcs[f].body;
	const bool one = m->registers || has_indirect_references(m);
	for (uint32_t f = 1; f < m->nfuncs && !one; f++)
		connect_operands(m, f, defined, sets);
	for (uint32_t f = 1; f < m->nfuncs && !one; f++) {
		uint32_t *p = &part[find_set(sets, m->funcs[f].sym)];
		*p = *p ? *p : n++;
		of[f] = *p;
	}
	arena_free(tmp);
	return (Module_parts){ of, n };
}

void
module_parts_keep(const Module_parts *p, const Module *m, Bits parts, Edits *e)
{
	static const char EMPTY[] = "{ ret; }";

	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (m->funcs[f].body && !bits_has(parts, p->of[f]))
			edit_replace(e, m->funcs[f].block, EMPTY, sizeof EMPTY - 1);
}
