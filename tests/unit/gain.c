/* SPDX-License-Identifier: MIT */
/* Unit tests: the cost model (transform/cost/speedup.h), compared with measurements of the
 * synthetic kernel: a path of L dependent FMAs, taken by k of 32 lanes
 * (docs/measurements/cost-model.md). With -v prints the table of that page. */
#include <string.h>
#include "tests/unit/test.h"
#include "transform/cost/speedup.h"

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

/* Measured speedups on an H100 (bench/ccc-policies.sh, 2^30 items). The constants of the model were
 * fitted to the first rows only; the others test it with other lengths. */
static const struct { int l, k; double worth[N]; } measured[] = {
	{ 5, 1, { 0.90, 0.92, 1.23, 1.34, 1.45, 1.72, 2.05 } },
	{ 5, 4, { 0.87, 0.87, 1.13, 1.23, 1.33, 1.47, 1.81 } },
	{ 5, 8, { 0.83, 0.81, 1.01, 1.10, 1.18, 1.27, 1.55 } },
	{ 5, 16, { 0.76, 0.71, 0.85, 0.92, 0.96, 1.04, 1.20 } },
	{ 5, 24, { 0.71, 0.64, 0.74, 0.80, 0.82, 0.88, 0.98 } },
	{ 5, 31, { 0.67, 0.58, 0.66, 0.71, 0.72, 0.82, 0.84 } },
	{ 20, 1, { 1.62, 1.68, 2.06, 2.34, 2.58, 2.95, 3.74 } },
	{ 20, 4, { 1.50, 1.52, 1.83, 2.05, 2.24, 2.20, 2.88 } },
	{ 20, 8, { 1.35, 1.33, 1.57, 1.75, 1.82, 1.71, 2.18 } },
	{ 20, 16, { 1.11, 1.05, 1.19, 1.28, 1.29, 1.26, 1.46 } },
	{ 20, 24, { 0.93, 0.87, 0.95, 1.00, 1.00, 0.98, 1.10 } },
	{ 20, 31, { 0.81, 0.75, 0.80, 0.84, 0.84, 0.88, 0.90 } },
	{ 50, 1, { 3.10, 3.15, 3.93, 4.27, 4.41, 4.50, 6.43 } },
	{ 50, 4, { 2.63, 2.64, 3.19, 3.50, 3.50, 2.94, 4.16 } },
	{ 50, 8, { 2.12, 2.11, 2.45, 2.63, 2.53, 2.08, 2.77 } },
	{ 50, 16, { 1.47, 1.46, 1.57, 1.63, 1.59, 1.43, 1.66 } },
	{ 50, 24, { 1.12, 1.09, 1.14, 1.18, 1.16, 1.06, 1.19 } },
	{ 50, 31, { 0.92, 0.90, 0.93, 0.95, 0.93, 0.95, 0.95 } },
	{ 100, 1, { 5.55, 5.65, 7.01, 7.66, 7.82, 5.88, 9.10 } },
	{ 100, 4, { 4.03, 4.08, 4.77, 5.14, 4.97, 3.44, 5.10 } },
	{ 100, 8, { 2.81, 2.84, 3.08, 3.20, 3.11, 2.30, 3.15 } },
	{ 100, 16, { 1.71, 1.70, 1.76, 1.80, 1.78, 1.52, 1.78 } },
	{ 100, 24, { 1.22, 1.21, 1.24, 1.25, 1.24, 1.11, 1.24 } },
	{ 100, 31, { 0.97, 0.96, 0.98, 0.99, 0.98, 0.98, 0.98 } },
	/* not fitted */
	{ 10, 1, { 1.12, 1.13, 1.50, 1.65, 1.81, 2.11, 2.58 } },
	{ 10, 4, { 1.07, 1.05, 1.35, 1.48, 1.62, 1.72, 2.15 } },
	{ 10, 8, { 1.00, 0.96, 1.19, 1.31, 1.39, 1.41, 1.74 } },
	{ 10, 16, { 0.88, 0.82, 0.96, 1.04, 1.08, 1.09, 1.25 } },
	{ 10, 24, { 0.79, 0.72, 0.81, 0.87, 0.89, 0.89, 0.99 } },
	{ 10, 31, { 0.72, 0.64, 0.71, 0.75, 0.77, 0.81, 0.83 } },
	{ 35, 1, { 2.32, 2.35, 2.94, 3.19, 3.52, 3.75, 5.19 } },
	{ 35, 4, { 2.06, 2.06, 2.51, 2.74, 2.94, 2.63, 3.62 } },
	{ 35, 8, { 1.76, 1.73, 2.06, 2.26, 2.24, 1.95, 2.54 } },
	{ 35, 16, { 1.32, 1.28, 1.43, 1.50, 1.48, 1.37, 1.58 } },
	{ 35, 24, { 1.05, 1.00, 1.08, 1.12, 1.10, 1.03, 1.15 } },
	{ 35, 31, { 0.88, 0.84, 0.89, 0.91, 0.90, 0.92, 0.93 } },
	{ 70, 1, { 4.11, 4.17, 5.19, 5.66, 5.76, 5.14, 7.69 } },
	{ 70, 4, { 3.27, 3.30, 3.95, 4.34, 4.27, 3.22, 4.63 } },
	{ 70, 8, { 2.46, 2.48, 2.78, 2.93, 2.83, 2.20, 2.96 } },
	{ 70, 16, { 1.60, 1.59, 1.68, 1.73, 1.69, 1.48, 1.72 } },
	{ 70, 24, { 1.18, 1.15, 1.19, 1.22, 1.20, 1.09, 1.22 } },
	{ 70, 31, { 0.95, 0.93, 0.95, 0.97, 0.95, 0.96, 0.96 } },
	{ 200, 1, { 9.62, 9.88, 12.08, 13.29, 13.18, 6.82, 11.88 } },
	{ 200, 4, { 5.45, 5.58, 6.08, 6.32, 6.12, 3.71, 5.71 } },
	{ 200, 8, { 3.31, 3.34, 3.50, 3.57, 3.50, 2.41, 3.35 } },
	{ 200, 16, { 1.84, 1.83, 1.87, 1.90, 1.89, 1.57, 1.83 } },
	{ 200, 24, { 1.27, 1.26, 1.28, 1.29, 1.29, 1.13, 1.26 } },
	{ 200, 31, { 1.00, 1.00, 1.01, 1.01, 1.01, 0.99, 0.99 } },
};
enum { ROWS = sizeof measured / sizeof *measured, FITTED = 24 };

