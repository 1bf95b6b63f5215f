/* SPDX-License-Identifier: MIT */
/* Unit tests: what the model of what policies gain (transform/gain.h) knows of memory, and of what
 * is waited for. */
#include "tests/unit/test.h"
#include "transform/gain.h"

static bool
is_near(double x, double to)
{
	return x > 0.999 * to && x < 1.001 * to;
}

static double squares(double x, double y) { return x * x - y * y; }

/* Atomic operations that nobody asks are done by the second cache, for each lane: whoever runs the
 * path, they take as long. */
static void
test_updates(void)
{
	Gain_cut cut = { .work = { 100, 1 }, .words = 1, .taken = true, .known = true,
		.share = { .lanes = 0.25, .warps = 1 } };
	Gain_site s = { .own = { 10, 0 }, .cuts = &cut, .ncuts = 1, .lockstep = true };
	Gain stores = gain_of(&s, POLICY_QUEUE, 4);

	cut.work.updates = 1;
	Gain adds = gain_of(&s, POLICY_QUEUE, 4);
	double more = 1.3 * 8 * 8.5, less = 1.3 * 8;
	double longer = more * more - less * less;
	CHECK("they take as long as it is", is_near(squares(adds.before, stores.before), longer));
	CHECK("and collected", is_near(squares(adds.after, stores.after), longer));
	CHECK("less is gained", gain_ratio(&adds) < gain_ratio(&stores));
}

int
main(void)
{
	test_updates();
	return test_end();
}
