/* SPDX-License-Identifier: MIT */
/* Unit tests: the speedup model (transform/cost/speedup.h) on synthetic sites, each for one
 * property: row lengths, measured path lengths, votes, inner loops, look-ahead, launches. */
#include "tests/unit/test.h"
#include "transform/cost/speedup.h"

/* Iterations that fill no warp take another pass of a row, or are packed. */
static void
test_rests(void)
{
	Cost_region cut = { .work = { .issue = 150 }, .words = 2, .inner = true, .always = true,
		.in_policy = true, .measured = true,
		.share = { .lanes = 1, .warps = 1, .trips = 40, .spread = 2 } };
	Cost_site s = { .common = { .issue = 30, .memory = 2 }, .regions = &cut, .nregions = 1 };
	Speedup without = speedup_of(&s, POLICY_EXPAND, 0);

	cut.packs = true;
	Speedup with = speedup_of(&s, POLICY_EXPAND, 0);
	CHECK("rests end to end", with.after < without.after && without.after < 1.4 * with.after);
	CHECK("long rows", speedup_ratio(&with) > 1.4 && speedup_ratio(&with) < 2);
}

/* A loop alone, of 20 iterations, whose exit has code of 200 slots: `groups` groups of a warp's
 * lanes execute it one after the other. */
static void
test_exit_code(void)
{
	Cost_site s = { .common = { .issue = 40 }, .exit = { .work = { .issue = 200 } } };
	Speedup unknown = speedup_of(&s, POLICY_CONVERGE, 0);

	CHECK("without counts any number of lanes may leave",
		!unknown.measured && unknown.least < 1 && unknown.most > 2);
	s.iterations = 20;
	s.exit.measured = true;
	s.exit.share = (Execution_share){ .lanes = 1.0 / 20, .warps = 10.0 / 20 };
	Speedup apart = speedup_of(&s, POLICY_CONVERGE, 0);
	CHECK("ten groups", apart.measured && speedup_ratio(&apart) > 2.2 &&
		speedup_ratio(&apart) < (40 + 100) / 50.0);
	s.exit.share.warps = 1.0 / 20;
	Speedup together = speedup_of(&s, POLICY_CONVERGE, 0);
	CHECK("one group", speedup_ratio(&together) < 0.9 && speedup_ratio(&together) > 0.7);
	s.exit.work.issue = 0;
	Speedup none = speedup_of(&s, POLICY_CONVERGE, 0);
	CHECK("no code", none.after == 0);
}

static bool
is_near(double x, double to)
{
	return x > 0.999 * to && x < 1.001 * to;
}

/* Rows of 8 iterations, the longest of a warp 4 times as long. */
static void
test_inner(void)
{
	Cost_region cut = { .work = { .issue = 15, .memory = 2 }, .words = 2, .inner = true,
		.always = true, .in_policy = true };
	Cost_site s = { .common = { .issue = 30, .memory = 2 }, .regions = &cut, .nregions = 1 };
	Speedup g = speedup_of(&s, POLICY_EXPAND, 1);

	CHECK("rows of unlike length", speedup_ratio(&g) > 1.2 && g.least == g.most);
	cut.trips = 4;
	g = speedup_of(&s, POLICY_EXPAND, 1);
	CHECK("rows that always have one length", speedup_ratio(&g) < 1 && !g.measured);
	cut.trips = 0;
	cut.measured = true;
	cut.share = (Execution_share){ .lanes = 1, .warps = 1, .trips = 4, .spread = 1.1 };
	g = speedup_of(&s, POLICY_EXPAND, 0);
	CHECK("rows of one length", speedup_ratio(&g) < 0.8 && g.measured);
	g = speedup_of(&s, POLICY_EXPAND, 1);
	CHECK("without a test they are not kept", speedup_ratio(&g) < 0.8);
	cut.most_uneven = 1.5;
	g = speedup_of(&s, POLICY_EXPAND, 1);
	CHECK("which are kept", speedup_ratio(&g) < 1 && speedup_ratio(&g) > 0.85);
	cut.share.trips = 40;
	Speedup laid = speedup_of(&s, POLICY_EXPAND, 0);
	g = speedup_of(&s, POLICY_EXPAND, 1);
	CHECK("unless they are long", is_near(g.after, laid.after));
	cut.share = (Execution_share){ .lanes = 1, .warps = 1, .trips = 8, .spread = 1.6 };
	cut.work.memory = 20; /* neighbouring iterations are coalesced */
	laid = speedup_of(&s, POLICY_EXPAND, 0);
	g = speedup_of(&s, POLICY_EXPAND, 1);
	CHECK("the test does not see memory", speedup_ratio(&laid) > 1 &&
		speedup_ratio(&g) > 1 && g.after > 1.04 * laid.after);
	g = speedup_of(&s, POLICY_FLATTEN, 0);
	CHECK("nor does flattening gain", speedup_ratio(&g) < 1);
}

