/* SPDX-License-Identifier: MIT */
/* libptxccc-run.so: transforms the PTX that a program loads. ptxccc-run preloads it.
 *
 * Functions of the driver that take PTX are replaced: for a program that is linked with it, by
 * functions of the same name here; for one that loads it, such as a statically linked runtime, by
 * what dlsym and cuGetProcAddress return. Each call passes the text to the compiler (rewrite.c).
 * The original is loaded if there is no other text, or if the driver rejects that. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "driver/load/load.h"

#define API __attribute__((visibility("default")))

/* ---- the functions --------------------------------------------------------------------------- */

typedef Result Module_load_data(Handle *, const void *);
typedef Result Module_load_data_ex(Handle *, const void *, unsigned, int *, void **);
typedef Result Library_load_data(
	Handle *, const void *, int *, void **, unsigned, int *, void **, unsigned);
typedef Result Link_add_data(
	Handle, int, void *, size_t, const char *, unsigned, int *, void **);
typedef Result Unload(Handle);
typedef Result Device_call(int);
typedef struct { Grid grid; Handle stream; void *attributes; unsigned n; } Launch_config;
typedef Result Launch_ex(const Launch_config *, Handle, void **, void **);
typedef Result Get_address(const char *, void **, int, uint64_t);
typedef Result Get_address_v2(const char *, void **, int, uint64_t, int *);
API Module_load_data cuModuleLoadData, cuModuleLoadFatBinary;
API Module_load_data_ex cuModuleLoadDataEx;
API Library_load_data cuLibraryLoadData;
API Link_add_data cuLinkAddData_v2;
API Unload cuLinkDestroy, cuModuleUnload, cuLibraryUnload, cuCtxDestroy_v2;
API Device_call cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2;
API Get_function cuModuleGetFunction, cuLibraryGetKernel;
API Launch cuLaunchKernel;
API Launch_ex cuLaunchKernelEx;
API Get_address cuGetProcAddress;
API Get_address_v2 cuGetProcAddress_v2;
API Dlsym dlsym;

enum { NOT_FOUND = 500 }; /* CUDA_ERROR_NOT_FOUND */

/* The replaced functions. `real` is set when the program looks one up, or at the first call. */
typedef enum {
	LOAD_DATA, LOAD_FAT_BINARY, LOAD_DATA_EX, LIBRARY_LOAD_DATA, LINK_ADD_DATA, LINK_DESTROY,
	UNLOAD, LIBRARY_UNLOAD, CONTEXT_DESTROY, PRIMARY_RELEASE, PRIMARY_RESET, GET_ADDRESS,
	GET_ADDRESS_V2, GET_FUNCTION, GET_KERNEL, LAUNCH, LAUNCH_EX, HOOKS
} Hook_id;
static void *real[HOOKS];

/* since: the CUDA version whose programs mean this function by its name without _v2 */
static const struct { const char *name; int since; } hooks[HOOKS] = {
	{ "cuModuleLoadData", 0 },
	{ "cuModuleLoadFatBinary", 0 },
	{ "cuModuleLoadDataEx", 0 },
	{ "cuLibraryLoadData", 0 },
	{ "cuLinkAddData_v2", 6050 },
	{ "cuLinkDestroy", 0 },
	{ "cuModuleUnload", 0 },
	{ "cuLibraryUnload", 0 },
	{ "cuCtxDestroy_v2", 4000 },
	{ "cuDevicePrimaryCtxRelease_v2", 11000 },
	{ "cuDevicePrimaryCtxReset_v2", 11000 },
	{ "cuGetProcAddress", 0 },
	{ "cuGetProcAddress_v2", 12000 },
	{ "cuModuleGetFunction", 0 },
	{ "cuLibraryGetKernel", 0 },
	{ "cuLaunchKernel", 0 },
	{ "cuLaunchKernelEx", 0 },
};

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
	HOOK(LINK_DESTROY, cuLinkDestroy);
	HOOK(UNLOAD, cuModuleUnload);
	HOOK(LIBRARY_UNLOAD, cuLibraryUnload);
	HOOK(CONTEXT_DESTROY, cuCtxDestroy_v2);
	HOOK(PRIMARY_RELEASE, cuDevicePrimaryCtxRelease_v2);
	HOOK(PRIMARY_RESET, cuDevicePrimaryCtxReset_v2);
	HOOK(GET_ADDRESS, cuGetProcAddress);
	HOOK(GET_ADDRESS_V2, cuGetProcAddress_v2);
	HOOK(GET_FUNCTION, cuModuleGetFunction);
	HOOK(GET_KERNEL, cuLibraryGetKernel);
	HOOK(LAUNCH, cuLaunchKernel);
	HOOK(LAUNCH_EX, cuLaunchKernelEx);
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

	if (id >= GET_FUNCTION && !timed_wanted())
		return found;
	if (found && found != hook)
		real[id] = found;
	return found && real[id] ? hook : found;
}

