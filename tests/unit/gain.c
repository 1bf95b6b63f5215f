/* SPDX-License-Identifier: MIT */
/* Unit tests: the model of what policies gain (transform/gain.h), beside what was measured of the
 * synthetic kernel: a path of L dependent FMAs, taken by k of 32 lanes (docs/choosing.md). With -v
 * prints the table that stands there. */
#include <string.h>
#include "tests/unit/test.h"
#include "transform/gain.h"

static const struct { const char *name; Annot_policy policy; uint32_t n; } policies[] = {
	{ "stack", POLICY_STACK, 0 },
	{ "queue", POLICY_QUEUE, 1 },
	{ "queue(2)", POLICY_QUEUE, 2 },
	{ "queue(4)", POLICY_QUEUE, 4 },
	{ "queue(8)", POLICY_QUEUE, 8 },
	{ "ahead(8)", POLICY_AHEAD, 8 },
	{ "ahead(32)", POLICY_AHEAD, 32 },
};
enum { N = sizeof policies / sizeof *policies, COLLECTING = 5 };

/* Of what is written, on an H200: base time over time (bench/ccc-policies.sh --quick). */
static const struct { int l, k; double worth[N]; } measured[] = {
	{ 5, 1, { 0.89, 0.91, 1.17, 1.25, 1.30, 1.62, 1.83 } },
	{ 5, 4, { 0.86, 0.86, 1.08, 1.17, 1.23, 1.39, 1.58 } },
	{ 5, 8, { 0.84, 0.82, 1.00, 1.07, 1.13, 1.23, 1.39 } },
	{ 5, 16, { 0.78, 0.72, 0.84, 0.90, 0.93, 1.00, 1.07 } },
	{ 5, 24, { 0.73, 0.66, 0.75, 0.80, 0.82, 0.85, 0.89 } },
	{ 5, 31, { 0.69, 0.61, 0.67, 0.71, 0.73, 0.79, 0.78 } },
	{ 20, 1, { 1.54, 1.61, 1.95, 2.16, 2.33, 2.67, 3.06 } },
	{ 20, 4, { 1.45, 1.48, 1.75, 1.92, 2.04, 2.09, 2.47 } },
	{ 20, 8, { 1.30, 1.28, 1.50, 1.65, 1.68, 1.62, 1.93 } },
	{ 20, 16, { 1.10, 1.04, 1.17, 1.25, 1.25, 1.22, 1.33 } },
	{ 20, 24, { 0.93, 0.87, 0.94, 0.99, 0.99, 0.96, 1.01 } },
	{ 20, 31, { 0.81, 0.76, 0.81, 0.84, 0.84, 0.87, 0.85 } },
	{ 50, 1, { 2.85, 2.89, 3.56, 3.78, 3.89, 3.51, 4.29 } },
	{ 50, 4, { 2.49, 2.50, 2.94, 3.19, 3.17, 2.51, 3.19 } },
	{ 50, 8, { 2.04, 2.03, 2.32, 2.48, 2.38, 1.86, 2.32 } },
	{ 50, 16, { 1.45, 1.43, 1.53, 1.58, 1.55, 1.34, 1.51 } },
	{ 50, 24, { 1.12, 1.10, 1.14, 1.17, 1.15, 1.02, 1.12 } },
	{ 50, 31, { 0.91, 0.89, 0.92, 0.94, 0.92, 0.91, 0.91 } },
	{ 100, 1, { 4.97, 5.10, 6.19, 6.58, 6.61, 4.86, 6.27 } },
	{ 100, 4, { 3.80, 3.84, 4.44, 4.71, 4.59, 3.07, 4.24 } },
	{ 100, 8, { 2.71, 2.72, 2.96, 3.08, 2.96, 2.13, 2.81 } },
	{ 100, 16, { 1.67, 1.67, 1.73, 1.77, 1.74, 1.45, 1.68 } },
	{ 100, 24, { 1.22, 1.20, 1.23, 1.25, 1.23, 1.08, 1.20 } },
	{ 100, 31, { 0.97, 0.96, 0.98, 0.99, 0.98, 0.95, 0.96 } },
};
enum { ROWS = sizeof measured / sizeof *measured };

/* The synthetic kernel; k = 0: nothing is known of how many lanes take the path. */
static Gain
synthetic(int l, int k, uint32_t p)
{
	Gain_cut cut = { .work = { 4 + 1.5 * l, 0 }, .words = 1, .taken = true };
	Gain_site s = { .own = { 10, 0 }, .cuts = &cut, .ncuts = 1, .lockstep = true,
		.row = true, .straight = true };

	cut.known = k != 0;
	cut.share = (Gain_share){ .lanes = k / 32.0, .warps = 1 };
	return gain_of(&s, policies[p].policy, policies[p].n);
}

static double
worth(int l, int k, uint32_t p)
{
	Gain g = synthetic(l, k, p);

	return gain_ratio(&g);
}

/* The policy of which most is expected. */
static uint32_t
best(int l, int k, uint32_t n)
{
	uint32_t b = 0;

	for (uint32_t p = 1; p < n; p++)
		if (worth(l, k, p) > worth(l, k, b))
			b = p;
	return b;
}

static double
most(const double *of, uint32_t n)
{
	double m = 0;

	for (uint32_t p = 0; p < n; p++)
		m = of[p] > m ? of[p] : m;
	return m;
}

static void
test_worth(void)
{
	bool collecting = true, ahead = true;

	for (uint32_t i = 0; i < ROWS; i++)
		for (uint32_t p = 0; p < N; p++) {
			double off = worth(measured[i].l, measured[i].k, p) / measured[i].worth[p];
			if (p < COLLECTING)
				collecting &= off > 0.83 && off < 1.26;
			else
				ahead &= off > 0.91 && off < 1.30;
		}
	CHECK("what collecting is worth", collecting);
	CHECK("what looking ahead is worth", ahead);
}

