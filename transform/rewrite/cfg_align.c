/* SPDX-License-Identifier: MIT */
/* Aligns the flow graphs of two arms of unlike shape (control-flow melding: Saumya, Sundararajah
 * and Kulkarni, DARM, CGO 2022). See meld.h.
 *
 * An arm is a sequence of pieces: a node, or a branch with all nodes up to its join, or a loop.
 * Pieces correspond as subsequences do: two nodes may, with the sides of their branches and the
 * bodies of their loops; any other piece is in one arm only, and lanes of the other arm wait at
 * their next node. Of all alignments that with the most issue slots saved is taken, by dynamic
 * programming over positions: a node of each arm, and the joins at which both sequences end.
 *
 * Lanes of both arms enter corresponding loops together, at their headers. So at a position where
 * one is in a loop and the other is not, the first can only be about to enter it, or skip it. */
#include "transform/rewrite/meld.h"

enum { MOST_STATES = 1 << 16, FIRST_STATES = 256 };
#define IMPOSSIBLE INT64_MIN

/* A node of each arm, and where the sequences that they begin end; 0: at the arm's exits. */
typedef struct {
	uint32_t at[2], end[2];
} Position;
/* PIECE + arm: a piece of that arm */
typedef enum { UNKNOWN, OPEN, NO_CHOICE, PAIR, PAIR_SWAPPED, PIECE } Choice;
typedef struct {
	Position of;
	int64_t score;
	uint32_t join;
	uint8_t choice;
} State;

typedef struct {
	Meld *x;
	State *states;
	uint32_t nstates, cap; /* a hash table */
	int64_t *gain;         /* of a pair of nodes, +1; 0: not computed */
	bool failed;
} Aligner;

/* The sequence that a position is in, and those around it. */
typedef struct Sequence {
	uint32_t end[2];
	const struct Sequence *outer;
} Sequence;

static const Arm_node *
node_at(const Aligner *s, uint32_t arm, uint32_t n)
{
	return &s->x->arm[arm].nodes.at[n];
}

/* ---- states ---------------------------------------------------------------------------------- */

static bool
is_same(const Position *a, const Position *b)
{
	return a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->end[0] == b->end[0] &&
		a->end[1] == b->end[1];
}

static State *
state_slot(const Aligner *s, const Position *p)
{
	uint64_t h = ((uint64_t)p->at[0] << 32 | p->at[1]) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ h >> 29 ^ ((uint64_t)p->end[0] << 32 | p->end[1])) * UINT64_C(0xff51afd7ed558ccd);
	uint32_t i = (uint32_t)(h >> 32) & (s->cap - 1);

	while (s->states[i].choice != UNKNOWN && !is_same(&s->states[i].of, p))
		i = (i + 1) & (s->cap - 1);
	return &s->states[i];
}

/* The state of the position; new ones have the choice UNKNOWN. */
static State *
state_of(Aligner *s, const Position *p)
{
	if (2 * s->nstates >= s->cap) {
		Aligner old = *s;
		s->cap *= 2;
		s->states = arena_array(s->x->arena, s->cap, sizeof *s->states);
		for (uint32_t i = 0; i < old.cap; i++)
			if (old.states[i].choice != UNKNOWN)
				*state_slot(s, &old.states[i].of) = old.states[i];
	}
	return state_slot(s, p);
}

/* ---- scores ---------------------------------------------------------------------------------- */

static int64_t best_from(Aligner *s, Position p);

static int64_t
add_scores(int64_t a, int64_t b)
{
	return a == IMPOSSIBLE || b == IMPOSSIBLE ? IMPOSSIBLE : a + b;
}

static int64_t
gain_of_pair(Aligner *s, uint32_t a, uint32_t b)
{
	int64_t *known = &s->gain[a * s->x->arm[1].nodes.n + b];

	if (!*known)
		*known = 1 + (int64_t)(meld_node_gain(s->x, a, b) *
				     meld_weight(node_at(s, 0, a)->depth));
	return *known - 1;
}

/* Whether the edge between nodes returns to the start of a loop around it. */
static bool
is_back_edge(const Aligner *s, uint32_t arm, uint32_t from, uint32_t to)
{
	uint32_t loop = node_at(s, arm, to)->loop;

	return loop && loop_contains(s->x->fn->loops, loop, node_at(s, arm, from)->last);
}

static int64_t
score_of_edges(Aligner *s, const Position *from, uint32_t to0, uint32_t to1, const uint32_t end[2])
{
	bool back = is_back_edge(s, 0, from->at[0], to0);

	if (back != is_back_edge(s, 1, from->at[1], to1))
		return IMPOSSIBLE;
	if (back)
		return node_at(s, 0, to0)->depth == node_at(s, 1, to1)->depth ? 0 : IMPOSSIBLE;
	return best_from(s, (Position){ { to0, to1 }, { end[0], end[1] } });
}

