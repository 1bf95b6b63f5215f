/* SPDX-License-Identifier: MIT */
/* parse FILE...: reads PTX files and reports, for work on the parser itself.
 *
 *	-p  print the view (print.h) -r check that the printed view parses to an equal one -v print
 *	    counts
 *	-n N  parse N times (for timing)
 */
#include <stdlib.h>
#include <string.h>
#include "tests/view/print.h"

/* Prints the view, parses the result, and compares. */
static int
round_trip(const Module *m, const char *path)
{
	Buf text = { 0 };
	Source src;
	const char *why;
	uint32_t at;
	int rc = 1;

	ptx_print(m, &text);
	source_from(&src, "(printed)", text.at, text.n);
	Diags *d = diags_new(&src);
	Module *again = ptx_parse(&src, d);
	if (!again)
		diags_print(d, stderr);
	else if (!ptx_equal(m, again, &why, &at))
		fprintf(stderr, "%s: the printed view differs: %s %u\n", path, why, at);
	else
		rc = 0;
	ptx_free(again);
	diags_free(d);
	source_release(&src);
	buf_free(&text);
	return rc;
}

static void
print_view(const Module *m)
{
	Buf text = { 0 };

	ptx_print(m, &text);
	fwrite(text.at, 1, text.n, stdout);
	buf_free(&text);
}

static int
one(const char *path, int times, const char *what)
{
	Source src;
	const char *err;

	if (!source_read(&src, path, &err)) {
		fprintf(stderr, "%s: %s\n", path, err);
		return 2;
	}
	Diags *d = diags_new(&src);
	Module *m = NULL;
	for (int i = 0; i < times; i++) {
		ptx_free(m);
		m = ptx_parse(&src, d);
	}
	if (m && strchr(what, 'v'))
		printf("%s: %u functions, %u statements, %u operands, %u symbols, %u markers\n",
			path, m->nfuncs - 1, m->nstmts - 1, m->nopnds - 1, m->nsyms - 1,
			m->nmarkers - 1);
	diags_print(d, stderr);
	int rc = m ? 0 : 1;
	if (m && strchr(what, 'p'))
		print_view(m);
	if (m && strchr(what, 'r'))
		rc = round_trip(m, path);
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return rc;
}

int
main(int argc, char **argv)
{
	int rc = 0, times = 1;
	const char *what = "";

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
			times = atoi(argv[++i]);
		else if (argv[i][0] == '-' && argv[i][1])
			what = argv[i] + 1;
		else
			rc |= one(argv[i], times, what);
	}
	return rc;
}
