/* SPDX-License-Identifier: MIT */
/* How a program begins: cuInit, versions, and the functions by their names.
 *
 * A function that has several versions is exported under each, cuMemAlloc and cuMemAlloc_v2.
 * cuGetProcAddress takes the name without it, and the version of CUDA that the program was written
 * for: it gives the newest that was there by then (versions.def).
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "driver/libcuda/cu.h"

API CUresult cuInit(unsigned flags);
API CUresult cuDriverGetVersion(int *version);
API CUresult cuGetExportTable(const void **table, const CUuuid *id);
API CUresult cuGetProcAddress(const char *name, void **f, int version, uint64_t flags);
API CUresult cuGetProcAddress_v2(
	const char *name, void **f, int version, uint64_t flags, int *status);

/* A library has nothing else to hold it in; set under the lock, never taken back. */
static bool ready;

Runtime *
cu_enter(void)
{
	Runtime *rt = rt_enter();
	if (context_current()) /* the runtime's calls make one without cuInit */
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
cuInit(unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!flags)
		ready = true;
	return cu_leave(rt, flags ? cudaErrorInvalidValue : cudaSuccess);
}

CUresult
cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = CU_VERSION;
	return CUDA_SUCCESS;
}

/* Tables of functions that are not documented, for NVIDIA's own libraries: they do without. */
CUresult
cuGetExportTable(const void **table, const CUuuid *id)
{
	(void)id;
	if (table)
		*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}

/* ---- functions by name ----------------------------------------------------------------------- */

/* Since which CUDA there is a symbol of a later version. */
static int
since(const char *symbol)
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

/* This library: a program may have loaded it without making its symbols global. */
static void *
self(void)
{
	Dl_info here;
	return dladdr(&ready, &here) ? dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* The newest of the function's versions that a program for this version of CUDA knows. */
static void *
find(const char *name, int version)
{
	enum { NEWEST = 4 };
	char symbol[128];
	void *library = self(), *at = library ? dlsym(library, name) : NULL;
	for (int v = 2; library && v <= NEWEST; v++) {
		snprintf(symbol, sizeof symbol, "%s_v%d", name, v);
		void *later = since(symbol) <= version ? dlsym(library, symbol) : NULL;
		at = later ? later : at;
	}
	return at;
}

CUresult
cuGetProcAddress_v2(const char *name, void **f, int version, uint64_t flags, int *status)
{
	enum { FOUND, SYMBOL_NOT_FOUND };
	(void)flags; /* which default stream: they are alike here */
	if (!name || !f)
		return CUDA_ERROR_INVALID_VALUE;
	*f = strncmp(name, "cu", 2) ? NULL : find(name, version);
	if (status)
		*status = *f ? FOUND : SYMBOL_NOT_FOUND;
	return *f ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult
cuGetProcAddress(const char *name, void **f, int version, uint64_t flags)
{
	return cuGetProcAddress_v2(name, f, version, flags, NULL);
}
