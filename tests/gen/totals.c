/* SPDX-License-Identifier: MIT */
/* The counts of a run. See totals.h. */
#include <stdio.h>
#include <string.h>
#include "tests/gen/shapes.h"

void
totals_add(Totals *to, const Totals *t)
{
	to->ran += t->ran;
	to->failed += t->failed;
	to->last = t->last > to->last ? t->last : to->last;
	to->sites += t->sites;
	to->done += t->done;
	to->remaps += t->remaps;
	to->remapped += t->remapped;
	for (uint32_t k = 0; k < ANNOT_KINDS; k++)
		to->kinds[k] += t->kinds[k];
	unasked_add(&to->unasked, &t->unasked);
	entered_add(&to->entered.lockstep, &t->entered.lockstep);
	entered_add(&to->entered.apart, &t->entered.apart);
	entered_add(&to->entered.others, &t->entered.others);
	entered_add(&to->entered.remaps, &t->entered.remaps);
	for (uint32_t i = 0; i < ALL_SHAPES; i++)
		entered_add(&to->launches[i], &t->launches[i]);
}

void
totals_kinds(const Totals *t)
{
	const char *before = "transformed, by annotation: ";

	for (uint32_t k = 0; k < ANNOT_KINDS; k++)
		if (annot_kinds[k].words) {
			printf("%s%s %llu", before, annot_kinds[k].words,
				(unsigned long long)t->kinds[k]);
			before = ", ";
		}
	printf("\n");
}

/* Required percentages: of loops that some launch enters; of launches of a shape that enter some
 * loop. The others are under a branch, lanes have exited before, or there is no item. Of remapped
 * branches that exchange work, which must pay. */
enum { LOOPS_ENTERED = 50, LAUNCHES_ENTERED = 40, EXCHANGES = 20 };

static bool
report_share(const Entered_share *s, uint32_t percent, const char *what)
{
	if (s->may)
		printf("%s%.1f %%", what, entered_percent(s));
	if (entered_enough(s, percent))
		return true;
	printf("\nFAIL gen: that is less than %u %%\n", percent);
	return false;
}

static bool
report_entered(const Totals *t)
{
	bool ok = report_share(&t->entered.lockstep, LOOPS_ENTERED, "entered: in step ");

	ok &= report_share(&t->entered.apart, LOOPS_ENTERED, "; apart ");
	ok &= report_share(&t->entered.others, LOOPS_ENTERED, "; by parts of warps ");
	ok &= report_share(&t->entered.remaps, EXCHANGES, "; branches ");
	ok &= report_share(
		&t->launches[SHAPE_FIXED], LAUNCHES_ENTERED, "; launches with .reqntid ");
	ok &= report_share(&t->launches[SHAPE_COUNTED], LAUNCHES_ENTERED,
		", with threads(N) in several dimensions ");
	for (uint32_t i = 0; i < SHAPES; i++) {
		Buf what = {0};
		const uint32_t *b = shapes[i].block;
		const uint32_t *n = shapes[i].grid;
		buf_printf(&what, ", %u,%u,%u x %u,%u,%u ", n[0], n[1], n[2], b[0], b[1], b[2]);
		ok &= report_share(&t->launches[i], LAUNCHES_ENTERED, what.at);
		buf_free(&what);
	}
	printf("\n");
	return ok;
}

bool
totals_print(const Totals *t, uint64_t first, double seconds)
{
	printf("%llu kernels in %.1f s (%.0f a second); %llu sites, %.1f %% transformed, %llu in step, %llu apart\n",
		(unsigned long long)t->ran, seconds,
		(double)t->ran / (seconds > 0 ? seconds : 1), (unsigned long long)t->sites,
		100.0 * (double)t->done / (double)(t->sites ? t->sites : 1),
		(unsigned long long)t->entered.lockstep.may,
		(unsigned long long)t->entered.apart.may);
	printf("%llu branches, %.1f %% remapped\n", (unsigned long long)t->remaps,
		100.0 * (double)t->remapped / (double)(t->remaps ? t->remaps : 1));
	printf("seeds %llu to %llu; ", (unsigned long long)first, (unsigned long long)t->last);
	totals_kinds(t);
	uint64_t failed = t->failed + !report_entered(t); /* a separate test */
	printf("gen: %llu passed, %llu failed\n", (unsigned long long)(t->ran + 1 - failed),
		(unsigned long long)failed);
	return failed == 0;
}

/* The required percentage of transformed kernels. */
enum { UNASKED_TRANSFORMED = 50 };

bool
totals_print_unasked(const Totals *t, uint64_t first, double seconds)
{
	bool few = 100 * t->unasked.kernels < UNASKED_TRANSFORMED * t->ran;
	uint64_t failed = t->failed + few;

	printf("%llu kernels in %.1f s (%.0f a second)\n", (unsigned long long)t->ran, seconds,
		(double)t->ran / (seconds > 0 ? seconds : 1));
	printf("seeds %llu to %llu; ", (unsigned long long)first, (unsigned long long)t->last);
	unasked_print(&t->unasked, t->ran);
	if (few)
		printf("FAIL gen: that is less than %d %%\n", UNASKED_TRANSFORMED);
	printf("gen: %llu passed, %llu failed\n", (unsigned long long)(t->ran + 1 - failed),
		(unsigned long long)failed);
	return failed == 0;
}
