/* SPDX-License-Identifier: MIT */
/* The hook in nvcc's cicc step. See hook.h.
 *
 * What cicc says is the user's: should it fail on the rewritten source, it runs again on the untouched one, and if that
 * compiles, the build goes on without the transformation, with a warning. All files written here lie beside cicc's own and
 * are removed however the hook ends. So does cicc's PTX; the one that nvcc asked for appears in one step, by ptxccc's rename.
 * Neither a build that is killed nor two at once leave one there that is not transformed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "annotate/child.h"
#include "annotate/files.h"
#include "annotate/hook.h"
#include "annotate/moved.h"
#include "annotate/rewrite.h"
#include "annotate/setup.h"
#include "annotate/shown.h"

/* ---- the steps ------------------------------------------------------------------------------------------------------ */

static void
say_command(const Hook *h, char *const *argv)
{
	if (!h->verbose)
		return;
	fputs("cccnvcc:", stderr);
	for (; *argv; argv++)
		fprintf(stderr, " %s", *argv);
	fputc('\n', stderr);
}

typedef enum { SILENT, WARNING, ERROR } Loudness;

/* What the user's options make of a warning of this kind: as ptxccc reads them, --ccc-strict too makes it an error. */
static Loudness
loudness(const Hook *h, const char *kind)
{
	bool off = false, fatal = h->strict;

	for (uint32_t i = 0; i < h->ptxccc_options.n; i++) {
		const char *s = h->ptxccc_options.at[i] + 2;
		bool no = strncmp(s, "no-", 3) == 0, error = strncmp(s, "error=", 6) == 0;
		if (strcmp(s, "error") == 0)
			fatal = true;
		if (strcmp(s + (no ? 3 : error ? 6 : 0), kind) != 0)
			continue;
		off = no;
		fatal |= error;
	}
	return off ? SILENT : fatal ? ERROR : WARNING;
}

static Loudness
warn(const Hook *h, const char *kind, const char *text)
{
	Loudness l = loudness(h, kind);

	if (l != SILENT)
		fprintf(stderr, "%s: %s: %s [-W%s%s]\n", h->source, l == ERROR ? "error" : "warning", text, l == ERROR ? "error=" : "", kind);
	return l;
}

static void
replay(const Source *src, const Caught *c)
{
	Buf err = { 0 };

	if (c->out.n)
		fwrite(c->out.at, 1, c->out.n, stdout);
	fflush(stdout);
	shown_whole(src, &c->err, &err);
	if (err.n)
		fwrite(err.at, 1, err.n, stderr);
	buf_free(&err);
}

/* Runs cicc on this text in place of the source. */
static Ended
run_cicc(Hook *h, const Buf *text, Caught *said)
{
	char **argv = arena_array(h->arena, (size_t)h->ncicc + 1, sizeof *argv), *source = hook_temporary(h, ".ii");
	Ended e = { .code = 2 };

	memcpy(argv, h->cicc, (size_t)h->ncicc * sizeof *argv);
	argv[h->in] = source;
	argv[h->to] = hook_join(h, h->made ? h->made : h->out, "", "");
	child_temporary(0, source);
	if (file_write_here(source, text->at, text->n) == 0) {
		say_command(h, argv);
		e = child_run(argv, NULL, said);
	}
	unlink(source);
	child_temporary(0, NULL);
	return e;
}

/* Runs cicc on the source without its annotations. */
static Ended
run_cicc_plain(Hook *h, const Source *src)
{
	Buf text = { 0 };

	rewrite_strip(src->text, src->len, &text);
	Ended e = run_cicc(h, &text, NULL);
	buf_free(&text);
	return e;
}

static int
warn_not_compiled(Hook *h, const Caught *said)
{
	const char *s = said->err.at ? strstr(said->err.at, " error") : NULL;
	Loudness l = warn(h, "annotation", "the annotations do not compile where they stand: the file is compiled without them");

	while (s && s > said->err.at && s[-1] != '\n')
		s--;
	if (s && l != SILENT)
		fprintf(stderr, "  note: cicc says: %.*s\n", (int)strcspn(s, "\n"), s);
	return l == ERROR;
}

/* Runs cicc on the rewritten source; should that fail, on the plain one: its errors are the user's own. *plain: it did not fail. */
static int
compile(Hook *h, const Source *src, const Buf *rewritten, bool *plain)
{
	Caught said = { 0 };
	Ended e = run_cicc(h, rewritten, &said);
	int rc = 0;

	*plain = e.code || e.signal;
	if (!*plain) {
		replay(src, &said);
	} else {
		e = run_cicc_plain(h, src);
		rc = e.code || e.signal ? child_status(e) : warn_not_compiled(h, &said);
	}
	child_release(&said);
	return rc;
}

/* Where the warnings start in what ptxccc said: its report comes first. */
static size_t
end_of_report(const char *s)
{
	const char *at = s;

	for (size_t n; *at; at += n + (at[n] == '\n')) {
		n = strcspn(at, "\n");
		const char *kind = strstr(at, " [-W");
		if (n && at[n - 1] == ']' && kind && kind < at + n)
			break;
	}
	return (size_t)(at - s);
}

