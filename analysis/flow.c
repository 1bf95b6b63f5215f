/* Graph algorithms that the analyses share; see flow.h.
 *
 * All of them are iterative: a function of 100,000 blocks must not overflow the C stack.
 * Dominators: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
 * Components: R. Tarjan, "Depth-first search and linear graph algorithms", 1972.
 */
#include "analysis/flow.h"

static Adj
adj_new(uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t nedges, Arena *a)
{
	Adj j = { arena_array(a, n + 2u, sizeof *j.first), arena_array(a, nedges, sizeof *j.to) };
	for (uint32_t e = 0; e < nedges; e++)
		j.first[from[e] + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		j.first[i] += j.first[i - 1];
	/* first[i + 1] is where the next edge of i goes; at the end it is where those of i + 1 begin. */
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
	uint32_t *from = arena_array(a, nedges, sizeof *from), *to = arena_array(a, nedges, sizeof *to);
	for (uint32_t b = 0; b < g->nblocks; b++)
		for (uint32_t i = 0; i < g->blocks[b].nsucc; i++, n++) {
			from[n] = b;
			to[n] = cfg_succ(g, b)[i];
		}
	return graph_new(g->nblocks, from, to, nedges, a);
}

/* ---- depth-first order ---------------------------------------------------------------------------------------- */

Order
order_new(uint32_t nnodes, Arena *a)
{
	Order o = { .n = 0, .stop = FLOW_NONE };
	o.node = arena_array(a, nnodes, sizeof *o.node);
	o.at = arena_array(a, nnodes, sizeof *o.at);
	o.idom = arena_array(a, nnodes, sizeof *o.idom);
	o.stack = arena_array(a, 2 * (size_t)nnodes, sizeof *o.stack);
	for (uint32_t i = 0; i < nnodes; i++)
		o.at[i] = FLOW_NONE;
	return o;
}

void
order_walk(Order *o, const Graph *g, uint32_t root, uint32_t stop)
{
	uint32_t depth = 0;
	o->stop = stop;
	o->n = 0;
	o->at[root] = 0;
	o->stack[depth++] = root;
	o->stack[depth++] = g->succ.first[root];
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
		o->at[w] = 0;
		o->stack[depth++] = w;
		o->stack[depth++] = g->succ.first[w];
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

/* ---- dominators ------------------------------------------------------------------------------------------------ */

static uint32_t
intersect(const uint32_t *idom, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a > b)
			a = idom[a];
		while (b > a)
			b = idom[b];
	}
	return a;
}

/* The common dominator of the predecessors that have one by now. */
static uint32_t
common_idom(const Order *o, const Graph *g, uint32_t i)
{
	uint32_t v = o->node[i], d = FLOW_NONE;
	for (uint32_t e = g->pred.first[v]; e < g->pred.first[v + 1]; e++) {
		uint32_t p = o->at[g->pred.to[e]];
		if (p == FLOW_NONE || g->pred.to[e] == o->stop || o->idom[p] == FLOW_NONE)
			continue;
		d = d == FLOW_NONE ? p : intersect(o->idom, d, p);
	}
	return d;
}

void
order_idom(Order *o, const Graph *g)
{
	bool changed = true;
	for (uint32_t i = 0; i < o->n; i++)
		o->idom[i] = i ? FLOW_NONE : 0;
	while (changed) {
		changed = false;
		for (uint32_t i = 1; i < o->n; i++) {
			uint32_t d = common_idom(o, g, i);
			changed |= o->idom[i] != d;
			o->idom[i] = d;
		}
	}
}

/* ---- strongly connected components ------------------------------------------------------------------------------ */

typedef struct {
	const Graph *g;
	uint32_t *comp;
	uint32_t *num, *low;        /* number in order of first visit, from 1; the lowest one reachable */
	uint32_t *open, nopen;      /* nodes seen whose component is not complete */
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
