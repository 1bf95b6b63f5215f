/* SPDX-License-Identifier: MIT */
/* Lanes: copying, the work list, and known predicates (state.h). */
#include <string.h>
#include "validate/state/state.h"

Lane_state *
lane_state_copy(Loop_check *s, const Lane_state *l)
{
	Lane_state *k = arena_alloc(s->arena, s->layout.size);

	memcpy(k, l, s->layout.size);
	return k;
}

void
lane_state_queue(Loop_check *s, Lane_state *l)
{
	if (l->group.full && !s->lookahead)
		*vec_push(&s->work.full_groups) = l;
	else
		*vec_push(&s->work.queue) = l;
}

void
lane_forget_predicate(Assumed_values *assumed, uint32_t in)
{
	for (uint32_t i = 0; i < assumed->n; i++)
		if (assumed->at[i].sym == in) {
			assumed->at[i--] = assumed->at[--assumed->n];
			assumed->at[assumed->n] = (Assumed_value){ 0 };
		}
}

void
lane_assume_predicate(Assumed_values *assumed, uint32_t in, bool value)
{
	lane_forget_predicate(assumed, in);
	if (assumed->n < MAX_ASSUMED)
		assumed->at[assumed->n++] = (Assumed_value){ in, value };
}

bool
lane_knows(const Assumed_values *assumed, uint32_t in, bool *value)
{
	for (uint32_t i = 0; i < assumed->n; i++)
		if (assumed->at[i].sym == in) {
			*value = assumed->at[i].value;
			return true;
		}
	return false;
}