/* A loop in the common code is as long as the longest of the lanes that run it: of a warp in the
 * original loop, of few lanes if the inner loop is flattened. */
static void
test_flattened_common(void)
{
	Cost_region cut = { .work = { .issue = 25 }, .inner = true, .always = true,
		.in_policy = true, .measured = true,
		.share = { .lanes = 1, .warps = 1, .trips = 6, .spread = 4, .whole = 7 } };
	Cost_site s = { .common = { .issue = 100 }, .of_lane = { .issue = 100 },
		.regions = &cut, .nregions = 1, .iterations = 20 };
	Speedup alike = speedup_of(&s, POLICY_FLATTEN, 1);

	s.of_lane.issue = 20;
	Speedup unlike = speedup_of(&s, POLICY_FLATTEN, 1);
	CHECK("common code of one length", speedup_ratio(&alike) < 0.85);
	CHECK("few lanes run a shorter one", speedup_ratio(&unlike) > 1.1);
	s.of_lane.issue = 100;
	CHECK("the original loop is the same", unlike.before == alike.before);
}

/* A path with measured length: 150 slots for lanes that execute it together, 100 for one; a loop
 * with that trip count for each warp. */
static Speedup
counted(Annot_policy policy, double uneven, double most, double iterations)
{
	Cost_region cut = { .work = { .issue = 100 },
		.divergence = 50,
		.uneven = uneven,
		.most = most,
		.words = 1,
		.in_policy = true,
		.measured = true,
		.share = { .lanes = 1.0 / 16, .warps = 0.875 } };
	Cost_site s = { .common = { .issue = 10 }, .regions = &cut, .nregions = 1, .lockstep = true,
		.iterations = iterations };

	return speedup_of(&s, policy, 4);
}

static void
test_counted(void)
{
	Speedup even = counted(POLICY_STACK, 0, 0, 0), wide = counted(POLICY_STACK, 40, 60, 0),
	     far = counted(POLICY_STACK, 10, 60, 0);

	CHECK("as it is, those together", is_near(even.before, 10 + 0.875 * 150));
	CHECK("the longest of 32", is_near(far.after - even.after, 10 * expected_maximum_above(32) / 16) &&
		is_near(expected_maximum_above(32), 3.0585));
	CHECK("which is no longer than any", is_near(wide.after - even.after, 60.0 / 16));
	CHECK("between two numbers of lanes", is_near(expected_maximum_above(2.5), 1.0 / 2 + 0.5 / 3) &&
		expected_maximum_above(1) == 0 && expected_maximum_above(0) == 0);
	Speedup once = counted(POLICY_QUEUE, 0, 0, 1), often = counted(POLICY_QUEUE, 0, 0, 100000),
	     ever = counted(POLICY_QUEUE, 0, 0, 0), ten = counted(POLICY_QUEUE, 0, 0, 10);
	CHECK("a loop of one iteration", once.after > 10 + 0.875 * 100 + 10);
	CHECK("a long loop", is_near(often.after, ever.after));
	CHECK("what is left behind it", is_near(ten.after - ever.after, 0.05 * (100 + 2.3)));
	Speedup few = counted(POLICY_QUEUE, 30, 90, 2), ahead = counted(POLICY_AHEAD, 30, 90, 2);
	CHECK("few tasks are not 32", few.after < 10 + 8.75 + 0.5 * (100 + 2.3 + 30 * expected_maximum_above(5)));
	CHECK("of two iterations some lane wants both", ahead.after > 10 + 0.45 * 100);
}

/* The expected cost under a policy of a path of 100 slots that a few lanes of the given share of
 * warps reach. */
static double
rare(Annot_policy policy, uint32_t n, double warps, bool asked_first)
{
	Cost_region cut = { .work = { .issue = 100 },
		.words = 1,
		.in_policy = true,
		.measured = true,
		.asked_first = asked_first,
		.share = { .lanes = warps / 16, .warps = warps } };
	Cost_site s = {
		.common = { .issue = 10 }, .regions = &cut, .nregions = 1, .lockstep = true
	};

	return speedup_of(&s, policy, n).after;
}

