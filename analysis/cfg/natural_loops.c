/* SPDX-License-Identifier: MIT */
/* Natural loops, their nesting, and irreducible control flow; see natural_loops.h.
 *
 * The target of a back edge dominates its source. Headers are visited in reverse post-order, so
 * that an outer loop comes before its inner loops. Cycles that remain without the back edges have
 * more than one entry: such a component, and the natural loops whose headers are in it, are
 * irreducible. */
#include "analysis/cfg/graph.h"
#include "analysis/cfg/natural_loops.h"

bool
loop_contains(const Loops *l, uint32_t loop, uint32_t block)
{
	return bits_has(l->loops[loop].blocks, block);
}

static bool
back_edge(const Cfg *g, const Dom *d, uint32_t from, uint32_t to)
{
	return g->rpo_index[from] != UINT32_MAX && dom_dominates(d, to, from);
}

static bool
is_header(const Cfg *g, const Dom *d, uint32_t b)
{
	for (uint32_t i = 0; i < g->blocks[b].npred; i++)
		if (back_edge(g, d, cfg_pred(g, b)[i], b))
			return true;
	return false;
}

/* Adds block b to the loop and pushes it on the stack. Returns the new stack height. */
static uint32_t
add_loop_block(Loops *l, uint32_t loop, uint32_t b, uint32_t *stack, uint32_t n)
{
	if (bits_has(l->loops[loop].blocks, b))
		return n;
	bits_set(l->loops[loop].blocks, b);
	l->loop_of[b] = loop;
	stack[n] = b;
	return n + 1;
}

static void
fill_loop(Loops *l, uint32_t loop, const Cfg *g, const Dom *d, uint32_t *stack)
{
	Loop *k = &l->loops[loop];
	uint32_t n = 0;
	bits_clear(k->blocks);
	bits_set(k->blocks, k->header);
	l->loop_of[k->header] = loop;
	for (uint32_t i = 0; i < g->blocks[k->header].npred; i++) {
		uint32_t p = cfg_pred(g, k->header)[i];
		if (back_edge(g, d, p, k->header))
			n = add_loop_block(l, loop, p, stack, n);
	}
	while (n) {
		uint32_t b = stack[--n];
		for (uint32_t i = 0; i < g->blocks[b].npred; i++) {
			uint32_t p = cfg_pred(g, b)[i];
			if (g->rpo_index[p] != UINT32_MAX)
				n = add_loop_block(l, loop, p, stack, n);
		}
	}
}

/* Returns the flow graph without back edges and unreachable blocks. */
static Graph
acyclic_graph(const Cfg *g, const Dom *d, Arena *tmp)
{
	uint32_t nedges = 0, n = 0;
	for (uint32_t b = 0; b < g->nblocks; b++)
		nedges += g->blocks[b].nsucc;
	uint32_t *from = arena_array(tmp, nedges, sizeof *from),
		 *to = arena_array(tmp, nedges, sizeof *to);
	for (uint32_t i = 0; i < g->nrpo; i++) {
		uint32_t b = g->rpo[i];
		for (uint32_t k = 0; k < g->blocks[b].nsucc; k++) {
			uint32_t s = cfg_succ(g, b)[k];
			if (dom_dominates(d, s, b))
				continue;
			from[n] = b;
			to[n++] = s;
		}
	}
	return graph_new(g->nblocks, from, to, n, tmp);
}

static void
find_irreducible(Loops *l, const Cfg *g, const Dom *d, Arena *tmp)
{
	Graph flow = acyclic_graph(g, d, tmp);
	uint32_t *comp = arena_array(tmp, g->nblocks, sizeof *comp);
	uint32_t ncomp = graph_scc(&flow, comp, tmp);
	uint32_t *size = arena_array(tmp, ncomp, sizeof *size);
	for (uint32_t b = 0; b < g->nblocks; b++)
		size[comp[b]]++;
	for (uint32_t b = 0; b < g->nblocks; b++)
		if (size[comp[b]] > 1)
			bits_set(l->irreducible, b);
	for (uint32_t i = 1; i < l->nloops; i++)
		if (bits_has(l->irreducible, l->loops[i].header))
			bits_or(l->irreducible, l->loops[i].blocks);
}

Loops *
loop_build(const Cfg *g, const Dom *d, Arena *a)
{
	Loops *l = arena_zalloc(a, sizeof *l);
	Arena *tmp = arena_new();
	uint32_t *stack = arena_array(tmp, g->nblocks, sizeof *stack);
	Bits blocks = bits_new(tmp, g->nblocks);
	l->nloops = 1;
	for (uint32_t i = 0; i < g->nrpo; i++)
		l->nloops += is_header(g, d, g->rpo[i]);
	l->loops = arena_array(a, l->nloops, sizeof *l->loops);
	l->loop_of = arena_array(a, g->nblocks, sizeof *l->loop_of);
	l->irreducible = bits_new(a, g->nblocks);
	for (uint32_t i = 0, n = 1; i < g->nrpo; i++) {
		uint32_t h = g->rpo[i];
		if (!is_header(g, d, h))
			continue;
		uint32_t parent = l->loop_of[h];
		l->loops[n] = (Loop){ .header = h,
			.parent = parent,
			.depth = l->loops[parent].depth + 1,
			.blocks = blocks };
		fill_loop(l, n, g, d, stack);
		l->loops[n].blocks = bits_freeze(a, blocks);
		n++;
	}
	find_irreducible(l, g, d, tmp);
	arena_free(tmp);
	return l;
}
