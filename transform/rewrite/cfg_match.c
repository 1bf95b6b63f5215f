/* SPDX-License-Identifier: MIT */
/* Finds the corresponding blocks of two arms. See meld.h.
 *
 * Starting at the entries, two nodes correspond if their successors do, in the same or in
 * swapped order. Otherwise one arm may have a piece that the other lacks: a node, or all nodes
 * between a branch and its join. Compilers create such pieces from arms with the same source
 * when they move one side of a short branch before it. The search first allows no such node,
 * then one, then two and so on, so it finds a solution with the fewest. */
#include "transform/rewrite/meld.h"

enum { MOST_TRIES = 4096, MOST_ALONE = 12 };
#define NONE UINT32_MAX

typedef struct { Meld *x; uint32_t tries, alone; } Graph_match;

static uint32_t find_correspondence(Graph_match *s, uint32_t a, uint32_t b);

static const Arm_node *
arm_node(const Graph_match *s, uint32_t arm, uint32_t n)
{
	return &s->x->arm[arm].nodes.at[n];
}

/* Returns the pair that contains the node of this arm. */
static uint32_t
pair_of(const Graph_match *s, uint32_t arm, uint32_t n)
{
	for (uint32_t i = 0; i < s->x->pairs.n; i++)
		if (s->x->pairs.at[i].node[arm] == n)
			return i;
	return NONE;
}

/* Returns the pair at which lanes of the first arm are at node a and lanes of the second at b. */
static uint32_t
find_pair(const Graph_match *s, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < s->x->pairs.n; i++) {
		const Node_pair *p = &s->x->pairs.at[i];
		if ((p->node[0] ? p->node[0] : p->other) == a &&
			(p->node[1] ? p->node[1] : p->other) == b)
			return i;
	}
	return NONE;
}

/* Makes a pair of the two nodes, if their successors correspond. */
static uint32_t
pair_nodes(Graph_match *s, uint32_t a, uint32_t b)
{
	const Arm_node *p = arm_node(s, 0, a), *q = arm_node(s, 1, b);
	uint32_t me = s->x->pairs.n, alone = s->alone;

	if (p->nto != q->nto || !p->exit_block != !q->exit_block)
		return NONE;
	*vec_push(&s->x->pairs) = (Node_pair){ .node = { a, b } };
	for (uint32_t swap = 0; swap < (p->nto == 2 ? 2 : 1); swap++) {
		bool same = true;
		for (uint32_t i = 0; i < p->nto && same; i++) {
			uint32_t to = find_correspondence(s, p->to[i], q->to[i ^ swap]);
			s->x->pairs.at[me].to[i] = to;
			same = to != NONE;
		}
		s->x->pairs.at[me].swapped = swap;
		if (same)
			return me;
		s->x->pairs.n = me + 1;
		s->alone = alone;
	}
	s->x->pairs.n = me;
	return NONE;
}

/* Makes pairs of one arm's nodes from n up to the join. Returns false if one of them is used
 * already, or leaves the arm. */
static bool
add_unpaired_piece(Graph_match *s, uint32_t arm, uint32_t n, uint32_t join)
{
	const Arm_node *p = arm_node(s, arm, n);
	Node_pair pair = { .node = { arm ? 0 : n, arm ? n : 0 } };

	if (n == join)
		return true;
	if (p->exit_block || !s->alone || pair_of(s, arm, n) != NONE)
		return false;
	s->alone--;
	*vec_push(&s->x->pairs) = pair;
	for (uint32_t i = 0; i < p->nto; i++)
		if (pair_of(s, arm, p->to[i]) == NONE &&
			!add_unpaired_piece(s, arm, p->to[i], join))
			return false;
	return true;
}

/* Treats node n of one arm, up to its join, as a piece that the other arm lacks. Lanes of the
 * other arm are at node `other` meanwhile. */
static uint32_t
pair_after_piece(Graph_match *s, uint32_t arm, uint32_t n, uint32_t other)
{
	uint32_t me = s->x->pairs.n, alone = s->alone, join = arm_node(s, arm, n)->join;

	if (!join || join == n || !add_unpaired_piece(s, arm, n, join))
		goto fail;
	uint32_t behind = s->x->pairs.n;
	s->x->pairs.at[me].other = other;
	uint32_t over = find_correspondence(s, arm ? other : join, arm ? join : other);
	if (over == NONE)
		goto fail;
	s->x->pairs.at[me].over = over;
	for (uint32_t i = me; i < behind; i++) {
		Node_pair *p = &s->x->pairs.at[i];
		const Arm_node *q = arm_node(s, arm, p->node[arm]);
		for (uint32_t k = 0; k < q->nto; k++) {
			uint32_t to = pair_of(s, arm, q->to[k]);
			p->to[k] = q->to[k] == join ? over : to;
			if (to != NONE && q->to[k] != join && (to < me || to >= behind))
				goto fail;
		}
	}
	return me;
fail:
	s->x->pairs.n = me;
	s->alone = alone;
	return NONE;
}

/* Returns the pair for node a of the first arm and node b of the second, and adds it with all
 * pairs reachable from it. NONE: the graphs differ; the pairs are unchanged. */
static uint32_t
find_correspondence(Graph_match *s, uint32_t a, uint32_t b)
{
	uint32_t found = find_pair(s, a, b);

	if (found != NONE || ++s->tries > MOST_TRIES)
		return found;
	bool free_a = pair_of(s, 0, a) == NONE, free_b = pair_of(s, 1, b) == NONE;
	if (free_a && free_b)
		found = pair_nodes(s, a, b);
	if (found == NONE && free_a && s->alone)
		found = pair_after_piece(s, 0, a, b);
	if (found == NONE && free_b && s->alone)
		found = pair_after_piece(s, 1, b, a);
	return found;
}

bool
meld_node_is_unpaired(const Node_pair *p)
{
	return !p->node[0] || !p->node[1];
}

bool
meld_match_graphs(Meld *x)
{
	for (uint32_t alone = 0; alone <= MOST_ALONE; alone++) {
		x->pairs.n = 0;
		if (find_correspondence(&(Graph_match){ x, 0, alone }, 1, 1) != NONE)
			return true;
	}
	return false;
}
