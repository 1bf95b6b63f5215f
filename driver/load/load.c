/* SPDX-License-Identifier: MIT */
/* libptxccc-run.so: transforms the PTX that a program loads. ptxccc-run preloads it.
 *
 * Functions of the driver and of nvJitLink that take PTX are replaced: for a program that is linked
 * with these libraries, by functions of the same name here; for one that loads them, such as a
 * statically linked runtime, by what dlsym and cuGetProcAddress return. Each call passes the text
 * to `ptxccc-run --rewrite` (driver/ptxccc_run.c), another process, so that an error there does
 * not affect the program. The original is loaded if that process does not return a text, or if
 * the driver rejects it.
 *
 * CUDA's headers are not needed: handles are pointers, results and enumerations are integers. */
#define _GNU_SOURCE /* dlvsym, memfd_create */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver/load/status.h"

#define API __attribute__((visibility("default")))
typedef int Result; /* 0: success */
typedef void *Handle;

extern char **environ;

/* ---- counts ---------------------------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	unsigned modules, kernels, transformed;
	pid_t process;          /* that counted them: a child inherits the counts */
} counts = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((destructor)) static void
print_counts(void)
{
	if (counts.modules && counts.process == getpid())
		fprintf(stderr,
			"ptxccc-run: %u modules, %u kernels: %u transformed, %u left unchanged\n",
			counts.modules, counts.kernels, counts.transformed,
			counts.kernels - counts.transformed);
}

/* ---- rewriting ------------------------------------------------------------------------------- */

typedef void *Dlsym(void *, const char *);

/* Returns the C library's dlsym. */
static Dlsym *
real_dlsym(void)
{
	static Dlsym *found;
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5" };

	for (size_t i = 0; !found && i < sizeof versions / sizeof *versions; i++)
		*(void **)(void *)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	return found;
}

/* Returns a function of the driver, if the program has loaded that. */
static void *
find_in_driver(const char *name)
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

	*(void **)(void *)&attribute = find_in_driver("cuDeviceGetAttribute");
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

/* Returns the text to load in place of an image, to be freed; NULL for the image itself. Device
 * code that was linked (version 2 of the wrapper) has no PTX of the whole. */
static char *
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

/* ---- the functions --------------------------------------------------------------------------- */

typedef Result Module_load_data(Handle *, const void *);
typedef Result Module_load_data_ex(Handle *, const void *, unsigned, int *, void **);
typedef Result Library_load_data(
	Handle *, const void *, int *, void **, unsigned, int *, void **, unsigned);
typedef Result Link_add_data(
	Handle, int, void *, size_t, const char *, unsigned, int *, void **);
typedef Result Jit_link_add_data(Handle, int, const void *, size_t, const char *);
typedef Result Get_address(const char *, void **, int, uint64_t);
typedef Result Get_address_v2(const char *, void **, int, uint64_t, int *);
API Module_load_data cuModuleLoadData, cuModuleLoadFatBinary;
API Module_load_data_ex cuModuleLoadDataEx;
API Library_load_data cuLibraryLoadData;
API Link_add_data cuLinkAddData_v2;
API Get_address cuGetProcAddress;
API Get_address_v2 cuGetProcAddress_v2;
API Dlsym dlsym;

enum { NOT_FOUND = 500 }; /* CUDA_ERROR_NOT_FOUND */

/* The replaced functions. `real` is set when the program looks one up, or at the first call. */
typedef enum {
	LOAD_DATA, LOAD_FAT_BINARY, LOAD_DATA_EX, LIBRARY_LOAD_DATA, LINK_ADD_DATA, GET_ADDRESS,
	GET_ADDRESS_V2, JIT_LINK, HOOKS
} Hook_id;
static void *real[HOOKS];
static Jit_link_add_data jit_link_add_data;

static const char *const names[JIT_LINK] = { "cuModuleLoadData", "cuModuleLoadFatBinary",
	"cuModuleLoadDataEx", "cuLibraryLoadData", "cuLinkAddData_v2", "cuGetProcAddress",
	"cuGetProcAddress_v2" };

static void *
hook_address(Hook_id id)
{
	void *at = NULL;
#define HOOK(id, f) \
	case id: *(__typeof__(&f) *)(void *)&at = f; break
	switch (id) {
	HOOK(LOAD_DATA, cuModuleLoadData);
	HOOK(LOAD_FAT_BINARY, cuModuleLoadFatBinary);
	HOOK(LOAD_DATA_EX, cuModuleLoadDataEx);
	HOOK(LIBRARY_LOAD_DATA, cuLibraryLoadData);
	HOOK(LINK_ADD_DATA, cuLinkAddData_v2);
	HOOK(GET_ADDRESS, cuGetProcAddress);
	HOOK(GET_ADDRESS_V2, cuGetProcAddress_v2);
	HOOK(JIT_LINK, jit_link_add_data);
	case HOOKS: break;
	}
#undef HOOK
	return at;
}

/* Returns what the program is to call in place of the function at `found`. */
static void *
replace(Hook_id id, void *found)
{
	void *hook = hook_address(id);

	if (found && found != hook)
		real[id] = found;
	return found && real[id] ? hook : found;
}

