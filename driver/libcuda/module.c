/* SPDX-License-Identifier: MIT */
/* Modules and libraries; a library is a module without a context. Both are parsed when they are
 * loaded, so that errors are reported there. A kernel is decoded at first use. */
#include <stdlib.h>
#include <string.h>
#include "driver/libcuda/cu.h"

API CUresult cuModuleLoadData(CUmodule *m, const void *image);
API CUresult cuModuleLoadDataEx(
	CUmodule *m, const void *image, unsigned n, int *options, void **values);
API CUresult cuModuleLoadFatBinary(CUmodule *m, const void *image);
API CUresult cuModuleLoad(CUmodule *m, const char *file);
API CUresult cuModuleUnload(CUmodule m);
API CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name);
API CUresult cuModuleGetFunctionCount(unsigned *n, CUmodule m);
API CUresult cuModuleEnumerateFunctions(CUfunction *f, unsigned n, CUmodule m);
API CUresult cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *n, CUmodule m, const char *name);
API CUresult cuModuleGetLoadingMode(int *mode);
API CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name);
API CUresult cuLibraryGetKernelCount(unsigned *n, CUlibrary l);
API CUresult cuLibraryEnumerateKernels(CUkernel *k, unsigned n, CUlibrary l);
API CUresult cuLibraryGetGlobal(CUdeviceptr *at, size_t *n, CUlibrary l, const char *name);
API CUresult cuLibraryGetManaged(CUdeviceptr *at, size_t *n, CUlibrary l, const char *name);
API CUresult cuLibraryGetModule(CUmodule *m, CUlibrary l);
API CUresult cuLibraryUnload(CUlibrary l);
API CUresult cuKernelGetFunction(CUfunction *f, CUkernel k);
API CUresult cuKernelGetLibrary(CUlibrary *l, CUkernel k);
API CUresult cuFuncGetModule(CUmodule *m, CUfunction f);

/* Options of loading a library. Compiler and library options have no effect here. */
typedef struct { int *of; void **values; unsigned n; } Options;
API CUresult cuLibraryLoadData(CUlibrary *l, const void *image, int *jit, void **jit_values,
	unsigned njit, int *options, void **values, unsigned n);
API CUresult cuLibraryLoadFromFile(CUlibrary *l, const char *file, int *jit, void **jit_values,
	unsigned njit, int *options, void **values, unsigned n);

/* ---- loading --------------------------------------------------------------------------------- */

/* Empties the compiler's logs. Messages go to standard error instead. */
static void
empty_logs(Options o)
{
	enum { INFO = 3, INFO_BYTES, ERRORS, ERRORS_BYTES };
	for (unsigned k = 0; o.of && o.values && k < o.n; k++) {
		if ((o.of[k] == INFO_BYTES || o.of[k] == ERRORS_BYTES) && o.values[k])
			for (unsigned b = 0; b < o.n; b++)
				if (o.of[b] == o.of[k] - 1 && o.values[b])
					*(char *)o.values[b] = 0;
		if (o.of[k] == INFO_BYTES || o.of[k] == ERRORS_BYTES)
			o.values[k] = NULL;
	}
}

static CUresult
load_image(CUmodule *m, const void *image, Options o)
{
	Runtime *rt = cu_enter();
	cudaError_t e = cudaErrorInvalidValue;
	if (!rt)
		return cu_outside();
	if (m && image) {
		*m = module_image(rt, image, &e);
		empty_logs(o);
	}
	return cu_leave(rt, e);
}

static CUresult
load_file(CUmodule *m, const char *file, Options o)
{
	const char *why;
	Source src = {0};
	if (!file)
		return CUDA_ERROR_INVALID_VALUE;
	if (!rt_read(&src, file, &why))
		return CUDA_ERROR_FILE_NOT_FOUND;
	CUresult e = load_image(m, src.text, o);
	rt_read_release(&src);
	return e;
}

CUresult
cuModuleLoadData(CUmodule *m, const void *image)
{
	return load_image(m, image, (Options){ NULL, NULL, 0 });
}
ALSO(cuModuleLoadData, cuModuleLoadFatBinary)

CUresult
cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, int *options, void **values)
{
	return load_image(m, image, (Options){ options, values, n });
}

