/* SPDX-License-Identifier: MIT */
/* Initialisation, versions, and lookup of functions by name.
 *
 * A function with several versions is exported under each name: cuMemAlloc and cuMemAlloc_v2.
 * cuGetProcAddress takes the name without suffix and the CUDA version that the program was
 * written for, and returns the newest version that existed by then (versions.def). */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "driver/libcuda/cu.h"

API CUresult cuDriverGetVersion(int *version);
API CUresult cuGetExportTable(const void **table, const CUuuid *id);
API CUresult cuGetProcAddress(const char *name, void **f, int version, uint64_t flags);
API CUresult cuGetProcAddress_v2(
	const char *name, void **f, int version, uint64_t flags, int *status);

/* A library has no other place for it. Set under the lock, never reset. */
static bool ready;

Runtime *
cu_enter(void)
{
	Runtime *rt = rt_enter();
	if (context_current()) /* runtime calls create one without cuInit */
		return rt;
	(void)rt_unlock(rt, cudaSuccess);
	return NULL;
}

Runtime *
cu_enter_ready(void)
{
	Runtime *rt = rt_enter();
	if (ready)
		return rt;
	(void)rt_unlock(rt, cudaSuccess);
	return NULL;
}

CUresult
cu_outside(void)
{
	Runtime *rt = rt_enter();
	bool was = ready;
	(void)rt_unlock(rt, cudaSuccess);
	return was ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult
cu_leave(Runtime *rt, cudaError_t e)
{
	return cu_result(rt_unlock(rt, e));
}

CUresult
cu_leave_early(Runtime *rt, cudaError_t e)
{
	(void)rt_unlock(rt, cudaSuccess);
	return cu_result(e);
}

DRIVER_ANYWHERE(cuInit, (flags), unsigned flags)
{
	if (!flags)
		ready = true;
	return flags ? cudaErrorInvalidValue : cudaSuccess;
}

CUresult
cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = CU_VERSION;
	return CUDA_SUCCESS;
}

/* Tables of undocumented functions, for NVIDIA's own libraries, which work without them. */
CUresult
cuGetExportTable(const void **table, const CUuuid *id)
{
	(void)id;
	if (table)
		*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}

/* ---- functions by name ----------------------------------------------------------------------- */

/* Returns the CUDA version that introduced a versioned symbol. */
static int
version_of_symbol(const char *symbol)
{
	static const struct { const char *name; int version; } rows[] = {
#define SINCE(name, version) { #name, version },
#include "driver/libcuda/versions.def"
#undef SINCE
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, symbol))
			return rows[i].version;
	return 0;
}

/* Returns a handle of this library, whose symbols may not be global. */
static void *
own_library(void)
{
	Dl_info here;
	return dladdr(&ready, &here) ? dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* Returns the newest version of the function that a program for this CUDA version knows. */
static void *
find_function(const char *name, int version)
{
	enum { NEWEST = 4 };
	char symbol[128];
	void *library = own_library(), *at = library ? dlsym(library, name) : NULL;
	for (int v = 2; library && v <= NEWEST; v++) {
		snprintf(symbol, sizeof symbol, "%s_v%d", name, v);
		void *later = version_of_symbol(symbol) <= version ? dlsym(library, symbol) : NULL;
		at = later ? later : at;
	}
	return at;
}

CUresult
cuGetProcAddress_v2(const char *name, void **f, int version, uint64_t flags, int *status)
{
	enum { FOUND, SYMBOL_NOT_FOUND };
	(void)flags; /* selects the default stream: both behave the same here */
	if (!name || !f)
		return CUDA_ERROR_INVALID_VALUE;
	*f = strncmp(name, "cu", 2) ? NULL : find_function(name, version);
	if (status)
		*status = *f ? FOUND : SYMBOL_NOT_FOUND;
	return *f ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult
cuGetProcAddress(const char *name, void **f, int version, uint64_t flags)
{
	return cuGetProcAddress_v2(name, f, version, flags, NULL);
}
