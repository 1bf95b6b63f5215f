/* SPDX-License-Identifier: MIT */
/* Unit tests: when counts of a branch say that all lanes of a warp take the same edge
 * (suggest/executed.h). */
#include "suggest/executed.h"
#include "tests/unit/test.h"

static bool
is_uniform(Stmt_counts branch)
{
	const Stmt_counts of[] = { { 0 }, branch };
	const Executed e = { .of = of, .all = 1000 };

	return executed_uniformly(&e, 1);
}

int
main(void)
{
	const Executed unknown = { 0 };

	CHECK("full warps", is_uniform((Stmt_counts){ 100, 3200, 100, 0 }));
	CHECK("half of a warp", is_uniform((Stmt_counts){ 100, 1600, 100, 0 }));
	CHECK("some diverge", !is_uniform((Stmt_counts){ 100, 3200, 100, 1 }));
	CHECK("one lane at a time cannot diverge", !is_uniform((Stmt_counts){ 100, 100, 100, 0 }));
	CHECK("two lanes at a time may agree by chance",
		!is_uniform((Stmt_counts){ 100, 163, 100, 0 }));
	CHECK("not executed", !is_uniform((Stmt_counts){ 0 }));
	CHECK("not counted", !executed_uniformly(&unknown, 1));
	return test_end();
}