/* With a profile: within 5 % of the best of those measured; or it is left, and little is lost. */
static void
test_choice(void)
{
	bool right = true;

	for (uint32_t i = 0; i < ROWS; i++) {
		int l = measured[i].l, k = measured[i].k;
		uint32_t b = best(l, k, N);
		Gain g = synthetic(l, k, b);
		bool left = !gain_suffices(&g);
		double got = left ? 1 : measured[i].worth[b], had = most(measured[i].worth, N);
		bool ok = got >= 0.95 * (had > 1 ? had : 1) || (left && had < 1.08);
		if (!ok)
			printf("L=%d k=%d: %s %.2f of %.2f\n", l, k,
				left ? "left" : policies[b].name, got, had);
		right &= ok;
	}
	CHECK("the choice with a profile", right);
}

/* Which one is taken if nothing is known of how many lanes take the path. */
static const char *
taken(int l)
{
	uint32_t b = best(l, 0, N);
	Gain g = synthetic(l, 0, b);

	return gain_suffices(&g) ? policies[b].name : "left";
}

static void
test_unknown(void)
{
	CHECK("L=5 is left", strcmp(taken(5), "left") == 0);
	CHECK("L=20 looks ahead", strcmp(taken(20), "ahead(32)") == 0);
	CHECK("L=50 is collected", strcmp(taken(50), "queue(8)") == 0);
	CHECK("L=100 is collected", strcmp(taken(100), "queue(8)") == 0);
	Gain g = synthetic(20, 0, 4);
	CHECK("its range", g.least < 0.9 && g.most > 2 && !g.measured);
}

/* Rows of 8 iterations, the longest of a warp 4 times as long. */
static void
test_inner(void)
{
	Gain_cut cut = { .work = { 15, 2 }, .words = 2, .inner = true, .always = true,
		.taken = true };
	Gain_site s = { .own = { 30, 2 }, .cuts = &cut, .ncuts = 1 };
	Gain g = gain_of(&s, POLICY_EXPAND, 1);

	CHECK("rows of unlike length", gain_ratio(&g) > 1.2 && g.least == g.most);
	cut.known = true;
	cut.share = (Gain_share){ .lanes = 1, .warps = 1, .trips = 4, .spread = 1.1 };
	g = gain_of(&s, POLICY_EXPAND, 0);
	CHECK("rows of one length", gain_ratio(&g) < 0.8 && g.measured);
	g = gain_of(&s, POLICY_EXPAND, 1);
	CHECK("which are kept", gain_ratio(&g) < 1 && gain_ratio(&g) > 0.85);
	g = gain_of(&s, POLICY_FLATTEN, 0);
	CHECK("nor does flattening gain", gain_ratio(&g) < 1);
}

static void
test_others(void)
{
	Gain_cut cut = { .work = { 100, 0 }, .words = 1, .taken = true, .always = true };
	Gain_site s = { .own = { 10, 0 }, .cuts = &cut, .ncuts = 1, .lockstep = true };
	Gain g = gain_of(&s, POLICY_QUEUE, 8);

	CHECK("a path that all lanes take", gain_ratio(&g) < 1);
	cut.known = true; /* and nobody */
	g = gain_of(&s, POLICY_QUEUE, 8);
	CHECK("one that nobody takes", gain_ratio(&g) < 1);
	g = gain_of(&s, POLICY_WAIT, 16);
	CHECK("nor is one waited for", g.after > 0 && gain_ratio(&g) < 1);
	cut.known = false;
	cut.always = false;
	cut.work.issue = 1000;
	g = gain_of(&s, POLICY_WAIT, 16);
	CHECK("a long one that few take is", gain_ratio(&g) > 1.1 && g.most > 3 && g.least > 0.9);
	g = gain_of(&s, POLICY_WAIT, 32);
	CHECK("all 32 may wait", g.after > 0);
	g = gain_of(&s, POLICY_CYCLE, 1);
	CHECK("a policy that nothing is known of", g.after == 0 && gain_ratio(&g) == 0);
}

/* What is taken of a kernel: with a profile, k being so many lanes, or without, k being 0. */
static void
print_taken(int l, int k)
{
	uint32_t b = best(l, k, N);
	Gain g = synthetic(l, k, b);

	printf(" %s", gain_suffices(&g) ? policies[b].name : "left");
	if (!k)
		printf(" (%s: %.2f, %.2f to %.2f)", policies[b].name, gain_ratio(&g), g.least,
			g.most);
}

static void
print(void)
{
	printf("| L | k |");
	for (uint32_t p = 0; p < N; p++)
		printf(" %s |", policies[p].name);
	printf(" chosen |\n");
	for (uint32_t i = 0; i < ROWS; i++) {
		printf("| %d | %d |", measured[i].l, measured[i].k);
		for (uint32_t p = 0; p < N; p++)
			printf(" %.2f / %.2f |", worth(measured[i].l, measured[i].k, p),
				measured[i].worth[p]);
		print_taken(measured[i].l, measured[i].k);
		printf(" |\n");
	}
	for (uint32_t i = 0; i < ROWS; i += 6) {
		printf("L = %d:", measured[i].l);
		print_taken(measured[i].l, 0);
		printf("\n");
	}
}

int
main(int argc, char **argv)
{
	test_worth();
	test_choice();
	test_unknown();
	test_inner();
	test_others();
	if (argc > 1 && strcmp(argv[1], "-v") == 0)
		print();
	return test_end();
}
