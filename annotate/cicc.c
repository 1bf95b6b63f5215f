/* SPDX-License-Identifier: MIT */
/* Runs cicc. See cicc.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "annotate/cicc.h"
#include "annotate/files.h"

void
cicc_print_command(const Hook *h, char *const *argv)
{
	if (!h->options.verbose)
		return;
	fputs("cccnvcc:", stderr);
	for (; *argv; argv++)
		fprintf(stderr, " %s", *argv);
	fputc('\n', stderr);
}

Ended
cicc_run(Hook *h, const Buf *text, const char *to, Caught *said)
{
	/* LLVM's options: loops are unrolled completely, or not at all */
	const char *llvm = h->cicc.clang ? "-mllvm" : "--Xopt";
	const char *lines = h->cicc.clang ? "-debug-info-kind=line-directives-only" :
					    "-generate-line-info";
	const char *const whole[] = {
		llvm, "-unroll-runtime=0", llvm, "-unroll-allow-partial=0"
	};
	enum { NWHOLE = sizeof whole / sizeof *whole };
	size_t n = (size_t)h->cicc.argc;
	char **argv = arena_array(h->arena, n + 2 + NWHOLE, sizeof *argv),
	     *source = hook_temporary(h, "source.ii");
	Ended e = { .code = 2 };

	memcpy(argv, h->cicc.argv, n * sizeof *argv);
	if (h->ask_lines)
		argv[n++] = hook_join(h, lines, "", "");
	for (size_t i = 0; i < NWHOLE && h->unrolls_whole; i++)
		argv[n++] = hook_join(h, whole[i], "", "");
	argv[h->cicc.to] = hook_join(h, to, "", "");
	if (text)
		argv[h->cicc.in] = source;
	child_temporary(source);
	if (!text || file_write_here(source, text->at, text->n) == 0) {
		cicc_print_command(h, argv);
		e = child_run(argv, NULL, said);
	}
	child_remove(source);
	return e;
}

const char *
cicc_program(const Hook *h)
{
	return h->cicc.clang ? "clang" : "cicc";
}

bool
cicc_ended_well(Ended e)
{
	return e.code == 0 && e.signal == 0;
}

bool
cicc_lines_are_reliable(const Source *src)
{
	char here[4096];

	if (!getcwd(here, sizeof here) || strpbrk(here, "\"\\"))
		return false;
	for (const char *s = src->text, *line; (line = strstr(s, "\n# ")) != NULL; s = line + 1) {
		const char *odd = strchr(line, '\\');
		if (odd && odd < line + 1 + strcspn(line + 1, "\n"))
			return false;
	}
	return true;
}

void
cicc_names(Hook *h)
{
	h->files.made = hook_temporary(h, "made.ptx");
	h->files.made_again = hook_temporary(h, "again.ptx");
	h->files.made_plain = hook_temporary(h, "plain.ptx");
	h->files.followed = hook_temporary(h, "followed");
	h->files.report_part = hook_temporary(h, "report");
	h->files.switched = hook_temporary(h, "switched");
	child_temporary(h->files.made);
	child_temporary(h->files.made_again);
	child_temporary(h->files.made_plain);
	child_temporary(h->files.followed);
	child_temporary(h->files.report_part);
	child_temporary(h->files.switched);
}

void
cicc_remove(const Hook *h)
{
	child_remove(h->files.made);
	child_remove(h->files.made_again);
	child_remove(h->files.made_plain);
	child_remove(h->files.followed);
	child_remove(h->files.report_part);
	child_remove(h->files.switched);
}
