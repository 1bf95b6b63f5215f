/* SPDX-License-Identifier: MIT */
/* On the graph of votes and barriers, with what lanes did between two of them: a barrier stands
 * between a push and a pop, and between a pop and the next push, and in front of leaving. See
 * site.h. */
#include "validate/site.h"

/* What is not behind a barrier yet at a vote; at the entry: pops of an earlier run. */
typedef struct { uint32_t at; uint64_t did; bool over, ran; } Open;

static Open *
open_at(Open *list, uint32_t *n, uint32_t stmt, bool over)
{
	uint32_t i = 0;

	while (i < *n && (list[i].at != stmt || list[i].over != over))
		i++;
	if (i == *n)
		list[(*n)++] = (Open){ .at = stmt, .over = over };
	return &list[i];
}

static bool
is_barrier(const Site *s, uint32_t stmt)
{
	return stmt && stmt != LEAVES && ptx_op(s->out, &s->out->stmts[stmt]) == OP_BAR_WARP;
}

/* May any lane want the path in the vote that the segment is behind? */
static bool
may_want(const Site *s, const Segment *g)
{
	for (uint32_t i = 0; i < s->wanted.n; i++)
		if (s->wanted.at[i].from == g->some && s->wanted.at[i].over == g->some_over)
			return true;
	return false;
}

bool
barriers_check(Site *s)
{
	Open *list = arena_array(s->arena, 2 * s->segments.n + 2, sizeof *list);
	uint32_t n = 0;
	bool changed = true;

	open_at(list, &n, 0, false)->did = (UINT64_C(1) << 32) - 1;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < s->segments.n; i++) {
			const Segment *g = &s->segments.at[i];
			if (!g->to || (g->some && !may_want(s, g)))
				continue;
			Open from = is_barrier(s, g->from) ? (Open){ 0 } :
							     *open_at(list, &n, g->from, g->over),
			     *to = open_at(list, &n, g->to, g->to_over);
			uint64_t did = to->did | from.did | g->did;
			bool ran = to->ran | from.ran | g->ran;
			changed |= did != to->did || ran != to->ran;
			to->did = did;
			to->ran = ran;
			did = from.did | g->did;
			if ((g->did >> 32 & did) | (did >> 32 & g->did & UINT32_MAX))
				return site_fault(s, g->from ? g->from : s->begin,
					"no barrier stands between a push and a pop behind it");
			if (g->to == LEAVES && ran)
				return site_fault(s, s->begin,
					"a lane may leave before it can see what others did for it");
		}
	}
	return true;
}
