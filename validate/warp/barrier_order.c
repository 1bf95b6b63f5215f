/* SPDX-License-Identifier: MIT */
/* Checks, on the graph of segments, that a barrier separates each push from later pops, each pop
 * from later pushes, and both from leaving the loop. A data-flow problem over sets of actions since
 * the last barrier. */
#include "validate/warp/warp.h"

/* Actions since the last barrier at a vote; at the entry, pops of an earlier execution of the
 * loop. */
typedef struct { uint64_t did; bool ran; } Open_effects;

/* By place: the entry, after the loop, and each end of a segment; and by whether a vote has found
 * no lane in the loop. */
typedef struct {
	const Output_text *output;
	uint32_t *places;       /* by inserted statement: 2 + the number of the end; 0 if none */
	Open_effects *list;
} Effects_map;

static Open_effects *
open_effects_at(const Effects_map *map, uint32_t stmt, bool none_in_loop)
{
	uint32_t place = stmt == LEAVES_LOOP ? 1 :
		stmt                         ? map->places[stmt - map->output->begin] :
					       0;

	return &map->list[2 * place + none_in_loop];
}

/* Numbers the ends of segments. */
static Effects_map
effects_map_new(const Loop_check *s)
{
	Effects_map map = { .output = &s->out };
	uint32_t n = 2;

	map.places = arena_array(s->arena, s->out.end - s->out.begin + 1, sizeof *map.places);
	for (uint32_t i = 0; i < s->observed.segments.n; i++) {
		uint32_t to = s->observed.segments.at[i].to;
		if (to && to != LEAVES_LOOP && !map.places[to - s->out.begin])
			map.places[to - s->out.begin] = n++;
	}
	map.list = arena_array(s->arena, 2 * n, sizeof *map.list);
	return map;
}

static bool
is_barrier(const Output_text *output, uint32_t stmt)
{
	return stmt && stmt != LEAVES_LOOP && output->m->stmts[stmt].kind == STMT_INSN &&
		ptx_op(output->m, &output->m->stmts[stmt]) == OP_BAR_WARP;
}

/* Whether a lane may want the path in the vote on which the segment depends. */
static bool
round_may_want_path(const Observed_actions *observed, const Sync_segment *g)
{
	for (uint32_t i = 0; i < observed->wanted.n; i++)
		if (observed->wanted.at[i].from == g->wanting_vote &&
			observed->wanted.at[i].none_in_loop == g->wanting_none_in_loop)
			return true;
	return false;
}

/* Whether the statement is a label that is no meeting point of lanes. The label after a round of
 * pops is one. */
static bool
is_label(const Output_text *output, uint32_t stmt)
{
	return stmt && stmt != LEAVES_LOOP && output->m->stmts[stmt].kind == STMT_LABEL &&
		!output_stmt(output, stmt)->flow.reconverges;
}

bool
check_segments(Loop_check *s)
{
	uint32_t n = s->out.end - s->out.begin, turns = 0;
	/* by label: the longest sequence of labels before it; whether a vote or barrier precedes
	 * it */
	uint32_t *row = arena_array(s->arena, n + 1, sizeof *row);
	bool *behind = arena_array(s->arena, n + 1, 1), changed = true, left = false;

	for (; changed && turns <= n; turns++) {
		changed = false;
		for (uint32_t i = 0; i < s->observed.segments.n; i++) {
			const Sync_segment *g = &s->observed.segments.at[i];
			bool label = is_label(&s->out, g->from);
			bool after = label ? behind[g->from - s->out.begin] : g->from != 0;
			left |= g->to == LEAVES_LOOP && after;
			if (!is_label(&s->out, g->to))
				continue;
			uint32_t to = g->to - s->out.begin,
				 most = label ? row[g->from - s->out.begin] + 1 : 1;
			changed |= (after && !behind[to]) || most > row[to];
			behind[to] |= after;
			row[to] = most > row[to] ? most : row[to];
		}
	}
	if (changed)
		return loop_check_fault(
			s, s->out.begin, "lanes may go round here for ever without a vote");
	return left || loop_check_fault(s, s->out.begin, "no lane ever leaves");
}

bool
check_barrier_order(Loop_check *s)
{
	const Effects_map map = effects_map_new(s);
	bool changed = true;

	open_effects_at(&map, 0, false)->did = (UINT64_C(1) << 32) - 1;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < s->observed.segments.n; i++) {
			const Sync_segment *g = &s->observed.segments.at[i];
			if (!g->to || (g->wanting_vote && !round_may_want_path(&s->observed, g)))
				continue;
			Open_effects from = is_barrier(&s->out, g->from) ?
				(Open_effects){ 0 } :
				*open_effects_at(&map, g->from, g->none_in_loop),
				     *to = open_effects_at(&map, g->to, g->to_none_in_loop);
			uint64_t did = to->did | from.did | g->effects;
			bool ran = to->ran | from.ran | g->ran;
			changed |= did != to->did || ran != to->ran;
			to->did = did;
			to->ran = ran;
			did = from.did | g->effects;
			if ((g->effects >> 32 & did) | (did >> 32 & g->effects & UINT32_MAX))
				return loop_check_fault(s, g->from ? g->from : s->out.begin,
					"no barrier between a push and a later pop");
			if (g->to == LEAVES_LOOP && ran)
				return loop_check_fault(s, s->out.begin,
					"a lane may leave before it can see what others did for it");
		}
	}
	return true;
}
