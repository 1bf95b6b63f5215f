/* SPDX-License-Identifier: MIT */
/* Minimum cuts: flow is sent along shortest augmenting paths until there is none; the cut is then
 * what remains reachable. See mincut.h. */
#include "base/mincut.h"

/* Edge i and edge i ^ 1 are the two directions of one edge. */
typedef struct { uint32_t to, left, next; } Flow_edge;

struct Mincut {
	Arena *arena;
	uint32_t nnodes, nedges, most;
	Flow_edge *edges;
	uint32_t *first;        /* by node: its first edge, plus 1 */
	uint32_t *by;           /* by node: the edge through which the search reached it */
	uint32_t *queue;
	Bits seen;
};

Mincut *
mincut_new(uint32_t nodes, uint32_t edges, Arena *a)
{
	Mincut *n = arena_zalloc(a, sizeof *n);

	n->arena = a;
	n->nnodes = nodes;
	n->most = 2 * edges;
	n->edges = arena_array(a, n->most + 1, sizeof *n->edges);
	n->first = arena_array(a, nodes, sizeof *n->first);
	n->by = arena_array(a, nodes, sizeof *n->by);
	n->queue = arena_array(a, nodes, sizeof *n->queue);
	n->seen = bits_new(a, nodes);
	return n;
}

static void
add_half_edge(Mincut *n, uint32_t from, uint32_t to, uint32_t left)
{
	n->edges[n->nedges] = (Flow_edge){ .to = to, .left = left, .next = n->first[from] };
	n->first[from] = ++n->nedges;
}

void
mincut_edge(Mincut *n, uint32_t from, uint32_t to, uint32_t price)
{
	add_half_edge(n, from, to, price);
	add_half_edge(n, to, from, 0);
}

/* Searches from the source along edges with remaining capacity. Returns whether it reaches the
 * sink. */
static bool
find_augmenting_path(Mincut *n)
{
	uint32_t head = 0, tail = 0;

	bits_clear(n->seen);
	bits_set(n->seen, MINCUT_SOURCE);
	n->queue[tail++] = MINCUT_SOURCE;
	while (head < tail)
		for (uint32_t e = n->first[n->queue[head++]]; e; e = n->edges[e - 1].next) {
			const Flow_edge *g = &n->edges[e - 1];
			if (!g->left || bits_has(n->seen, g->to))
				continue;
			bits_set(n->seen, g->to);
			n->by[g->to] = e - 1;
			n->queue[tail++] = g->to;
		}
	return bits_has(n->seen, MINCUT_SINK);
}

/* Sends as much flow as the path found allows. */
static void
augment_flow(Mincut *n)
{
	uint32_t most = MINCUT_NEVER;

	for (uint32_t v = MINCUT_SINK; v != MINCUT_SOURCE; v = n->edges[n->by[v] ^ 1].to)
		if (n->edges[n->by[v]].left < most)
			most = n->edges[n->by[v]].left;
	for (uint32_t v = MINCUT_SINK; v != MINCUT_SOURCE; v = n->edges[n->by[v] ^ 1].to) {
		n->edges[n->by[v]].left -= most;
		n->edges[n->by[v] ^ 1].left += most;
	}
}

Bits
mincut_find(Mincut *n)
{
	while (find_augmenting_path(n))
		augment_flow(n);
	return n->seen;
}