/* The synthetic kernel; k = 0: the number of lanes that take the path is unknown. */
static Speedup
synthetic(int l, int k, uint32_t p)
{
	Cost_region cut = { .work = { .issue = 4 + 1.5 * l }, .words = 1, .in_policy = true };
	Cost_site s = { .common = { .issue = 10 }, .regions = &cut, .nregions = 1, .lockstep = true,
		.branch_free = true, .path_alone = true };

	cut.measured = k != 0;
	cut.share = (Execution_share){ .lanes = k / 32.0, .warps = 1 };
	return speedup_of(&s, policies[p].policy, policies[p].n);
}

static double
worth(int l, int k, uint32_t p)
{
	Speedup g = synthetic(l, k, p);

	return speedup_ratio(&g);
}

/* The policy with the highest expected speedup. */
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

/* The maximum and the mean error of the model over some rows. */
typedef struct { double least, most, mean; } Off;

static Off
off_by(uint32_t from, uint32_t to, bool ahead)
{
	Off o = { .least = 1, .most = 1 };
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++)
		for (uint32_t p = ahead ? COLLECTING : 0; p < (ahead ? N : COLLECTING); p++, n++) {
			double off = worth(measured[i].l, measured[i].k, p) / measured[i].worth[p];
			o.least = off < o.least ? off : o.least;
			o.most = off > o.most ? off : o.most;
			o.mean += off > 1 ? off - 1 : 1 - off;
		}
	o.mean /= n;
	return o;
}

static bool
is_within(Off o, double most, double mean)
{
	return o.least > 1 - most && o.most < 1 + most && o.mean < mean;
}

static void
test_worth(void)
{
	CHECK("what collecting is worth", is_within(off_by(0, FITTED, false), 0.13, 0.04));
	CHECK("of other lengths", is_within(off_by(FITTED, ROWS, false), 0.17, 0.05));
	CHECK("what looking ahead is worth", is_within(off_by(0, FITTED, true), 0.19, 0.06));
	CHECK("of other lengths", is_within(off_by(FITTED, ROWS, true), 0.25, 0.07));
}

/* With a profile, the selected policy is within 5 % of the best measured one; or the loop is left
 * unchanged, and little is lost. */
static void
test_choice(void)
{
	bool right = true;

	for (uint32_t i = 0; i < ROWS; i++) {
		int l = measured[i].l, k = measured[i].k;
		uint32_t b = best(l, k, N);
		Speedup g = synthetic(l, k, b);
		bool left = !speedup_suffices(&g);
		double got = left ? 1 : measured[i].worth[b], had = most(measured[i].worth, N);
		bool ok = got >= 0.95 * (had > 1 ? had : 1) || (left && had < 1.08);
		if (!ok)
			printf("L=%d k=%d: %s %.2f of %.2f\n", l, k,
				left ? "left" : policies[b].name, got, had);
		right &= ok;
	}
	CHECK("the choice with a profile", right);
}

/* The policy selected if the number of lanes that take the path is unknown. */
static const char *
taken(int l)
{
	uint32_t b = best(l, 0, N);
	Speedup g = synthetic(l, 0, b);

	return speedup_suffices(&g) ? policies[b].name : "left";
}

static void
test_unknown(void)
{
	CHECK("L=5 looks ahead", strcmp(taken(5), "ahead(32)") == 0);
	CHECK("L=20 looks ahead", strcmp(taken(20), "ahead(32)") == 0);
	CHECK("L=50 looks ahead", strcmp(taken(50), "ahead(32)") == 0);
	CHECK("L=100 is collected", strcmp(taken(100), "queue(8)") == 0);
	Speedup g = synthetic(20, 0, 4);
	CHECK("its range", g.least < 0.9 && g.most > 2 && !g.measured);
}

/* The policy selected for a kernel: with a profile of k lanes, or without one (k is 0). */
static void
print_taken(int l, int k)
{
	uint32_t b = best(l, k, N);
	Speedup g = synthetic(l, k, b);

	printf(" %s", speedup_suffices(&g) ? policies[b].name : "left");
	if (!k)
		printf(" (%s: %.2f, %.2f to %.2f)", policies[b].name, speedup_ratio(&g), g.least,
			g.most);
}

static void
print_off(const char *name, uint32_t from, uint32_t to, bool ahead)
{
	Off o = off_by(from, to, ahead);

	printf("%s: %.2f to %.2f, %.1f %% in the mean\n", name, o.least, o.most, 100 * o.mean);
}

static void
print_table(void)
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
	print_off("collecting, fitted", 0, FITTED, false);
	print_off("not fitted", FITTED, ROWS, false);
	print_off("looking ahead, fitted", 0, FITTED, true);
	print_off("not fitted", FITTED, ROWS, true);
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
	if (argc > 1 && strcmp(argv[1], "-v") == 0)
		print_table();
	return test_end();
}
