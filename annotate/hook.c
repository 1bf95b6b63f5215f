/* SPDX-License-Identifier: MIT */
/* The hook in nvcc's cicc step. See hook.h.
 *
 * The user sees cicc's messages. If cicc fails on the rewritten source, it is run on the
 * original; if that compiles, the build continues untransformed, with a warning. All files are
 * written to a folder next to cicc's own and removed however the hook ends. The PTX that nvcc
 * expects appears atomically, by ptxccc's rename, so that neither a killed build nor two
 * concurrent ones leave untransformed PTX there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "annotate/again.h"
#include "annotate/child.h"
#include "annotate/cicc.h"
#include "annotate/clang.h"
#include "annotate/files.h"
#include "annotate/fixes.h"
#include "annotate/hook.h"
#include "annotate/loudness.h"
#include "annotate/gather.h"
#include "annotate/moved.h"
#include "annotate/outcome.h"
#include "annotate/rewrite.h"
#include "annotate/setup.h"
#include "annotate/shown.h"
#include "annotate/suggested.h"
#include "annotate/switched.h"
#include "base/marker_label.h"

/* ---- the steps ------------------------------------------------------------------------------- */

static void
print_caught(const Source *src, const Caught *c)
{
	Buf err = { 0 };

	if (c->out.n)
		fwrite(c->out.at, 1, c->out.n, stdout);
	fflush(stdout);
	complete_excerpts(src, &c->err, &err);
	if (err.n)
		fwrite(err.at, 1, err.n, stderr);
	buf_free(&err);
}

/* Adds markers to cicc's PTX that survive the removal of comments in a fat binary. */
static int
write_marker_labels(const Hook *h)
{
	Source src;
	Buf text = { 0 };
	const char *why;

	if (!source_read(&src, h->files.made, &why))
		return 0;
	marker_labels_encode(src.text, src.len, &text);
	int rc = file_write_here(h->files.made, text.at ? text.at : "", text.n);
	buf_free(&text);
	source_release(&src);
	return rc;
}

/* Runs cicc on the source without its annotations. */
static Ended
run_cicc_plain(Hook *h, const Source *src, const char *to, Caught *said)
{
	Buf text = { 0 };

	rewrite_strip(src->text, src->len, &text);
	Ended e = cicc_run(h, &text, to, said);
	buf_free(&text);
	return e;
}

static int
warn_not_compiled(Hook *h, const Caught *said)
{
	const char *s = said->err.at ? strstr(said->err.at, " error") : NULL;
	Loudness l = hook_warn(h, "annotation",
		"the file does not compile with its annotations: it is compiled without them");

	while (s && s > said->err.at && s[-1] != '\n')
		s--;
	if (s && l != LOUDNESS_SILENT)
		fprintf(stderr, "  note: %s says: %.*s\n", cicc_program(h), (int)strcspn(s, "\n"), s);
	return l == LOUDNESS_ERROR;
}

/* Runs cicc on the rewritten source and, if that fails, on the source without annotations, for
 * errors in the user's own code. *plain: the latter succeeded. */
static int
compile_with_fallback(Hook *h, const Source *src, const Buf *rewritten, bool *plain)
{
	Caught said = { 0 };
	/* messages need line information; it does not change the device code */
	h->ask_lines = !h->cicc.lines && !h->options.markers_only && cicc_lines_are_reliable(src);
	Ended e = cicc_run(h, rewritten, h->files.made, &said);
	int rc = 0;

	*plain = !cicc_ended_well(e);
	h->ask_lines = false;
	if (!*plain) {
		print_caught(src, &said);
	} else {
		e = run_cicc_plain(h, src, h->files.made, NULL);
		rc = !cicc_ended_well(e) ? child_status(e) :
			h->options.unasked ? 0 : warn_not_compiled(h, &said);
	}
	child_release(&said);
	return rc;
}

/* Whether the report is one file for a whole build, as opposed to text that is printed or
 * appended. */
static bool
report_is_per_build(const Hook *h)
{
	return h->options.report_file && units_format(h->options.report_file);
}

/* Whether ptxccc needs the PTX of the source without annotations: blocks that do not count
 * execute it, --ccc-auto compares floating-point operations with it, and --ccc-timed launches its
 * kernels. */
static bool
needs_plain(const Hook *h)
{
	return h->options.generates ? !h->options.counts_all :
				      h->options.unasked || h->options.timed;
}

