/* SPDX-License-Identifier: MIT */
/* Dominators and post-dominators of a function; see dominators.h.
 *
 * One algorithm (graph.c) computes both trees, on the graph and on its reverse. A query tests
 * whether one subtree's interval contains the other's. Control cannot leave an endless loop; to
 * give its blocks post-dominators, the last block (in text order) of each set of blocks that
 * control cannot leave is connected to the virtual exit. If edges to exits are left out, it is the
 * last block that had one. */
#include "analysis/cfg/dominators.h"
#include "analysis/cfg/graph.h"
#include "base/vec.h"

typedef VEC(uint32_t) Ids;

bool
dom_dominates(const Dom *d, uint32_t a, uint32_t b)
{
	return a == b || (d->in[a] && d->in[a] <= d->in[b] && d->out[b] <= d->out[a]);
}

uint32_t
dom_common(const Dom *d, uint32_t a, uint32_t b)
{
	while (a && !dom_dominates(d, a, b))
		a = d->idom[a];
	return a;
}

bool
dom_postdominates(const Dom *d, uint32_t a, uint32_t b)
{
	return a == b || (d->pin[a] && d->pin[a] <= d->pin[b] && d->pout[b] <= d->pout[a]);
}

/* Computes interval numbers of the tree: in counts nodes in pre-order from 1, out is the last
 * number in the subtree. */
static void
number_tree(const Order *o, uint32_t *in, uint32_t *out, Arena *tmp)
{
	uint32_t *size = arena_array(tmp, o->n, sizeof *size),
		 *next = arena_array(tmp, o->n, sizeof *next);
	for (uint32_t i = o->n; i-- > 0;) {
		size[i]++;
		if (i)
			size[o->idom[i]] += size[i];
	}
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t at = i ? next[o->idom[i]] : 1;
		if (i)
			next[o->idom[i]] += size[i];
		next[i] = at + 1;
		in[o->node[i]] = at;
		out[o->node[i]] = at + size[i] - 1;
	}
}

static void
dominators(Dom *d, const Graph *flow, uint32_t root, uint32_t *idom, Arena *tmp)
{
	Order o = order_new(flow->n, tmp);
	order_walk(&o, flow, root, FLOW_NONE);
	order_idom(&o, flow);
	for (uint32_t i = 1; i < o.n; i++)
		idom[o.node[i]] = o.node[o.idom[i]];
	if (root)
		number_tree(&o, d->in, d->out, tmp);
	else
		number_tree(&o, d->pin, d->pout, tmp);
}

static bool
has_exit(const Graph *flow, const Bits *exits, uint32_t b)
{
	for (uint32_t e = flow->succ.first[b]; exits && e < flow->succ.first[b + 1]; e++)
		if (bits_has(*exits, flow->succ.to[e]))
			return true;
	return false;
}

/* Returns a block of every set of reachable blocks that control cannot leave in the graph: the
 * last one in text order, if possible of those that have an edge to `exits` in the whole graph. */
static Ids
endless_ends(const Cfg *g, const Graph *flow, const Graph *whole, const Bits *exits, Arena *tmp)
{
	uint32_t *comp = arena_array(tmp, flow->n, sizeof *comp);
	uint32_t ncomp = graph_scc(flow, comp, tmp);
	uint32_t *end = arena_array(tmp, ncomp, sizeof *end);
	bool *leaves = arena_array(tmp, ncomp, sizeof *leaves);
	Ids all = {0};
	for (uint32_t i = 0; i < g->nrpo; i++) {
		uint32_t b = g->rpo[i];
		uint32_t *last = &end[comp[b]];
		bool ends = has_exit(whole, exits, b);
		if (!*last || (ends == has_exit(whole, exits, *last) ? b > *last : ends))
			*last = b;
		for (uint32_t e = flow->succ.first[b]; e < flow->succ.first[b + 1]; e++)
			leaves[comp[b]] |= comp[flow->succ.to[e]] != comp[b];
	}
	for (uint32_t c = 0; c < ncomp; c++)
		if (end[c] && !leaves[c])
			*vec_push(&all) = end[c];
	return all;
}

/* Returns the reversed flow graph with endless loops connected to the exit. */
static Graph
reverse_graph(
	const Cfg *g, const Graph *flow, const Graph *whole, const Bits *exits, Arena *tmp)
{
	Ids ends = endless_ends(g, flow, whole, exits, tmp);
	uint32_t nedges = flow->succ.first[flow->n] + ends.n, n = 0;
	uint32_t *from = arena_array(tmp, nedges, sizeof *from),
		 *to = arena_array(tmp, nedges, sizeof *to);
	for (uint32_t b = 0; b < flow->n; b++)
		for (uint32_t e = flow->succ.first[b]; e < flow->succ.first[b + 1]; e++, n++) {
			from[n] = flow->succ.to[e];
			to[n] = b;
		}
	for (uint32_t i = 0; i < ends.n; i++, n++)
		to[n] = ends.at[i];     /* from[n] is 0, the exit */
	vec_free(&ends);
	return graph_new(flow->n, from, to, nedges, tmp);
}

/* Returns the flow graph of dom_postdominators_without(). */
static Graph
graph_without_exits(const Graph *flow, Bits exits, const uint32_t *header, Arena *tmp)
{
	uint32_t nedges = flow->succ.first[flow->n], n = 0;
	uint32_t *from = arena_array(tmp, nedges, sizeof *from),
		 *to = arena_array(tmp, nedges, sizeof *to);
	for (uint32_t b = 0; b < flow->n; b++) {
		uint32_t first = flow->succ.first[b], end = flow->succ.first[b + 1];
		uint32_t own = header ? header[b] : 0;
		for (uint32_t e = first; e < end; e++) {
			uint32_t x = flow->succ.to[e];
			if (end - first > 1 &&
				(bits_has(exits, x) || (own && header[x] != own)))
				continue;
			from[n] = b;
			to[n++] = own && x == own ? 0 : x;
		}
	}
	return graph_new(flow->n, from, to, n, tmp);
}

uint32_t *
dom_postdominators_without(
	const Cfg *g, Bits exits, const uint32_t *header, Arena *a)
{
	uint32_t *ipdom = arena_array(a, g->nblocks, sizeof *ipdom);
	Arena *tmp = arena_new();
	Dom unused = { .pin = arena_array(tmp, g->nblocks, sizeof *unused.pin),
		.pout = arena_array(tmp, g->nblocks, sizeof *unused.pout) };
	Graph whole = graph_of(g, tmp);
	Graph flow = graph_without_exits(&whole, exits, header, tmp);
	Graph back = reverse_graph(g, &flow, &whole, &exits, tmp);
	dominators(&unused, &back, 0, ipdom, tmp);
	arena_free(tmp);
	return ipdom;
}

Dom *
dom_build(const Cfg *g, Arena *a)
{
	Dom *d = arena_zalloc(a, sizeof *d);
	Arena *tmp = arena_new();
	Graph flow = graph_of(g, tmp), back = reverse_graph(g, &flow, &flow, NULL, tmp);
	uint32_t **table[] = { &d->idom, &d->ipdom, &d->in, &d->out, &d->pin, &d->pout };
	for (uint32_t i = 0; i < sizeof table / sizeof *table; i++)
		*table[i] = arena_array(a, g->nblocks, sizeof **table[i]);
	dominators(d, &flow, 1, d->idom, tmp);
	dominators(d, &back, 0, d->ipdom, tmp);
	arena_free(tmp);
	return d;
}
