/* SPDX-License-Identifier: MIT */
/* Suggests annotations for a source. See suggested.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/cicc.h"
#include "annotate/files.h"
#include "annotate/rewrite.h"
#include "annotate/source/statements.h"
#include "annotate/suggested.h"

/* Appends the statements of the source to its PTX, for the lines in it. */
static bool
add_statements(const Hook *h, const Source *src)
{
	Statements all = { 0 };
	Buf text = { 0 };

	statements_find(src->text, src->len, &all);
	statements_write(&all, h->cicc.source, src->text, src->len, &text);
	int rc = file_append(h->files.made, text.at, text.n);
	vec_free(&all);
	buf_free(&text);
	return rc == 0;
}

/* Writes the source with its annotations as guards, and all loops kept from being unrolled. */
static void
roll_annotated(const Hook *h, const Source *src, Buf *text)
{
	Diags *d = diags_new(NULL);
	Buf rewritten = { 0 };
	uint32_t n;

	rewrite_pragmas(h->cicc.source, src->text, src->len, &rewritten, &n, d);
	bool valid = n && diags_errors(d) == 0;
	rewrite_rolled(h->cicc.source, valid ? rewritten.at : src->text,
		valid ? (uint32_t)rewritten.n : src->len, text);
	buf_free(&rewritten);
	diags_free(d);
}

/* Compiles the source without annotations. loud: prints what the compiler says, if it succeeds. */
static bool
compile_stripped(Hook *h, const Source *src, const char *to, bool loud)
{
	Caught said = { 0 };
	Buf text = { 0 };

	rewrite_strip(src->text, src->len, &text);
	bool ok = cicc_ended_well(cicc_run(h, &text, to, &said));
	if (ok && loud && said.out.n)
		fwrite(said.out.at, 1, said.out.n, stdout);
	if (ok && loud && said.err.n)
		fwrite(said.err.at, 1, said.err.n, stderr);
	child_release(&said);
	buf_free(&text);
	return ok;
}

/* Compiles the source without annotations and with all loops kept from being unrolled; if that
 * fails, the unchanged source. With fixes, its annotations stay, so that ptxccc skips their
 * functions. */
static bool
compile_rolled(Hook *h, const Source *src)
{
	Caught said = { 0 };
	Buf text = { 0 };

	h->ask_lines = !h->cicc.lines && cicc_lines_are_reliable(src);
	if (h->options.suggests >= SUGGESTS_FIXES)
		roll_annotated(h, src, &text);
	else
		rewrite_rolled(h->cicc.source, src->text, src->len, &text);
	bool ok = cicc_ended_well(cicc_run(h, &text, h->files.made, &said)) ||
		compile_stripped(h, src, h->files.made, false);
	child_release(&said);
	h->ask_lines = false;
	buf_free(&text);
	return ok && file_has_text(h->files.made);
}

/* Whether ptxccc needs the option for suggestions. ccc-tune's choices do not change what is
 * advised. */
static bool
option_matters(const Hook *h, const char *option)
{
	static const char use[] = "--profile-use=";
	const char *choices =
		h->options.suggests == SUGGESTS_APPLIED ? getenv("CCC_PROFILE_USE") : NULL;

	if (choices && strncmp(option, use, sizeof use - 1) == 0 &&
		strcmp(option + sizeof use - 1, choices) == 0)
		return false;
	return strncmp(option, "--", 2) == 0 && strncmp(option, "--profile-generate", 18) != 0;
}

/* Runs ptxccc on the PTX file `in` with one of its --suggest options; the result goes to the file
 * `to`. said: receives the output; NULL: it is printed. */
static Ended
run_suggest(Hook *h, const char *what, const char *in, const char *to, Caught *said)
{
	uint32_t n = 0;
	char **argv = arena_array(h->arena, h->options.ptxccc.n + 12, sizeof *argv);

	argv[n++] = hook_join(h, h->ptxccc, "", "");
	argv[n++] = hook_join(h, what, "", "");
	argv[n++] = hook_join(h, "-Wno-all", "", "");
	if (said ? strcmp(what, "--suggest=rolled") != 0 : h->options.suggests == SUGGESTS_TABLE)
		argv[n++] = hook_join(h, "-Wccc-profile-stale", "", "");
	argv[n++] = hook_join(h, "-o", "", "");
	argv[n++] = hook_join(h, to, "", "");
	if (h->options.threads)
		argv[n++] = hook_join(h, "--threads=", h->options.threads, "");
	if (in != h->files.made_plain && file_has_text(h->files.made_plain))
		argv[n++] = hook_join(h, "--plain=", h->files.made_plain, "");
	if (in == h->files.made_plain)
		argv[n++] = hook_join(h, "--timed", "", "");
	if (in == h->files.made_plain && !h->cicc.lines)
		argv[n++] = hook_join(h, "--strip-lines", "", "");
	for (uint32_t i = 0; i < h->options.ptxccc.n; i++)
		if (option_matters(h, h->options.ptxccc.at[i]))
			argv[n++] = h->options.ptxccc.at[i];
	argv[n++] = hook_join(h, in, "", "");
	cicc_print_command(h, argv);
	return child_run(argv, NULL, said);
}

