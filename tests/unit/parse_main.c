/* parse FILE...: reads PTX files and reports, for work on the parser itself.
 *
 *	-p  print the view (print.h)      -r  check that the printed view parses to an equal one      -v  print counts
 *	-n N  parse N times (for timing)
 */
#include <stdlib.h>
#include <string.h>
#include "parser/ptx.h"

static int
one(const char *path, int times, bool counts)
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
	if (m && counts)
		printf("%s: %u functions, %u statements, %u operands, %u symbols, %u markers\n", path, m->nfuncs - 1, m->nstmts - 1,
			m->nopnds - 1, m->nsyms - 1, m->nmarkers - 1);
	diags_print(d, stderr);
	int rc = m ? 0 : 1;
	ptx_free(m);
	diags_free(d);
	source_release(&src);
	return rc;
}

int
main(int argc, char **argv)
{
	int rc = 0, times = 1;
	bool counts = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-v") == 0)
			counts = true;
		else if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
			times = atoi(argv[++i]);
		else
			rc |= one(argv[i], times, counts);
	}
	return rc;
}