/* The driver is linked, or calls itself by a name that leads here. */
static void *
real_function(Hook_id id)
{
	if (!real[id])
		real[id] = real_dlsym()(RTLD_NEXT, hooks[id].name);
	if (!real[id])
		real[id] = driver_function(hooks[id].name);
	return real[id];
}

#define CALL(result, id, type, ...) \
	type *f; \
	*(void **)(void *)&f = real_function(id); \
	result = f ? f(__VA_ARGS__) : NOT_FOUND

/* Copies the values between the options and `saved`, which has room for MOST_OPTIONS: the driver
 * replaces some, such as the length of a log, by results, also if it rejects the image. */
enum { MOST_OPTIONS = 64 };
static void
copy_values(void **to, void *const *from, unsigned n)
{
	if (n && n <= MOST_OPTIONS)
		memcpy(to, from, n * sizeof *to);
}

/* Calls the real function with what rewriting has made of the image, and with the image itself if
 * that fails. A library's image is not freed: an option can say that it stays allocated. */
#define LOAD(id, type, kind, image, handle, jit_options, ...) \
	const Jit_options jit = jit_options; \
	Rewritten made = rewrite_image(image, kind, &jit); \
	const void *tries[] = { made.code, made.ptx, image }, *loaded = NULL; \
	void *saved[MOST_OPTIONS]; \
	Result e = 1; \
	copy_values(saved, jit.values, jit.n); \
	for (size_t i = 0; e && i < 3; i++) { \
		const void *image_of = loaded = tries[i]; \
		if (image_of || i == 2) { \
			copy_values(jit.values, saved, jit.n); \
			CALL(e, id, type, __VA_ARGS__); \
		} \
	} \
	if (!e && counters_wanted() && (loaded != image || linked_code_counts(image))) \
		counters_add(kind, *(handle)); \
	if (!e && loaded != image && timed_wanted()) \
		timed_add_module(kind, *(handle)); \
	if (e || (kind) != LOADED_LIBRARY || loaded != made.code) \
		free(made.code); \
	if (e || (kind) != LOADED_LIBRARY || loaded != made.ptx) \
		free(made.ptx); \
	return e
#define JIT_OPTIONS(...) { __VA_ARGS__ }

Result
cuModuleLoadData(Handle *m, const void *image)
{
	LOAD(LOAD_DATA, Module_load_data, LOADED_MODULE, image, m, JIT_OPTIONS(0), m, image_of);
}

Result
cuModuleLoadFatBinary(Handle *m, const void *image)
{
	LOAD(LOAD_FAT_BINARY, Module_load_data, LOADED_MODULE, image, m, JIT_OPTIONS(0), m,
		image_of);
}

Result
cuModuleLoadDataEx(Handle *m, const void *image, unsigned n, int *options, void **values)
{
	LOAD(LOAD_DATA_EX, Module_load_data_ex, LOADED_MODULE, image, m,
		JIT_OPTIONS(n, options, values), m, image_of, n, options, values);
}

Result
cuLibraryLoadData(Handle *l, const void *image, int *keys, void **jit_values, unsigned njit,
	int *options, void **values, unsigned n)
{
	LOAD(LIBRARY_LOAD_DATA, Library_load_data, LOADED_LIBRARY, image, l,
		JIT_OPTIONS(njit, keys, jit_values), l, image_of, keys, jit_values, njit, options,
		values, n);
}

