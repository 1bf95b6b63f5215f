/* SPDX-License-Identifier: MIT */
/* Checks, on the graph of segments, that a barrier separates each push from later pops, each pop
 * from later pushes, and both from leaving the loop. A data-flow problem over sets of actions since
 * the last barrier. */
#include "validate/warp/warp.h"

/* Actions since the last barrier at a vote; at the entry, pops of an earlier execution of the
 * loop. */
typedef struct { uint64_t did; bool ran; } Open;

/* By place: the entry, after the loop, and each end of a segment; and by whether a vote has found
 * no lane in the loop. */
static Open *
open_at(const Site *s, Open *list, uint32_t stmt, bool over)
{
	uint32_t place = stmt == 0 ? 0 : stmt == LEAVES ? 1 : 1 + step_at(s, stmt)->place;

	return &list[2 * place + over];
}

/* Numbers the ends of segments; returns how many there are. */
static uint32_t
number_places(Site *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->segments.n; i++) {
		uint32_t to = s->segments.at[i].to;
		if (to && to != LEAVES && !step_at(s, to)->place)
			step_at(s, to)->place = ++n;
	}
	return n;
}

static bool
is_barrier(const Site *s, uint32_t stmt)
{
	return stmt && stmt != LEAVES && s->out->stmts[stmt].kind == STMT_INSN &&
		ptx_op(s->out, &s->out->stmts[stmt]) == OP_BAR_WARP;
}

/* Whether a lane may want the path in the vote on which the segment depends. */
static bool
may_want(const Site *s, const Segment *g)
{
	for (uint32_t i = 0; i < s->wanted.n; i++)
		if (s->wanted.at[i].from == g->some && s->wanted.at[i].over == g->some_over)
			return true;
	return false;
}

/* Whether it is a label, at which no lane waits; not one after a round of pops, which takes
 * tasks. */
static bool
is_label(const Site *s, uint32_t stmt)
{
	return stmt && stmt != LEAVES && s->out->stmts[stmt].kind == STMT_LABEL &&
		!step_at(s, stmt)->meets;
}

bool
segments_check(Site *s)
{
	uint32_t n = s->end - s->begin, turns = 0;
	/* by label: the longest sequence of labels before it; whether a vote or barrier precedes
	 * it */
	uint32_t *row = arena_array(s->arena, n + 1, sizeof *row);
	bool *behind = arena_array(s->arena, n + 1, 1), changed = true, left = false;

	for (; changed && turns <= n; turns++) {
		changed = false;
		for (uint32_t i = 0; i < s->segments.n; i++) {
			const Segment *g = &s->segments.at[i];
			bool label = is_label(s, g->from);
			bool after = label ? behind[g->from - s->begin] : g->from != 0;
			left |= g->to == LEAVES && after;
			if (!is_label(s, g->to))
				continue;
			uint32_t to = g->to - s->begin,
				 most = label ? row[g->from - s->begin] + 1 : 1;
			changed |= (after && !behind[to]) || most > row[to];
			behind[to] |= after;
			row[to] = most > row[to] ? most : row[to];
		}
	}
	if (changed)
		return site_fault(
			s, s->begin, "lanes may go round here for ever without a vote");
	return left || site_fault(s, s->begin, "no lane ever leaves");
}

bool
barriers_check(Site *s)
{
	Open *list = arena_array(s->arena, 2 * (number_places(s) + 2), sizeof *list);
	bool changed = true;

	open_at(s, list, 0, false)->did = (UINT64_C(1) << 32) - 1;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < s->segments.n; i++) {
			const Segment *g = &s->segments.at[i];
			if (!g->to || (g->some && !may_want(s, g)))
				continue;
			Open from = is_barrier(s, g->from) ? (Open){ 0 } :
							     *open_at(s, list, g->from, g->over),
			     *to = open_at(s, list, g->to, g->to_over);
			uint64_t did = to->did | from.did | g->did;
			bool ran = to->ran | from.ran | g->ran;
			changed |= did != to->did || ran != to->ran;
			to->did = did;
			to->ran = ran;
			did = from.did | g->did;
			if ((g->did >> 32 & did) | (did >> 32 & g->did & UINT32_MAX))
				return site_fault(s, g->from ? g->from : s->begin,
					"no barrier between a push and a later pop");
			if (g->to == LEAVES && ran)
				return site_fault(s, s->begin,
					"a lane may leave before it can see what others did for it");
		}
	}
	return true;
}
