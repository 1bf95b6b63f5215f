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

uint32_t
meld_pair_of_node(const Meld *x, uint32_t arm, uint32_t n, uint32_t first)
{
	for (uint32_t i = first; i < x->pairs.n; i++)
		if (x->pairs.at[i].node[arm] == n)
			return i;
	return MELD_NONE;
}

/* Returns the pair of nodes a and b, and adds it with all pairs reachable from it. MELD_NONE: the
 * graphs differ; the pairs are unchanged. */
static uint32_t
pair_nodes(Graph_match *s, uint32_t a, uint32_t b)
{
	const Arm_node *p = &s->x->arm[0].nodes.at[a], *q = &s->x->arm[1].nodes.at[b];
	uint32_t me = s->x->pairs.n, found = meld_pair_of_node(s->x, 0, a, 0);

	if (found != MELD_NONE && found == meld_pair_of_node(s->x, 1, b, 0))
		return found;
	if (++s->tries > MOST_TRIES || found != MELD_NONE ||
		meld_pair_of_node(s->x, 1, b, 0) != MELD_NONE || p->nto != q->nto ||
		!p->exit_block != !q->exit_block)
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
