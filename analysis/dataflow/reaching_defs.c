/* SPDX-License-Identifier: MIT */
/* Queries about definitions and uses that are computed on demand; see def_use.h. */
#include "analysis/dataflow/function.h"

/* top: by register, the last result of skip_to_dominator */
struct Defuse_walk { Bits seen; uint32_t *stack, *found, n, *top; };

struct Defuse_walk *
defuse_walk_new(uint32_t nblocks, uint32_t nsyms, uint32_t most, Arena *a)
{
	struct Defuse_walk *w = arena_zalloc(a, sizeof *w);

	w->found = arena_array(a, most, sizeof *w->found);
	w->top = arena_array(a, nsyms, sizeof *w->top);
	w->seen = bits_new(a, nblocks);
	w->stack = arena_array(a, nblocks + 1u, sizeof *w->stack);
	return w;
}

uint32_t
defuse_find_use(const Fn *fn, uint32_t stmt, uint32_t sym)
{
	FN_USES_OF_STMT(fn, stmt, u)
		if (fn->defuse->uses[u].sym == sym)
			return u;
	return 0;
}

static void
single_def(Defuse *du, uint32_t def)
{
	du->walk->found[du->walk->n++] = def;
}

/* Adds the definitions of a register, by_sym[first .. end), that are in block k and reach its end.
 * Returns whether one of them kills. */
static bool
add_block_defs(Defuse *du, const Block *k, uint32_t first, uint32_t end)
{
	uint32_t lo = first, hi = end;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (du->defs[du->by_sym[mid]].stmt < k->end)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo-- > first && du->defs[du->by_sym[lo]].stmt >= k->stmt) {
		single_def(du, du->by_sym[lo]);
		if (du->defs[du->by_sym[lo]].kills)
			return true;
	}
	return false;
}

/* Returns a register's only definition if it dominates the block; else 0. */
static uint32_t
only_def(const Fn *fn, uint32_t block, uint32_t sym)
{
	const Defuse *du = fn->defuse;
	const uint32_t *of = du->defs_of_sym + fn_local(fn, sym);

	if (of[1] - of[0] != 2) /* one and the pseudo-definition */
		return 0;
	const Def *d = &du->defs[du->by_sym[of[0]]];
	uint32_t at = fn_block(fn, d->stmt);
	return d->kills && at != block && dom_dominates(fn->dom, at, block) ? du->by_sym[of[0]] : 0;
}

static bool
subtree_defines(const Fn *fn, uint32_t root, uint32_t first, uint32_t end)
{
	const Defuse *du = fn->defuse;

	for (uint32_t i = first; i < end; i++)
		if (dom_dominates(fn->dom, root, fn_block(fn, du->defs[du->by_sym[i]].stmt)))
			return true;
	return false;
}

/* Returns the topmost dominator of the block whose subtree has none of the definitions
 * by_sym[first .. end) of a register: the same ones reach both. */
static uint32_t
skip_to_dominator(const Fn *fn, uint32_t block, uint32_t sym, uint32_t first, uint32_t end)
{
	enum { MOST = 8 };
	uint32_t *top = &fn->defuse->walk->top[fn_local(fn, sym)], up;

	if (end - first > MOST || subtree_defines(fn, block, first, end))
		return block;
	if (*top && dom_dominates(fn->dom, *top, block))
		return *top;
	while ((up = fn->dom->idom[block]) && !subtree_defines(fn, up, first, end))
		block = up;
	return *top = block;
}

Reaching
defuse_reaching(const Fn *fn, uint32_t block, uint32_t sym)
{
	Defuse *du = fn->defuse;
	uint32_t only = only_def(fn, block, sym);
	const Cfg *g = fn->cfg;
	const uint32_t *of = du->defs_of_sym + fn_local(fn, sym);
	uint32_t first = of[0], end = of[1], n = 0;
	Bits seen = du->walk->seen;     /* blocks whose end was examined */
	bool entry = false;

	du->walk->n = 0;
	if (only) {
		single_def(du, only);
		return (Reaching){ du->walk->found, 1 };
	}
	bits_clear(seen);
	if (first < end)
		du->walk->stack[n++] = skip_to_dominator(fn, block, sym, first, end - 1);
	while (n) {
		block = du->walk->stack[--n];
		if (block == 1 && !entry)
			single_def(du, du->by_sym[end - 1]);
		entry |= block == 1;
		CFG_PRED(g, block, p) {
			if (bits_has(seen, p) || !defuse_carries(g, p, block))
				continue;
			bits_set(seen, p);
			if (!add_block_defs(du, &g->blocks[p], first, end - 1))
				du->walk->stack[n++] = p;
		}
	}
	return (Reaching){ du->walk->found, du->walk->n };
}
