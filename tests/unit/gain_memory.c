/* SPDX-License-Identifier: MIT */
/* Unit tests: memory, latency and the critical lane in the cost model
 * (transform/cost/speedup.h). */
#include "tests/unit/cost_sites.h"
#include "tests/unit/test.h"
#include "transform/cost/speedup.h"

static bool
is_near(double x, double to)
{
	return x > 0.999 * to && x < 1.001 * to;
}

static double squares(double x, double y) { return x * x - y * y; }

/* Atomic operations without a result are executed by L2, for each lane: their time does not depend
 * on which lanes execute the path. */
static void
test_updates(void)
{
	Cost_region cut = { .work = { .issue = 100, .memory = 1 }, .words = 1, .in_policy = true,
		.measured = true, .share = { .lanes = 0.25, .warps = 1 } };
	Cost_site s = {
		.common = { .issue = 10 }, .regions = &cut, .nregions = 1, .lockstep = true
	};
	Speedup stores = speedup_of(&s, POLICY_QUEUE, 4);

	cut.work.updates = 1;
	Speedup adds = speedup_of(&s, POLICY_QUEUE, 4);
	double more = 1.3 * 8 * 8.5, less = 1.3 * 8;
	double longer = more * more - less * less;
	CHECK("they take as long as it is", is_near(squares(adds.before, stores.before), longer));
	CHECK("and collected", is_near(squares(adds.after, stores.after), longer));
	CHECK("less is gained", speedup_ratio(&adds) < speedup_ratio(&stores));
}

/* If a profile has the L1 misses, they take seven slots in total, in the original loop and if its
 * rows are spread over the lanes. */
static void
test_missed(void)
{
	Cost_region cut = { .work = { .issue = 10, .memory = 3 }, .inner = true, .in_policy = true,
		.words = 1, .measured = true, .share = { 1, 1, .trips = 16, .spread = 2 } };
	Cost_site s = {
		.common = { .issue = 10 }, .regions = &cut, .nregions = 1, .lockstep = true
	};
	Speedup all = speedup_of(&s, POLICY_EXPAND, 0);

	cut.work.missed = 1;
	Speedup far = speedup_of(&s, POLICY_EXPAND, 0);
	double lanes = 32 * 16, hits = lanes * 3 * 1.3, more = lanes * 1.3 * 4.4;
	CHECK("as it is", is_near(squares(far.before, all.before), squares(hits + more, hits)));
	CHECK("laid over the lanes they are as many", far.after > 0.95 * more);
	CHECK("far less is gained", speedup_ratio(&far) < 0.8 * speedup_ratio(&all));
}

/* Three paths write the same sectors, two of them rarely. If they are collected, their stores are
 * so late that a quarter of the sectors are written partially. That takes memory 12 times as long
 * as whole sectors, and bounds the launch if memory is slow. */
static void
test_torn(void)
{
	Cost_region cuts[3] = { 0 };
	Cost_site s = {
		.common = { .issue = 100 }, .regions = cuts, .nregions = 3, .lockstep = true
	};
	static const double lanes[] = { 0.90, 0.07, 0.03 };

	for (uint32_t i = 0; i < 3; i++)
		cuts[i] = (Cost_region){ .work = { .issue = 120 }, .words = 1, .in_policy = true,
			.measured = true, .stored_bytes = 8, .share = { lanes[i], 1 } };
	Speedup by_default = speedup_of(&s, POLICY_STACK, 0);
	s.bandwidth = 12.8;
	Speedup h100 = speedup_of(&s, POLICY_STACK, 0);
	CHECK("the default is an H100", h100.after == by_default.after);
	s.bandwidth = 18.4;
	Speedup fast = speedup_of(&s, POLICY_STACK, 0);
	CHECK("an H200 has time for them", speedup_ratio(&fast) > 1.3);
	s.bandwidth = 9.2;
	Speedup slow = speedup_of(&s, POLICY_STACK, 0), wait = speedup_of(&s, POLICY_WAIT, 8);
	double whole = 8, torn = whole * 0.274 * 12;
	CHECK("as it is they are whole", slow.before == fast.before);
	CHECK("the slower memory has not",
		is_near(slow.after, (whole + torn) * 32 / 9.2 * 4) && speedup_ratio(&slow) < 1);
	s.bandwidth = 0.92;
	slow = speedup_of(&s, POLICY_STACK, 0);
	CHECK("memory decides", is_near(slow.before, whole * 32 / 0.92 * 4));
	CHECK("lanes that wait tear nothing", wait.after < slow.before);
	cuts[1].stored_bytes = cuts[2].stored_bytes = 0;
	double read = 2 * (1 - 0.1 * 0.1 * 0.1 * 0.1) - 0.9 * 0.9 * 0.9 * 0.9;
	Speedup alone = speedup_of(&s, POLICY_STACK, 0);
	CHECK("sectors that only one path writes are read first",
		is_near(alone.before, read * whole * 32 / 0.92 * 4));
	CHECK("and collected as many", alone.after == alone.before);
	cuts[0].share.warps = 0.9;
	CHECK("not if its lanes come together",
		is_near(speedup_of(&s, POLICY_STACK, 0).after, 0.9 * whole * 32 / 0.92 * 4));
}

