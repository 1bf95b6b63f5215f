/* SPDX-License-Identifier: MIT */
/* ccc-annotate: rewrites preprocessed, annotated CUDA as CUDA with guard objects. Also the hooks
 * that do so inside nvcc.
 *
 *	ccc-annotate [-o OUT.ii] [--] IN.ii
 *	ccc-annotate --hook [--ccc-...] -- cicc ...
 *	ccc-annotate --hook-cpp -- gcc ...
 *	ccc-annotate --hook-ptxas -- ptxas ...
 *	ccc-annotate --nvcc [--fixes] -- nvcc ... */
#include <stdio.h>
#include <string.h>
#include "annotate/files.h"
#include "annotate/hook.h"
#include "annotate/rewrite.h"
#include "base/console.h"
#include "commit.h"

const char program_name[] = "ccc-annotate";

static int
run_annotate(const char *in, const char *to)
{
	Source src;
	Buf out = { 0 };
	const char *why;
	uint32_t n;

	if (!source_read(&src, in, &why)) {
		fprintf(stderr, "ccc-annotate: '%s': %s\n", in, why);
		return 2;
	}
	Diags *d = diags_new(NULL);
	Source shown = { 0 };
	const Diag_style style = file_style(&shown);
	diags_style(d, &style);
	rewrite_pragmas(src.name, src.text, src.len, &out, &n, d);
	int rc = diags_errors(d) ? 1 : 0;
	if (rc == 0 && !source_write(to, n ? out.at : src.text, n ? out.n : src.len, &why)) {
		fprintf(stderr, "ccc-annotate: '%s': %s\n", to, why);
		rc = 2;
	}
	diags_print(d, stderr);
	diags_free(d);
	buf_free(&out);
	source_release(&shown);
	source_release(&src);
	return rc;
}

static const char usage[] =
	"usage: ccc-annotate [-o OUT.ii] [--] IN.ii\n"
	"Turns '#pragma ccc' in preprocessed CUDA into guard objects, which reach PTX as markers ('-': standard input or output).\n"
	"       ccc-annotate --hook [--ccc-...] -- cicc ...      what cccnvcc has nvcc run in place of cicc\n"
	"       ccc-annotate --hook-cpp -- gcc -E ...            the same for the preprocessor, for '#CCC'\n"
	"       ccc-annotate --hook-ptxas -- ptxas ...           the same for ptxas: code that ptxccc has assembled is not assembled again\n"
	"       ccc-annotate --nvcc -- nvcc ...                  nvcc, whose temporary files go away even if a signal ends it\n";

static int
print_message(const char *text)
{
	fputs(text, stdout);
	return console_flush(stdout) ? 0 : 2;
}

static const struct { const char *option; int (*run)(int argc, char **argv); } hooks[] = {
	{ "--hook", hook_cicc }, { "--hook-cpp", hook_cpp }, { "--hook-ptxas", hook_ptxas },
	{ "--nvcc", hook_nvcc }
};

int
main(int argc, char **argv)
{
	const char *in = NULL, *to = NULL, *first = argc > 1 ? argv[1] : "";
	bool more = true;

	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(first, hooks[i].option) == 0) {
			argv[1] = argv[0];
			return hooks[i].run(argc - 1, argv + 1);
		}
	console_open();
	if (strcmp(first, "--version") == 0)
		return print_message("ptxccc " VERSION COMMIT "\n");
	if (strcmp(first, "--help") == 0)
		return print_message(usage);
	for (int i = 1; i < argc; i++) {
		if (more && strcmp(argv[i], "--") == 0)
			more = false;
		else if (more && strcmp(argv[i], "-o") == 0 && i + 1 < argc)
			to = argv[++i];
		else if (!in && (!more || argv[i][0] != '-' || !argv[i][1]))
			in = argv[i];
		else
			return fputs(usage, stderr), 2;
	}
	return in ? run_annotate(in, to) : (fputs(usage, stderr), 2);
}
