/* SPDX-License-Identifier: MIT */
/* Graph algorithms that the analyses share: depth-first order, dominators, strongly connected
 * components. They do not depend on PTX; a node is a 32-bit number. Internal to analysis/. */
#ifndef ANALYSIS_CFG_GRAPH_H
#define ANALYSIS_CFG_GRAPH_H

#include "analysis/cfg/cfg.h"

/* edges by node: those of node i are to[first[i] .. first[i + 1]) */
typedef struct { uint32_t *first, *to; } Adj;
typedef struct { uint32_t n; Adj succ, pred; } Graph;

/* Builds a graph from an edge list; from and to have nedges entries. */
Graph graph_new(uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t nedges, Arena *a);
Graph graph_of(const Cfg *g, Arena *a);

#define FLOW_NONE UINT32_MAX

/* The nodes reachable from a root, in reverse post-order, and their dominator tree. Positions index
 * node[]. */
typedef struct {
	uint32_t *node, n;  /* node[0] is the root */
	uint32_t *at;       /* position by node; FLOW_NONE: not reached */
	/* by position: position of the immediate dominator; the root is its own */
	uint32_t *idom;
	uint32_t stop;
	/* pre-order number by node; together with up and pre (by number) the depth-first tree */
	uint32_t *num;
	uint32_t *up, *pre;
	/* scratch of the dominator algorithm, by number */
	uint32_t *semi, *label, *anc, *bucket, *next;
	uint32_t *stack;    /* scratch: pairs of node and next edge */
} Order;

Order order_new(uint32_t nnodes, Arena *a);     /* nothing reached yet */
/* Traverses the graph from root. Ignores the edges out of node stop (FLOW_NONE: of no node), for
 * dominators too. */
void order_walk(Order *o, const Graph *g, uint32_t root, uint32_t stop);
void order_idom(Order *o, const Graph *g);
/* Makes o ready for another traversal. Takes time proportional to the last one. */
void order_reset(Order *o);

/* Numbers the strongly connected components from 0, successors of a component before the component
 * itself. Returns the number of components. */
uint32_t graph_scc(const Graph *g, uint32_t *comp, Arena *a);

#endif