static int64_t
score_of_pair(Aligner *s, const Position *p, bool swap)
{
	const Arm_node *a = node_at(s, 0, p->at[0]), *b = node_at(s, 1, p->at[1]);
	uint32_t end[2] = { p->end[0], p->end[1] };
	int64_t sum = gain_of_pair(s, p->at[0], p->at[1]);

	if (a->nto == 2) {
		if (!a->join != !b->join)
			return IMPOSSIBLE;
		if (a->join) {
			Position behind = { { a->join, b->join }, { end[0], end[1] } };
			end[0] = a->join;
			end[1] = b->join;
			sum = add_scores(sum, best_from(s, behind));
		}
	}
	for (uint32_t i = 0; i < a->nto && sum != IMPOSSIBLE; i++)
		sum = add_scores(sum, score_of_edges(s, p, a->to[i], b->to[i ^ swap], end));
	return sum;
}

/* Whether lanes at the node may be as deep in loops as `depth`: those at a loop's header may be
 * about to enter it. */
static bool
can_be_at_depth(const Arm_node *n, uint32_t depth)
{
	return n->depth == depth || (n->loop && n->depth == depth + 1);
}

/* Whether the node is in the loop; 0: in none. */
static bool
is_in_loop(const Aligner *s, const Arm_node *n, uint32_t loop)
{
	return !loop || (n->last && loop_contains(s->x->fn->loops, loop, n->last));
}

/* The end of the piece that starts at a node: the join of its paths, or the first one behind the
 * loop that starts there. 0: none. */
static uint32_t
end_of_piece(const Aligner *s, const Position *p, uint32_t arm, bool whole_loop)
{
	const Loops *l = s->x->fn->loops;
	const Arm_node *n = node_at(s, arm, p->at[arm]);
	uint32_t depth = n->depth - whole_loop, join = n->join, around = 0;

	if (n->exit_block || (whole_loop && !n->loop) ||
		!can_be_at_depth(node_at(s, 1 - arm, p->at[1 - arm]), depth))
		return 0;
	if (depth)
		around = whole_loop ? l->loops[n->loop].parent : l->loop_of[n->last];
	while (whole_loop && join && is_in_loop(s, node_at(s, arm, join), n->loop))
		join = node_at(s, arm, join)->join;
	return join && is_in_loop(s, node_at(s, arm, join), around) ? join : 0;
}

static void
take_if_better(State *best, int64_t score, uint32_t choice, uint32_t join)
{
	if (score <= best->score)
		return;
	best->score = score;
	best->choice = (uint8_t)choice;
	best->join = join;
}

static void
try_pieces(Aligner *s, const Position *p, uint32_t arm, State *best)
{
	for (uint32_t whole = 0; whole < 2 && p->at[arm] != p->end[arm]; whole++) {
		uint32_t join = end_of_piece(s, p, arm, whole);
		Position next = *p;
		if (!join)
			continue;
		next.at[arm] = join;
		int64_t score = best_from(s, next);
		uint32_t depth = node_at(s, arm, p->at[arm])->depth - whole;
		score = add_scores(score, -(int64_t)(MELD_BRANCH * meld_weight(depth)));
		take_if_better(best, score, PIECE + arm, join);
	}
}

static int64_t
best_from(Aligner *s, Position p)
{
	const Arm_node *a = node_at(s, 0, p.at[0]), *b = node_at(s, 1, p.at[1]);
	bool ends[2] = { p.at[0] == p.end[0], p.at[1] == p.end[1] };

	if (ends[0] && ends[1])
		return 0;
	State *known = state_of(s, &p), best = { p, IMPOSSIBLE, 0, NO_CHOICE };
	if (known->choice != UNKNOWN)
		return known->choice == OPEN ? IMPOSSIBLE : known->score;
	if (s->nstates >= MOST_STATES)
		return IMPOSSIBLE;
	s->nstates++;
	*known = (State){ p, IMPOSSIBLE, 0, OPEN };
	bool same = !a->exit_block == !b->exit_block && a->nto == b->nto && a->depth == b->depth;
	for (uint32_t swap = 0; !ends[0] && !ends[1] && same && swap < (a->nto == 2 ? 2 : 1);
		swap++)
		take_if_better(&best, score_of_pair(s, &p, swap), PAIR + swap, 0);
	try_pieces(s, &p, 0, &best);
	try_pieces(s, &p, 1, &best);
	*state_of(s, &p) = best;
	return best.score;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static uint32_t add_pairs(Aligner *s, uint32_t a, uint32_t b, const Sequence *in);

/* Returns the pair at which lanes of the first arm are at node a and lanes of the second at b. */
static uint32_t
find_pair(const Meld *x, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < x->pairs.n; i++) {
		const Node_pair *p = &x->pairs.at[i];
		if ((p->node[0] ? p->node[0] : p->other) == a &&
			(p->node[1] ? p->node[1] : p->other) == b)
			return i;
	}
	return MELD_NONE;
}