/* A round without tasks is one vote; one with tasks has one vote more. */
static void
test_asked_first(void)
{
	double stack = rare(POLICY_STACK, 0, 0.01, true), queue = rare(POLICY_QUEUE, 4, 0.01, true);

	CHECK("nobody wants most rounds",
		is_near(stack, rare(POLICY_STACK, 0, 0.01, false) + 6 - 14 * 0.99));
	CHECK("of four iterations of common code", queue < rare(POLICY_QUEUE, 4, 0.01, false) - 2.5 && queue > 10 + 3);
	CHECK("somebody wants all", is_near(rare(POLICY_QUEUE, 1, 1, true),
					    rare(POLICY_QUEUE, 1, 1, false) + 6));
}

/* A path with an inner loop that the policy leaves unchanged: always 20 iterations of 3 slots, or
 * that number on average. */
static double
walked(Annot_policy policy, double trips, double spread, double waits)
{
	Cost_region cut[2] = {
		{ .work = { .issue = 40 }, .words = 1, .in_policy = true, .measured = true,
			.share = { .lanes = 0.125, .warps = 0.5 } },
		{ .work = { 3, 0, .dependent_loads = waits }, .outer = 1, .inner = true,
			.trips = trips, .measured = true,
			.share = { 0.125, 0.5, .trips = 20, .spread = spread } } };
	Cost_site s = {
		.common = { .issue = 10 }, .regions = cut, .nregions = 2, .lockstep = true
	};
	Speedup g = speedup_of(&s, policy, policy == POLICY_WAIT ? 8 : 1);

	return policy == POLICY_AUTO ? g.before : g.after;
}

static void
test_walked(void)
{
	CHECK("as it is", is_near(walked(POLICY_AUTO, 20, 1, 0), 10 + 0.5 * (40 + 20 * 3)));
	CHECK("an inner loop is walked in the path's runs",
		is_near(walked(POLICY_STACK, 20, 1, 0), 10 + 14 + 0.125 * (40 + 1.5 + 20 * 3)));
	CHECK("longer by unlike lanes",
		is_near(walked(POLICY_STACK, 0, 2, 0),
			10 + 14 +
				0.125 *
					(40 + 1.5 +
						20 * 3 *
							(1 +
								expected_maximum_above(32) /
									expected_maximum_above(
										8)))));
	double slots = walked(POLICY_STACK, 20, 1, 0), waits = 32 * 0.125 * 20;
	CHECK("each of its iterations waits", is_near(walked(POLICY_STACK, 20, 1, 1),
		newton_sqrt(slots * slots + waits * waits)));
	CHECK("lanes that are together wait for nobody", is_near(walked(POLICY_WAIT, 20, 1, 0),
		10 + 14 + 0.5 * (40 + 20 * 3)));
}

/* Look-ahead in a loop in which the lanes of some warps select the same iterations. */
static double
looked(double lanes, double warps, double spared)
{
	Cost_region cut = { .work = { .issue = 100 }, .in_policy = true, .measured = true,
		.share = { .lanes = lanes, .warps = warps } };
	Cost_site s = { .common = { .issue = 10 },
		.regions = &cut,
		.nregions = 1,
		.branch_free = true,
		.path_alone = true,
		.saved_slots = spared };

	return speedup_of(&s, POLICY_AHEAD, 32).after;
}

static void
test_looks(void)
{
	double alike = looked(0.02, 0.02, 0), apart = looked(0.02, 0.476, 0);

	CHECK("lanes that agree run as often as it is", is_near(alike, 9.5 + 0.02 * (100 + 2.4 + 3)));
	CHECK("those that do not more often", apart > alike + 2);
	CHECK("what is known of the loop's length", is_near(alike - looked(0.02, 0.02, 4), 4));
}

/* Words of constant memory are as many in a row. */
static void
test_constants(void)
{
	Cost_region cut = { .work = { .issue = 50 }, .in_policy = true, .measured = true,
		.share = { .lanes = 0.01, .warps = 0.01 } };
	Cost_site s = { .common = { .issue = 20 },
		.regions = &cut,
		.nregions = 1,
		.branch_free = true,
		.path_alone = true,
		.saved_slots = 8 };
	Speedup without = speedup_of(&s, POLICY_AHEAD, 32);

	s.common.constants = 4;
	Speedup with = speedup_of(&s, POLICY_AHEAD, 32);
	CHECK("constants are waited for by looks, too", with.before > without.before &&
		speedup_ratio(&with) > 1 && speedup_ratio(&with) < 0.9 * speedup_ratio(&without));
}

