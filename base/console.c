/* What only programs do: write to the terminal and end the process. libptxccc has none of this (lib/console.c). */
#include <stdio.h>
#include <stdlib.h>
#include "base/diag.h"

_Noreturn void
fatal(bool bug, const char *text)
{
	fprintf(stderr, "ptxccc: %s%s\n", bug ? "internal error: " : "", text);
	if (bug)
		abort();
	exit(2);
}

static void
print(void *to, const Diag *g)
{
	fputs(g->printed, to);
}

void
diags_print(Diags *d, FILE *to)
{
	diags_each(d, print, to);
	fflush(to);
}
