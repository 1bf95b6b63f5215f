/* SPDX-License-Identifier: MIT */
/* Unit tests: which resource bounds the original loop, by the cost model
 * (transform/cost/speedup.h). */
#include <string.h>
#include "tests/unit/cost_sites.h"
#include "tests/unit/test.h"

/* Whether the text begins with the share and names the resource. */
static bool
says(const Speedup *g, int percent, const char *what)
{
	Arena *a = arena_new();
	const char *text = speedup_limit_text(g, a);
	char begin[32];

	snprintf(begin, sizeof begin, "%d %% of the time is ", percent);
	bool ok = text && strncmp(text, begin, strlen(begin)) == 0 && strstr(text, what);
	arena_free(a);
	return ok;
}

static bool
says_nothing(const Speedup *g)
{
	Arena *a = arena_new();
	bool ok = !speedup_limit_text(g, a);

	arena_free(a);
	return ok;
}

/* The share is what the loop without the operations lacks. */
static void
test_atomics(void)
{
	Cost_region cut = counted_path(400);
	Cost_site s = site_of_path(&cut);
	Speedup apart = speedup_of(&s, POLICY_QUEUE, 4);

	s.same_line = 4;
	Speedup one = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("issue slots have no name", says_nothing(&apart));
	CHECK("atomics",
		says(&one, (int)(100 * (1 - apart.before / one.before) + 0.5),
			"atomic operations on one line of memory: accumulate in a register"));
	cut.work.issue = 4000;
	one = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("less than half of the time", says_nothing(&one));
	cut.work.issue = 400;
	cut.measured = false;
	one = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("without a profile it is not known", says_nothing(&one));
}

static void
test_memory(void)
{
	Cost_region cut = counted_path(20);
	Cost_site s = site_of_path(&cut);

	s.loaded_bytes = 48;
	Speedup g = speedup_of(&s, POLICY_QUEUE, 4);
	s.loaded_bytes = 0;
	const Speedup slots = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("bandwidth",
		says(&g, (int)(100 * (1 - slots.before / g.before) + 0.5),
			"the bandwidth of memory"));
	cut.work.memory = 8;
	g = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("uncoalesced accesses", g.limit == BOUND_ACCESSES &&
		says(&g, (int)(100 * g.limited + 0.5), "not coalesced"));
	cut.work.memory = 0;
	cut.inner = true;
	cut.work.dependent_loads = cut.work.chained = 2;
	cut.share.trips = 8;
	cut.share.spread = 4;
	g = speedup_of(&s, POLICY_FLATTEN, 1);
	CHECK("latency", g.limit == BOUND_LATENCY && says(&g, (int)(100 * g.limited + 0.5), "loads"));
}

int
main(void)
{
	test_atomics();
	test_memory();
	return test_end();
}
