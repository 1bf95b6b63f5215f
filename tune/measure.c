/* SPDX-License-Identifier: MIT */
/* Measures a plan: builds, checks that the build follows the plan, runs, compares the output,
 * and takes the time. Each plan is measured once; results are in the cache, which is written
 * after each measurement. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tune/tune.h"

const char *const tried_names[] = { "ok", "not built", "plan not followed", "failed",
	"outputs differ" };

const Measure *
measure_known(const Tune *t, const char *plan)
{
	for (uint32_t i = 0; i < t->measures.n; i++)
		if (strcmp(t->measures.at[i].plan, plan) == 0)
			return &t->measures.at[i];
	return NULL;
}

static int
by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Runs the current build. */
static void
run_measure(Tune *t, Measure *m)
{
	const char *out = tune_printf(t, "%s/stdout", t->folder);
	uint32_t n = t->o.runs;
	double *times = arena_array(t->arena, n, sizeof *times);

	for (uint32_t i = 0; i < t->o.warmup + n && !m->why; i++) {
		double *to = &times[i < t->o.warmup ? 0 : i - t->o.warmup];
		m->tried = TRIED_RUN;
		m->why = timer_run(t, out, to);
		if (m->why)
			break;
		m->tried = TRIED_OUTPUT;
		m->why = outputs_compare(t, out);
	}
	if (m->why)
		return;
	qsort(times, n, sizeof *times, by_time);
	m->tried = TRIED_WELL;
	m->few = timer_few_tasks(t);
	m->time = n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
	m->spread = times[n - 1] - times[0];
}

/* Names the options that say what may differ. With --check the user's command has decided. */
static void
say_output_options(const Tune *t)
{
	if (!t->o.check)
		tune_say("if it prints times, say which output matters (--output, --no-stdout), by how much numbers may differ (--rtol), or how to see that it is right (--check)");
}

static void
print_measure(const Tune *t, const Measure *m)
{
	if (m->tried == TRIED_WELL)
		tune_say("  %.0f %s%s%s", m->time, timer_unit(t),
			m->few ? ", but not measurable here: " : "", m->few ? m->few : "");
	else
		tune_say("  %s: %s", tried_names[m->tried], m->why);
}

static bool
any_output_differed(const Tune *t)
{
	for (uint32_t i = 0; i < t->measures.n; i++)
		if (t->measures.at[i].fresh && t->measures.at[i].tried == TRIED_OUTPUT)
			return true;
	return false;
}

const Measure *
measure_plan(Tune *t, Plan p)
{
	const char *text = plan_text(t, p), *report;
	const Measure *known = measure_known(t, text);
	Measure m = { .plan = text, .fresh = true };

	if (known || t->stop || child_interrupted())
		return known;
	if (t->until > 0 && tune_now() >= t->until) {
		t->over = true;
		return NULL;
	}
	tune_say("%s", plan_title(t, p));
	m.why = t->built && strcmp(t->built, text) == 0 ? NULL :
							  build_run(t, p, &report, &m.tried);
	if (!m.why && !child_interrupted())
		run_measure(t, &m);
	if (child_interrupted())
		return NULL;
	print_measure(t, &m);
	if (m.tried == TRIED_OUTPUT && !any_output_differed(t))
		say_output_options(t);
	*vec_push(&t->measures) = m;
	t->stop = !cache_write(t);
	return &t->measures.at[t->measures.n - 1];
}

bool
measure_noise(Tune *t, Plan p)
{
	const Measure *first = measure_known(t, plan_text(t, p));
	Measure again = { .plan = first->plan };
	double time = first->time, spread = first->spread;

	if (t->any_noise)
		return true;
	tune_say("the same once more");
	run_measure(t, &again);
	if (child_interrupted())
		return false;
	print_measure(t, &again);
	if (again.why) {
		tune_say("two runs of one build differ: %s", again.why);
		if (again.tried == TRIED_OUTPUT)
			say_output_options(t);
		return false;
	}
	t->noise = fabs(again.time - time) / time;
	spread = again.spread > spread ? again.spread : spread;
	if (spread / 2 > t->noise * time)
		t->noise = spread / 2 / time;
	t->any_noise = true;
	return cache_write(t);
}