static void
ask_ptxccc(Hook *h, const char *what, Caught *said)
{
	run_suggest(h, what, h->files.made, "/dev/null", said);
}

/* Appends ptxccc's list, and prints its warnings, which follow it. */
static void
take_list(const char *said, Buf *to)
{
	const char *warning = strstr(said, ": warning: "), *end = warning;

	while (end && end > said && end[-1] != '\n')
		end--;
	buf_add(to, said, end ? (size_t)(end - said) : strlen(said));
	if (end)
		fputs(end, stderr);
}

/* Appends what ptxccc prints for one of its --suggest options. */
static void
collect(Hook *h, const char *what, Buf *to)
{
	Caught said = { 0 };

	ask_ptxccc(h, what, &said);
	if (said.err.n)
		take_list(said.err.at, to);
	child_release(&said);
}

bool
suggestions_exclude(Hook *h, const Source *src)
{
	const Hook_options *o = &h->options;
	Caught said = { 0 };

	if (!o->timed || o->profiled || o->generates || o->markers_only || o->report ||
		o->suggests != SUGGESTS_NOTHING || o->keep)
		return false;
	h->ask_lines = !h->cicc.lines && cicc_lines_are_reliable(src);
	bool ok = compile_stripped(h, src, h->files.made_plain, true);
	h->ask_lines = false;
	bool excluded = ok && file_has_text(h->files.made_plain) &&
		cicc_ended_well(run_suggest(h, "--suggest=possible", h->files.made_plain,
			h->files.made, &said)) &&
		said.err.n == 0 && file_has_text(h->files.made);
	child_release(&said);
	return excluded;
}

bool
suggestions_compile(Hook *h, const Source *src)
{
	Buf text = { 0 };

	h->ask_lines = !h->cicc.lines && cicc_lines_are_reliable(src);
	bool ok = file_has_text(h->files.made_plain) ||
		compile_stripped(h, src, h->files.made_plain, h->options.unasked);
	h->unrolls_whole = ok;
	ok = ok && compile_stripped(h, src, h->files.made, false);
	h->ask_lines = h->unrolls_whole = false;
	ok = ok || compile_rolled(h, src);
	if (ok)
		collect(h, "--suggest=rolled", &text);
	ok = ok && text.n && file_write(h->files.made, text.at, text.n) == 0 &&
		add_statements(h, src);
	buf_free(&text);
	return ok;
}

/* Compiles for suggestions: if there is a profile, what it has counted. */
static bool
compile_suggested(Hook *h, const Source *src)
{
	bool counted = h->options.profiled && !rewrite_is_needed(src->text, src->len);

	return counted ? suggestions_compile(h, src) :
			 compile_rolled(h, src) && add_statements(h, src);
}

void
suggestions_print(Hook *h, const Source *src)
{
	if (h->options.suggests != SUGGESTS_TABLE || h->bypass)
		return;
	cicc_names(h);
	if (compile_suggested(h, src))
		ask_ptxccc(h, "--suggest", NULL);
	cicc_remove(h);
}

void
suggestions_print_compiled(Hook *h)
{
	if (h->options.suggests == SUGGESTS_TABLE)
		ask_ptxccc(h, "--suggest", NULL);
	if (h->options.suggests < SUGGESTS_FIXES && h->options.profiled)
		ask_ptxccc(h, "--suggest=promises", NULL);
}

void
suggestions_collect_layers(Hook *h, Buf *to)
{
	collect(h, "--suggest=layers", to);
}

void
suggestions_collect_fixes(Hook *h, const Source *src, Buf *to)
{
	cicc_names(h);
	if (compile_suggested(h, src))
		collect(h, "--suggest=fixes", to);
	cicc_remove(h);
}
