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
add_statements(Hook *h, const Source *src)
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

/* Compiles the source without annotations and with all loops kept from being unrolled; if that
 * fails, the unchanged source. With fixes, its annotations stay, so that ptxccc skips their
 * functions. */
static bool
compile_unannotated(Hook *h, const Source *src)
{
	Caught said = { 0 };
	Buf text = { 0 };

	h->ask_lines = !h->cicc.lines && cicc_lines_are_reliable(src);
	if (h->options.suggests >= SUGGESTS_FIXES)
		roll_annotated(h, src, &text);
	else
		rewrite_rolled(h->cicc.source, src->text, src->len, &text);
	bool ok = cicc_ended_well(cicc_run(h, &text, h->files.made, &said));
	child_release(&said);
	if (!ok) {
		said = (Caught){ 0 };
		text.n = 0;
		rewrite_strip(src->text, src->len, &text);
		ok = cicc_ended_well(cicc_run(h, &text, h->files.made, &said));
		child_release(&said);
	}
	h->ask_lines = false;
	buf_free(&text);
	return ok && file_has_text(h->files.made) && add_statements(h, src);
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

/* Runs ptxccc on the PTX with one of its --suggest options. said: receives the output; NULL: it
 * is printed. */
static void
ask_ptxccc(Hook *h, const char *what, Caught *said)
{
	uint32_t n = 0;
	char **argv = arena_array(h->arena, h->options.ptxccc.n + 11, sizeof *argv);

	argv[n++] = hook_join(h, h->ptxccc, "", "");
	argv[n++] = hook_join(h, what, "", "");
	argv[n++] = hook_join(h, "-Wno-all", "", "");
	if (said || h->options.suggests == SUGGESTS_TABLE)
		argv[n++] = hook_join(h, "-Wccc-profile-stale", "", "");
	argv[n++] = hook_join(h, "-o", "", "");
	argv[n++] = hook_join(h, "/dev/null", "", "");
	if (h->options.threads)
		argv[n++] = hook_join(h, "--threads=", h->options.threads, "");
	if (strcmp(what, "--suggest=places") == 0 && file_on_path(h->ptxas)) {
		argv[n++] = hook_join(h, "--verify-ptxas=", h->ptxas, "");
		if (h->cicc.maxreg)
			argv[n++] = hook_join(h, "--maxrregcount=", h->cicc.maxreg, "");
	}
	for (uint32_t i = 0; i < h->options.ptxccc.n; i++)
		if (option_matters(h, h->options.ptxccc.at[i]))
			argv[n++] = h->options.ptxccc.at[i];
	argv[n++] = hook_join(h, h->files.made, "", "");
	cicc_print_command(h, argv);
	child_run(argv, NULL, said);
}

void
suggestions_print(Hook *h, const Source *src)
{
	if (h->options.suggests != SUGGESTS_TABLE || h->bypass)
		return;
	cicc_names(h);
	if (compile_unannotated(h, src))
		ask_ptxccc(h, "--suggest", NULL);
	cicc_remove(h);
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

/* Appends the output of ptxccc with one of its --suggest options. */
static void
collect(Hook *h, const Source *src, const char *what, Buf *to)
{
	Caught said = { 0 };

	cicc_names(h);
	if (compile_unannotated(h, src)) {
		if (h->options.suggests == SUGGESTS_TABLE)
			ask_ptxccc(h, "--suggest", NULL);
		ask_ptxccc(h, what, &said);
		if (h->options.profiled && h->options.suggests < SUGGESTS_FIXES)
			ask_ptxccc(h, "--suggest=promises", NULL);
	}
	cicc_remove(h);
	if (said.err.n)
		take_list(said.err.at, to);
	child_release(&said);
}

void
suggestions_collect_layers(Hook *h, const Source *src, Buf *to)
{
	collect(h, src, "--suggest=layers", to);
}

void
suggestions_collect_places(Hook *h, const Source *src, Buf *to)
{
	collect(h, src, "--suggest=places", to);
}

void
suggestions_collect_fixes(Hook *h, const Source *src, Buf *to)
{
	collect(h, src, "--suggest=fixes", to);
}
