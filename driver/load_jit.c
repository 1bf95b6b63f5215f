/* SPDX-License-Identifier: MIT */
/* The driver's own compiler. See load_jit.h.
 *
 * cuLinkComplete returns machine code, cuModuleLoadData does not. So that they can be compared, the
 * driver's cache is a folder of this process. */
#define _GNU_SOURCE /* nftw */
#include <dlfcn.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/heap.h"
#include "base/source.h"
#include "base/temporary.h"
#include "driver/cubin.h"
#include "driver/load_jit.h"

typedef void *Handle;
#define FUNCTIONS(F) \
	F(cuInit, unsigned) F(cuDeviceGetCount, int *) F(cuDeviceGetAttribute, int *, int, int) \
	F(cuDevicePrimaryCtxRetain, Handle *, int) F(cuCtxSetCurrent, Handle) \
	F(cuDevicePrimaryCtxRelease_v2, int) \
	F(cuLinkCreate_v2, unsigned, int *, void **, Handle *) \
	F(cuLinkAddData_v2, Handle, int, void *, size_t, const char *, unsigned, int *, void **) \
	F(cuLinkComplete, Handle, void **, size_t *) F(cuLinkDestroy, Handle) \
	F(cuModuleLoadData, Handle *, const void *) F(cuModuleUnload, Handle)

#define F(name, ...) int (*name)(__VA_ARGS__);
static struct { FUNCTIONS(F) void *library; int device; bool open; } driver;
#undef F
static char *folder; /* the driver's cache */

/* ---- the driver ------------------------------------------------------------------------------ */

static bool
find_functions(void)
{
	driver.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#define F(name, ...) \
	if (!driver.library || \
		!(*(void **)(void *)&driver.name = dlsym(driver.library, #name))) \
		return false;
	FUNCTIONS(F)
#undef F
	return true;
}

static bool
find_device(unsigned arch)
{
	enum { MAJOR = 75, MINOR };
	int n = 0, major = 0, minor = 0;

	if (driver.cuInit(0) || driver.cuDeviceGetCount(&n))
		return false;
	for (driver.device = 0; driver.device < n; driver.device++)
		if (!driver.cuDeviceGetAttribute(&major, MAJOR, driver.device) &&
			!driver.cuDeviceGetAttribute(&minor, MINOR, driver.device) &&
			10 * major + minor == (int)arch)
			return true;
	return false;
}

bool
load_jit_open(unsigned arch)
{
	Handle context;

	unsetenv("CUDA_INJECTION64_PATH"); /* the program's tools */
	folder = find_functions() ? temporary_folder("ptxccc") : NULL;
	if (!folder)
		return false;
	setenv("CUDA_CACHE_PATH", folder, 1);
	setenv("CUDA_CACHE_DISABLE", "0", 1);
	driver.open = find_device(arch) &&
		!driver.cuDevicePrimaryCtxRetain(&context, driver.device) &&
		!driver.cuCtxSetCurrent(context);
	if (!driver.open)
		load_jit_close();
	return driver.open;
}

bool
load_jit_compile(const char *ptx, size_t len, Buf *code, Buf *log)
{
	enum { PTX = 1, LOG = 3, LOG_BYTES, VERBOSE = 12, OPTIONS = 3, ROOM = 1 << 16 };
	static char said[ROOM];
	int options[OPTIONS] = { LOG, LOG_BYTES, VERBOSE };
	void *values[OPTIONS] = { said, (void *)(uintptr_t)ROOM, (void *)(uintptr_t)1 }, *made;
	Handle link;
	size_t n;

	said[0] = '\0';
	if (driver.cuLinkCreate_v2(OPTIONS, options, values, &link))
		return false;
	bool ok = !driver.cuLinkAddData_v2(
			  link, PTX, (void *)(uintptr_t)ptx, len + 1, "module", 0, NULL, NULL) &&
		!driver.cuLinkComplete(link, &made, &n);
	if (ok)
		buf_add(code, made, n);
	buf_puts(log, said);
	driver.cuLinkDestroy(link);
	return ok;
}

/* ---- the driver's cache ---------------------------------------------------------------------- */

static Buf cached; /* the files of the folder */

static int
read_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)where;
	if (type == FTW_F)
		(void)source_append(&cached, path);
	return 0;
}

bool
load_jit_loads(const char *ptx, const Buf *code)
{
	enum { OPEN_FOLDERS = 8 };
	Handle module;

	if (driver.cuModuleLoadData(&module, ptx))
		return false;
	driver.cuModuleUnload(module);
	nftw(folder, read_entry, OPEN_FOLDERS, FTW_PHYS);
	bool found = cached.n && cubin_code_is_in(code->at, code->n, cached.at, cached.n);
	buf_free(&cached);
	return found;
}

void
load_jit_close(void)
{
	if (driver.open)
		driver.cuDevicePrimaryCtxRelease_v2(driver.device);
	driver.open = false;
	temporary_remove(folder);
	xfree(folder);
}
