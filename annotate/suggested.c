/* SPDX-License-Identifier: MIT */
/* Suggests annotations for a source. See suggested.h. */
#include <string.h>
#include "annotate/cicc.h"
#include "annotate/files.h"
#include "annotate/rewrite.h"
#include "annotate/statements.h"
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

/* Compiles the source without annotations and with all loops kept from being unrolled; if that
 * fails, the unchanged source. */
static bool
compile_unannotated(Hook *h, const Source *src)
{
	Caught said = { 0 };
	Buf text = { 0 };

	h->ask_lines = !h->cicc.lines && cicc_lines_are_reliable(src);
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

/* Runs ptxccc on the PTX with one of its --suggest options. said: receives the output; NULL: it
 * is printed. */
static void
ask_ptxccc(Hook *h, const char *what, Caught *said)
{
	uint32_t n = 0;
	char **argv = arena_array(h->arena, h->options.ptxccc.n + 8, sizeof *argv);

	argv[n++] = hook_join(h, h->ptxccc, "", "");
	argv[n++] = hook_join(h, what, "", "");
	argv[n++] = hook_join(h, "-Wno-all", "", "");
	argv[n++] = hook_join(h, "-o", "", "");
	argv[n++] = hook_join(h, "/dev/null", "", "");
	if (h->options.threads)
		argv[n++] = hook_join(h, "--threads=", h->options.threads, "");
	for (uint32_t i = 0; i < h->options.ptxccc.n; i++)
		if (strncmp(h->options.ptxccc.at[i], "--", 2) == 0 &&
			strncmp(h->options.ptxccc.at[i], "--profile-generate", 18) != 0)
			argv[n++] = h->options.ptxccc.at[i];
	argv[n++] = hook_join(h, h->files.made, "", "");
	cicc_print_command(h, argv);
	child_run(argv, NULL, said);
}

void
suggestions_print(Hook *h, const Source *src)
{
	if (!h->options.suggests || h->bypass)
		return;
	cicc_names(h);
	if (compile_unannotated(h, src))
		ask_ptxccc(h, "--suggest", NULL);
	cicc_remove(h);
}

/* Appends the output of ptxccc with one of its --suggest options. */
static void
collect(Hook *h, const Source *src, const char *what, Buf *to)
{
	Caught said = { 0 };

	cicc_names(h);
	if (compile_unannotated(h, src)) {
		if (h->options.suggests)
			ask_ptxccc(h, "--suggest", NULL);
		ask_ptxccc(h, what, &said);
		if (h->options.profiled)
			ask_ptxccc(h, "--suggest=promises", NULL);
	}
	cicc_remove(h);
	if (said.err.n)
		buf_add(to, said.err.at, said.err.n);
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
