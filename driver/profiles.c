/* SPDX-License-Identifier: MIT */
/* ptxccc profile merge | show | overlap. See profiles.h.
 *
 * An error in one of several files does not discard the others: it is reported, the readable
 * files are used, and the exit status is 1. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/console.h"
#include "base/source.h"
#include "driver/profiles.h"

/* ---- files ----------------------------------------------------------------------------------- */

static bool
is_profile(const char *name)
{
	static const char ending[] = ".cccprof";
	size_t n = strlen(name), k = sizeof ending - 1;

	return n > k && strcmp(name + n - k, ending) == 0;
}

static void
give_profile(const char *file, Profiles_take *take_profile, void *user)
{
	Source src;
	const char *why;

	if (!source_read(&src, file, &why)) {
		take_profile(user, file, NULL, 0, why);
		return;
	}
	take_profile(user, file, src.text, src.len, NULL);
	source_release(&src);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
give_folder(const char *path, DIR *d, Profiles_take *take_profile, void *user)
{
	VEC(char *) names = { 0 };

	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		Buf name = { 0 };
		if (!is_profile(e->d_name))
			continue;
		buf_printf(&name, "%s/%s", path, e->d_name);
		*vec_push(&names) = name.at;
	}
	if (names.n)
		qsort(names.at, names.n, sizeof *names.at, by_name);
	else
		take_profile(user, path, NULL, 0, "no file in it ends in '.cccprof'");
	for (uint32_t i = 0; i < names.n; i++) {
		give_profile(names.at[i], take_profile, user);
		xfree(names.at[i]);
	}
	vec_free(&names);
}

void
profiles_each(const char *path, Profiles_take *take_profile, void *user)
{
	DIR *d = strcmp(path, "-") ? opendir(path) : NULL;

	if (!d) {
		give_profile(path, take_profile, user);
		return;
	}
	give_folder(path, d, take_profile, user);
	closedir(d);
}

int
profiles_write(Profile *p, const char *path)
{
	Buf out = { 0 };
	const char *why;

	profile_sort_and_merge(p);
	profile_write(p, &out);
	bool ok = source_write(path, out.at, out.n, &why);
	if (!ok)
		fprintf(stderr, "%s: cannot write '%s': %s\n", program_name, path ? path : "-",
			why);
	buf_free(&out);
	return ok ? 0 : 2;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct { Profile p; uint32_t weight; int status; } Reading;

static void
take_profile(void *user, const char *file, const char *text, size_t len, const char *why)
{
	Reading *r = user;
	Profile one = profile_new();
	Buf said = { 0 };

	if (!text) {
		fprintf(stderr, "%s: cannot read '%s': %s\n", program_name, file, why);
		r->status = 2;
	} else if (!profile_read(&one, text, len, &said)) {
		fprintf(stderr, "%s: %s: %s\n", program_name, file, said.at);
		r->status = r->status ? r->status : 1;
	}
	profile_merge(&r->p, &one, r->weight);
	profile_release(&one);
	buf_free(&said);
}

int
profiles_begin(const char *path)
{
	Profile none = profile_new();
	int status = profiles_write(&none, path);

	profile_release(&none);
	return status;
}

int
profiles_settle(const char *path)
{
	Reading r = { .p = profile_new(), .weight = 1 };

	give_profile(path, take_profile, &r);
	int status = r.status ? 2 : profiles_write(&r.p, path);
	profile_release(&r.p);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const char help[] =
	"usage: ptxccc profile merge -o FILE [--weight=N] FILE|FOLDER... [--weight=N FILE|FOLDER...]\n"
	"       ptxccc profile show FILE|FOLDER...\n"
	"       ptxccc profile overlap FILE|FOLDER FILE|FOLDER\n"
	"Profiles hold execution counts of the annotated paths and inner loops of a program ('ptxrun --profile', 'cccnvcc\n"
	"--ccc-profile-generate'; docs/profiles.md). A folder means its files *.cccprof.\n\n"
	"  merge      add profiles; those after --weight=N count N times\n"
	"  show       print a table of execution counts and active lanes\n"
	"  overlap    print how similar two profiles are: 100 % if lanes take the same paths in the same proportions\n"
	"  -o FILE    output file (default and '-': standard output)\n"
	"  --help\n";

static int
report_usage(const char *what, const char *arg)
{
	fprintf(stderr, "ptxccc: %s '%s'\nTry 'ptxccc profile --help'.\n", what, arg);
	return 2;
}

static bool
take_weight(const char *text, uint32_t *weight)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*weight = (uint32_t)n;
	return *text >= '0' && *text <= '9' && !*end && n >= 1 && n <= 1000000;
}

static int
run_merge(char **argv)
{
	Reading r = { .p = profile_new(), .weight = 1 };
	const char *to = NULL;
	uint32_t files = 0;
	int status = 0;

	for (; *argv && !status; argv++) {
		if (strcmp(*argv, "-o") == 0 && argv[1])
			to = *++argv;
		else if (strncmp(*argv, "--weight=", 9) == 0)
			status = take_weight(*argv + 9, &r.weight) ?
				0 : report_usage("not a number from 1 to 1000000:", *argv);
		else if ((*argv)[0] == '-' && (*argv)[1])
			status = report_usage("unknown option", *argv);
		else
			files++, profiles_each(*argv, take_profile, &r);
	}
	if (!status && !files)
		status = report_usage("no profile for", "merge");
	if (!status)
		status = profiles_write(&r.p, to);
	profile_release(&r.p);
	return status ? status : r.status;
}

static int
run_show(char **argv)
{
	Reading r = { .p = profile_new(), .weight = 1 };
	Buf out = { 0 };

	if (!*argv)
		r.status = report_usage("no profile for", "show");
	for (; *argv; argv++)
		profiles_each(*argv, take_profile, &r);
	profile_sort_and_merge(&r.p);
	if (r.status < 2)
		profile_show(&r.p, &out);
	fputs(out.at ? out.at : "", stdout);
	buf_free(&out);
	profile_release(&r.p);
	return r.status;
}

static int
run_overlap(char **argv)
{
	Reading r[2] = { { .p = profile_new(), .weight = 1 }, { .p = profile_new(), .weight = 1 } };
	int status = 0;

	if (!argv[0] || !argv[1] || argv[2])
		status = report_usage("two profiles, for", "overlap");
	for (int i = 0; i < 2; i++) {
		if (!status)
			profiles_each(argv[i], take_profile, &r[i]);
		profile_sort_and_merge(&r[i].p);
	}
	status = status ? status : r[0].status > r[1].status ? r[0].status : r[1].status;
	if (status < 2)
		printf("overlap: %.2f %%\n", 100 * profile_overlap(&r[0].p, &r[1].p));
	profile_release(&r[0].p);
	profile_release(&r[1].p);
	return status;
}

int
profiles_main(char **argv)
{
	static const struct { const char *name; int (*run)(char **argv); } commands[] = {
		{ "merge", run_merge }, { "show", run_show }, { "overlap", run_overlap }
	};
	int status = -1;

	for (size_t i = 0; *argv && i < sizeof commands / sizeof *commands; i++)
		if (strcmp(*argv, commands[i].name) == 0)
			status = commands[i].run(argv + 1);
	if (*argv && strcmp(*argv, "--help") == 0)
		status = fputs(help, stdout) < 0 ? 2 : 0;
	else if (status < 0)
		status = *argv ? report_usage("unknown command", *argv) : (fputs(help, stderr), 2);
	if (!console_flush(stdout))
		status = 2;
	return status;
}