/* Like three paths: one path with tail capture, whose rest the other lanes execute as common
 * code. */
static void
test_torn_in_the_rest(void)
{
	Cost_region cut = { .work = { .issue = 500 },
		.words = 1,
		.in_policy = true,
		.measured = true,
		.stored_bytes = 8,
		.has_tail = true,
		.share = { 0.07, 1 } };
	Cost_site s = { .common = { .issue = 100 },
		.stored_bytes = 8,
		.regions = &cut,
		.nregions = 1,
		.lockstep = true,
		.bandwidth = 0.92 };
	Speedup g = speedup_of(&s, POLICY_STACK, 0);

	CHECK("as it is all lanes fill them", is_near(g.before, 8 * 32 / 0.92 * 4));
	CHECK("some late", is_near(g.after, 8 * (1 + 0.1753 * 12) * 32 / 0.92 * 4));
	CHECK("looking ahead is as late", speedup_of(&s, POLICY_AHEAD, 8).after >= g.after);
}

/* Rows of one length, whose loads overlap in the original loop. If they are spread over the lanes,
 * each waits for its own, which decides if the GPU is not full. */
static void
test_few_warps(void)
{
	Cost_region cut = { .work = { .issue = 9, .memory = 3, .indexed = 1, .dependent_loads = 2 },
		.inner = true,
		.in_policy = true,
		.words = 1,
		.measured = true,
		.share = { 1, 1, .trips = 32, .spread = 1 } };
	Cost_site s = { .common = { .issue = 10 },
		.regions = &cut,
		.nregions = 1,
		.iterations = 8,
		.over_tasks = true,
		.lockstep = true,
		.launch.warps = 8192 };
	Speedup full = speedup_of(&s, POLICY_EXPAND, 0);

	s.launch.warps = 2048;
	Speedup few = speedup_of(&s, POLICY_EXPAND, 0);
	double once = 32 * 32 * 2 / 4.0;
	CHECK("a full GPU has other warps", speedup_ratio(&full) > 1);
	CHECK("the original waits four times as long",
		is_near(squares(few.before, full.before), 15 * once * once));
	CHECK("spread over the lanes far longer", speedup_ratio(&few) < 0.8);
	s.launch.warps = 64;
	CHECK("a launch of few warps is taken for a reduced run of a full one",
		speedup_of(&s, POLICY_EXPAND, 0).after == full.after);
}

/* Lanes that draw iterations are never idle, but equal trip counts leave nothing to gain. */
static void
test_draws(void)
{
	Cost_region cut = { .work = { .issue = 15 },
		.inner = true,
		.in_policy = true,
		.measured = true,
		.share = { 1, 1, .trips = 64, .spread = 1 } };
	Cost_site s = { .common = { .issue = 20 },
		.regions = &cut,
		.nregions = 1,
		.iterations = 4,
		.draws = true };
	Speedup even = speedup_of(&s, POLICY_FLATTEN, 4);

	cut.share.spread = 4;
	Speedup uneven = speedup_of(&s, POLICY_FLATTEN, 4);
	s.draws = false;
	Speedup own = speedup_of(&s, POLICY_FLATTEN, 4);
	CHECK("equal trip counts lose", speedup_ratio(&even) < 1);
	CHECK("unequal ones gain", speedup_ratio(&uneven) > 2);
	CHECK("more than if each lane runs its own", uneven.after < own.after);
}

/* Atomic operations on one line of memory are serialized over the whole GPU: an iteration of a warp
 * takes 512 schedulers' slots for each of them, and a half. */
static void
test_same_line(void)
{
	Cost_region cut = counted_path(4000);
	Cost_site s = site_of_path(&cut);
	Speedup apart = speedup_of(&s, POLICY_QUEUE, 4);

	s.same_line = 4;
	Speedup one = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("as it is", is_near(squares(one.before, apart.before), squares(4 * 768, 0)));
	CHECK("and collected", is_near(squares(one.after, apart.after), squares(4 * 768, 0)));
	CHECK("little is gained", speedup_ratio(&apart) > 3.5 && speedup_ratio(&one) < 1.7);
}

/* A loop that streams 48 bytes an item takes as long as memory needs for them, so a path that costs
 * a third of that gains nothing. */
