/* SPDX-License-Identifier: MIT */
/* ccc-tune: the main program. See tune.h. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "annotate/files.h"
#include "base/console.h"
#include "base/heap.h"
#include "base/temporary.h"
#include "tune/tune.h"

const char program_name[] = "ccc-tune";

/* The least gain for which an annotation is kept. */
static const double LEAST_GAIN = 0.02;

/* ---- what all need --------------------------------------------------------------------------- */

const char *
tune_printf(Tune *t, const char *fmt, ...)
{
	Buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	const char *text = arena_strndup(t->arena, b.at, b.n);
	buf_free(&b);
	return text;
}

void
tune_say(const char *fmt, ...)
{
	va_list ap;

	fputs("ccc-tune: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

double
tune_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Returns the folder of this program, ending in '/'. */
static const char *
own_folder(Tune *t)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	path[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(path, '/');
	return slash ? arena_strndup(t->arena, path, (size_t)(slash + 1 - path)) : "";
}

static bool
make_folder(Tune *t)
{
	char *folder = temporary_folder("ccc-tune");

	if (!folder) {
		tune_say("cannot make a temporary folder: %s", strerror(errno));
		return false;
	}
	t->folder = arena_strndup(t->arena, folder, strlen(folder));
	xfree(folder);
	if (!t->o.cache)
		t->o.cache = t->o.suggest ? tune_printf(t, "%s/cache", t->folder) : "ccc-tune.json";
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Builds with the choices of auto and finds the sites. Returns -1 to continue, or an exit
 * status. */
static int
find_sites(Tune *t)
{
	const char *report, *wrong;
	Build_result tried;

	tune_say("building: %s", t->o.build);
	wrong = build_run(t, plan_new(t), &report, &tried);
	if (child_interrupted())
		return EXIT_WRONG;
	if (!wrong && !(t->o.suggest ? suggest_sites(t, report) : sites_read(t, report, &t->sites)))
		wrong = "its report cannot be read";
	if (wrong) {
		tune_say("%s", wrong);
		return EXIT_WRONG;
	}
	t->built = t->o.suggest ? NULL : plan_text(t, plan_new(t));
	if (t->sites.n)
		return -1;
	if (t->o.suggest) {
		suggest_show(t, NULL);
	} else {
		show_left(t);
		puts("nothing to tune: there is no annotated loop whose policy is open");
	}
	return EXIT_NOTHING;
}

/* Measures what the result is compared with. Returns -1 to continue, or an exit status. */
static int
measure_baseline(Tune *t)
{
	const Plan p = plan_baseline(t);
	const Measure *m = measure_plan(t, p);

	if (t->stop || child_interrupted())
		return EXIT_WRONG;
	if (m && m->tried == TRIED_WELL)
		return -1;
	if (m && m->tried == TRIED_OUTPUT) {
		tune_say("the program writes something else than what nvcc makes of it: nothing is tuned (a race in it, or a bug in ptxccc)");
		return EXIT_DIFFER;
	}
	tune_say("nothing is tuned: %s was not measured%s%s", plan_title(t, p),
		m ? ": " : " within --budget", m ? m->why : "");
	return EXIT_WRONG;
}

/* Measures what plans are compared with: auto, or no advised annotation, twice, and the
 * original. */
static int
measure_base(Tune *t, Plan base)
{
	const Measure *m = measure_plan(t, base);

	if (!m && t->over)
		tune_say("nothing was measured within --budget");
	if (!m || m->tried != TRIED_WELL)
		return EXIT_WRONG;
	return measure_noise(t, base) ? measure_baseline(t) : EXIT_WRONG;
}

/* Leaves the program built with the best plan. */
static bool
build_best(Tune *t, Plan best)
{
	const char *report, *wrong, *text = plan_text(t, best);
	Build_result tried;

	if (t->built && strcmp(t->built, text) == 0)
		return true;
	tune_say("building: %s", plan_title(t, best));
	wrong = build_run(t, best, &report, &tried);
	if (wrong)
		tune_say("%s", wrong);
	return !wrong;
}

static bool
write_profile(Tune *t, Plan best)
{
	Buf out = { 0 };

	plan_profile(t, best, true, &out);
	bool ok = file_write(t->o.to, out.at, out.n) == 0;
	buf_free(&out);
	return ok;
}

static bool
any_differs(const Tune *t)
{
	bool any = false;

	for (uint32_t i = 0; i < t->measures.n; i++)
		any |= t->measures.at[i].tried == TRIED_OUTPUT;
	return any;
}

/* Prints the patch. The program is left as the sources are, without the annotations. */
static int
show_suggestions(Tune *t, Plan base, Plan best)
{
	if (!build_best(t, base))
		return EXIT_WRONG;
	suggest_show(t, best);
	return best ? EXIT_TUNED : EXIT_NOTHING;
}

static int
tune_program(Tune *t)
{
	const char *wrong = timer_choose(t);
	int status = wrong ? (tune_say("%s", wrong), EXIT_WRONG) : find_sites(t);

	if (status >= 0)
		return status;
	if (t->o.suggest)
		suggest_check_promises(t);
	cache_read(t);
	Plan base = plan_new(t);
	status = measure_base(t, base);
	if (status >= 0)
		return status;
	if (t->o.suggest && t->noise < LEAST_GAIN)
		t->noise = LEAST_GAIN;
	Plan best = search_best(t, base);
	if (child_interrupted() || t->stop)
		return EXIT_WRONG;
	if (t->o.suggest)
		return show_suggestions(t, base, best);
	if (!build_best(t, best ? best : base) || (best && !write_profile(t, best)))
		return EXIT_WRONG;
	show_result(t, best);
	if (any_differs(t))
		tune_say("with some policies the program writes something else: they were not chosen; please report that");
	bool gains = best || search_auto_gain(t, base) > 0;
	return any_differs(t) ? EXIT_DIFFER : gains ? EXIT_TUNED : EXIT_NOTHING;
}

int
main(int argc, char **argv)
{
	Tune t = { .arena = arena_new() };

	console_open();
	int status = options_read(&t.o, argc, argv);
	if (status == 0) {
		t.bin = own_folder(&t);
		t.until = t.o.budget > 0 ? tune_now() + t.o.budget : 0;
		child_begin();
		status = make_folder(&t) ? tune_program(&t) : EXIT_WRONG;
		if (t.folder)
			temporary_remove(t.folder);
	}
	if (child_interrupted()) {
		if (t.o.suggest)
			tune_say("interrupted");
		else
			tune_say("interrupted: the measurements are in '%s'; run the same command to continue",
				t.o.cache);
		signal(child_interrupted(), SIG_DFL);
		raise(child_interrupted());
	}
	if (status < 0)
		status = 0;
	if (!console_flush(stdout))
		status = EXIT_WRONG;
	vec_free(&t.sites);
	vec_free(&t.left);
	vec_free(&t.fixes);
	vec_free(&t.fix_of);
	vec_free(&t.nests);
	vec_free(&t.measures);
	vec_free(&t.o.outputs);
	arena_free(t.arena);
	return status;
}
