/* SPDX-License-Identifier: MIT */
/* Tries advised annotations (cccnvcc --ccc-suggest). The build inserts them into what it compiles
 * and writes their records (annotate/fixes.h). Without the choice `auto` their sites are left
 * unchanged, and are then compiled as nvcc compiles the sources. So an annotation is a site whose
 * only option is `auto`. */
#include <stdio.h>
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
	s->options = arena_array(t->arena, 1, sizeof *s->options);
	s->options[s->noptions++] = (Option){ AUTO, t->fixes.at[fix].expected };
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
			x->refused = why ? why : "it is left unchanged";
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
		tune_say("promises are not checked: the emulator cannot run the program to its end");
	else {
		refuse_broken(t, read_text(t, log));
		t->checked = true;
	}
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Prints a row of the table, and sets why an annotation is not in the patch. */
static void
show_fix(Tune *t, uint32_t site, bool kept)
{
	Patch_fix *x = &t->fixes.at[t->fix_of.at[site]];
	const Measure *m =
		measure_known(t, plan_text(t, plan_with(t, plan_new(t), site, AUTO)));

	if (!x->refused && !m)
		x->refused = "not tried";
	else if (!x->refused && m->tried != TRIED_WELL)
		x->refused = tune_printf(t, "%s: %s", tried_names[m->tried], m->why);
	else if (!x->refused && !kept && m->few)
		x->refused = tune_printf(t, "not measurable here: %s", m->few);
	else if (!x->refused && !kept)
		x->refused = search_worth(t, m) > 1 + t->noise ? "gains nothing more with the others" :
								 "no gain";
	fprintf(stderr, "%8.2fx ", x->expected);
	if (m && m->tried == TRIED_WELL)
		fprintf(stderr, "%8.3fx ", search_worth(t, m));
	else
		fprintf(stderr, "%8s  ", "-");
	fprintf(stderr, " %s, %s: %s\n", x->site, t->sites.at[site].name,
		x->refused ? x->refused : "in the patch");
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
	const Measure *m = best ? measure_known(t, plan_text(t, best)) : NULL;

	fputs("expected  measured  (of the kernel; of all kernels)\n", stderr);
	for (uint32_t i = 0; i < t->sites.n; i++)
		show_fix(t, i, best && best[i]);
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