static void
test_memory_bound(void)
{
	Cost_region cut = { .work = { .issue = 200 },
		.words = 2,
		.in_policy = true,
		.measured = true,
		.share = { 1.0 / 64, 0.4 } };
	Cost_site s = { .common = { .issue = 60 },
		.loaded_bytes = 24,
		.stored_bytes = 24,
		.regions = &cut,
		.nregions = 1,
		.lockstep = true };
	Speedup g = speedup_of(&s, POLICY_QUEUE, 4);

	CHECK("memory decides", is_near(g.before, 48 * 32 / 12.8 * 4));
	CHECK("nothing is gained", speedup_ratio(&g) <= 1);
	s.loaded_bytes = s.stored_bytes = 0;
	g = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("without the streams it gains", speedup_ratio(&g) > 1.3);
}

/* One lane does the atomic operation of all active lanes. Two lanes of each warp take the path;
 * tasks run in full warps. */
static void
test_combined(void)
{
	Cost_region cut = { .work = { .issue = 4000 },
		.words = 1,
		.in_policy = true,
		.measured = true,
		.same_line = 2,
		.combined = true,
		.share = { .lanes = 2.0 / 32, .warps = 1 } };
	Cost_site s = {
		.common = { .issue = 10 }, .regions = &cut, .nregions = 1, .lockstep = true
	};
	Speedup with = speedup_of(&s, POLICY_QUEUE, 4);

	cut.same_line = 0;
	Speedup without = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("one operation a warp",
		is_near(squares(with.before, without.before), squares(768, 0)));
	CHECK("collected, one for 32 lanes",
		is_near(squares(with.after, without.after), squares(2 * 768.0 / 32, 0)));
}

/* A path with a loop of two dependent loads and an exit that depends on them, such as `mis` of
 * bench/decisions: 4.3 iterations a lane, 10.7 of the slowest of a warp. With 736 warps a launch, a
 * warp waits for most of the latency; collecting gains 1.5x (H200). */
static void
test_loop_loads(void)
{
	Cost_region cut = { .work = { .issue = 140, .loop_loads = 8.5 },
		.divergence = 180,
		.uneven = 80,
		.most = 600,
		.words = 2,
		.in_policy = true,
		.measured = true,
		.share = { .lanes = 0.52, .warps = 0.98 } };
	Cost_site s = { .common = { .issue = 40, .memory = 2, .dependent_loads = 1 },
		.regions = &cut, .nregions = 1, .iterations = 8, .lockstep = true,
		.launch.warps = 736 };
	Speedup few = speedup_of(&s, POLICY_STACK, 0);

	s.launch.warps = 0;
	Speedup many = speedup_of(&s, POLICY_STACK, 0);
	cut.work.loop_loads = 0;
	Speedup none = speedup_of(&s, POLICY_STACK, 0);
	CHECK("few warps wait for the path's loop", few.before > 10 * none.before);
	CHECK("a full GPU waits less", many.before < 3 * none.before);
	CHECK("collected, fewer do", speedup_ratio(&few) > 1.3 && speedup_ratio(&few) < 1.7);
}

/* Lanes that look ahead run selected iterations together, but not as full warps: each run has an
 * operation. Where the bandwidth of memory bounds all policies, that decides. `counter` of
 * bench/decisions takes 0.085 ms by ahead(32), 0.065 ms by queue(4) (H200). */
static void
test_combined_ahead(void)
{
	Cost_region cut = { .work = { .issue = 60 },
		.words = 1,
		.in_policy = true,
		.measured = true,
		.same_line = 1,
		.combined = true,
		.share = { .lanes = 1.0 / 32, .warps = 0.63 } };
	Cost_site s = { .common = { .issue = 10 }, .regions = &cut, .nregions = 1,
		.iterations = 62, .lockstep = true };
	Speedup ahead = speedup_of(&s, POLICY_AHEAD, 32), queue = speedup_of(&s, POLICY_QUEUE, 4);

	CHECK("selected iterations are no full warps", ahead.after > 1.2 * queue.after);
	s.loaded_bytes = 64;
	ahead = speedup_of(&s, POLICY_AHEAD, 32);
	queue = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("memory bounds both", speedup_ratio(&ahead) == speedup_ratio(&queue));
	CHECK("the other demands decide", speedup_is_better(&queue, &ahead) &&
		!speedup_is_near(&ahead, &queue));
}

/* A path that a warp reaches once in 64 iterations, for one lane, with an inner loop of four
 * iterations that wait for memory; left in the path or expanded. */
