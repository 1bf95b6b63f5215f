/* SPDX-License-Identifier: MIT */
/* Access to the driver API (driver/libcuda/) for programs that request it from the runtime. */
#include <dlfcn.h>
#include <string.h>
#include "driver/cudart/cudart.h"

enum { ENTRY_FOUND, ENTRY_NOT_FOUND };
typedef int Get_address(
	const char *name, void **f, int version, unsigned long long flags, int *status);

API cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **f, unsigned version,
	unsigned long long flags, int *status);

cudaError_t
cudaGetDriverEntryPointByVersion(
	const char *name, void **f, unsigned version, unsigned long long flags, int *status)
{
	/* next to this library, or already loaded by the program */
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	void *at = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
	Get_address *get;
	if (!name || !f)
		return rt_leave(rt_enter(), cudaErrorInvalidValue);
	memcpy(&get, &at, sizeof get);
	bool found = at && !get(name, f, (int)version, flags, status);
	if (!found) {
		*f = NULL;
		if (status)
			*status = ENTRY_NOT_FOUND;
	}
	return rt_leave(rt_enter(), cudaSuccess);
}
ALSO(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz)

FORWARD(cudaError_t, cudaGetDriverEntryPoint, cudaGetDriverEntryPointByVersion,
	(name, f, (unsigned)rt_version, flags, status), const char *name, void **f,
	unsigned long long flags, int *status)
ALSO(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz)

/* A kernel has the same handle in both interfaces. */
RUNTIME(cudaGetFuncBySymbol, (function, symbol), void **function, const void *symbol)
{
	Function *f = module_find(rt, symbol);
	if (!function || !f)
		return function ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
	*function = f;
	return cudaSuccess;
}