Result
cuLinkAddData_v2(Handle s, int type, void *data, size_t size, const char *name, unsigned n,
	int *options, void **values)
{
	enum { PTX = 1 };
	size_t len = 0;
	char *text = type == PTX && data ? rewrite_linked(s, data, size, &len) : NULL;
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

Result
cuLinkDestroy(Handle s)
{
	Result e;

	linked_forget(s);
	CALL(e, LINK_DESTROY, Unload, s);
	return e;
}

/* ---- modules that count ---------------------------------------------------------------------- */

#define BEFORE(id, type, argument, action, timed_action) \
	Result e; \
	if (counters_wanted()) \
		action; \
	timed_action; \
	CALL(e, id, type, argument); \
	return e

Result
cuModuleUnload(Handle m)
{
	BEFORE(UNLOAD, Unload, m, counters_unload(m), timed_unload(m));
}

Result
cuLibraryUnload(Handle l)
{
	BEFORE(LIBRARY_UNLOAD, Unload, l, counters_unload(l), timed_unload(l));
}

Result
cuCtxDestroy_v2(Handle c)
{
	BEFORE(CONTEXT_DESTROY, Unload, c, counters_destroy_context(c),
		timed_destroy_context(c));
}

/* Releases the device's primary context, or, all: resets it. */
static Result
leave_primary_context(Hook_id id, int device, bool all)
{
	Result e;

	if (counters_wanted())
		counters_reset_device(device, all);
	CALL(e, id, Device_call, device);
	timed_reset_device(device);
	return e;
}

Result
cuDevicePrimaryCtxRelease_v2(int device)
{
	return leave_primary_context(PRIMARY_RELEASE, device, false);
}

Result
cuDevicePrimaryCtxReset_v2(int device)
{
	return leave_primary_context(PRIMARY_RESET, device, true);
}

/* ---- kernels that are timed ------------------------------------------------------------------ */

#define GET(id, kind, to, module, name) \
	Result e; \
	Get_function *get; \
	*(void **)(void *)&get = real_function(id); \
	e = get ? get(to, module, name) : NOT_FOUND; \
	if (!e && timed_wanted()) \
		timed_add(kind, module, name, *(to), get); \
	return e

Result
cuModuleGetFunction(Handle *f, Handle m, const char *name)
{
	GET(GET_FUNCTION, LOADED_MODULE, f, m, name);
}

Result
cuLibraryGetKernel(Handle *f, Handle l, const char *name)
{
	GET(GET_KERNEL, LOADED_LIBRARY, f, l, name);
}

Result
cuLaunchKernel(Handle f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, Handle stream, void **args, void **extra)
{
	const Grid g = { x, y, z, bx, by, bz, shared };
	Launch *launch;

	*(void **)(void *)&launch = real_function(LAUNCH);
	return launch ? timed_launch(launch, f, &g, stream, args, extra) : NOT_FOUND;
}

/* A launch without attributes is one by cuLaunchKernel. */
Result
cuLaunchKernelEx(const Launch_config *c, Handle kernel, void **args, void **extra)
{
	Result e;

	if (c && !c->n && timed_wanted())
		return cuLaunchKernel(kernel, c->grid.x, c->grid.y, c->grid.z, c->grid.bx,
			c->grid.by, c->grid.bz, c->grid.shared, c->stream, args, extra);
	CALL(e, LAUNCH_EX, Launch_ex, c, kernel, args, extra);
	return e;
}

/* ---- looking functions up -------------------------------------------------------------------- */

/* Returns the function that a name of cuGetProcAddress means for a program of this CUDA version;
 * HOOKS if it is not replaced. */
static Hook_id
hook_by_base_name(const char *name, int version)
{
	size_t n = strlen(name);

	for (Hook_id id = HOOKS; id-- > 0;)
		if (strncmp(hooks[id].name, name, n) == 0 && version >= hooks[id].since &&
			(!hooks[id].name[n] || strcmp(hooks[id].name + n, "_v2") == 0))
			return id;
	return HOOKS;
}

static void
replace_found(const char *name, void **f, int version, uint64_t flags)
{
	enum { PER_THREAD_STREAM = 2 }; /* by which launches are other functions */
	Hook_id id = name ? hook_by_base_name(name, version) : HOOKS;

	if ((id == LAUNCH || id == LAUNCH_EX) && (flags & PER_THREAD_STREAM))
		return;

	if (id != HOOKS && f)
		*f = replace(id, *f);
}

Result
cuGetProcAddress(const char *name, void **to, int version, uint64_t flags)
{
	Result e;

	CALL(e, GET_ADDRESS, Get_address, name, to, version, flags);
	if (!e)
		replace_found(name, to, version, flags);
	return e;
}

Result
cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status)
{
	Result e;

	CALL(e, GET_ADDRESS_V2, Get_address_v2, name, to, version, flags, status);
	if (!e)
		replace_found(name, to, version, flags);
	return e;
}

static Hook_id
hook_by_name(const char *name)
{
	for (Hook_id id = 0; id < HOOKS; id++)
		if (strcmp(name, hooks[id].name) == 0)
			return id;
	return HOOKS;
}

/* RTLD_NEXT depends on the caller of dlsym: other calls than those for these functions must be
 * jumps, which the optimisation makes of a call at the end. */
__attribute__((optimize("O2"))) void *
dlsym(void *handle, const char *name)
{
	Dlsym *f = real_dlsym();
	Hook_id id = handle == RTLD_NEXT ? HOOKS : hook_by_name(name);

	if (handle != RTLD_NEXT && compiler_function(name))
		return compiler_replace(name, f(handle, name));
	/* The driver's functions that every caller finds are this library's. */
	if (id == HOOKS || handle == RTLD_DEFAULT)
		return f(handle, name);
	return replace(id, f(handle, name));
}