static Speedup
seldom(uint32_t n, bool expands, double iterations, bool tasks)
{
	Cost_region cut[2] = { { .work = { .issue = 20 },
				       .words = 1,
				       .in_policy = true,
				       .asked_first = true,
				       .measured = true,
				       .share = { 1.0 / 2048, 1.0 / 64, 0, 0 } },
		{ .work = { 15, 1, .dependent_loads = 2 },
			.outer = 1,
			.inner = true,
			.in_policy = expands,
			.nested = expands,
			.words = 1,
			.measured = true,
			.share = { 1.0 / 2048, 1.0 / 64, .trips = 4, .spread = 1 } } };
	Cost_site s = { .common = { 15, 1, .dependent_loads = 1 },
		.regions = cut,
		.nregions = 2,
		.lockstep = true,
		.iterations = iterations,
		.over_tasks = tasks };

	return speedup_of(&s, POLICY_QUEUE, n);
}

/* Some warp of a launch reaches it once, and the launch waits for it. */
static void
test_last_warp(void)
{
	Speedup walk = seldom(8, false, 7, true), expanded = seldom(4, true, 7, true),
	     hidden = seldom(8, false, 7, false), longer = seldom(8, false, 4096, true),
	     ever = seldom(8, false, 4096, false);

	CHECK("what the last warp waits for", walk.after > hidden.after + 5 &&
		walk.before > hidden.before + 1);
	CHECK("expanded it waits once", speedup_ratio(&expanded) > 1.1 * speedup_ratio(&walk));
	CHECK("in a loop that is not the launch", speedup_ratio(&hidden) > speedup_ratio(&walk));
	CHECK("warps of many iterations are alike", is_near(longer.after, ever.after) &&
		is_near(longer.before, ever.before));
	Speedup one = seldom(8, false, 1, true), alone = seldom(8, false, 1, false),
	     four = seldom(8, false, 4, true);
	CHECK("blocks that follow each other", is_near(one.before,
		(alone.before + 4 * four.before) / 5) && four.before > alone.before + 1);
}

/* A loop of four iterations a warp, with an inner loop of ten iterations, except for one lane of
 * the launch with a thousand. */
static Speedup
with_longest(Annot_policy policy, double warps, double waits, bool taken)
{
	Cost_region cut[2] = { { .work = { .issue = 40 },
				       .words = 1,
				       .in_policy = policy == POLICY_STACK,
				       .measured = true,
				       .share = { .lanes = 0.125, .warps = 0.5 } },
		{ .work = { .issue = 3 },
			.longest = { 3, 0, .dependent_loads = waits },
			.last = 1000,
			.outer = 1,
			.inner = true,
			.in_policy = taken,
			.measured = true,
			.share = { 0.125, 0.5, .trips = 10, .spread = 1 } } };
	Cost_site s = { .common = { .issue = 10 }, .regions = cut, .nregions = 2, .lockstep = true,
		.iterations = 4, .launch.warps = warps };

	return speedup_of(&s, policy, policy == POLICY_EXPAND ? 0 : 1);
}

/* The share of the slots due to the critical lane; before: in the original loop. */
static double
longest_of(Annot_policy policy, double warps, double waits, bool before)
{
	Speedup with = with_longest(policy, warps, waits, policy != POLICY_STACK),
	     without = with_longest(policy, 0, waits, policy != POLICY_STACK);
	double a = before ? with.before : with.after, b = before ? without.before : without.after;

	return newton_sqrt(a * a - b * b);
}

static void
test_longest(void)
{
	double alone = 1000 * 4 * 3 / (16 * 4.0);

	CHECK("one lane that goes on", is_near(longest_of(POLICY_STACK, 100, 0, true), alone));
	CHECK("which waits for each load, four together", is_near(longest_of(POLICY_STACK, 100, 1,
		true), alone + 1000 * 512 / 4 / (16 * 4.0)));
	CHECK("collecting does not help it", is_near(longest_of(POLICY_STACK, 100, 0, false), alone));
	CHECK("laid over the lanes", is_near(longest_of(POLICY_EXPAND, 100, 0, false),
		alone / 32 * (3 + 5) / 3));
	CHECK("each iteration with a meeting", is_near(longest_of(POLICY_FLATTEN, 100, 0, false),
		alone * (3 + 10) / 3));
	CHECK("among more warps than have room", is_near(longest_of(POLICY_STACK, 4 * 8192, 0, true),
		alone / 4));
	Speedup g = with_longest(POLICY_EXPAND, 100, 0, true),
	     h = with_longest(POLICY_EXPAND, 0, 0, true);
	CHECK("what all warps share", is_near(g.shared, h.shared) && is_near(h.shared, h.after));
	CHECK("what nothing is known of stays so",
		with_longest(POLICY_CYCLE, 100, 0, true).after <= 0);
}

int
main(void)
{
	test_updates();
	test_missed();
	test_torn();
	test_torn_in_the_rest();
	test_few_warps();
	test_draws();
	test_same_line();
	test_memory_bound();
	test_combined();
	test_combined_ahead();
	test_loop_loads();
	test_last_warp();
	test_longest();
	return test_end();
}
