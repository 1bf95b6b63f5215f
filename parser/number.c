/* SPDX-License-Identifier: MIT */
/* Renumbers functions to match another view of the module; see ptx.h.
 *
 * A pass may add functions whose prototypes precede others, but facts recorded by function number
 * in the old text must remain valid in the new one. Functions are in text order in both, so one
 * walk over both finds the added ones. */
#include <string.h>
#include "parser/ptx.h"

static bool
same_name(const Module *a, uint32_t f, const Module *b, uint32_t g)
{
	size_t n, len;
	const char *s = ptx_name(a, a->funcs[f].sym, &n), *t = ptx_name(b, b->funcs[g].sym, &len);

	return n == len && memcmp(s, t, n) == 0;
}

void
ptx_number_like(Module *m, const Module *like)
{
	Arena *a = arena_new();
	uint32_t *number = arena_array(a, m->nfuncs, sizeof *number), old = 1, added = like->nfuncs;
	Func *funcs = arena_array(a, m->nfuncs, sizeof *funcs);

	for (uint32_t f = 1; f < m->nfuncs; f++) {
		bool known = old < like->nfuncs && same_name(m, f, like, old);
		number[f] = known ? old++ : added++;
		funcs[number[f]] = m->funcs[f];
	}
	memcpy(m->funcs + 1, funcs + 1, (m->nfuncs - 1) * sizeof *funcs);
	for (uint32_t i = 1; i < m->nsyms; i++)
		m->syms[i].func = number[m->syms[i].func];
	for (uint32_t i = 1; i < m->nmarkers; i++)
		m->markers[i].func = number[m->markers[i].func];
	for (uint32_t i = 0; i < m->nitems; i++)
		if (m->items[i].kind == ITEM_FUNC)
			m->items[i].ref = number[m->items[i].ref];
	arena_free(a);
}

uint32_t
ptx_functions_end(const Module *m)
{
	uint32_t end = 0;

	for (uint32_t f = 1; f < m->nfuncs; f++)
		end = m->funcs[f].at.end > end ? m->funcs[f].at.end : end;
	return end;
}

uint32_t
ptx_func_like(const Module *m, const Module *of, uint32_t func)
{
	for (uint32_t f = 1; f < m->nfuncs; f++)
		if (m->funcs[f].body && same_name(m, f, of, func))
			return f;
	return 0;
}