/* Runs ptxccc on the PTX file `in`; the result goes to the file `to`. */
static Ended
run_ptxccc(Hook *h, const char *in, const char *to, Caught *said)
{
	uint32_t n = 0, nw = h->options.ptxccc.n;
	char **argv = arena_array(h->arena, nw + 19, sizeof *argv); /* including the final NULL */

	argv[n++] = hook_join(h, h->ptxccc, "", "");
	argv[n++] = hook_join(h, "-o", "", "");
	argv[n++] = hook_join(h, to, "", "");
	argv[n++] = hook_join(h, "--annotations=", h->files.followed, "");
	argv[n++] = hook_join(h, "--excerpts=", h->options.verbose ? "all" : "cuda", "");
	if (!h->cicc.lines)
		argv[n++] = hook_join(h, "--strip-lines", "", "");
	if (h->options.report) {
		argv[n++] = hook_join(h, report_is_per_build(h) ? "--report=records" : "--report", "", "");
		argv[n++] = hook_join(h, "--report-to=", h->files.report_part, "");
	}
	if (h->options.switchable)
		argv[n++] = hook_join(h, "--switchable", file_has_text(h->files.switched) ? "=" : "",
			file_has_text(h->files.switched) ? h->files.switched : "");
	if (h->options.timed && !h->options.generates)
		argv[n++] = hook_join(h, "--timed", "", "");
	if (needs_plain(h) && file_has_text(h->files.made_plain))
		argv[n++] = hook_join(h, "--plain=", h->files.made_plain, "");
	if (h->options.strict)
		argv[n++] = hook_join(h, "--strict", "", "");
	if (h->options.policy)
		argv[n++] = hook_join(h, "--policy=", h->options.policy, "");
	if (h->options.threads)
		argv[n++] = hook_join(h, "--threads=", h->options.threads, "");
	for (uint32_t i = 0; i < nw; i++)
		argv[n++] = h->options.ptxccc.at[i];
	if (file_on_path(h->ptxas))
		argv[n++] = hook_join(h, "--verify-ptxas=", h->ptxas, "");
	if (h->assembled)
		argv[n++] = hook_join(h, "--assembled-to=", h->assembled, "");
	if (h->cicc.maxreg)
		argv[n++] = hook_join(h, "--maxrregcount=", h->cicc.maxreg, "");
	argv[n++] = hook_join(h, in, "", "");
	cicc_print_command(h, argv);
	return child_run(argv, NULL, said);
}

/* ---- once more, without what nothing came of ------------------------------------------------- */

/* An annotation keeps the compiler from unrolling its loop and separates statements that it
 * would merge. If the annotation is not applied, that would be its only effect. Therefore the
 * source is compiled again without such annotations. If none is left, this is nvcc's own
 * compilation. */

/* Rewrites the source without some guards. Its errors have already been reported. */
static void
rewrite_quietly(const Source *src, Guards without, Buf *text)
{
	Diags *d = diags_new(NULL);

	rewrite_without(src, without, text, d);
	diags_free(d);
}

/* Copies the PTX file `in` to the user's kept files. */
static int
keep_input_ptx(Hook *h, const char *stem, const char *suffix, const char *in)
{
	return stem ? file_copy(in, hook_join(h, stem, suffix, "")) : 0;
}

/* Compiles and transforms with the remaining annotations; the PTX is at files.made_again. Returns
 * false if the first result is better. */
static bool
succeeds_without(
	Hook *h, const Source *src, const char *stem, const Second_compilation *a, Outcome *first)
{
	const char *made = h->files.made_again;
	Caught said = { 0 };
	Buf text = { 0 };
	if (!a->all)
		rewrite_quietly(src, a->without, &text);
	/* to match the lines of the plain PTX, with which it is compared */
	h->ask_lines = (a->all ? h->options.unasked_instead : needs_plain(h)) &&
		!h->options.generates && !h->cicc.lines && cicc_lines_are_reliable(src);
	bool ok = cicc_ended_well(cicc_run(h, a->all ? NULL : &text, made, &said));
	h->ask_lines = false;
	if (ok && !a->all)
		ok = (!h->options.keep || file_write(hook_join(h, stem, ".again.ccc.ii", ""),
						  text.at, text.n) == 0) &&
			keep_input_ptx(h, stem, ".again.orig.ptx", made) == 0;
	if (a->all && h->options.unasked_instead) {
		*vec_push(&h->options.ptxccc) = hook_join(h, "--auto", "", "");
		*vec_push(&h->options.ptxccc) = hook_join(h, "-Wno-all", "", "");
	}
	if (ok && (!a->all || h->options.unasked_instead)) {
		ok = cicc_ended_well(run_ptxccc(h, made, made, &said));
		Outcome second = outcome_read(h);
		Buf report = { 0 };
		ok = ok && (a->all || second_compilation_keeps_sites(
					      first->followed.at, second.followed.at));
		if (ok && report_is_per_build(h)) {
			first->again = second.report;
			second.report = (Buf){ 0 };
		} else if (ok) {
			second_compilation_report(first->report.at, second.report.at, &report);
			buf_free(&first->report);
			first->report = report;
		}
		outcome_release(&second);
	} else if (ok && h->options.switchable) {
		ok = cicc_ended_well(run_ptxccc(h, made, made, &said));
	}
	child_release(&said);
	buf_free(&text);
	return ok;
}

