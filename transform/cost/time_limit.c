/* SPDX-License-Identifier: MIT */
/* Which resource bounds the time of the original loop. Moving work between lanes does not reduce
 * the demand for it, or not enough; so a report names it, and what does. See speedup.h. */
#include "transform/cost/cost_model.h"

double
time_without(const Policy_time *t, Time_bound limit)
{
	double sum = 0;

	for (uint32_t k = BOUND_NONE; k < BOUND_BANDWIDTH; k++)
		sum += k == limit ? 0 : t->term[k];
	return max_double(newton_sqrt(sum), limit == BOUND_BANDWIDTH ? 0 : t->traffic);
}

const char *
speedup_limit_text(const Speedup *g, Arena *a)
{
	static const char *const what[] = { NULL,
		[BOUND_ACCESSES] = "memory accesses that are not coalesced: let the threads of a warp access neighbouring words",
		[BOUND_LATENCY] = "waiting for loads whose addresses were loaded: start them earlier, or run more warps",
		[BOUND_ATOMICS] = "atomic operations on one line of memory: accumulate in a register or in shared memory first",
		[BOUND_BANDWIDTH] = "the bandwidth of memory: read and write fewer bytes" };
	Buf b = { 0 };

	if (!g->limit)
		return NULL;
	buf_printf(&b, "%.0f %% of the time is %s", 100 * g->limited, what[g->limit]);
	const char *text = arena_strndup(a, b.at, b.n);
	buf_free(&b);
	return text;
}
