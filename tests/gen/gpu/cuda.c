/* SPDX-License-Identifier: MIT */
/* See cuda.h. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "tests/gen/gpu/cuda.h"

/* Numbers of CUjit_option. */
enum { JIT_ERROR_LOG_BUFFER = 5, JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6, LOG = 2000 };

static struct {
	int (*init)(unsigned flags);
	int (*device_count)(int *n);
	int (*device_get)(int *device, int number);
	int (*context)(void **context, int device);
	int (*set_context)(void *context);
	int (*synchronize)(void);
	int (*load)(Cuda_module **m, const void *image, unsigned n, int *options, void **values);
	int (*unload)(Cuda_module *m);
	int (*function)(Cuda_function **f, Cuda_module *m, const char *name);
	int (*variable)(uint64_t *at, size_t *n, Cuda_module *m, const char *name);
	int (*alloc)(uint64_t *at, size_t n);
	int (*put)(uint64_t to, const void *from, size_t n);
	int (*get)(void *to, uint64_t from, size_t n);
	int (*launch)(Cuda_function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
		void **extra);
	int (*error_name)(int error, const char **name);
} cu;

static bool
check_result(int error, const char *what, Buf *why)
{
	const char *name = NULL;

	if (error == 0)
		return true;
	if (cu.error_name)
		cu.error_name(error, &name);
	buf_printf(why, "%s: %s", what, name ? name : "no CUDA driver");
	return false;
}

static bool
find_symbol(void *library, const char *name, void *to, Buf *why)
{
	void *f = dlsym(library, name);

	if (!f) {
		buf_printf(why, "libcuda.so.1 has no %s", name);
		return false;
	}
	memcpy(to, &f, sizeof f);
	return true;
}

static bool
find_all(Buf *why)
{
	const struct {
		const char *name;
		void *to;
	} all[] = {
		{ "cuGetErrorName", &cu.error_name },
		{ "cuInit", &cu.init },
		{ "cuDeviceGetCount", &cu.device_count },
		{ "cuDeviceGet", &cu.device_get },
		{ "cuDevicePrimaryCtxRetain", &cu.context },
		{ "cuCtxSetCurrent", &cu.set_context },
		{ "cuCtxSynchronize", &cu.synchronize },
		{ "cuModuleLoadDataEx", &cu.load },
		{ "cuModuleUnload", &cu.unload },
		{ "cuModuleGetFunction", &cu.function },
		{ "cuModuleGetGlobal_v2", &cu.variable },
		{ "cuMemAlloc_v2", &cu.alloc },
		{ "cuMemcpyHtoD_v2", &cu.put },
		{ "cuMemcpyDtoH_v2", &cu.get },
		{ "cuLaunchKernel", &cu.launch },
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		buf_printf(why, "no CUDA driver: %s", dlerror());
		return false;
	}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!find_symbol(library, all[i].name, all[i].to, why))
			return false;
	return true;
}

bool
cuda_start(uint32_t device, Buf *why)
{
	int n = 0, number = 0;
	void *context = NULL;

	if (!find_all(why) || !check_result(cu.init(0), "cuInit", why) ||
		!check_result(cu.device_count(&n), "cuDeviceGetCount", why))
		return false;
	if (n < 1) {
		buf_puts(why, "there is no GPU");
		return false;
	}
	return check_result(cu.device_get(&number, (int)(device % (uint32_t)n)), "cuDeviceGet", why) &&
		check_result(cu.context(&context, number), "cuDevicePrimaryCtxRetain", why) &&
		check_result(cu.set_context(context), "cuCtxSetCurrent", why);
}

bool
cuda_load(const char *ptx, Cuda_module **m, Buf *why)
{
	char log[LOG] = "";
	int options[] = { JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)sizeof log };

	if (check_result(cu.load(m, ptx, 2, options, values), "cuModuleLoadDataEx", why))
		return true;
	buf_printf(why, ": %s", log);
	return false;
}

bool
cuda_unload(Cuda_module *m, Buf *why)
{
	return !m || check_result(cu.unload(m), "cuModuleUnload", why);
}

bool
cuda_kernel(Cuda_module *m, const char *name, Cuda_function **f, Buf *why)
{
	return check_result(cu.function(f, m, name), "cuModuleGetFunction", why);
}

bool
cuda_variable(Cuda_module *m, const char *name, uint64_t *at, Buf *why)
{
	return check_result(cu.variable(at, NULL, m, name), "cuModuleGetGlobal", why);
}

bool
cuda_alloc(size_t n, uint64_t *at, Buf *why)
{
	return check_result(cu.alloc(at, n), "cuMemAlloc", why);
}

bool
cuda_put(uint64_t at, const void *from, size_t n, Buf *why)
{
	return check_result(cu.put(at, from, n), "cuMemcpyHtoD", why);
}

bool
cuda_get(void *to, uint64_t at, size_t n, Buf *why)
{
	return check_result(cu.get(to, at, n), "cuMemcpyDtoH", why);
}

bool
cuda_launch(Cuda_function *f, const Cuda_launch *l, Buf *why)
{
	return check_result(cu.launch(f, l->grid[0], l->grid[1], l->grid[2], l->block[0],
				    l->block[1], l->block[2], l->shared, NULL, l->params, NULL),
		       "cuLaunchKernel", why) &&
		check_result(cu.synchronize(), "the kernel", why);
}
