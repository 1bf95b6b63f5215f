/* SPDX-License-Identifier: MIT */
/* Unit tests of the advice's table: what is said where no annotation is expected to gain. */
#include <string.h>
#include "base/advice.h"
#include "tests/unit/test.h"

static bool
says(const Advice *a, const char *what)
{
	Buf out = { 0 };

	advice_write(a, &out);
	bool found = strstr(out.at, what) != NULL;
	buf_free(&out);
	return found;
}

int
main(void)
{
	static const char none[] = "to do: nothing: the loss is smaller",
			  rewrite[] = "write both as one 'while'",
			  outside[] = "not in larger launches either";
	const Advice of = { .kind = ADVICE_LOOP,
		.share = .9,
		.lanes = .05,
		.efficiency = 1,
		.gain = 1,
		.function = "k",
		.pragma = "while" };
	Advice a = of;

	CHECK("a loop with few active lanes", says(&a, rewrite) && !says(&a, none));
	a.share = .1;
	CHECK("a small part of the program", says(&a, none) && !says(&a, rewrite));
	a = of;
	a.lanes = .5;
	CHECK("many active lanes", says(&a, none) && !says(&a, rewrite));
	a.lanes = -1;
	CHECK("active lanes are unknown", says(&a, none) && !says(&a, rewrite));
	a = of;
	a.kind = ADVICE_BRANCH;
	CHECK("a branch", says(&a, none) && !says(&a, rewrite));
	a.grid = true;
	CHECK("a branch outside loops", says(&a, outside) && !says(&a, none));
	a.lanes = .5;
	CHECK("the same with many active lanes", says(&a, none) && !says(&a, outside));
	a = of;
	a.limit = "89 % of the time is atomic operations";
	CHECK("a resource that bounds it",
		says(&a, "to do: 89 % of the time is atomic operations\n") && !says(&a, none) &&
			!says(&a, rewrite));
	a = of;
	a.gain = 2;
	CHECK("a plan that gains", !says(&a, none) && !says(&a, rewrite));
	return test_end();
}
