/* SPDX-License-Identifier: MIT */
/* Bounds of a task counter at the end of a round, from the tests that a lane has passed.
 *
 * Counters are compared in multiples of the number of lanes: each vote may add that many tasks, or
 * a round take that many, and a test shows that fewer than one multiple is left.
 */
#include "validate/warp/warp.h"

Term_id
round_initial_value(Emitted_regs *emitted, uint32_t counter)
{
	return emitted->before[counter];
}

Term_id
round_lane_mask(Loop_check *s)
{
	return term_make(&s->terms, TERM_MASK, s->group.activemask, 0, 0);
}

bool
round_knows(const Counter_change *c, Term_id fact)
{
	for (uint32_t i = 0; i < c->facts.n; i++)
		if (c->facts.at[i] == fact)
			return true;
	return false;
}

/* The number of lanes. */
static Term_id
round_size(Loop_check *s)
{
	if (!s->group.size)
		s->group.size = term_popc(&s->terms, round_lane_mask(s));
	return s->group.size;
}

/* Whether the term equals the number of lanes. */
static bool
term_is_lane_count(Loop_check *s, const Counter_change *c, Term_id a)
{
	uint32_t v;

	return a == round_size(s) || (c->full && term_is_const(&s->terms, a, &v) && v == 32);
}

/* Whether the term is known to be at most the number of the group's lanes. */
static bool
term_reaches_lane_count(Loop_check *s, const Counter_change *c, Term_id a)
{
	const Term x = *term_at(&s->terms, a);
	uint32_t v;

	if (term_is_const(&s->terms, a, &v))
		return c->full && v <= 32;
	return term_is_lane_count(s, c, a) ||
		(x.op == TERM_MIN &&
			(term_is_lane_count(s, c, x.a) || term_is_lane_count(s, c, x.b)));
}

/* Number of waiting tasks, with those just voted for. */
Term_id
round_waiting(Loop_check *s, const Counter_change *c)
{
	return term_sum(&s->terms, round_initial_value(&s->emitted, c->counter),
		term_popc(&s->terms, c->round.votes), 1);
}

bool
round_fills_warp(Loop_check *s, const Counter_change *c)
{
	Terms *t = &s->terms;

	for (uint32_t literal = 0; literal <= c->full; literal++) {
		Term_id size = literal ? term_const(t, 32) : round_size(s);
		Term_id rest = term_sum(t, round_waiting(s, c), size, UINT32_MAX);
		if (round_knows(c, term_not(t, term_make(t, TERM_NEGATIVE, rest, 0, 0))))
			return true;
	}
	return false;
}

/* Whether the facts imply that `many`, or `many` before the votes are added, is below the number of
 * lanes. */
static bool
fact_bounds_count(Loop_check *s, const Counter_change *c, Term_id many)
{
	Terms *t = &s->terms;
	bool atom = term_at(t, many)->op != TERM_SUM;

	for (uint32_t i = 0; i < c->facts.n; i++) {
		const Term x = *term_at(t, c->facts.at[i]);
		/* an atom must occur in the fact */
		if (x.op != TERM_NEGATIVE || (atom && term_factor(t, x.a, many) != 1))
			continue;
		Term_id rest = term_sum(t, many, x.a, UINT32_MAX);
		if (term_reaches_lane_count(s, c, rest) ||
			term_reaches_lane_count(
				s, c, term_sum(t, rest, term_popc(t, c->round.votes), 1)))
			return true;
	}
	return false;
}

bool
round_is_partial(Loop_check *s, const Counter_change *c)
{
	return fact_bounds_count(s, c, round_waiting(s, c));
}

bool
round_took_all(Loop_check *s, const Counter_change *c)
{
	Terms *t = &s->terms;
	Term_id delta =
		term_sum(t, c->now, round_initial_value(&s->emitted, c->counter), UINT32_MAX);
	Term_id rest = term_sum(t, delta, term_popc(&s->terms, c->round.votes), UINT32_MAX);

	return rest ==
		term_sum(t, term_const(t, 0), round_size(s), UINT32_MAX) ||
		(c->full && rest == term_const(t, 0u - 32));
}

/* The same, clamped at zero. */
bool
round_took_some(Loop_check *s, const Counter_change *c)
{
	const Term x = *term_at(&s->terms, c->now);
	Term_id none = term_const(&s->terms, 0);

	if (x.op != TERM_MAX || (x.a != none && x.b != none))
		return false;
	return term_is_lane_count(s, c,
		term_sum(&s->terms, round_waiting(s, c), x.a == none ? x.b : x.a, UINT32_MAX));
}

/* Each iteration of a batch may push as many tasks as there are lanes; a round takes that many, or
 * all tasks are known to be fewer. */
uint8_t
change_bound(Loop_check *s, const Counter_change *c)
{
	uint32_t v, most = s->batch.n > 1 ? s->batch.n + 1 : 1, level = c->level;

	if (term_is_const(&s->terms, c->now, &v))
		return v == 0 ? 1 : NO_LEVEL;
	if (fact_bounds_count(s, c, c->now))
		return 1;
	if (level == 0 || level == NO_LEVEL)
		return NO_LEVEL;
	if (c->now == round_initial_value(&s->emitted, c->counter))
		return c->level;
	bool votes = term_popc(&s->terms, c->round.votes) != term_const(&s->terms, 0);
	if (round_took_all(s, c) || round_took_some(s, c))
		level -= !votes && level > 1;
	else if (c->now == round_waiting(s, c))
		level += votes;
	else
		return NO_LEVEL;
	return level > most ? NO_LEVEL : (uint8_t)level;
}
