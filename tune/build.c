/* SPDX-License-Identifier: MIT */
/* Builds the program with a plan. A plan is a profile with choices, which cccnvcc receives in an
 * environment variable. Each build writes its own report, which must confirm for each site that
 * the choice was followed; otherwise a different program would be measured. Compiler caches do
 * not see plans, so they are told to recompile everything. */
#include <string.h>
#include "annotate/files.h"
#include "base/source.h"
#include "tune/tune.h"

/* Returns the last line of a log, which has the error message. */
static const char *
last_line(Tune *t, const char *log)
{
	Source s;
	const char *why, *line = NULL;

	if (!source_read(&s, log, &why))
		return NULL;
	for (const char *at = s.text, *end; *at; at = end + (*end == '\n')) {
		end = at + strcspn(at, "\n");
		if (end > at)
			line = arena_strndup(t->arena, at, (size_t)(end - at));
	}
	source_release(&s);
	return line;
}

static const char *
run_build_command(Tune *t, const char *profile, const char *report)
{
	const char *log = tune_printf(t, "%s/build.log", t->folder);
	const char *const env[] = { "CCC_PROFILE_USE", profile, "CCC_REPORT", report,
		"CCACHE_DISABLE", "1", "SCCACHE_RECACHE", "1", NULL };
	Exit_status e = child_end(
		&(Child){ .command = t->o.build, .out = log, .err = log, .env = env });
	const char *line = e.code || e.signal ? last_line(t, log) : NULL;

	if (e.signal)
		return tune_printf(t, "the build was ended by signal %d", e.signal);
	if (e.code)
		return tune_printf(t, "'%s' failed with status %d%s%s", t->o.build, e.code,
			line ? ": " : "", line ? line : "");
	return NULL;
}

const char *
build_run(Tune *t, Plan p, const char **report, Build_result *tried)
{
	const char *profile = tune_printf(t, "%s/plan.cccprof", t->folder);
	Buf text = { 0 };

	*report = tune_printf(t, "%s/report-%u.json", t->folder, t->builds++);
	*tried = TRIED_BUILD;
	t->built = NULL;
	plan_profile(t, p, false, &text);
	int rc = file_write(profile, text.at, text.n);
	buf_free(&text);
	if (rc)
		return "the plan cannot be written";
	const char *wrong = run_build_command(t, profile, *report);
	if (wrong)
		return wrong;
	*tried = TRIED_PLAN;
	if (!file_has_text(*report))
		return "the build compiled nothing with annotations by cccnvcc: it must make everything anew (--build)";
	wrong = sites_wrong(t, *report, p);
	t->built = wrong ? NULL : plan_text(t, p);
	return wrong;
}
