/* SPDX-License-Identifier: MIT */
/* Tries advised annotations (cccnvcc --ccc-suggest). The build inserts them into what it compiles
 * and writes their records (annotate/fixes.h). So an annotation is a site with the option `auto`,
 * and those of other thresholds if lanes wait there. Without a choice it is not inserted: a choice
 * `leave` would not be followed where the annotation names its policy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/files.h"
#include "base/source.h"
#include "tune/tune.h"

/* ---- sites ----------------------------------------------------------------------------------- */

static const char *
read_text(Tune *t, const char *path)
{
	Source s;
	const char *why, *text = "";

	if (!source_read(&s, path, &why))
		return text;
	text = arena_strndup(t->arena, s.text, s.len);
	source_release(&s);
	return text;
}

static const char *
place_of(Tune *t, const Json *site, const char *member)
{
	const Json *at = json_member(site, member);
	const char *file = json_text(at, "file");

	return file ? tune_printf(t, "%s:%u", file, (uint32_t)json_number(at, "line")) : "";
}

/* Returns the site's annotation; NULL: it is the user's own, or its record was refused. */
static Patch_fix *
find_fix(Tune *t, const Json *site)
{
	const char *loop = place_of(t, site, "loop"), *path = place_of(t, site, "path");

	for (uint32_t i = 0; i < t->fixes.n; i++) {
		Patch_fix *x = &t->fixes.at[i];
		if (x->loop && strcmp(x->loop, loop) == 0 &&
			(!*path || strcmp(x->site, path) == 0))
			return x;
	}
	return NULL;
}

static Site *
site_of_fix(Tune *t, uint32_t fix)
{
	for (uint32_t i = 0; i < t->sites.n; i++)
		if (t->fix_of.at[i] == fix)
			return &t->sites.at[i];
	return NULL;
}

static bool
chain_has_key(const Site *s, const char *key)
{
	while (s && strcmp(s->key, key) != 0)
		s = s->copy;
	return s != NULL;
}

static const char THRESHOLD[] = "threshold(", WAIT[] = "wait(";

/* Returns the number of the fix's clause `threshold(N)`; NULL if it has none. */
static const char *
find_threshold(const Patch_fix *x)
{
	for (uint32_t i = 0; i < 2; i++) {
		const char *at = x->at[i].text ? strstr(x->at[i].text, THRESHOLD) : NULL;
		if (at)
			return at + sizeof THRESHOLD - 1;
	}
	return NULL;
}

/* Adds the other thresholds that the site can have, by their expected speedup. */
static void
add_thresholds(const Json *site, Site *s, const Patch_fix *x)
{
	const char *own = find_threshold(x);

	JSON_EACH(json_member(site, "options"), j) {
		const char *policy = json_text(j, "policy");
		if (own && policy && strncmp(policy, WAIT, sizeof WAIT - 1) == 0 &&
			atoi(policy + sizeof WAIT - 1) != atoi(own))
			s->options[s->noptions++] =
				(Option){ policy, json_number(j, "expected") };
	}
	options_sort(s->options + 1, s->noptions - 1);
}

static void
add_site(Tune *t, const Json *j, uint32_t fix)
{
	Site *s = arena_array(t->arena, 1, sizeof *s), *first = site_of_fix(t, fix);
	const Json *at = json_member(j, "loop");

	*s = (Site){ .key = json_text(j, "key"), .file = json_text(at, "file"),
		.line = (uint32_t)json_number(at, "line"), .now = LEAVE };
	s->name = json_text(j, "name") ? json_text(j, "name") : json_text(j, "function");
	if (first) {
		s->copy = first->copy;
		first->copy = s;
		return;
	}
	uint32_t n = 1;
	JSON_EACH(json_member(j, "options"), option)
		n++;
	s->options = arena_array(t->arena, n, sizeof *s->options);
	s->options[s->noptions++] = (Option){ AUTO, t->fixes.at[fix].expected };
	add_thresholds(j, s, &t->fixes.at[fix]);
	*vec_push(&t->sites) = *s;
	*vec_push(&t->fix_of) = fix;
}

bool
suggest_sites(Tune *t, const char *report)
{
	const Json *r = report_read(t, report);

	patch_read(read_text(t, build_fixes_file(t)), t->arena, &t->fixes);
	EACH_SITE(r, unit, j) {
		Patch_fix *x = find_fix(t, j);
		const char *key = json_text(j, "key"), *why = json_text(j, "reason");
		if (!x)
			continue;
		if (!key)
			x->refused = why ? why :
				"a loop alone is not tried: take its annotation from --ccc-suggest=fix";
		else if (!chain_has_key(site_of_fix(t, (uint32_t)(x - t->fixes.at)), key))
			add_site(t, j, (uint32_t)(x - t->fixes.at));
	}
	for (uint32_t i = 0; i < t->fixes.n; i++) {
		Patch_fix *x = &t->fixes.at[i];
		if (x->loop && site_of_fix(t, i))
			x->refused = NULL;
		else if (x->loop && !x->refused)
			x->refused = "the compiler left nothing to transform there";
	}
	return r || !file_has_text(report);
}

