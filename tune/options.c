/* SPDX-License-Identifier: MIT */
/* The command line of ccc-tune. See docs/ccc-tune.1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commit.h"
#include "tune/tune.h"

const char *const timer_names[] = { "auto", "emulator", "cupti", "events" };

typedef bool Option_handler(Options *o, const char *value); /* false: the value is invalid */

static bool
parse_whole_number(const char *s, uint32_t least, uint32_t most, uint32_t *n)
{
	char *end;
	unsigned long v = strtoul(s, &end, 10);

	*n = (uint32_t)v;
	return *s >= '0' && *s <= '9' && !*end && v >= least && v <= most;
}

static bool set_text(const char **to, const char *v) { *to = v; return *v != '\0'; }
static bool take_build(Options *o, const char *v) { return set_text(&o->build, v); }
static bool take_check(Options *o, const char *v) { return set_text(&o->check, v); }
static bool take_cache(Options *o, const char *v) { return set_text(&o->cache, v); }
static bool take_to(Options *o, const char *v) { return set_text(&o->to, v); }
static bool
take_runs(Options *o, const char *v)
{
	return parse_whole_number(v, 1, 10000, &o->runs);
}
static bool
take_warmup(Options *o, const char *v)
{
	return parse_whole_number(v, 0, 10000, &o->warmup);
}
static bool take_top(Options *o, const char *v) { return parse_whole_number(v, 1, 100, &o->top); }
static bool take_output(Options *o, const char *v) { return set_text(vec_push(&o->outputs), v); }
static bool take_no_stdout(Options *o, const char *v) { (void)v; return o->no_stdout = true; }
static bool take_suggest(Options *o, const char *v) { (void)v; return o->suggest = true; }
static bool take_no_promises(Options *o, const char *v) { (void)v; return o->no_promises = true; }

/* 90, 90s, 10m, 2h */
static bool
take_budget(Options *o, const char *v)
{
	static const struct { const char *unit; double seconds; } units[] = {
		{ "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }
	};
	char *end;
	double n = strtod(v, &end);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(end, units[i].unit) == 0) {
			o->budget = n * units[i].seconds;
			return end != v && o->budget > 0 && o->budget < 1e9;
		}
	return false;
}

static bool
take_rtol(Options *o, const char *v)
{
	char *end;

	o->rtol = strtod(v, &end);
	o->any_rtol = true;
	return end != v && !*end && o->rtol >= 0 && o->rtol < 1;
}

static bool
take_timer(Options *o, const char *v)
{
	for (int i = 0; i <= TIMER_EVENTS; i++)
		if (strcmp(v, timer_names[i]) == 0) {
			o->timer = (Timer)i;
			return true;
		}
	return false;
}

static bool
take_export(Options *o, const char *v)
{
	o->show = strcmp(v, "md") == 0 ? SHOW_MD : SHOW_JSON;
	return strcmp(v, "md") == 0 || strcmp(v, "json") == 0;
}

static const struct {
	const char *name;
	Option_handler *take;
	bool alone;
	const char *help;
} options[] = {
	{ "--build", take_build, false,
		"=CMD     shell command that rebuilds the program (make -B)" },
	{ "--suggest", take_suggest, true,
		"       try the annotations that cccnvcc advises instead of policies, and print a patch with those that gain" },
	{ "--no-promises", take_no_promises, true,
		"   with --suggest: do not check their promises on the emulator" },
	{ "--runs", take_runs, false,
		"=N        runs of each plan, whose median is used (5; on the emulator 1)" },
	{ "--warmup", take_warmup, false,
		"=N      runs before those, which are not measured (1; on the emulator 0)" },
	{ "--top", take_top, false,
		"=K         policies to try for each loop, the most promising ones (3)" },
	{ "--budget", take_budget, false,
		"=TIME   start nothing new after this time: 90s, 10m, 2h" },
	{ "--check", take_check, false,
		"=CMD     command that accepts the program's output; its input is the program's standard output" },
	{ "--output", take_output, false,
		"=FILE   file that the program writes, which must not change either; may be repeated" },
	{ "--no-stdout", take_no_stdout, true, "      standard output may differ from run to run" },
	{ "--rtol", take_rtol, false,
		"=R        relative difference allowed between numbers in the output" },
	{ "--timer", take_timer, false,
		"=WHAT    emulator, cupti, events, or auto (default): cupti with a GPU, else emulator" },
	{ "--cache", take_cache, false,
		"=FILE    measurements, reused by later runs (ccc-tune.json)" },
	{ "--to", take_to, false,
		"=FILE       profile with the chosen policies (ccc-tune.cccprof)" },
	{ "--export", take_export, false, "=WHAT   print the result as md or json" },
};

static void
print_usage(FILE *to)
{
	fputs("usage: ccc-tune [options] -- PROGRAM [ARGUMENTS]\n"
	      "Chooses the policies of a program's annotated loops by measurement: builds and runs the program with the most\n"
	      "promising policies of each loop that names none. The build must call cccnvcc.\n\n",
		to);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		fprintf(to, "  %s%s\n", options[i].name, options[i].help);
	fputs("  --version, --help\n", to);
}

static int
report_wrong(const char *what, const char *arg)
{
	fprintf(stderr, "ccc-tune: %s '%s'\nTry 'ccc-tune --help'.\n", what, arg);
	return EXIT_WRONG;
}

static int
read_option(Options *o, char **argv, int *i)
{
	const char *arg = argv[*i], *value;

	for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
		size_t n = strlen(options[k].name);
		if (strncmp(arg, options[k].name, n) != 0 || (arg[n] && arg[n] != '='))
			continue;
		if (options[k].alone && arg[n])
			return report_wrong("no value is allowed after", arg);
		value = options[k].alone ? "" : arg[n] ? arg + n + 1 : argv[++*i];
		if (!value)
			return report_wrong("no value for", arg);
		return options[k].take(o, value) ? 0 : report_wrong("cannot use the value of", arg);
	}
	return report_wrong(*arg == '-' ? "unknown option" : "'--' is missing before", arg);
}

static const char make[] = "make -B";

static bool
is_makefile_here(void)
{
	return access("GNUmakefile", R_OK) == 0 || access("makefile", R_OK) == 0 ||
		access("Makefile", R_OK) == 0;
}

int
options_read(Options *o, int argc, char **argv)
{
	*o = (Options){ .build = make, .to = "ccc-tune.cccprof",
		.top = 3, .warmup = UINT32_MAX };
	for (int i = 1; i < argc; i++) {
		bool version = strcmp(argv[i], "--version") == 0,
		     help = strcmp(argv[i], "--help") == 0;
		int status = 0;
		if (strcmp(argv[i], "--") == 0) {
			o->program = argv + i + 1;
			break;
		}
		if (version)
			puts("ccc-tune " VERSION COMMIT);
		else if (help)
			print_usage(stdout);
		else
			status = read_option(o, argv, &i);
		if (version || help)
			return -1;
		if (status)
			return status;
	}
	if (o->suggest && o->show != SHOW_TEXT)
		return report_wrong("--suggest prints a patch, it does not take", "--export");
	if (o->program && *o->program && strcmp(o->build, make) == 0 && !is_makefile_here()) {
		fprintf(stderr, "ccc-tune: no makefile here for '%s': say how the program is built, "
				"--build=CMD\n", make);
		return EXIT_WRONG;
	}
	if (o->program && *o->program)
		return 0;
	print_usage(stderr);
	return EXIT_WRONG;
}
