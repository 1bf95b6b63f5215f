/* SPDX-License-Identifier: MIT */
/* The best set of loops without nesting. See loop_choice.h. */
#include "suggest/loop_choice.h"

Bits
loop_choice(const Loops *l, const double *weight, Arena *a)
{
	/* by loop: the sum of the best loops in it */
	double *inside = arena_array(a, l->nloops, sizeof *inside);
	Bits chosen = bits_new(a, l->nloops), covered = bits_new(a, l->nloops);

	for (uint32_t i = l->nloops; i-- > 1;)
		inside[l->loops[i].parent] += weight[i] > inside[i] ? weight[i] : inside[i];
	for (uint32_t i = 0; i < l->nloops; i++)
		if (i && bits_has(covered, l->loops[i].parent)) {
			bits_set(covered, i);
		} else if (weight[i] > 0 && weight[i] >= inside[i]) {
			bits_set(chosen, i);
			bits_set(covered, i);
		}
	return chosen;
}
