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
#include "driver/rt/fatbin.h"

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

/* ---- the device ------------------------------------------------------------------------------ */

/* Returns the compute capability of a device, 90 for sm_90; 0 if it is unknown. */
static int
arch_of(int device)
{
	enum { MAJOR = 75, MINOR };
	int major = 0, minor = 0;
	Result e;

	DRIVER_CALL(e, "cuDeviceGetAttribute", (int *, int, int), (&major, MAJOR, device));
	if (!e)
		DRIVER_CALL(e, "cuDeviceGetAttribute", (int *, int, int), (&minor, MINOR, device));
	return e ? 0 : 10 * major + minor;
}

/* Returns the compute capability of the devices that may execute the image: that of the context, or
 * all. 0: they differ, or it is unknown. */
static int
arch_for(Load_kind kind)
{
	int device = 0, devices = 1, arch;
	Result e;

	if (kind == LOADED_MODULE)
		DRIVER_CALL(e, "cuCtxGetDevice", (int *), (&device));
	else
		DRIVER_CALL(e, "cuDeviceGetCount", (int *), (&devices));
	arch = arch_of(e ? 0 : device);
	for (int i = 1; kind == LOADED_LIBRARY && i < devices; i++)
		if (arch_of(i) != arch)
			return 0;
	return arch;
}

/* Whether an option for the driver's compiler may change the code. Logs can remain empty, as they
 * do when the driver has the code in its own cache. */
static bool
changes_code(int option, unsigned value)
{
	enum { LOG_FIRST = 3, LOG_LAST = 6, LEVEL, FROM_CONTEXT, FALLBACK = 10, DEBUG, VERBOSE,
		LINES, CACHE_MODE, BEST_LEVEL = 4 };

	if (option == LEVEL)
		return value != BEST_LEVEL;
	if (option == DEBUG || option == LINES || option == CACHE_MODE)
		return value != 0;
	return (option < LOG_FIRST || option > LOG_LAST) && option != FROM_CONTEXT &&
		option != FALLBACK && option != VERBOSE;
}

/* Whether machine code may replace the PTX. */
static bool
allow_code(const Jit_options *jit)
{
	const char *force = getenv("CUDA_FORCE_PTX_JIT");

	if (force && *force && strcmp(force, "0") != 0)
		return false;
	for (unsigned i = 0; i < jit->n; i++)
		if (changes_code(jit->options[i], (unsigned)(uintptr_t)jit->values[i]))
			return false;
	return true;
}

/* Returns the CUDA version of the driver, 13000 for 13.0; 0 if it is unknown. */
static int
driver_version(void)
{
	int version = 0;
	Result e;

	DRIVER_CALL(e, "cuDriverGetVersion", (int *), (&version));
	return e ? 0 : version;
}

/* Returns the file of the driver, which tells versions of its compiler apart; NULL if unknown. */
static char *
driver_file(void)
{
	Dl_info found;
	void *f = driver_function("cuInit");

	return f && dladdr(f, &found) ? (char *)(uintptr_t)found.dli_fname : NULL;
}

/* ---- the process that rewrites --------------------------------------------------------------- */

/* Bytes that follow each other in a file. */
typedef struct { const void *at; size_t n; } Part;
enum { MOST_PARTS = 64 };

