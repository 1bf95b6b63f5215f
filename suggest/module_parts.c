/* SPDX-License-Identifier: MIT */
/* Parts of a module. See module_parts.h.
 *
 * Functions are connected if one names the other, or if a thread may get from one to the other
 * through code of another module. What an indirect call reaches, and what initialisers and aliases
 * refer to, is not examined: a module with any of these is one part. Variables connect no
 * functions: all that the analyses know about a variable from other functions is whether some
 * address escapes (analysis/interproc/escape.h), and a text without the function in which it does
 * has another kernel where one escapes, too. */
#include <ctype.h>
#include <string.h>
#include "analysis/interproc/escape.h"
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

static void
connect_operands(const Module *m, uint32_t func, const bool *defined, Symbol_sets sets)
{
	PTX_STMTS(&m->funcs[func], i) {
		const Stmt *s = &m->stmts[i];
		uint32_t o = s->opnd;
		for (uint32_t k = 0; k < s->nopnd; k++)
			for (uint32_t end = o + m->opnds[o].tree; o < end; o++)
				if (m->opnds[o].kind == OPND_SYM && defined[m->opnds[o].sym])
					sets[find_set(sets, m->opnds[o].sym)] =
						find_set(sets, m->funcs[func].sym);
	}
}

/* Connects the functions from which a thread may get to code of another module, and those that
 * such code may call. */
static void
connect_unseen(const Module *m, const Effects *e, Symbol_sets sets)
{
	static const uint32_t UNSEEN = 0; /* no symbol */
	bool any = false;

	for (uint32_t f = 1; f < m->nfuncs; f++)
		any |= (e->func[f] & EFF_EXTERN) != 0;
	for (uint32_t f = 1; f < m->nfuncs && any; f++)
		if (e->func[f] & EFF_EXTERN || !m->funcs[f].entry)
			sets[find_set(sets, m->funcs[f].sym)] = find_set(sets, UNSEEN);
}

Module_parts
module_parts_build(const Module *m, const Effects *e, Arena *a)
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
	if (!one)
		connect_unseen(m, e, sets);
	for (uint32_t f = 1; f < m->nfuncs && !one; f++) {
		uint32_t *p = &part[find_set(sets, m->funcs[f].sym)];
		*p = *p ? *p : n++;
		of[f] = *p;
	}
	arena_free(tmp);
	return (Module_parts){ of, n, escape_any(m), escape_local(m) };
}

/* Bodies in which no address escapes, that of a variable, that of a thread-local one, and both. */
static const char *const bodies[] = { "{ ret; }",
	"{ .shared .b64 v; .reg .b64 r; mov.b64 r, v; st.b64 [r], r; ret; }",
	"{ .local .b64 w; .reg .b64 r; mov.b64 r, w; st.b64 [r], r; ret; }",
	"{ .shared .b64 v; .local .b64 w; .reg .b64 r, s; mov.b64 r, v; st.b64 [r], r; mov.b64 s, w; st.b64 [s], s; ret; }" };

void
module_parts_keep(const Module_parts *p, const Module *m, Bits parts, Edits *e)
{
	const char *body = bodies[p->escapes + 2 * p->escapes_local];
	uint32_t kernel = 0;

	for (uint32_t f = 1; f < m->nfuncs && !kernel; f++)
		if (m->funcs[f].entry && m->funcs[f].body && !bits_has(parts, p->of[f]))
			kernel = f;
	for (uint32_t f = 1; f < m->nfuncs && (kernel || body == bodies[0]); f++) {
		const char *text = f == kernel ? body : bodies[0];
		if (m->funcs[f].body && !bits_has(parts, p->of[f]))
			edit_replace(e, m->funcs[f].block, text, strlen(text));
	}
}
