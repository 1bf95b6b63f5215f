/* SPDX-License-Identifier: MIT */
/* Unit tests: resident blocks (analysis/cost/occupancy.h), compared with
 * cudaOccupancyMaxActiveBlocksPerMultiprocessor; positions in an edited text
 * (transform/text/edit.h). */
#include <string.h>
#include "tests/unit/test.h"
#include "transform/text/edit.h"
#include "analysis/cost/occupancy.h"

static bool
occupancy_is(
	uint32_t target, uint32_t registers, uint32_t shared, uint32_t threads, uint32_t blocks)
{
	Occupancy o = occupancy_of(target, registers, shared);
	uint32_t n = occupancy_blocks(&o, threads);

	if (n != blocks)
		printf("%u blocks, not %u\n", n, blocks);
	return n == blocks;
}

static void
test_blocks(void)
{
	CHECK("by threads",
		occupancy_is(90, 32, 0, 256, 8) && occupancy_is(90, 32, 0, 1024, 2) &&
			occupancy_is(86, 32, 0, 1024, 1));
	CHECK("by blocks",
		occupancy_is(90, 16, 0, 32, 32) && occupancy_is(75, 16, 0, 32, 16) &&
			occupancy_is(89, 16, 0, 1, 24));
	CHECK("by registers",
		occupancy_is(90, 64, 0, 256, 4) && occupancy_is(90, 65, 0, 256, 3) &&
			occupancy_is(90, 255, 0, 128, 2) && occupancy_is(80, 40, 0, 128, 12));
	CHECK("part of a warp", occupancy_is(90, 32, 0, 33, 32) && occupancy_is(90, 32, 0, 97, 16));
	CHECK("by shared memory",
		occupancy_is(90, 32, 16384, 32, 13) && occupancy_is(75, 32, 16384, 32, 4) &&
			occupancy_is(90, 32, 48 << 10, 32, 4));
	CHECK("at least one", occupancy_is(90, 255, 0, 1024, 1));
	CHECK("registers not known", occupancy_is(90, 0, 0, 128, 12));
}

static void
test_targets(void)
{
	CHECK("multiprocessors",
		occupancy_of(90, 0, 0).sms == 132 && occupancy_of(80, 0, 0).sms == 108 &&
			occupancy_of(120, 0, 0).sms == 170);
	CHECK("between two", occupancy_of(101, 0, 0).sms == occupancy_of(100, 0, 0).sms);
	CHECK("newer than all", occupancy_of(999, 0, 0).sms == occupancy_of(121, 0, 0).sms);
	CHECK("older than all", occupancy_of(35, 0, 0).sms == occupancy_of(70, 0, 0).sms);
}

/* "abcdef" with XY before b, c replaced by Z, and d removed: aXYbZef */
static void
test_origin(void)
{
	static const uint32_t origins[] = { 0, 1, 1, 1, 2, 4, 5, 6 };
	char text[] = "abcdef";
	Arena *a = arena_new();
	Edits *e = edit_new(a);
	Source src;
	Buf out = { 0 };
	bool right = true;

	source_from(&src, "x", text, 6);
	edit_replace(e, (Span){ 3, 4 }, "", 0);
	edit_replace(e, (Span){ 2, 3 }, "Z", 1);
	edit_insert(e, 1, "XY", 2);
	edit_apply(e, &src, &out);
	CHECK("edited", strcmp(out.at, "aXYbZef") == 0);
	for (uint32_t i = 0; i < 8; i++)
		right &= edit_origin(e, i) == origins[i];
	CHECK("origins", right);
	buf_free(&out);
	edit_release(e);
	source_release(&src);
	arena_free(a);
}

int
main(void)
{
	test_blocks();
	test_targets();
	test_origin();
	return test_end();
}