static bool
write_part(int fd, const Part *p)
{
	const char *s = p->at;

	for (size_t len = p->n; len > 0;) {
		ssize_t n = write(fd, s, len);
		if (n < 0 && errno != EINTR)
			return false;
		s += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Creates a file in memory with a descriptor that programs started by others do not inherit. */
static int
memory_file(const Part *parts, size_t n)
{
	int fd = memfd_create("ptxccc", MFD_CLOEXEC);
	bool ok = fd >= 0;

	for (size_t i = 0; ok && i < n; i++)
		ok = write_part(fd, &parts[i]);
	if (ok && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
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

typedef struct { const char *kind; int arch, driver; } Request;

/* Runs `ptxccc-run --rewrite` with these files as standard input and output. */
static bool
run_rewriter(const char *program, const Request *r, int in, int out)
{
	static char rewrite[] = "--rewrite";
	char arch[16], driver[16], *argv[] = { (char *)(uintptr_t)program, rewrite,
		(char *)(uintptr_t)r->kind, arch, driver, driver_file(), NULL };
	char **env = plain_environment();
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int status = -1;

	snprintf(arch, sizeof arch, "%d", r->arch);
	snprintf(driver, sizeof driver, "%d", r->driver);
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

static void
count(unsigned kernels, unsigned transformed)
{
	pthread_mutex_lock(&counts.lock);
	counts.process = getpid();
	counts.modules++;
	counts.kernels += kernels;
	counts.transformed += transformed;
	pthread_mutex_unlock(&counts.lock);
}

/* Reads n bytes and appends a zero. Returns NULL if n is 0, or on failure. */
static char *
read_part(int fd, size_t at, size_t n)
{
	char *part = n ? malloc(n + 1) : NULL;

	if (part && pread(fd, part, n, (off_t)at) != (ssize_t)n) {
		free(part);
		return NULL;
	}
	if (part)
		part[n] = '\0';
	return part;
}

static Rewritten
read_result(int fd, size_t *ptx_len)
{
	Rewritten r = { NULL, NULL };
	Rewrite_status s;

	if (pread(fd, &s, sizeof s, 0) != (ssize_t)sizeof s || s.magic != REWRITE_MAGIC)
		return r;
	*ptx_len = s.ptx_bytes;
	r.ptx = read_part(fd, sizeof s, s.ptx_bytes);
	r.code = read_part(fd, sizeof s + s.ptx_bytes, s.code_bytes);
	count(s.kernels, r.ptx || r.code ? s.transformed : 0);
	return r;
}

/* Returns the program that rewrites; NULL if nothing is to be. */
static const char *
rewriter(void)
{
	const char *off = getenv("CCC_DISABLE");

	return off && *off && strcmp(off, "0") != 0 ? NULL : getenv("CCC_RUN");
}

bool
rewrites(void)
{
	return rewriter() != NULL;
}

static Rewritten
rewrite(const Request *wanted, const Part *image, size_t parts, size_t *ptx_len)
{
	Rewritten made = { NULL, NULL };
	int saved = errno;

	int in = memory_file(image, parts), out = memory_file(NULL, 0);
	if (in >= 0 && out >= 0 && run_rewriter(rewriter(), wanted, in, out))
		made = read_result(out, ptx_len);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	errno = saved;
	return made;
}

/* Whether a text may have something to transform: a branch, or a marker. Counts the module if not.
 */
static bool
is_examined(const char *ptx)
{
	bool found = strstr(ptx, "bra") || strstr(ptx, "brx") || strstr(ptx, ".ccc ");

	if (!found && strstr(ptx, ".version"))
		count(count_kernels(ptx), 0);
	return found;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* of nvcc's fat binaries: driver/rt/fatbin.c */
typedef struct { uint32_t magic, version; const void *data; } Wrapper;
typedef struct { uint32_t magic; uint16_t version, header; uint64_t size; } Container;

/* of an entry, as far as it is used there */
typedef struct {
	uint16_t kind, unused;
	uint32_t header;
	uint64_t bytes;
	uint32_t more[3], arch;
	uint64_t rest[4];
} Entry_header;

/* Whether a device may execute an entry. Machine code is for one major number. */
static bool
is_for(const Fatbin_entry *e, unsigned arch)
{
	return e->arch <= arch && (e->kind != FATBIN_ELF || e->arch / 10 == arch / 10);
}

/* Rewrites the container of the entries that the device may execute: others can be large. */
static Rewritten
rewrite_container(const Request *wanted, const Container *c)
{
	Rewritten none = { NULL, NULL };
	const uint8_t *at = (const uint8_t *)c + c->header, *end = at + c->size, *first = at;
	Container head = *c;
	Part parts[MOST_PARTS] = { { &head, sizeof head } };
	size_t n = 1, len;
	bool ptx = false;
	Fatbin_entry e;

	head.header = sizeof head;
	for (head.size = 0; n < MOST_PARTS && fatbin_next(&at, end, &e); first = at)
		if (is_for(&e, (unsigned)wanted->arch)) {
			parts[n++] = (Part){ first, (size_t)(at - first) };
			head.size += (uint64_t)(at - first);
			ptx |= e.kind == FATBIN_PTX;
		}
	return ptx && n < MOST_PARTS ? rewrite(wanted, parts, n, &len) : none;
}

/* Rewrites machine code whose PTX is known, as a container of both. */
static Rewritten
rewrite_compiled(const Request *wanted, const Compiled *c)
{
	Rewritten none = { NULL, NULL };
	const char *target = strstr(c->ptx, ".target"), *sm = target ? strstr(target, "sm_") : NULL;
	uint32_t arch = sm ? (uint32_t)strtoul(sm + 3, NULL, 10) : 0;
	Entry_header ptx = { .kind = FATBIN_PTX, .header = sizeof ptx, .arch = arch },
		     code = { .kind = FATBIN_ELF, .header = sizeof code, .arch = arch };
	size_t len;

	ptx.bytes = strlen(c->ptx);
	code.bytes = c->code_bytes;
	Container head = { FATBIN_MAGIC, 1, sizeof head,
		sizeof ptx + ptx.bytes + sizeof code + code.bytes };
	const Part parts[] = { { &head, sizeof head }, { &ptx, sizeof ptx }, { c->ptx, ptx.bytes },
		{ &code, sizeof code }, { c->code, code.bytes } };
	if (!is_examined(c->ptx))
		return none;
	return rewrite(wanted, parts, sizeof parts / sizeof *parts, &len);
}

/* Device code that was linked (version 2 of the wrapper) has no PTX of the whole. */
Rewritten
rewrite_image(const void *image, Load_kind kind, const Jit_options *jit)
{
	Rewritten none = { NULL, NULL };
	const Wrapper *w = image;
	const Container *c = image;
	size_t len;

	bool machine_code = image && strncmp(image, "\x7f" "ELF", 4) == 0;
	const Compiled *made = machine_code ? compiled_find(image) : NULL;
	if (!image || !rewriter() || (machine_code && !made) ||
		(counters_wanted() && linked_code_counts(image)))
		return none;
	Request wanted = { "fatbin", arch_for(kind), allow_code(jit) ? driver_version() : 0 };
	/* compared as text first: other data may be shorter than a header */
	if (strncmp(image, "\xb1\x43\x62\x46", 4) == 0)
		c = w->version == 1 ? w->data : NULL;
	if (made)
		return rewrite_compiled(&wanted, made);
	if (c && strncmp((const char *)c, "\x50\xed\x55\xba", 4) == 0)
		return rewrite_container(&wanted, c);
	/* the linker's inputs were rewritten, by rewrite_linked() */
	if (c != image || strncmp(image, LINKED_TEXT, sizeof LINKED_TEXT - 1) == 0 ||
		!is_examined(image))
		return none;
	wanted.kind = "ptx";
	return rewrite(&wanted, &(Part){ image, strlen(image) }, 1, &len);
}

char *
rewrite_linked(Handle linker, const void *data, size_t size, size_t *len)
{
	Request wanted = { "ptx", arch_for(LOADED_MODULE), 0 };

	if (!rewriter() || (counters_wanted() && !counters_add_linker(linker)))
		return NULL;
	return rewrite(&wanted, &(Part){ data, strnlen(data, size) }, 1, len).ptx;
}
