/* SPDX-License-Identifier: MIT */
/* Lanes: copying, the work list, and known predicates (state.h). */
#include <string.h>
#include "validate/state/state.h"

Lane *
lane_copy(Site *s, const Lane *l)
{
	Lane *k = arena_alloc(s->arena, s->lane_size);

	memcpy(k, l, s->lane_size);
	return k;
}

void
lane_later(Site *s, Lane *l)
{
	if (l->full && !s->ahead)
		*vec_push(&s->whole) = l;
	else
		*vec_push(&s->todo) = l;
}

void
lane_unknow(Lane *l, uint32_t in)
{
	for (uint32_t i = 0; i < l->nassumed; i++)
		if (l->assumed[i].sym == in) {
			l->assumed[i--] = l->assumed[--l->nassumed];
			l->assumed[l->nassumed] = (Assumed){ 0 };
		}
}

void
lane_know(Lane *l, uint32_t in, bool value)
{
	lane_unknow(l, in);
	if (l->nassumed < MOST_ASSUMED)
		l->assumed[l->nassumed++] = (Assumed){ in, value };
}

bool
lane_knows(const Lane *l, uint32_t in, bool *value)
{
	for (uint32_t i = 0; i < l->nassumed; i++)
		if (l->assumed[i].sym == in) {
			*value = l->assumed[i].value;
			return true;
		}
	return false;
}
