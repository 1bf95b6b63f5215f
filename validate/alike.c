/* SPDX-License-Identifier: MIT */
/* Statements that are the same, but for where they stand. See alike.h. */
#include <string.h>
#include "validate/alike.h"

static uint32_t
hash_text(const char *at, uint32_t n)
{
	uint64_t h = n, w = 0;

	for (; n > sizeof w; at += sizeof w, n -= (uint32_t)sizeof w) {
		memcpy(&w, at, sizeof w);
		h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	memcpy(&w, at, n); /* the rest, and what is left of the word before */
	return (uint32_t)((h ^ w) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Are they the same, but for where they stand? */
static bool
alike(const Module *m, const Stmt *x, const Stmt *y)
{
	const char *text = m->src->text;
	uint32_t n = x->at.end - x->at.pos, a = x->opnd, b = y->opnd, end = a;

	if (n != y->at.end - y->at.pos || x->op != y->op || x->nopnd != y->nopnd ||
		x->sym != y->sym || memcmp(text + x->at.pos, text + y->at.pos, n) != 0)
		return false;
	for (uint32_t k = 0; k < x->nopnd; k++)
		end += m->opnds[end].tree;
	for (; a < end; a++, b++)
		if (m->opnds[a].kind != m->opnds[b].kind ||
			(m->opnds[a].kind == OPND_SYM && m->opnds[a].sym != m->opnds[b].sym))
			return false;
	return true;
}

Alike
alike_new(const Module *m, uint32_t n, Arena *a)
{
	Alike x = { .m = m, .cap = 64 };

	while (x.cap < 2 * n)
		x.cap *= 2;
	x.table = arena_array(a, x.cap, sizeof *x.table);
	return x;
}

uint32_t
alike_first(Alike *x, uint32_t stmt)
{
	const Stmt *t = &x->m->stmts[stmt];
	uint32_t h = hash_text(x->m->src->text + t->at.pos, t->at.end - t->at.pos) & (x->cap - 1);

	for (; x->table[h]; h = (h + 1) & (x->cap - 1))
		if (alike(x->m, &x->m->stmts[x->table[h]], t))
			return x->table[h];
	return x->table[h] = stmt;
}
