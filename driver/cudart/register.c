/* SPDX-License-Identifier: MIT */
/* Registration of fat binaries, kernels and variables by the code that nvcc adds to a program,
 * before main. The prototypes are in crt/host_runtime.h of the toolkit. The interface is
 * undocumented, but unchanged since CUDA 9.2. */
#include "driver/cudart/cudart.h"

API void **__cudaRegisterFatBinary(void *wrapper);
API void __cudaRegisterFatBinaryEnd(void **handle);
API void __cudaUnregisterFatBinary(void **handle);
API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
	int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp);
API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
	size_t n, int constant, int global);
API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
	int ext, size_t n, int constant, int global);
API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t n);
API char __cudaInitModule(void **handle);

void **
__cudaRegisterFatBinary(void *wrapper)
{
	Runtime *rt = rt_enter();
	Binary *b = module_register(rt, wrapper);
	(void)rt_leave(rt, cudaSuccess);
	return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
/* Called when the program ends or a library is unloaded; the modules are kept. */
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }
void
__cudaRegisterHostVar(void **handle, const char *name, char *host, size_t n)
{
	(void)handle, (void)name, (void)host, (void)n;
}

void
__cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
	uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
	Runtime *rt = rt_enter();
	module_register_function(rt, (Binary *)(void *)handle, host, name);
	(void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	(void)rt_leave(rt, cudaSuccess);
}

static void
register_variable(void **handle, const void *host, void **managed, const char *name)
{
	Runtime *rt = rt_enter();
	module_register_variable(rt,
		(Variable){ host, managed, name, (Binary *)(void *)handle });
	(void)rt_leave(rt, cudaSuccess);
}

void
__cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t n,
	int constant, int global)
{
	(void)device, (void)ext, (void)n, (void)constant, (void)global;
	register_variable(handle, host, NULL, name);
}

void
__cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
	size_t n, int constant, int global)
{
	(void)device, (void)ext, (void)n, (void)constant, (void)global;
	register_variable(handle, host, host, name);
}

/* Called before the host first accesses a managed variable. */
char
__cudaInitModule(void **handle)
{
	Runtime *rt = rt_enter();
	module_managed(rt, (const Binary *)(void *)handle);
	(void)rt_leave(rt, cudaSuccess);
	return 1;
}
