/* SPDX-License-Identifier: MIT */
/* Graph algorithms that the analyses share: depth-first order, dominators, strongly connected
 * components. They know nothing of PTX; a node is a 32-bit number. Internal to analysis/. */
#ifndef ANALYSIS_CFG_GRAPH_H
#define ANALYSIS_CFG_GRAPH_H

#include "analysis/cfg/cfg.h"

/* Edges by node: those of node i are to[first[i] .. first[i + 1]). */
typedef struct { uint32_t *first, *to; } Adj;
typedef struct { uint32_t n; Adj succ, pred; } Graph;

/* An edge list made into a graph; from and to have nedges entries. */
Graph graph_new(uint32_t n, const uint32_t *from, const uint32_t *to, uint32_t nedges, Arena *a);
Graph graph_of(const Cfg *g, Arena *a);

#define FLOW_NONE UINT32_MAX

/* The nodes reachable from a root, in reverse post-order, and their dominator tree. Positions index
 * node[]. */
typedef struct {
	uint32_t *node, n;  /* node[0] is the root */
	uint32_t *at;       /* position by node; FLOW_NONE: not reached */
	/* by position: position of the immediate dominator; the root's is its own */
	uint32_t *idom;
	uint32_t stop;
	/* number in pre-order by node; with up and pre, by number: the depth-first tree */
	uint32_t *num;
	uint32_t *up, *pre;
	uint32_t *semi, *label, *anc, *bucket, *next; /* scratch of the dominators, by number */
	uint32_t *stack;    /* scratch: pairs of node and next edge */
} Order;

Order order_new(uint32_t nnodes, Arena *a);     /* nothing reached */
/* Walks the graph from root. Edges out of node stop (FLOW_NONE: of no node) are left out, from
 * dominators too. */
void order_walk(Order *o, const Graph *g, uint32_t root, uint32_t stop);
void order_idom(Order *o, const Graph *g);
/* ready for another walk; costs what the last one did */
void order_reset(Order *o);

/* Numbers the strongly connected components from 0, a component's successors before itself; how
 * many there are. */
uint32_t graph_scc(const Graph *g, uint32_t *comp, Arena *a);

#endif