/* The driver is linked, or calls itself by a name that leads here. */
static void *
real_function(Hook_id id)
{
	if (!real[id])
		real[id] = real_dlsym()(RTLD_NEXT, names[id]);
	if (!real[id])
		real[id] = find_in_driver(names[id]);
	return real[id];
}

#define CALL(result, id, type, ...) \
	type *f; \
	*(void **)(void *)&f = real_function(id); \
	result = f ? f(__VA_ARGS__) : NOT_FOUND

/* Calls the real function with the rewritten text, and with the original if that fails. */
#define LOAD(id, type, image, keep, ...) \
	char *text = rewrite_image(image); \
	Result e = 1; \
	if (text) { \
		const void *image_of = text; \
		CALL(e, id, type, __VA_ARGS__); \
		if (e || !(keep)) \
			free(text); \
	} \
	if (e) { \
		const void *image_of = image; \
		CALL(e, id, type, __VA_ARGS__); \
	} \
	return e

Result
cuModuleLoadData(Handle *m, const void *image)
{
	LOAD(LOAD_DATA, Module_load_data, image, false, m, image_of);
}

Result
cuModuleLoadFatBinary(Handle *m, const void *image)
{
	LOAD(LOAD_FAT_BINARY, Module_load_data, image, false, m, image_of);
}

Result
cuModuleLoadDataEx(Handle *m, const void *image, unsigned n, int *options, void **values)
{
	LOAD(LOAD_DATA_EX, Module_load_data_ex, image, false, m, image_of, n, options, values);
}

/* The text stays allocated, because an option can say that the library does. */
Result
cuLibraryLoadData(Handle *l, const void *image, int *jit, void **jit_values, unsigned njit,
	int *options, void **values, unsigned n)
{
	LOAD(LIBRARY_LOAD_DATA, Library_load_data, image, true, l, image_of, jit, jit_values, njit,
		options, values, n);
}

Result
cuLinkAddData_v2(Handle s, int type, void *data, size_t size, const char *name, unsigned n,
	int *options, void **values)
{
	enum { PTX = 1 };
	size_t len = 0;
	char *text = type == PTX && data ? rewrite("ptx", data, strnlen(data, size), &len) : NULL;
	Result e = 1;

	if (text) {
		CALL(e, LINK_ADD_DATA, Link_add_data, s, type, text, len + 1, name, n, options,
			values);
		free(text);
	}
	if (e) {
		CALL(e, LINK_ADD_DATA, Link_add_data, s, type, data, size, name, n, options,
			values);
	}
	return e;
}

static Result
jit_link_add_data(Handle s, int type, const void *data, size_t size, const char *name)
{
	enum { PTX = 2 };
	size_t len = 0;
	char *text = type == PTX && data ? rewrite("ptx", data, strnlen(data, size), &len) : NULL;
	Jit_link_add_data *f;
	Result e = 1;

	*(void **)(void *)&f = real[JIT_LINK];
	if (text) {
		e = f(s, type, text, len + 1, name);
		free(text);
	}
	return e ? f(s, type, data, size, name) : 0;
}

/* ---- looking functions up -------------------------------------------------------------------- */

/* Returns the function that a name of cuGetProcAddress means for a program of this CUDA version;
 * HOOKS if it is not replaced. */
static Hook_id
hook_by_base_name(const char *name, int version)
{
	if (strcmp(name, "cuGetProcAddress") == 0)
		return version >= 12000 ? GET_ADDRESS_V2 : GET_ADDRESS;
	if (strcmp(name, "cuLinkAddData") == 0)
		return version >= 6050 ? LINK_ADD_DATA : HOOKS;
	for (Hook_id id = 0; id < LINK_ADD_DATA; id++)
		if (strcmp(name, names[id]) == 0)
			return id;
	return HOOKS;
}

static void
replace_found(const char *name, void **f, int version)
{
	Hook_id id = name ? hook_by_base_name(name, version) : HOOKS;

	if (id != HOOKS && f)
		*f = replace(id, *f);
}

Result
cuGetProcAddress(const char *name, void **to, int version, uint64_t flags)
{
	Result e;

	CALL(e, GET_ADDRESS, Get_address, name, to, version, flags);
	if (!e)
		replace_found(name, to, version);
	return e;
}

Result
cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status)
{
	Result e;

	CALL(e, GET_ADDRESS_V2, Get_address_v2, name, to, version, flags, status);
	if (!e)
		replace_found(name, to, version);
	return e;
}

/* nvJitLink's functions are versioned: __nvJitLinkAddData_13_0. */
static Hook_id
hook_by_name(const char *name)
{
	if (strncmp(name, "__nvJitLinkAddData_", 19) == 0 || strcmp(name, "nvJitLinkAddData") == 0)
		return JIT_LINK;
	for (Hook_id id = 0; id < JIT_LINK; id++)
		if (strcmp(name, names[id]) == 0)
			return id;
	return HOOKS;
}

/* RTLD_NEXT depends on the caller of dlsym: other calls than those for these functions must be
 * jumps, which the optimisation makes of a call at the end. */
__attribute__((optimize("O2"))) void *
dlsym(void *handle, const char *name)
{
	Dlsym *f = real_dlsym();

	if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || hook_by_name(name) == HOOKS)
		return f(handle, name);
	return replace(hook_by_name(name), f(handle, name));
}
