/* SPDX-License-Identifier: MIT */
/* ptxccc-run: runs a program whose PTX is transformed when it is loaded. See docs/ptxccc-run.1.
 *
 * It preloads a library (driver/load/) into the program. The library runs this program with
 * --rewrite for each module. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/console.h"
#include "base/exec.h"
#include "driver/load_rewrite.h"
#include "base/buf.h"
#include "commit.h"

const char program_name[] = "ptxccc-run";

static const char usage[] =
	"usage: ptxccc-run [--profile=FILE | --timed] [--] program [arguments]\n"
	"Runs a CUDA program. PTX that it loads is transformed: markers are compiled, and other loops where no promise is needed.\n\n"
	"  --profile=FILE  transform nothing, count, and add the counts to this profile (see docs/profiles.md)\n"
	"  --timed         also transform what may gain, time some launches of the original and the transformed kernel, and continue with the faster one\n"
	"  --version, --help\n"
	"  CCC_FLAGS       options of ptxccc, such as --choose=always --profile-use=FILE --report-to=FILE\n"
	"  CCC_DISABLE     1: nothing is transformed\n"
	"  CCC_VERBOSE     1: a line on standard error for each module\n"
	"  CCC_PTXAS       the ptxas that checks and assembles results (default: the first one on PATH, else the CUDA toolkit's)\n"
	"  CCC_CACHE_SIZE  limit of the cache, in MB (256); 0: no cache\n"
	"  CUDA_FORCE_PTX_JIT  1: results are loaded as PTX, not as machine code\n";

/* Adds the library to those that are preloaded, after the others: some must be first. */
static int
preload_library(const char *self)
{
	const char *others = getenv("LD_PRELOAD"), *slash = strrchr(self, '/');
	Buf library = { 0 }, all = { 0 };
	int status = 0;

	buf_printf(&library, "%.*s/../lib/ptxccc/libptxccc-run.so", (int)(slash - self), self);
	if (access(library.at, R_OK) != 0 || strpbrk(library.at, ": ")) {
		fprintf(stderr, "ptxccc-run: cannot preload '%s': %s\n", library.at,
			strpbrk(library.at, ": ") ? "its name has a blank or a colon" :
						    strerror(errno));
		status = 2;
	}
	buf_printf(&all, "%s%s%s", others ? others : "", others && *others ? ":" : "", library.at);
	setenv("LD_PRELOAD", all.at, 1);
	buf_free(&library);
	buf_free(&all);
	return status;
}

static int
run_program(char **argv)
{
	static char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0) {
		perror("ptxccc-run: /proc/self/exe");
		return 2;
	}
	self[n] = '\0';
	int status = preload_library(self);
	if (status)
		return status;
	setenv("CCC_RUN", self, 1);
	setenv("CUPY_COMPILE_WITH_PTX", "1", 0); /* CuPy compiles to machine code otherwise */
	exec_program(argv);
	fprintf(stderr, "ptxccc-run: cannot run '%s': %s\n", argv[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

/* Has the program count into a profile, which must be writable from any folder. */
static bool
count_into(const char *file)
{
	char here[PATH_MAX];
	Buf path = { 0 };

	if (*file && *file != '/' && getcwd(here, sizeof here))
		buf_printf(&path, "%s/", here);
	buf_puts(&path, file);
	bool ok = *file && setenv("CCC_PROFILE_FILE", path.at, 1) == 0 &&
		setenv("CCC_RUN_PROFILE", "1", 1) == 0;
	if (!ok)
		fputs("ptxccc-run: --profile needs a file\n", stderr);
	buf_free(&path);
	return ok;
}

int
main(int argc, char **argv)
{
	console_open();
	char **arg = argv + 1;
	if (argc >= 5 && strcmp(argv[1], "--rewrite") == 0)
		return load_rewrite(&(Load_request){ argv[2], (unsigned)strtoul(argv[3], NULL, 10),
			(unsigned)strtoul(argv[4], NULL, 10), argv[5] });
	if (*arg && strcmp(*arg, "--version") == 0)
		return puts("ptxccc-run " VERSION COMMIT) < 0 || !console_flush(stdout) ? 2 : 0;
	if (*arg && strcmp(*arg, "--help") == 0)
		return fputs(usage, stdout) < 0 || !console_flush(stdout) ? 2 : 0;
	if (*arg && strncmp(*arg, "--profile=", 10) == 0 && !count_into(*arg++ + 10))
		return 2;
	else if (*arg && strcmp(*arg, "--timed") == 0)
		setenv("CCC_RUN_TIMED", *arg++, 1);
	const char *first = *arg;
	if (first && strcmp(first, "--") == 0)
		arg++;
	else if (first && *first == '-')
		fprintf(stderr, "ptxccc-run: unknown option '%s'\n", first);
	if (!*arg || (*first == '-' && strcmp(first, "--") != 0)) {
		fputs("Try 'ptxccc-run --help'.\n", stderr);
		return 2;
	}
	return run_program(arg);
}
