/* SPDX-License-Identifier: MIT */
/* Graph algorithms that the analyses share; see graph.h.
 *
 * All of them are iterative: a function of 100,000 blocks must not overflow the C stack.
 * Dominators: T. Lengauer, R. Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph",
 * 1979, the simple version, O(m log n). (Iterative data-flow algorithms are quadratic if thousands
 * of blocks branch to one, as early returns do.) Components: R. Tarjan, "Depth-first search and
 * linear graph algorithms", 1972. */
#include "analysis/cfg/graph.h"

static Adj
adj_new(uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t nedges, Arena *a)
{
	Adj j = { arena_array(a, n + 2u, sizeof *j.first), arena_array(a, nedges, sizeof *j.to) };
	for (uint32_t e = 0; e < nedges; e++)
		j.first[from[e] + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		j.first[i] += j.first[i - 1];
	/* first[i + 1] is the position of the next edge of i; at the end it is the first edge of i
	 * + 1. */
	for (uint32_t e = 0; e < nedges; e++)
		j.to[j.first[from[e] + 1]++] = to[e];
	return j;
}

Graph
graph_new(uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t nedges, Arena *a)
{
	return (Graph){ n, adj_new(n, from, to, nedges, a), adj_new(n, to, from, nedges, a) };
}

Graph
graph_of(const Cfg *g, Arena *a)
{
	uint32_t nedges = 0, n = 0;
	for (uint32_t b = 0; b < g->nblocks; b++)
		nedges += g->blocks[b].nsucc;
	uint32_t *from = arena_array(a, nedges, sizeof *from),
		 *to = arena_array(a, nedges, sizeof *to);
	for (uint32_t b = 0; b < g->nblocks; b++)
		for (uint32_t i = 0; i < g->blocks[b].nsucc; i++, n++) {
			from[n] = b;
			to[n] = cfg_succ(g, b)[i];
		}
	return graph_new(g->nblocks, from, to, nedges, a);
}

/* ---- depth-first order ----------------------------------------------------------------------- */

Order
order_new(uint32_t nnodes, Arena *a)
{
	Order o = { .n = 0, .stop = FLOW_NONE };
	uint32_t **table[] = { &o.node, &o.at, &o.idom, &o.num, &o.up, &o.pre, &o.semi, &o.label,
		&o.anc, &o.bucket, &o.next };

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		*table[i] = arena_array(a, nnodes, sizeof **table[i]);
	o.stack = arena_array(a, 2 * (size_t)nnodes, sizeof *o.stack);
	for (uint32_t i = 0; i < nnodes; i++)
		o.at[i] = FLOW_NONE;
	return o;
}

static void
depth_first_visit(Order *o, const Graph *g, uint32_t v, uint32_t number, uint32_t *depth)
{
	o->at[v] = 0;
	o->num[v] = number;
	o->pre[number] = v;
	o->stack[(*depth)++] = v;
	o->stack[(*depth)++] = g->succ.first[v];
}

void
order_walk(Order *o, const Graph *g, uint32_t root, uint32_t stop)
{
	uint32_t depth = 0, number = 0;

	o->stop = stop;
	o->n = 0;
	depth_first_visit(o, g, root, number++, &depth);
	while (depth) {
		uint32_t v = o->stack[depth - 2];
		if (v == stop || o->stack[depth - 1] == g->succ.first[v + 1]) {
			o->node[o->n++] = v;
			depth -= 2;
			continue;
		}
		uint32_t w = g->succ.to[o->stack[depth - 1]++];
		if (o->at[w] != FLOW_NONE)
			continue;
		o->up[number] = o->num[v];
		depth_first_visit(o, g, w, number++, &depth);
	}
	for (uint32_t i = 0, k = o->n - 1; i < k; i++, k--) {
		uint32_t v = o->node[i];
		o->node[i] = o->node[k];
		o->node[k] = v;
	}
	for (uint32_t i = 0; i < o->n; i++)
		o->at[o->node[i]] = i;
}

void
order_reset(Order *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		o->at[o->node[i]] = FLOW_NONE;
	o->n = 0;
}

/* ---- dominators ------------------------------------------------------------------------------ */

/* Returns the node of lowest semidominator on the path from v up to the root of its tree in the
 * forest, exclusively. */
static uint32_t
eval_semidominator(Order *o, uint32_t v)
{
	uint32_t n = 0, x = v;

	if (o->anc[v] == FLOW_NONE)
		return v;
	for (; o->anc[o->anc[x]] != FLOW_NONE; x = o->anc[x])
		o->stack[n++] = x;
	while (n) {     /* path compression, from the top down */
		uint32_t w = o->stack[--n], a = o->anc[w];
		if (o->semi[o->label[a]] < o->semi[o->label[w]])
			o->label[w] = o->label[a];
		o->anc[w] = o->anc[a];
	}
	return o->label[v];
}

/* Computes the semidominator of w and links w to the forest. Nodes in the bucket of its parent get
 * their dominator, or a node with the same dominator. */
static void
link_node(Order *o, const Graph *g, uint32_t w, uint32_t *idom)
{
	uint32_t node = o->pre[w], up = o->up[w];

	for (uint32_t e = g->pred.first[node]; e < g->pred.first[node + 1]; e++) {
		uint32_t p = g->pred.to[e];
		if (o->at[p] == FLOW_NONE || p == o->stop)
			continue;
		uint32_t s = o->semi[eval_semidominator(o, o->num[p])];
		if (s < o->semi[w])
			o->semi[w] = s;
	}
	o->next[w] = o->bucket[o->semi[w]];
	o->bucket[o->semi[w]] = w;
	o->anc[w] = up;
	for (uint32_t v = o->bucket[up]; v != FLOW_NONE; v = o->next[v]) {
		uint32_t u = eval_semidominator(o, v);
		idom[v] = o->semi[u] < o->semi[v] ? u : up;
	}
	o->bucket[up] = FLOW_NONE;
}

void
order_idom(Order *o, const Graph *g)
{
	uint32_t *idom = o->stack + o->n;       /* by number; eval needs the other half */

	for (uint32_t i = 0; i < o->n; i++) {
		o->semi[i] = o->label[i] = i;
		o->anc[i] = o->bucket[i] = FLOW_NONE;
	}
	for (uint32_t w = o->n; w-- > 1;)
		link_node(o, g, w, idom);
	idom[0] = 0;
	for (uint32_t w = 1; w < o->n; w++)
		if (idom[w] != o->semi[w])
			idom[w] = idom[idom[w]];
	for (uint32_t i = 0; i < o->n; i++)
		o->idom[i] = o->at[o->pre[idom[o->num[o->node[i]]]]];
}

/* ---- strongly connected components ----------------------------------------------------------- */

typedef struct {
	const Graph *g;
	uint32_t *comp;
	/* number in order of first visit, from 1; the lowest one reachable */
	uint32_t *num, *low;
	uint32_t *open, nopen;      /* visited nodes whose component is incomplete */
	uint32_t *stack, depth;     /* pairs of node and next edge */
	uint32_t nseen, ncomp;
} Scc;

static void
scc_enter(Scc *s, uint32_t v)
{
	s->num[v] = s->low[v] = ++s->nseen;
	s->open[s->nopen++] = v;
	s->stack[s->depth++] = v;
	s->stack[s->depth++] = s->g->succ.first[v];
}

static void
scc_leave(Scc *s, uint32_t v)
{
	s->depth -= 2;
	if (s->depth) {
		uint32_t up = s->stack[s->depth - 2];
		if (s->low[v] < s->low[up])
			s->low[up] = s->low[v];
	}
	if (s->low[v] != s->num[v])
		return;
	uint32_t w;
	do {
		w = s->open[--s->nopen];
		s->comp[w] = s->ncomp;
	} while (w != v);
	s->ncomp++;
}

static void
scc_from(Scc *s, uint32_t root)
{
	scc_enter(s, root);
	while (s->depth) {
		uint32_t v = s->stack[s->depth - 2];
		if (s->stack[s->depth - 1] == s->g->succ.first[v + 1]) {
			scc_leave(s, v);
			continue;
		}
		uint32_t w = s->g->succ.to[s->stack[s->depth - 1]++];
		if (!s->num[w])
			scc_enter(s, w);
		else if (s->comp[w] == FLOW_NONE && s->num[w] < s->low[v])
			s->low[v] = s->num[w];
	}
}

uint32_t
graph_scc(const Graph *g, uint32_t *comp, Arena *a)
{
	Scc s = { .g = g, .comp = comp };
	s.num = arena_array(a, g->n, sizeof *s.num);
	s.low = arena_array(a, g->n, sizeof *s.low);
	s.open = arena_array(a, g->n, sizeof *s.open);
	s.stack = arena_array(a, 2 * (size_t)g->n, sizeof *s.stack);
	for (uint32_t v = 0; v < g->n; v++)
		comp[v] = FLOW_NONE;
	for (uint32_t v = 0; v < g->n; v++)
		if (!s.num[v])
			scc_from(&s, v);
	return s.ncomp;
}
