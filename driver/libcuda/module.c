/* SPDX-License-Identifier: MIT */
/* Modules and libraries; a library is a module without a context. Both are parsed when they are
 * loaded, so that errors are reported there. A kernel is decoded at first use. */
#include <stdlib.h>
#include <string.h>
#include "driver/libcuda/cu.h"

API CUresult cuModuleLoadFatBinary(CUmodule *m, const void *image);
API CUresult cuModuleLoad(CUmodule *m, const char *file);
API CUresult cuModuleGetLoadingMode(int *mode);
API CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name);
API CUresult cuLibraryGetKernelCount(unsigned *n, CUlibrary l);
API CUresult cuLibraryEnumerateKernels(CUkernel *k, unsigned n, CUlibrary l);
API CUresult cuLibraryGetManaged(CUdeviceptr *at, size_t *n, CUlibrary l, const char *name);
API CUresult cuLibraryUnload(CUlibrary l);
API CUresult cuKernelGetLibrary(CUlibrary *l, CUkernel k);

/* Options of loading a library. Compiler and library options have no effect here. */
typedef struct { int *of; void **values; unsigned n; } Options;
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

static cudaError_t
load_image(Runtime *rt, CUmodule *m, const void *image, Options o)
{
	cudaError_t e = cudaErrorInvalidValue;
	if (m && image) {
		*m = module_image(rt, image, &e);
		empty_logs(o);
	}
	return e;
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
	Runtime *rt = cu_enter();
	CUresult e = IN_CONTEXT(rt, load_image(rt, m, src.text, o));
	rt_read_release(&src);
	return e;
}

DRIVER(cuModuleLoadData, (m, image), CUmodule *m, const void *image)
{
	return load_image(rt, m, image, (Options){ NULL, NULL, 0 });
}
ALSO(cuModuleLoadData, cuModuleLoadFatBinary)

DRIVER(cuModuleLoadDataEx, (m, image, n, options, values), CUmodule *m, const void *image,
	unsigned n, int *options, void **values)
{
	return load_image(rt, m, image, (Options){ options, values, n });
}

CUresult
cuModuleLoad(CUmodule *m, const char *file)
{
	return load_file(m, file, (Options){ NULL, NULL, 0 });
}

DRIVER(cuLibraryLoadData, (l, image, jit, jit_values, njit, options, values, n), CUlibrary *l,
	const void *image, int *jit, void **jit_values, unsigned njit, int *options, void **values,
	unsigned n)
{
	(void)options, (void)values, (void)n;
	return load_image(rt, l, image, (Options){ jit, jit_values, njit });
}

CUresult
cuLibraryLoadFromFile(CUlibrary *l, const char *file, int *jit, void **jit_values, unsigned njit,
	int *options, void **values, unsigned n)
{
	(void)options, (void)values, (void)n;
	return load_file(l, file, (Options){ jit, jit_values, njit });
}

/* Its counts are still reported at the end. */
DRIVER_ANYWHERE(cuModuleUnload, (m), CUmodule m)
{
	bool is = module_is(rt, m);
	if (is)
		m->gone = true;
	return is ? cudaSuccess : cudaErrorInvalidResourceHandle;
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

DRIVER_ANYWHERE(cuModuleGetFunction, (f, m, name), CUfunction *f, CUmodule m, const char *name)
{
	if (!f || !name || !module_is(rt, m))
		return f && name ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*f = module_named(rt, m, name);
	return *f ? cudaSuccess : cudaErrorInvalidSymbol;
}
ALSO(cuModuleGetFunction, cuLibraryGetKernel)

DRIVER_ANYWHERE(cuModuleGetFunctionCount, (n, m), unsigned *n, CUmodule m)
{
	if (!n || !module_is(rt, m))
		return n ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*n = module_kernels(rt, m, NULL, 0);
	return cudaSuccess;
}
ALSO(cuModuleGetFunctionCount, cuLibraryGetKernelCount)

DRIVER_ANYWHERE(cuModuleEnumerateFunctions, (f, n, m), CUfunction *f, unsigned n, CUmodule m)
{
	if (!f || !module_is(rt, m))
		return f ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	(void)module_kernels(rt, m, f, n);
	return cudaSuccess;
}
ALSO(cuModuleEnumerateFunctions, cuLibraryEnumerateKernels)

DRIVER_ANYWHERE(cuKernelGetFunction, (f, k), CUfunction *f, CUkernel k)
{
	if (!f || !module_is_function(rt, k))
		return f ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*f = k;
	return cudaSuccess;
}

DRIVER_ANYWHERE(cuFuncGetModule, (m, f), CUmodule *m, CUfunction f)
{
	if (!m || !module_is_function(rt, f))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*m = f->binary;
	return cudaSuccess;
}
ALSO(cuFuncGetModule, cuKernelGetLibrary)

DRIVER_ANYWHERE(cuLibraryGetModule, (m, l), CUmodule *m, CUlibrary l)
{
	if (!m || !module_is(rt, l))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*m = l;
	return cudaSuccess;
}

/* ---- variables ------------------------------------------------------------------------------- */

DRIVER_ANYWHERE(cuModuleGetGlobal_v2, (at, n, m, name), CUdeviceptr *at, size_t *n, CUmodule m,
	const char *name)
{
	size_t size = 0;
	if (!name || !module_is(rt, m))
		return name ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	uint64_t is = module_global(m, name, &size);
	if (at)
		*at = (void *)(uintptr_t)is;
	if (n)
		*n = size;
	return is ? cudaSuccess : cudaErrorInvalidSymbol;
}

FORWARD(CUresult, cuLibraryGetGlobal, cuModuleGetGlobal_v2, (at, n, l, name), CUdeviceptr *at,
	size_t *n, CUlibrary l, const char *name)
ALSO(cuLibraryGetGlobal, cuLibraryGetManaged)
