/* SPDX-License-Identifier: MIT */
/* Minimum cuts of small networks: which of two sides each node belongs to, so that the edges that
 * lead from the source's side to the sink's cost least (Ford and Fulkerson, 1956). For choices of
 * which each has a price and some ask for others. */
#ifndef BASE_MINCUT_H
#define BASE_MINCUT_H

#include "base/bits.h"

enum { MINCUT_SOURCE, MINCUT_SINK, MINCUT_FIRST }; /* the first node of the caller's own */
#define MINCUT_NEVER (UINT32_MAX / 2)              /* the price of an edge that is not to be cut */

typedef struct Mincut Mincut;

/* A network of so many nodes, and of at most so many edges. */
Mincut *mincut_new(uint32_t nodes, uint32_t edges, Arena *a);
/* An edge; between two nodes there may be several. */
void mincut_edge(Mincut *n, uint32_t from, uint32_t to, uint32_t price);
/* The nodes on the source's side, of all cheapest cuts the one with the fewest. No way of edges
 * that are never cut may lead from source to sink. */
Bits mincut_find(Mincut *n);

#endif