CUresult
cuModuleLoad(CUmodule *m, const char *file)
{
	return load_file(m, file, (Options){ NULL, NULL, 0 });
}

CUresult
cuLibraryLoadData(CUlibrary *l, const void *image, int *jit, void **jit_values, unsigned njit,
	int *options, void **values, unsigned n)
{
	(void)options, (void)values, (void)n;
	return load_image(l, image, (Options){ jit, jit_values, njit });
}

CUresult
cuLibraryLoadFromFile(CUlibrary *l, const char *file, int *jit, void **jit_values, unsigned njit,
	int *options, void **values, unsigned n)
{
	(void)options, (void)values, (void)n;
	return load_file(l, file, (Options){ jit, jit_values, njit });
}

/* Its counts are still reported at the end. */
CUresult
cuModuleUnload(CUmodule m)
{
	Runtime *rt = rt_enter();
	bool is = module_is(rt, m);
	if (is)
		m->gone = true;
	return cu_leave(rt, is ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
ALSO(cuModuleUnload, cuLibraryUnload)

CUresult
cuModuleGetLoadingMode(int *mode)
{
	enum { LAZY = 2 };
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = LAZY;
	return CUDA_SUCCESS;
}

/* ---- kernels --------------------------------------------------------------------------------- */

CUresult
cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name)
{
	Runtime *rt = rt_enter();
	if (!f || !name || !module_is(rt, m))
		return cu_leave(rt,
			f && name ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*f = module_named(rt, m, name);
	return cu_leave(rt, *f ? cudaSuccess : cudaErrorInvalidSymbol);
}
ALSO(cuModuleGetFunction, cuLibraryGetKernel)

CUresult
cuModuleGetFunctionCount(unsigned *n, CUmodule m)
{
	Runtime *rt = rt_enter();
	if (!n || !module_is(rt, m))
		return cu_leave(rt, n ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*n = module_kernels(rt, m, NULL, 0);
	return cu_leave(rt, cudaSuccess);
}
ALSO(cuModuleGetFunctionCount, cuLibraryGetKernelCount)

CUresult
cuModuleEnumerateFunctions(CUfunction *f, unsigned n, CUmodule m)
{
	Runtime *rt = rt_enter();
	if (!f || !module_is(rt, m))
		return cu_leave(rt, f ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	(void)module_kernels(rt, m, f, n);
	return cu_leave(rt, cudaSuccess);
}
ALSO(cuModuleEnumerateFunctions, cuLibraryEnumerateKernels)

CUresult
cuKernelGetFunction(CUfunction *f, CUkernel k)
{
	Runtime *rt = rt_enter();
	if (!f || !module_is_function(rt, k))
		return cu_leave(rt, f ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*f = k;
	return cu_leave(rt, cudaSuccess);
}

CUresult
cuFuncGetModule(CUmodule *m, CUfunction f)
{
	Runtime *rt = rt_enter();
	if (!m || !module_is_function(rt, f))
		return cu_leave(rt, m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*m = f->binary;
	return cu_leave(rt, cudaSuccess);
}
ALSO(cuFuncGetModule, cuKernelGetLibrary)

CUresult
cuLibraryGetModule(CUmodule *m, CUlibrary l)
{
	Runtime *rt = rt_enter();
	if (!m || !module_is(rt, l))
		return cu_leave(rt, m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	*m = l;
	return cu_leave(rt, cudaSuccess);
}

/* ---- variables ------------------------------------------------------------------------------- */

CUresult
cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *n, CUmodule m, const char *name)
{
	Runtime *rt = rt_enter();
	size_t size = 0;
	if (!name || !module_is(rt, m))
		return cu_leave(rt, name ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	uint64_t is = module_global(m, name, &size);
	if (at)
		*at = is;
	if (n)
		*n = size;
	return cu_leave(rt, is ? cudaSuccess : cudaErrorInvalidSymbol);
}

CUresult
cuLibraryGetGlobal(CUdeviceptr *at, size_t *n, CUlibrary l, const char *name)
{
	return cuModuleGetGlobal_v2(at, n, l, name);
}
ALSO(cuLibraryGetGlobal, cuLibraryGetManaged)
