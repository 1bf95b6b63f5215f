/* SPDX-License-Identifier: MIT */
/* Builds the program with a plan. A plan is a profile with choices, which cccnvcc receives in an
 * environment variable, and with --suggest the list of the annotations to insert. Each build
 * writes its own report, which must confirm for each site that the choice was followed; otherwise
 * a different program would be measured. The original has no report. Compiler caches do not see
 * plans, so they are told to recompile everything. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/files.h"
#include "base/source.h"
#include "tune/tune.h"

/* Whether the line at s reports an error. */
static bool
line_is_error(const char *s, const char *end)
{
	const char *at = strstr(s, "error");

	return at && at < end && strchr(": ", at[5]);
}

const char *
last_error(Tune *t, const char *log)
{
	Source s;
	const char *why, *line = NULL, *error = NULL;

	if (!source_read(&s, log, &why))
		return NULL;
	for (const char *at = s.text, *end; *at; at = end + (*end == '\n')) {
		end = at + strcspn(at, "\n");
		if (end > at)
			line = arena_strndup(t->arena, at, (size_t)(end - at));
		if (end > at && !error && line_is_error(at, end))
			error = line;
	}
	source_release(&s);
	return error ? error : line;
}

const char *
build_fixes_file(Tune *t)
{
	return tune_printf(t, "%s/fixes", t->folder);
}

/* Returns the value of a variable with another word. */
static const char *
append_word(Tune *t, const char *name, const char *word)
{
	const char *value = getenv(name);

	return tune_printf(t, "%s%s%s", value ? value : "", value && *value ? " " : "", word);
}

/* Runs --build. env: pairs of name and value. */
static const char *
run_build_command(Tune *t, const char *const *env)
{
	const char *log = tune_printf(t, "%s/build.log", t->folder);

	unlink(build_fixes_file(t));
	Exit_status e = child_end(
		&(Child){ .command = t->o.build, .out = log, .err = log, .env = env });
	const char *line = e.code || e.signal ? last_error(t, log) : NULL;

	if (e.signal)
		return tune_printf(t, "the build was ended by signal %d", e.signal);
	if (e.code)
		return tune_printf(t, "'%s' failed with status %d%s%s", t->o.build, e.code,
			line ? ": " : "", line ? line : "");
	return NULL;
}

/* Writes the files of a plan. */
static bool
write_plan(Tune *t, Plan p, const char *profile, const char *annotations)
{
	Buf choices = { 0 }, places = { 0 };

	plan_profile(t, p, false, &choices);
	if (t->o.suggest)
		plan_annotations(t, p, &places);
	bool ok = file_write(profile, choices.at, choices.n) == 0 &&
		file_write(annotations, places.n ? places.at : "", places.n) == 0;
	buf_free(&choices);
	buf_free(&places);
	return ok;
}

const char *
build_run(Tune *t, Plan p, const char **report, Build_result *tried)
{
	const char *profile = tune_printf(t, "%s/plan.cccprof", t->folder),
		   *annotations = tune_printf(t, "%s/annotations", t->folder);

	*report = tune_printf(t, "%s/report-%u.json", t->folder, t->builds++);
	*tried = TRIED_BUILD;
	t->built = NULL;
	if (!write_plan(t, p, profile, annotations))
		return "the plan cannot be written";
	/* a program that times its kernels itself would disturb the times */
	const char *flags = p == ORIGINAL ? "--ccc-off" :
		t->o.suggest		  ? "--ccc-no-timed --ccc-suggest=apply" :
					    "--ccc-no-timed";
	/* the build that finds the sites has all annotations */
	const char *const env[] = { "CCC_PROFILE_USE", profile, "CCC_REPORT", *report,
		"CCACHE_DISABLE", "1", "SCCACHE_RECACHE", "1", "CCC_FLAGS",
		append_word(t, "CCC_FLAGS", flags), t->o.suggest ? "CCC_FIXES" : NULL,
		build_fixes_file(t), t->sites.n ? "CCC_FIXES_ONLY" : NULL, annotations, NULL };
	const char *wrong = run_build_command(t, env);
	if (wrong)
		return wrong;
	*tried = TRIED_PLAN;
	if (p == ORIGINAL && file_has_text(*report))
		return "the build transforms loops although CCC_FLAGS has '--ccc-off': it must call cccnvcc, and hand on CCC_FLAGS (--build)";
	if (p == ORIGINAL)
		return t->built = plan_text(t, p), NULL;
	if (t->o.suggest && !file_has_text(build_fixes_file(t)))
		return "the build compiled nothing with cccnvcc: it must make everything anew (--build)";
	if (!t->o.suggest && !file_has_text(*report))
		return "the build compiled nothing with annotations by cccnvcc: it must make everything anew (--build)";
	wrong = sites_wrong(t, *report, p);
	if (!wrong)
		sites_add_nests(t, *report, p);
	t->built = wrong ? NULL : plan_text(t, p);
	return wrong;
}

const char *
build_with_markers(Tune *t)
{
	const char *const env[] = { "CCACHE_DISABLE", "1", "SCCACHE_RECACHE", "1",
		"CCC_FIXES", build_fixes_file(t), "CCC_FLAGS",
		append_word(t, "CCC_FLAGS", "--ccc-suggest=apply --ccc-markers-only"),
		"NVCC_APPEND_FLAGS", append_word(t, "NVCC_APPEND_FLAGS", "-lineinfo"), NULL };

	t->built = NULL;
	return run_build_command(t, env);
}