/* Reports what became of the annotations, after a second compilation if that is better. *to: the
 * file with the PTX. */
static int
select_outcome(Hook *h, const Source *src, const char *stem, const char **to)
{
	Outcome o = outcome_read(h);
	Second_compilation a = second_compilation_read(o.followed.at);
	int rc = 0;

	if (a.any && !h->options.generates && !h->options.unasked &&
		succeeds_without(h, src, stem, &a, &o))
		*to = h->files.made_again;
	if (report_is_per_build(h))
		rc = outcome_gather(h, &o);
	else if (h->options.report_file)
		rc = file_append(h->options.report_file, o.report.at, o.report.n);
	else if (h->options.report)
		fputs(o.report.at, stderr);
	second_compilation_release(&a);
	outcome_release(&o);
	return rc;
}

/* ---- without annotations --------------------------------------------------------------------- */

/* Also compiles the source without its annotations. Its errors have already been reported. */
static int
compile_plain(Hook *h, const Source *src, const char *stem)
{
	Caught said = { 0 };

	h->ask_lines = !h->options.generates && !h->cicc.lines && cicc_lines_are_reliable(src);
	bool ok = cicc_ended_well(run_cicc_plain(h, src, h->files.made_plain, &said));
	h->ask_lines = false;
	if (!ok)
		remove(h->files.made_plain);
	child_release(&said);
	return ok ? keep_input_ptx(h, stem, ".plain.ptx", h->files.made_plain) : 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Transforms cicc's PTX. *to: the file for the result; changed if the result is elsewhere. */
static int
transform_and_keep(Hook *h, const Source *src, const char *stem, const char **to)
{
	char *kept = h->options.keep ? hook_join(h, stem, ".ptx", "") : NULL;
	int rc = keep_input_ptx(h, stem, ".orig.ptx", h->files.made);
	const char *first = *to;

	if (rc == 0 && needs_plain(h))
		rc = file_has_text(h->files.made_plain) ?
			keep_input_ptx(h, stem, ".plain.ptx", h->files.made_plain) :
			compile_plain(h, src, stem);
	if (rc)
		return rc;
	const char *from = stem ? hook_join(h, stem, ".orig.ptx", "") : h->files.made;
	Ended e = run_ptxccc(h, from, first, NULL);
	rc = cicc_ended_well(e) ? 0 : child_status(e);
	if (rc == 0)
		rc = hook_note_switched(h, first);
	if (rc == 0)
		rc = select_outcome(h, src, stem, to);
	if (rc == 0)
		rc = hook_write_switch(h, *to);
	if (rc == 0 && *to != first && first == h->cicc.out)
		rc = file_copy(*to, first);
	if (rc == 0 && kept && (*to != first || strcmp(kept, h->cicc.out) != 0))
		rc = file_copy(*to, kept);
	return rc;
}

/* Transforms cicc's PTX unless only markers are wanted, and writes it to the file that nvcc
 * expects. plain: it has no markers. */
static int
deliver(Hook *h, const Source *src, bool plain)
{
	bool special = source_is_special(h->cicc.out), as_it_is = plain || h->options.markers_only;
	const char *to = special || as_it_is ? h->files.made : h->cicc.out;
	char *stem = h->options.keep || h->options.keep_ptx ? hook_stem(h) : NULL;
	int rc = 0;

	if (as_it_is)
		rc = hook_write_switch(h, NULL);
	if (rc == 0 && as_it_is && !plain)
		rc = write_marker_labels(h);
	else if (!as_it_is)
		rc = transform_and_keep(h, src, stem, &to);
	if (rc == 0 && special) {
		child_end_by_broken_pipe();
		return file_deliver(to, h->cicc.out);
	}
	return rc == 0 && as_it_is ? file_copy(h->files.made, h->cicc.out) : rc;
}

static int
compile_and_transform(Hook *h, const Source *src, const Buf *rewritten)
{
	bool plain = false;
	int rc = h->options.keep ? file_write(hook_join(h, hook_stem(h), ".ccc.ii", ""), rewritten->at,
				   rewritten->n) :
			   0;

	cicc_names(h);
	if (rc == 0)
		rc = compile_with_fallback(h, src, rewritten, &plain);
	if (rc == 0 && file_has_text(h->files.made)) /* -fdevice-syntax-only makes no PTX */
		rc = deliver(h, src, plain);
	cicc_remove(h);
	return rc;
}

static int
compile_untouched(Hook *h, const Source *src)
{
	char text[160];
	int rc = hook_write_switch(h, NULL);

	if (rc)
		return rc;
	snprintf(text, sizeof text,
		"annotations ignored: %s; to have them followed, compile without it", h->bypass);
	return hook_warn(h, "bypass", text) == LOUDNESS_ERROR ? 1 :
		child_status(run_cicc_plain(h, src, h->cicc.out, NULL));
}

/* The source needs no rewriting. */
static int
become_cicc(Hook *h)
{
	int rc = hook_write_switch(h, NULL);

	hook_remove_folder(h);
	return rc ? rc : child_become(h->cicc.given);
}

static int
rewrite_and_compile(Hook *h, const Source *src)
{
	Diags *d = diags_new(NULL);
	Source shown = { 0 };
	const Diag_style style = file_style(&shown);
	Buf out = { 0 };
	uint32_t n = 0;
	int rc;

	diags_style(d, &style);
	hook_set_levels(h, d);
	report_moved_annotations(h->cicc.source, src->text, src->len, d);
	if (diags_errors(d) == 0)
		rewrite_pragmas(h->cicc.source, src->text, src->len, &out, &n, d);
	bool failed = diags_errors(d) > 0;
	diags_print(d, stderr);
	source_release(&shown);
	if (failed)
		rc = 1;
	else if (n == 0)
		rc = become_cicc(h);
	else if (h->bypass)
		rc = compile_untouched(h, src);
	else
		rc = compile_and_transform(h, src, &out);
	buf_free(&out);
	diags_free(d);
	return rc;
}

/* Transforms a source without annotations, or counts everything in it that may be transformed once
 * there is a profile. Since the user wrote no annotations, refusals are not reported, only bugs in
 * ptxccc are. Its errors are nvcc's. */
static int
compile_sites(Hook *h, const Source *src)
{
	bool counts = h->options.generates || h->options.markers_only;
	Buf layers = { 0 };
	int rc = 0;

	cicc_names(h);
	bool excluded = suggestions_exclude(h, src), any = excluded || suggestions_compile(h, src);
	if (any && counts) {
		suggestions_collect_layers(h, &layers);
		any = layers.n > 0;
		if (!any)
			hook_warn(h, "ccc-profile-missing",
				"nothing is counted here: no loop or branch of this file has a plan");
		rc = any ? file_write(h->files.made, layers.at, layers.n) : 0;
		buf_free(&layers);
	} else if (any && !excluded) {
		suggestions_print_compiled(h);
		*vec_push(&h->options.ptxccc) = hook_join(h, "--auto", "", "");
	}
	*vec_push(&h->options.ptxccc) = hook_join(h, "-Wno-all", "", "");
	if (!counts)
		*vec_push(&h->options.ptxccc) = hook_join(h, "-Wccc-bug", "", "");
	if (any && rc == 0)
		rc = deliver(h, src, excluded);
	cicc_remove(h);
	return any ? rc : become_cicc(h);
}

static int
compile_unasked(Hook *h, const Source *src)
{
	if (h->options.generates || h->options.profiled || h->options.timed ||
		h->options.markers_only)
		return compile_sites(h, src);
	suggestions_print(h, src);
	hook_warn(h, "ccc-profile-missing",
		"--ccc-auto needs a profile: build with --ccc-profile-generate and run the program, then build with --ccc-profile-use=FILE (or use ccc-tune); or omit --ccc-no-timed, so that the program measures its kernels");
	return become_cicc(h);
}

/* Compiles the source at h->in, annotated or not. */
static int
compile_source(Hook *h)
{
	Source src;
	const char *why;
	int rc;

	if (!h->cicc.in || !h->cicc.to || !source_read(&src, h->cicc.argv[h->cicc.in], &why))
		return become_cicc(h);
	bool wanted = rewrite_is_needed(src.text, src.len);
	h->options.unasked_instead = h->options.unasked && h->options.profiled;
	h->options.unasked = (h->options.unasked || h->options.generates) && !wanted && !h->bypass;
	if (wanted || h->options.suggests || h->options.unasked) {
		child_catch_signals();
		if (!h->options.unasked)
			suggestions_print(h, &src);
	}
	if (fixes_apply(h, &src)) {
		wanted = true;
		h->options.unasked = false;
	}
	rc = wanted ? rewrite_and_compile(h, &src) :
		h->options.unasked ? compile_unasked(h, &src) : become_cicc(h);
	source_release(&src);
	return rc;
}

int
hook_cicc(int argc, char **argv)
{
	Hook h;
	int rc = hook_setup(&h, argc, argv);

	if (!rc) {
		const char *disabled = getenv("CCC_DISABLE");
		rc = disabled && *disabled && strcmp(disabled, "0") != 0 ?
			child_become(h.cicc.given) : clang_preprocess(&h) ? 2 : compile_source(&h);
	}
	hook_release(&h);
	return rc;
}
