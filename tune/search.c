/* SPDX-License-Identifier: MIT */
/* Selects the plans to measure. First, at each site alone, with auto at all others: the policies
 * with the best expected speedup, each with its best number; leaving the loop; and other numbers
 * of the fastest policy, or of the present one if leaving the loop is faster; of an advised
 * annotation all numbers. Then the best choices of all sites combined that do not exclude each
 * other. If the combination is worse
 * than the best single choice, because kernels share the resources of a multiprocessor, choices
 * are added one by one as long as that gains. */
#include <stdlib.h>
#include <string.h>
#include "tune/tune.h"

typedef struct { uint32_t site; const char *choice; double time; } Best_choice;

double
search_worth(const Tune *t, const Measure *m)
{
	Arena *a = arena_new();
	Tune quiet = { .sites = t->sites, .arena = a, .o.suggest = t->o.suggest };
	const Measure *base = measure_known(t, plan_text(&quiet, plan_new(&quiet)));
	double worth = base && m->tried == TRIED_WELL ? base->time / m->time : 0;

	arena_free(a);
	return worth;
}

/* Returns the time of a plan; 0 if it was not measured or failed. */
static double
time_of(Tune *t, Plan p)
{
	const Measure *m = measure_plan(t, p);

	return m && m->tried == TRIED_WELL ? m->time : 0;
}

/* Whether time is less by more than the difference between two runs of the same build. */
static bool
is_less(const Tune *t, double time, double than)
{
	return time > 0 && time < than * (1 - t->noise);
}

/* Whether two options differ at most in their numbers: queue(4) and queue(8). */
static bool
same_policy(const char *a, const char *b)
{
	size_t n = strcspn(a, "("), m = strcspn(b, "(");
	const char *more = strchr(a, '+'), *other = strchr(b, '+');

	return n == m && strncmp(a, b, n) == 0 && !more == !other;
}

/* Whether an option before number i of the site has the same policy. */
static bool
follows_another(const Site *s, uint32_t i)
{
	bool follows = false;

	for (uint32_t k = 0; k < i; k++)
		follows |= same_policy(s->options[k].policy, s->options[i].policy);
	return follows;
}

/* Measures a choice of a site, and keeps it if it is the fastest one. */
static void
try_choice(Tune *t, Plan base, const char *choice, Best_choice *b)
{
	double time = time_of(t, plan_with(t, base, b->site, choice));

	if (time > 0 && time < b->time) {
		b->choice = choice;
		b->time = time;
	}
}

static Best_choice
best_at(Tune *t, Plan base, uint32_t site)
{
	const Site *s = &t->sites.at[site];
	Best_choice b = { .site = site, .time = time_of(t, base) };
	uint32_t n = 0, more = 1;

	for (uint32_t i = 0; i < s->noptions && n < t->o.top; i++) {
		if (follows_another(s, i))
			continue;
		try_choice(t, base, s->options[i].policy, &b);
		n++;
	}
	if (strcmp(s->now, LEAVE) != 0)
		try_choice(t, base, LEAVE, &b);
	const char *best = b.choice && strcmp(b.choice, LEAVE) != 0 ? b.choice : s->now;
	for (uint32_t i = 0; i < s->noptions && (t->o.suggest || more < t->o.top); i++) {
		if (!follows_another(s, i) ||
			(!t->o.suggest && !same_policy(s->options[i].policy, best)))
			continue;
		try_choice(t, base, s->options[i].policy, &b);
		more++;
	}
	return b;
}

static int
by_time(const void *a, const void *b)
{
	const Best_choice *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

double
search_auto_gain(Tune *t, Plan base)
{
	const Measure *by_auto = measure_known(t, plan_text(t, base)),
		      *original = measure_known(t, plan_text(t, ORIGINAL));

	return is_less(t, by_auto->time, original->time) ? original->time / by_auto->time : 0;
}

/* Keeps why the choice of a site failed in this plan. */
static void
note_failed(Tune *t, uint32_t site, Plan p)
{
	const Measure *m = measure_known(t, plan_text(t, p));

	if (m && m->tried != TRIED_WELL)
		t->sites.at[site].alone =
			tune_printf(t, "%s: %s", tried_names[m->tried], m->why);
}

/* Whether the plan has a choice that cannot be built with this one: of nested annotations, the
 * outer one, if it is transformed, removes the inner one. */
static bool
is_excluded(const Tune *t, Plan p, const Best_choice *b)
{
	for (uint32_t i = 0; i < t->nests.n; i++) {
		const Site_nest *e = &t->nests.at[i];
		const char *outer = e->outer == b->site ? b->choice : p[e->outer],
			   *inner = e->inner == b->site ? b->choice : p[e->inner];
		if ((e->outer == b->site || e->inner == b->site) && outer && inner &&
			strcmp(outer, LEAVE) != 0)
			return true;
	}
	return false;
}

/* Combines the best choices, as far as they do not exclude each other: all of them, or one by
 * one. */
static Plan
combine_best(Tune *t, Plan base, const Best_choice *best, uint32_t n)
{
	Plan all = base, p = base;
	double time = time_of(t, base);

	for (uint32_t i = 0; i < n; i++)
		if (!is_excluded(t, all, &best[i]))
			all = plan_with(t, all, best[i].site, best[i].choice);
		else
			t->sites.at[best[i].site].alone =
				"nested annotations exclude each other";
	double sum = time_of(t, all);
	if (sum > 0 && sum <= best[0].time)
		return all;
	for (uint32_t i = 0; i < n; i++) {
		if (is_excluded(t, p, &best[i]))
			continue;
		Plan q = plan_with(t, p, best[i].site, best[i].choice);
		double with = time_of(t, q);
		if (!is_less(t, with, time)) {
			note_failed(t, best[i].site, q);
			continue;
		}
		p = q;
		time = with;
	}
	return p;
}

Plan
search_best(Tune *t, Plan base)
{
	Best_choice *best = arena_array(t->arena, t->sites.n, sizeof *best);
	double time = time_of(t, base);
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->sites.n; i++) {
		best[n] = best_at(t, base, i);
		n += best[n].choice && is_less(t, best[n].time, time);
	}
	if (n == 0 || child_interrupted())
		return NULL;
	qsort(best, n, sizeof *best, by_time);
	return combine_best(t, base, best, n);
}
