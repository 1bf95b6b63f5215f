/* SPDX-License-Identifier: MIT */
/* Hash table of statements with equal text and symbols (stmt_dedup.h). */
#include <string.h>
#include "validate/text/stmt_dedup.h"

/* Hashes four words of the text, which overlap if it is short; below the size of a word, the length
 * only. */
static uint32_t
hash_text(const char *at, uint32_t n)
{
	uint64_t h = n, w[4];
	uint32_t last = n - (uint32_t)sizeof *w;

	if (n < sizeof *w)
		return n;
	memcpy(&w[0], at, sizeof *w);
	memcpy(&w[1], at + last / 2, sizeof *w);
	memcpy(&w[2], at + last - last / 4, sizeof *w);
	memcpy(&w[3], at + last, sizeof *w);
	h = (h ^ w[0] ^ w[1] * UINT64_C(0xc2b2ae3d27d4eb4f)) * UINT64_C(0x9e3779b97f4a7c15);
	h ^= (w[2] ^ w[3] * UINT64_C(0x165667b19e3779f9)) * UINT64_C(0x27d4eb2f165667c5);
	return (uint32_t)((h ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Whether the statements are equal. The same name may mean different symbols. */
static bool
stmts_equal(const Module *m, const Stmt *x, const Stmt *y)
{
	const char *text = m->src->text;
	uint32_t n = x->at.end - x->at.pos;
	const Opnd *a = &m->opnds[x->opnd], *b = &m->opnds[y->opnd];

	if (n != y->at.end - y->at.pos || x->op != y->op || x->nopnd != y->nopnd ||
		x->sym != y->sym || memcmp(text + x->at.pos, text + y->at.pos, n) != 0)
		return false;
	for (uint32_t k = 0; k < x->nopnd; k++)
		for (uint32_t left = a->tree; left-- > 0; a++, b++)
			if (a->kind == OPND_SYM && a->sym != b->sym)
				return false;
	return true;
}

Stmt_dedup
stmt_dedup_new(const Module *m, uint32_t n, Arena *a)
{
	Stmt_dedup x = { .m = m, .cap = 64 };

	while (x.cap < n + n / 2)
		x.cap *= 2;
	x.table = arena_array(a, x.cap, sizeof *x.table);
	return x;
}

uint32_t
stmt_dedup_first(Stmt_dedup *x, uint32_t stmt)
{
	const Stmt *t = &x->m->stmts[stmt];
	uint32_t h = hash_text(x->m->src->text + t->at.pos, t->at.end - t->at.pos) & (x->cap - 1);

	for (; x->table[h]; h = (h + 1) & (x->cap - 1))
		if (stmts_equal(x->m, &x->m->stmts[x->table[h]], t))
			return x->table[h];
	return x->table[h] = stmt;
}
