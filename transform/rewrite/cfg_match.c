/* SPDX-License-Identifier: MIT */
/* Finds the corresponding blocks of two arms of the same shape. See meld.h.
 *
 * Starting at the entries, two nodes correspond if their successors do, in the same or in swapped
 * order. */
#include "transform/rewrite/meld.h"

enum { MOST_TRIES = 4096 };

typedef struct {
	Meld *x;
	uint32_t tries;
} Graph_match;

/* Returns the pair that contains the node of this arm. */
static uint32_t
pair_of(const Graph_match *s, uint32_t arm, uint32_t n)
{
	for (uint32_t i = 0; i < s->x->pairs.n; i++)
		if (s->x->pairs.at[i].node[arm] == n)
			return i;
	return MELD_NONE;
}

/* Returns the pair of nodes a and b, and adds it with all pairs reachable from it. MELD_NONE: the
 * graphs differ; the pairs are unchanged. */
static uint32_t
pair_nodes(Graph_match *s, uint32_t a, uint32_t b)
{
	const Arm_node *p = &s->x->arm[0].nodes.at[a], *q = &s->x->arm[1].nodes.at[b];
	uint32_t me = s->x->pairs.n, found = pair_of(s, 0, a);

	if (found != MELD_NONE && found == pair_of(s, 1, b))
		return found;
	if (++s->tries > MOST_TRIES || found != MELD_NONE || pair_of(s, 1, b) != MELD_NONE ||
		p->nto != q->nto || !p->exit_block != !q->exit_block)
		return MELD_NONE;
	*vec_push(&s->x->pairs) = (Node_pair){ .node = { a, b } };
	for (uint32_t swap = 0; swap < (p->nto == 2 ? 2 : 1); swap++) {
		bool same = true;
		for (uint32_t i = 0; i < p->nto && same; i++) {
			uint32_t to = pair_nodes(s, p->to[i], q->to[i ^ swap]);
			s->x->pairs.at[me].to[i] = to;
			same = to != MELD_NONE;
		}
		s->x->pairs.at[me].swapped = swap;
		if (same)
			return me;
		s->x->pairs.n = me + 1;
	}
	s->x->pairs.n = me;
	return MELD_NONE;
}

bool
meld_node_is_unpaired(const Node_pair *p)
{
	return !p->node[0] || !p->node[1];
}

bool
meld_match_equal(Meld *x)
{
	x->pairs.n = 0;
	return pair_nodes(&(Graph_match){ x, 0 }, 1, 1) != MELD_NONE;
}