/* The report goes to its file, the warnings to the user. */
static int
hand_out(const Hook *h, const Caught *said)
{
	size_t n = said->err.n ? end_of_report(said->err.at) : 0;

	if (said->err.n > n)
		fwrite(said->err.at + n, 1, said->err.n - n, stderr);
	return file_append(h->report_file, said->err.at ? said->err.at : "", n);
}

/* Runs ptxccc on the PTX at path in; the result goes to path to. */
static int
transform(Hook *h, const char *in, const char *to)
{
	Caught said = { 0 };
	uint32_t n = 0, nw = h->ptxccc_options.n;
	char **argv = arena_array(h->arena, nw + 11, sizeof *argv);

	argv[n++] = hook_join(h, h->ptxccc, "", "");
	argv[n++] = hook_join(h, "-o", "", "");
	argv[n++] = hook_join(h, to, "", "");
	if (h->report)
		argv[n++] = hook_join(h, "--report", "", "");
	if (h->strict)
		argv[n++] = hook_join(h, "--strict", "", "");
	if (h->policy)
		argv[n++] = hook_join(h, "--policy=", h->policy, "");
	if (h->threads)
		argv[n++] = hook_join(h, "--threads=", h->threads, "");
	for (uint32_t i = 0; i < nw; i++)
		argv[n++] = h->ptxccc_options.at[i];
	if (file_on_path(h->ptxas))
		argv[n++] = hook_join(h, "--verify-ptxas=", h->ptxas, "");
	if (h->maxreg)
		argv[n++] = hook_join(h, "--maxrregcount=", h->maxreg, "");
	argv[n++] = hook_join(h, in, "", "");
	say_command(h, argv);
	Ended e = child_run(argv, NULL, h->report_file ? &said : NULL);
	int rc = e.code;
	if (h->report_file && hand_out(h, &said) != 0 && rc == 0)
		rc = 2;
	child_release(&said);
	return e.signal ? child_status(e) : rc;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static int
transform_and_keep(Hook *h, const char *stem, const char *to)
{
	char *orig = stem ? hook_join(h, stem, ".orig.ptx", "") : NULL;
	char *kept = h->keep ? hook_join(h, stem, ".ptx", "") : NULL;
	int rc = orig ? file_copy(h->made, orig) : 0;

	if (rc == 0)
		rc = transform(h, orig ? orig : h->made, to);
	if (rc == 0 && kept && strcmp(kept, h->out) != 0)
		rc = file_copy(to, kept);
	return rc;
}

static int
compile_and_transform(Hook *h, const Source *src, const Buf *rewritten)
{
	bool plain = false, special = file_is_special(h->out);
	char *stem = h->keep || h->keep_ptx ? hook_stem(h) : NULL;
	int rc = h->keep ? file_write(hook_join(h, stem, ".ccc.ii", ""), rewritten->at, rewritten->n) : 0;

	h->made = hook_temporary(h, ".ptx");
	child_temporary(1, h->made);
	if (rc == 0)
		rc = compile(h, src, rewritten, &plain);
	if (rc == 0 && file_has_text(h->made)) { /* -fdevice-syntax-only makes no PTX */
		bool as_it_is = plain || h->markers_only;
		if (!as_it_is)
			rc = transform_and_keep(h, stem, special ? h->made : h->out);
		if (rc == 0 && special) {
			child_end_by_broken_pipe();
			rc = file_deliver(h->made, h->out);
		}
		else if (rc == 0 && as_it_is)
			rc = file_copy(h->made, h->out);
	}
	unlink(h->made);
	child_temporary(1, NULL);
	return rc;
}

static int
bypass(Hook *h, const Source *src)
{
	char text[160];

	snprintf(text, sizeof text, "annotations ignored: %s; to have them followed, compile without it", h->bypass);
	return warn(h, "bypass", text) == ERROR ? 1 : child_status(run_cicc_plain(h, src));
}

static int
rewrite_and_compile(Hook *h, const Source *src)
{
	Diags *d = diags_new(NULL);
	Buf out = { 0 };
	uint32_t n = 0;
	int rc;

	moved_report(h->source, src->text, src->len, d);
	if (diags_errors(d) == 0)
		rewrite(h->source, src->text, src->len, &out, &n, d);
	bool failed = diags_errors(d) > 0;
	diags_print(d, stderr);
	if (failed)
		rc = 1;
	else if (n == 0)
		rc = child_become(h->cicc);
	else if (h->bypass)
		rc = bypass(h, src);
	else
		rc = compile_and_transform(h, src, &out);
	buf_free(&out);
	diags_free(d);
	return rc;
}

int
hook_cicc(int argc, char **argv)
{
	Hook h;
	Source src;
	const char *why;
	int rc = hook_setup(&h, argc, argv);

	if (rc)
		return rc;
	if (!h.in || !h.to || !source_read(&src, h.cicc[h.in], &why) || !rewrite_wanted(src.text, src.len))
		return child_become(h.cicc);
	child_catch_signals();
	rc = rewrite_and_compile(&h, &src);
	source_release(&src);
	hook_release(&h);
	return rc;
}
