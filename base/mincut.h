/* SPDX-License-Identifier: MIT */
/* Minimum cuts of small networks: assigns each node to one of two sides so that the edges from the
 * source's side to the sink's side cost least (Ford and Fulkerson, 1956). For choices with
 * prices, where a choice may require others. */
#ifndef BASE_MINCUT_H
#define BASE_MINCUT_H

#include "base/bits.h"

enum { MINCUT_SOURCE, MINCUT_SINK, MINCUT_FIRST }; /* MINCUT_FIRST: the caller's first node */
#define MINCUT_NEVER (UINT32_MAX / 2)              /* price of an edge that must not be cut */

typedef struct Mincut Mincut;

/* Creates a network with this many nodes, and at most this many edges. */
Mincut *mincut_new(uint32_t nodes, uint32_t edges, Arena *a);
/* Adds an edge; there may be several between two nodes. */
void mincut_edge(Mincut *n, uint32_t from, uint32_t to, uint32_t price);
/* Returns the nodes on the source's side, of all minimum cuts the one with the fewest such nodes.
 * No path of edges that must not be cut may lead from source to sink. */
Bits mincut_find(Mincut *n);

#endif