/* ---- promises -------------------------------------------------------------------------------- */

static const char FAULT[] = "error: broken promise: ", ANNOTATED[] = "annotated at ",
		  CUDA[] = "    CUDA line ";

/* Appends a line of a fault without the PTX line in "line 12, CUDA line a.cu:3". */
static void
add_fault_line(Buf *b, const char *s)
{
	const char *end = s + strcspn(s, "\n"), *cuda = strstr(s, ", CUDA line "), *at = cuda;

	if (!cuda || cuda > end) {
		buf_add(b, s, (size_t)(end - s));
		return;
	}
	while (at > s && strncmp(at, "line ", 5) != 0)
		at--;
	buf_add(b, s, (size_t)(at - s));
	buf_add(b, cuda + 7, (size_t)(end - cuda - 7));
}

/* Returns the fault as a reason, with the CUDA lines of both accesses. */
static const char *
fault_text(Tune *t, const char *fault)
{
	const char *line = fault;
	Buf b = { 0 };

	buf_puts(&b, "broken promise");
	for (int i = 0; i < 2 && *line; i++) { /* the line is below the PTX statement */
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (strncmp(line, CUDA, sizeof CUDA - 1) == 0)
		buf_printf(&b, " at %.*s", (int)strcspn(line, "\n") - 9, line + 9);
	buf_puts(&b, ": ");
	add_fault_line(&b, fault);
	const char *text = arena_strndup(t->arena, b.at, b.n);
	buf_free(&b);
	return text;
}

static void
refuse_loop(Tune *t, const char *loop, const char *why)
{
	for (uint32_t i = 0; i < t->sites.n; i++) {
		Patch_fix *x = &t->fixes.at[t->fix_of.at[i]];
		if (!x->refused && strcmp(x->loop, loop) == 0) {
			x->refused = why;
			t->sites.at[i].noptions = 0;
		}
	}
}

static void
refuse_broken(Tune *t, const char *log)
{
	for (const char *s = log; (s = strstr(s, FAULT)) != NULL;) {
		s += sizeof FAULT - 1;
		const char *at = strstr(s, ANNOTATED);
		if (!at || at > s + strcspn(s, "\n"))
			continue;
		at += sizeof ANNOTATED - 1;
		refuse_loop(t, arena_strndup(t->arena, at, strcspn(at, " \n")), fault_text(t, s));
	}
}

void
suggest_check_promises(Tune *t)
{
	const char *const options[] = { "--keep-going" };
	const char *log = tune_printf(t, "%s/promises", t->folder),
		   *out = tune_printf(t, "%s/stdout", t->folder);

	if (t->o.no_promises || child_interrupted())
		return;
	tune_say("checking promises on the emulator");
	const char *wrong = build_with_markers(t);
	if (wrong) {
		tune_say("promises are not checked: %s", wrong);
		return;
	}
	Exit_status e = child_end(&(Child){ .argv = timer_on_emulator(t, options, 1), .out = out,
		.err = log });
	if (e.code || e.signal)
		tune_say("promises are not checked: on the emulator, %s", exit_reason(t, e, log));
	else {
		refuse_broken(t, read_text(t, log));
		t->checked = true;
	}
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Returns why a measurement failed. Sums in another order may differ, which the user permits. */
static const char *
reason_failed(Tune *t, const Patch_fix *x, const Measure *m)
{
	bool reorders = false;

	for (uint32_t i = 0; i < 2; i++)
		reorders |= x->at[i].text && strstr(x->at[i].text, "reassociate");
	return tune_printf(t, "%s: %s%s", tried_names[m->tried], m->why,
		reorders && m->tried == TRIED_OUTPUT && !t->o.any_rtol ?
			"; 'reassociate' adds floating-point numbers in another order: to allow that, ccc-tune --suggest --rtol=1e-6" :
			"");
}

/* Returns why an annotation that was measured is not in the patch. */
static const char *
reason_not_kept(Tune *t, uint32_t site, const Measure *m)
{
	const char *alone = t->sites.at[site].alone;

	if (m->few)
		return tune_printf(t, "not measurable here: %s", m->few);
	if (alone)
		return tune_printf(t, "not with the others: %s", alone);
	return search_worth(t, m) > 1 + t->noise ? "gains nothing more with the others" : "no gain";
}

/* Returns the measurement of a site's choice alone. NULL: of its best option, or of the first one
 * if all failed. */
static const Measure *
measure_alone(Tune *t, uint32_t site, const char *choice)
{
	const Site *s = &t->sites.at[site];
	const Measure *best = NULL;

	for (uint32_t i = 0; i < s->noptions; i++) {
		const char *option = s->options[i].policy;
		const Measure *m = measure_known(
			t, plan_text(t, plan_with(t, plan_new(t), site, option)));
		if (!m || (choice && strcmp(choice, option) != 0))
			continue;
		if (!best || (m->tried == TRIED_WELL &&
				     (best->tried != TRIED_WELL || m->time < best->time)))
			best = m;
	}
	return best;
}

/* Writes the chosen threshold into the annotation; choice: "wait(8)". */
static void
set_threshold(Tune *t, Patch_fix *x, const char *choice)
{
	for (uint32_t i = 0; i < 2; i++) {
		const char *at = x->at[i].text ? strstr(x->at[i].text, THRESHOLD) : NULL;
		if (at)
			x->at[i].text = tune_printf(t, "%.*s%s%s",
				(int)(at + sizeof THRESHOLD - 1 - x->at[i].text), x->at[i].text,
				choice + sizeof WAIT - 1, strchr(at, ')') + 1);
	}
}

/* Prints a row of the table, and sets why an annotation is not in the patch. choice: the best one;
 * NULL: to leave the site. */
static void
show_fix(Tune *t, uint32_t site, const char *choice)
{
	Patch_fix *x = &t->fixes.at[t->fix_of.at[site]];
	const Measure *m = measure_alone(t, site, choice);
	const bool waits = choice && strncmp(choice, WAIT, sizeof WAIT - 1) == 0;

	if (!x->refused && !m)
		x->refused = "not tried";
	else if (!x->refused && m->tried != TRIED_WELL)
		x->refused = reason_failed(t, x, m);
	else if (!x->refused && !choice)
		x->refused = reason_not_kept(t, site, m);
	fprintf(stderr, "%8.2fx ", x->expected);
	if (m && m->tried == TRIED_WELL)
		fprintf(stderr, "%8.3fx ", search_worth(t, m));
	else
		fprintf(stderr, "%8s  ", "-");
	fprintf(stderr, " %s, %s: %s", x->site, t->sites.at[site].name,
		x->refused ? x->refused : "in the patch");
	if (waits && !x->refused) {
		set_threshold(t, x, choice);
		fprintf(stderr, ", as threshold(%s", choice + sizeof WAIT - 1);
	}
	fputc('\n', stderr);
}

/* Prints the rows of the annotations in the patch that say what to confirm. */
static void
show_confirmations(const Tune *t)
{
	for (uint32_t i = 0; i < t->fixes.n; i++) {
		const Patch_fix *x = &t->fixes.at[i];
		const char *row = x->loop && !x->refused ? strstr(x->rows, "to confirm: ") : NULL;
		if (row)
			fprintf(stderr, "%s: %.*s\n", x->site, (int)strcspn(row, "\n"), row);
	}
}

static void
refuse_others(Tune *t)
{
	for (uint32_t i = 0; i < t->fixes.n; i++)
		if (!t->fixes.at[i].refused && !site_of_fix(t, i))
			t->fixes.at[i].refused = "not tried";
}

/* Whether there is a row to print: a tried annotation, or one that could not be tried. */
static bool
any_to_show(const Tune *t)
{
	bool any = t->sites.n > 0;

	for (uint32_t i = 0; i < t->fixes.n; i++)
		any |= t->fixes.at[i].loop != NULL;
	return any;
}

/* Prints a row for each annotation that was tried or could not be. */
static void
show_table(Tune *t, Plan best)
{
	const Measure *m = best ? measure_known(t, plan_text(t, best)) : NULL,
		      *baseline = measure_known(t, plan_text(t, plan_baseline(t)));

	if (baseline)
		fprintf(stderr, "measured against %s: %.0f %s\n", plan_title(t, plan_baseline(t)),
			baseline->time, timer_unit(t));
	fputs("expected  measured  (of the kernel; of all kernels)\n", stderr);
	for (uint32_t i = 0; i < t->sites.n; i++)
		show_fix(t, i, best ? best[i] : NULL);
	refuse_others(t);
	for (uint32_t i = 0; i < t->fixes.n; i++)
		if (t->fixes.at[i].loop && !site_of_fix(t, i))
			fprintf(stderr, "%8.2fx %8s   %s: %s\n", t->fixes.at[i].expected, "-",
				t->fixes.at[i].site, t->fixes.at[i].refused);
	if (t->over)
		fputs("not everything was tried within --budget\n", stderr);
	show_confirmations(t);
	fprintf(stderr, "promises: %s\n", t->checked ?
		"checked in a run on the emulator, for this data" : "not checked");
	if (m)
		fprintf(stderr, "all together: %.3fx (%s; less than %.2f %% does not count)\n",
			search_worth(t, m), timer_unit(t), 100 * t->noise);
}

void
suggest_show(Tune *t, Plan best)
{
	Buf patch = { 0 };

	if (any_to_show(t))
		show_table(t, best);
	else
		fputs("no annotation to try\n", stderr);
	patch_write(&t->fixes, &patch);
	fwrite(patch.n ? patch.at : "", 1, patch.n, stdout);
	buf_free(&patch);
}