/* A loop over all tasks that was counted in a small launch. */
static void
test_launches(void)
{
	Cost_region cut = { .work = { .issue = 100 },
		.words = 1,
		.in_policy = true,
		.measured = true,
		.share = { .lanes = 1.0 / 64, .warps = 0.25 } };
	Cost_site s = { .common = { 10, 0, .dependent_loads = 1 },
		.regions = &cut,
		.nregions = 1,
		.lockstep = true };
	double of[3];

	for (uint32_t i = 0; i < 3; i++) {
		s.iterations = i ? 4 : 1;
		s.over_tasks = i == 1;
		of[i] = speedup_of(&s, POLICY_QUEUE, 4).after;
	}
	CHECK("it has as many as were counted, if it is none", of[0] > of[2]);
	CHECK("four are enough", of[1] == of[2]);
	s.iterations = 1;
	s.over_tasks = true;
	Speedup g = speedup_of(&s, POLICY_QUEUE, 4);
	CHECK("one may be more", is_near(g.after, (of[0] + 4 * of[2]) / 5) && g.least < g.most);
}

static void
test_others(void)
{
	Cost_region cut = {
		.work = { .issue = 100 }, .words = 1, .in_policy = true, .always = true
	};
	Cost_site s = {
		.common = { .issue = 10 }, .regions = &cut, .nregions = 1, .lockstep = true
	};
	Speedup g = speedup_of(&s, POLICY_QUEUE, 8);

	CHECK("a path that all lanes take", speedup_ratio(&g) < 1);
	cut.measured = true; /* and no lane */
	g = speedup_of(&s, POLICY_QUEUE, 8);
	CHECK("one that nobody takes", speedup_ratio(&g) < 1);
	g = speedup_of(&s, POLICY_WAIT, 16);
	CHECK("nor is one waited for", g.after > 0 && speedup_ratio(&g) < 1);
	cut.measured = false;
	cut.always = false;
	cut.work.issue = 1000;
	g = speedup_of(&s, POLICY_WAIT, 16);
	CHECK("a long one that few take is", speedup_ratio(&g) > 1.1 && g.most > 3 && g.least > 0.9);
	g = speedup_of(&s, POLICY_WAIT, 32);
	CHECK("all 32 may wait", g.after > 0);
	g = speedup_of(&s, POLICY_CYCLE, 1);
	CHECK("a policy that nothing is known of", g.after == 0 && speedup_ratio(&g) == 0);
}

/* Photons in a shield: 2.98 % of the iterations of a lane take the path, 27.7 iterations a lane,
 * 101 of the warp's longest. Simulated lanes of such a loop gain 2.0x and 2.4x if 4 and 16 wait. */
static void
test_leaving(void)
{
	Cost_region cut = { .work = { .issue = 1750 }, .in_policy = true, .measured = true,
		.share = { .lanes = 0.0082, .warps = 0.219 } };
	Cost_site s = { .common = { .issue = 52 }, .regions = &cut, .nregions = 1,
		.iterations = 101.4, .lanes = { 1, 0.273 } };
	Speedup four = speedup_of(&s, POLICY_WAIT, 4), many = speedup_of(&s, POLICY_WAIT, 16);

	CHECK("lanes leave: four wait", speedup_ratio(&four) > 1.6 && speedup_ratio(&four) < 2.1);
	CHECK("lanes leave: 16 gain no more", speedup_ratio(&many) < 1.2 * speedup_ratio(&four));
	cut.share = (Execution_share){ .lanes = s.lanes.mean, .warps = 1 };
	many = speedup_of(&s, POLICY_WAIT, 16);
	CHECK("the last lanes leave a path that all take",
		speedup_ratio(&many) > 0.9 && speedup_ratio(&many) < 1);
	cut.share = (Execution_share){ .lanes = 0.0082, .warps = 0.219 };
	s.lanes.mean = 1;
	many = speedup_of(&s, POLICY_WAIT, 16);
	CHECK("if none leaves, they do", speedup_ratio(&many) > speedup_ratio(&four));
}

int
main(void)
{
	test_flattened_common();
	test_inner();
	test_rests();
	test_exit_code();
	test_counted();
	test_asked_first();
	test_walked();
	test_looks();
	test_constants();
	test_launches();
	test_others();
	test_leaving();
	return test_end();
}
