/* SPDX-License-Identifier: MIT */
/* Has a text rewritten by `ptxccc-run --rewrite` (driver/ptxccc_run.c): another process, so that an
 * error there does not affect the program. */
#define _GNU_SOURCE /* dlvsym, memfd_create */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver/load/load.h"
#include "driver/load/status.h"

extern char **environ;

/* ---- counts ---------------------------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	unsigned modules, kernels, transformed;
	pid_t process;          /* that counted them: a child inherits the counts */
} counts = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Whether the user's options have the reasons written. */
static bool
reasons_are_reported(void)
{
	const char *flags = getenv("CCC_FLAGS");

	return flags && strstr(flags, "--report");
}

__attribute__((destructor)) static void
print_counts(void)
{
	const char *does = counters_wanted() ? "count" : "transformed",
		   *not = counters_wanted() ? "do not" : "left unchanged";

	unsigned left = counts.kernels - counts.transformed;
	if (!counts.modules || counts.process != getpid())
		return;
	fprintf(stderr, "ptxccc-run: %u modules, %u kernels: %u %s, %u %s\n", counts.modules,
		counts.kernels, counts.transformed, does, left, not);
	if (left && !counters_wanted() && !reasons_are_reported())
		fputs("ptxccc-run: reasons: CCC_FLAGS=--report-to=FILE\n", stderr);
}

/* ---- rewriting ------------------------------------------------------------------------------- */

Dlsym *
real_dlsym(void)
{
	static Dlsym *found;
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5" };

	for (size_t i = 0; !found && i < sizeof versions / sizeof *versions; i++)
		*(void **)(void *)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	return found;
}

void *
driver_function(const char *name)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *f = driver ? real_dlsym()(driver, name) : NULL;

	if (driver)
		dlclose(driver);
	return f;
}

/* Returns the compute capability of the first device, 90 for sm_90; 0 if it is unknown. */
static int
device_arch(void)
{
	enum { MAJOR = 75, MINOR };
	Result (*attribute)(int *, int, int);
	int major = 0, minor = 0;

	*(void **)(void *)&attribute = driver_function("cuDeviceGetAttribute");
	if (attribute && (attribute(&major, MAJOR, 0) || attribute(&minor, MINOR, 0)))
		major = minor = 0;
	return 10 * major + minor;
}

/* Creates a file in memory with a descriptor that programs started by others do not inherit. */
static int
memory_file(const void *text, size_t len)
{
	int fd = memfd_create("ptxccc", MFD_CLOEXEC);

	for (const char *s = text; fd >= 0 && len > 0;) {
		ssize_t n = write(fd, s, len);
		if (n < 0 && errno != EINTR) {
			close(fd);
			return -1;
		}
		s += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return fd < 0 || lseek(fd, 0, SEEK_SET) ? -1 : fd;
}

/* Returns a copy of the environment in which nothing is preloaded. */
static char **
plain_environment(void)
{
	size_t n = 0, k = 0;

	while (environ[n])
		n++;
	char **env = malloc((n + 1) * sizeof *env);
	for (size_t i = 0; env && i <= n; i++)
		if (!environ[i] || strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			env[k++] = environ[i];
	return env;
}

/* Runs `ptxccc-run --rewrite` with these files as standard input and output. */
static bool
run_rewriter(const char *program, const char *kind, int in, int out)
{
	static char rewrite[] = "--rewrite";
	char arch[16], *argv[] = { (char *)(uintptr_t)program, rewrite, (char *)(uintptr_t)kind,
		arch, NULL };
	char **env = plain_environment();
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int status = -1;

	snprintf(arch, sizeof arch, "%d", device_arch());
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	bool ok = env && posix_spawn(&pid, program, &fa, NULL, argv, env) == 0;
	posix_spawn_file_actions_destroy(&fa);
	free(env);
	/* The program may have a handler that waits for all of its children. */
	while (ok && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			status = 0, ok = errno == ECHILD;
	return ok && status == 0;
}

/* Reads the result: a status, then the text. Returns NULL if the module is to be loaded as it is.
 */
static char *
read_result(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	size_t n = size > (off_t)sizeof(Rewrite_status) ? (size_t)size : sizeof(Rewrite_status);
	Rewrite_status s;
	char *text = NULL;

	if (pread(fd, &s, sizeof s, 0) != (ssize_t)sizeof s || s.magic != REWRITE_MAGIC)
		return NULL;
	*len = n - sizeof s;
	if (*len && (text = malloc(*len + 1)) != NULL) {
		if (pread(fd, text, *len, (off_t)sizeof s) != (ssize_t)*len) {
			free(text);
			return NULL;
		}
		text[*len] = '\0';
	}
	pthread_mutex_lock(&counts.lock);
	counts.process = getpid();
	counts.modules++;
	counts.kernels += s.kernels;
	counts.transformed += text ? s.transformed : 0;
	pthread_mutex_unlock(&counts.lock);
	return text;
}

static char *
rewrite(const char *kind, const void *image, size_t size, size_t *len)
{
	const char *program = getenv("CCC_RUN"), *off = getenv("CCC_DISABLE");
	char *text = NULL;
	int saved = errno;

	if (!program || (off && *off && strcmp(off, "0") != 0))
		return NULL;
	int in = memory_file(image, size), out = memory_file("", 0);
	if (in >= 0 && out >= 0 && run_rewriter(program, kind, in, out))
		text = read_result(out, len);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	errno = saved;
	return text;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* of nvcc's fat binaries: driver/rt/fatbin.c */
typedef struct { uint32_t magic, version; const void *data; } Wrapper;
typedef struct { uint32_t magic; uint16_t version, header; uint64_t size; } Container;

/* Device code that was linked (version 2 of the wrapper) has no PTX of the whole. */
char *
rewrite_image(const void *image)
{
	const Wrapper *w = image;
	const Container *c = image;
	size_t len;

	if (!image)
		return NULL;
	/* compared as text first: other data may be shorter than a header */
	if (strncmp(image, "\xb1\x43\x62\x46", 4) == 0)
		c = w->version == 1 ? w->data : NULL;
	if (c && strncmp((const char *)c, "\x50\xed\x55\xba", 4) == 0)
		return rewrite("fatbin", c, c->header + c->size, &len);
	if (c != image || strncmp(image, "\x7f" "ELF", 4) == 0)
		return NULL;
	return rewrite("ptx", image, strlen(image), &len);
}

/* These do not count: each would define the variable of the counters. */
char *
rewrite_linked(const void *data, size_t size, size_t *len)
{
	return counters_wanted() ? NULL : rewrite("ptx", data, strnlen(data, size), len);
}
