/* SPDX-License-Identifier: MIT */
/* Unit tests: which resource bounds the original loop, and what decides whether a policy gains, by
 * the cost model (transform/cost/speedup.h). */
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

/* Whether what decides begins with the text; NULL: nothing does. */
static bool
asks(const Cost_site *s, Annot_policy policy, uint32_t n, double trips, const char *what)
{
	Arena *a = arena_new();
	const char *text = speedup_open_question(s, policy, n, trips, a);
	bool ok = what ? text && strncmp(text, what, strlen(what)) == 0 : !text;

	if (!ok)
		printf("%s\n", text ? text : "nothing");
	arena_free(a);
	return ok;
}

static void
test_question(void)
{
	Cost_region cut = counted_path(400);
	Cost_site s = site_of_path(&cut);

	CHECK("a profile knows", asks(&s, POLICY_STACK, 1, 0, NULL));
	cut.measured = false;
	CHECK("few lanes", asks(&s, POLICY_STACK, 1, 0, "at most 24 of 32 lanes need it"));
	CHECK("long loops",
		asks(&s, POLICY_STACK, 1, 3,
			"at most 24 of 32 lanes need it, and its inner loops have at least 3.0 iterations"));
	s.common.issue = 100;
	s.lanes.may_leave = true;
	CHECK("lanes in the loop",
		asks(&s, POLICY_WAIT, 16, 0,
			"at most 8 of 32 lanes need it, and at least 21 lanes of a warp are in the loop"));
	cut.inner = cut.always = true;
	CHECK("uneven trip counts",
		asks(&s, POLICY_FLATTEN, 1, 0, "the longest lane of a warp has at least 1."));
	cut.trips = 8;
	CHECK("a constant trip count", asks(&s, POLICY_FLATTEN, 1, 0, NULL));
}

/* The head of a task loop is shared by the iterations of a warp. */
static void
test_task_loop(void)
{
	Cost_region cut = counted_path(400);
	Cost_site s = site_of_path(&cut);

	s.iterations = 4;
	const Speedup plain = speedup_of(&s, POLICY_STACK, 1);
	s.launch.in_task_loop = true;
	const Speedup four = speedup_of(&s, POLICY_STACK, 1);
	CHECK("a quarter of the head, and the latch", four.before == plain.before &&
		four.after - plain.after > 44.9 && four.after - plain.after < 45.1);
}

int
main(void)
{
	test_atomics();
	test_memory();
	test_question();
	test_task_loop();
	return test_end();
}