/* Adds the nodes of one arm from n up to the join. */
static void
add_piece(Aligner *s, uint32_t arm, uint32_t n, uint32_t join, uint32_t first)
{
	const Arm_node *p = node_at(s, arm, n);

	if (n == join || meld_pair_of_node(s->x, arm, n, first) != MELD_NONE)
		return;
	s->failed |= p->exit_block != 0;
	*vec_push(&s->x->pairs) = (Node_pair){ .node = { arm ? 0 : n, arm ? n : 0 } };
	for (uint32_t i = 0; i < p->nto && !s->failed; i++)
		add_piece(s, arm, p->to[i], join, first);
}

static uint32_t
add_pairs_of_piece(Aligner *s, const State *k, uint32_t arm, const Sequence *in)
{
	Meld *x = s->x;
	uint32_t me = x->pairs.n, n = k->of.at[arm], other = k->of.at[1 - arm];

	add_piece(s, arm, n, k->join, me);
	uint32_t behind = x->pairs.n;
	x->pairs.at[me].other = other;
	uint32_t over = add_pairs(s, arm ? other : k->join, arm ? k->join : other, in);
	x->pairs.at[me].over = over;
	for (uint32_t i = me; i < behind; i++) {
		const Arm_node *q = node_at(s, arm, x->pairs.at[i].node[arm]);
		for (uint32_t t = 0; t < q->nto; t++) {
			uint32_t to = q->to[t] == k->join ? over :
							    meld_pair_of_node(x, arm, q->to[t], me);
			s->failed |= to == MELD_NONE || (to != over && to >= behind);
			x->pairs.at[i].to[t] = to;
		}
	}
	return me;
}

/* Returns the pair for node a of the first arm and node b of the second, and adds it with all pairs
 * reachable from it. */
static uint32_t
add_pairs(Aligner *s, uint32_t a, uint32_t b, const Sequence *in)
{
	uint32_t me = find_pair(s->x, a, b);

	if (me != MELD_NONE || s->failed)
		return me;
	if (in->outer && a == in->end[0] && b == in->end[1])
		return add_pairs(s, a, b, in->outer);
	State k = *state_of(s, &(Position){ { a, b }, { in->end[0], in->end[1] } });
	if (k.choice >= PIECE)
		return add_pairs_of_piece(s, &k, k.choice - PIECE, in);
	s->failed |= k.choice < PAIR;
	if (s->failed)
		return MELD_NONE;
	const Arm_node *p = node_at(s, 0, a), *q = node_at(s, 1, b);
	bool swap = k.choice == PAIR_SWAPPED;
	Sequence sides = { { p->join, q->join }, in };
	me = s->x->pairs.n;
	*vec_push(&s->x->pairs) = (Node_pair){ .node = { a, b }, .swapped = swap };
	for (uint32_t i = 0; i < p->nto; i++) {
		uint32_t to = add_pairs(
			s, p->to[i], q->to[i ^ swap], p->nto == 2 && p->join ? &sides : in);
		s->x->pairs.at[me].to[i] = to;
	}
	return me;
}

/* Whether a node is in two pairs: graphs that are no sequences of pieces. */
static bool
any_node_is_repeated(const Aligner *s)
{
	bool repeated = false;

	for (uint32_t i = 0; i < s->x->pairs.n; i++)
		for (uint32_t arm = 0; arm < 2; arm++)
			repeated |= s->x->pairs.at[i].node[arm] &&
				meld_pair_of_node(s->x, arm, s->x->pairs.at[i].node[arm], i + 1) !=
					MELD_NONE;
	return repeated;
}

static uint64_t
count_units(const Arm *arm)
{
	uint64_t n = arm->nodes.n;

	for (uint32_t i = 1; i < arm->nodes.n; i++)
		n += arm->nodes.at[i].units.n;
	return n;
}

bool
meld_match_sequences(Meld *x)
{
	Aligner s = { .x = x, .cap = FIRST_STATES };

	x->pairs.n = 0;
	if (count_units(&x->arm[0]) * count_units(&x->arm[1]) > MELD_MOST_CELLS)
		return false;
	s.states = arena_array(x->arena, s.cap, sizeof *s.states);
	s.gain = arena_array(x->arena, x->arm[0].nodes.n * x->arm[1].nodes.n, sizeof *s.gain);
	if (best_from(&s, (Position){ { 1, 1 }, { 0, 0 } }) == IMPOSSIBLE)
		return false;
	add_pairs(&s, 1, 1, &(Sequence){ { 0, 0 }, NULL });
	return !s.failed && !any_node_is_repeated(&s);
}
