/* SPDX-License-Identifier: MIT */
/* Terminal output and process exit of the programs. libptxccc has its own version
 * (lib/console.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/console.h"
#include "base/diag.h"

_Noreturn void
fatal(bool bug, const char *text)
{
	fprintf(stderr, "%s: %s%s\n", program_name, bug ? "internal error: " : "", text);
	if (bug)
		abort();
	exit(2);
}

void
console_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) /* open returns the lowest free number: this one */
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

bool
console_flush(FILE *f)
{
	errno = 0;
	bool flushed = fflush(f) == 0;
	if (flushed && !ferror(f))
		return true;
	const char *why = errno ? strerror(errno) : "what came before was lost";
	fprintf(stderr, "%s: cannot write '<%s>': %s\n", program_name,
		f == stderr ? "stderr" : "stdout", why);
	return false;
}

bool
console_color(const char *when)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !(no && *no);
}

static void
print_diagnostic(void *to, const Diag *g)
{
	fputs(g->printed, to);
}

void
diags_print(Diags *d, FILE *to)
{
	diags_each(d, print_diagnostic, to);
	fflush(to);
}
