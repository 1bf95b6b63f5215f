/* SPDX-License-Identifier: MIT */
/* Attributes of kernels, and occupancy. */
#include "driver/cudart/cudart.h"

API cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *a, const void *func)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaErrorInvalidValue;
	Function *f = a ? module_function(rt, func, &e) : NULL;
	if (!f)
		return rt_leave(rt, e);
	Needs n = f->needs;
	*a = (cudaFuncAttributes){ .sharedSizeBytes = n.shared,
		.constSizeBytes = n.constant,
		.localSizeBytes = n.local,
		.maxThreadsPerBlock = (int)n.threads,
		.numRegs = ASSUMED_REGISTERS,
		.ptxVersion = (int)f->binary->m->target,
		.binaryVersion = (int)rt->arch,
		.maxDynamicSharedSizeBytes = (int)function_most_dynamic(f),
		.preferredShmemCarveout = -1 };
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
	Runtime *rt = rt_enter();
	cudaError_t e;
	Function *f = module_function(rt, func, &e);
	if (!f)
		return rt_leave(rt, e);
	if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
		return rt_leave(rt, attr > 7 && attr < 16 ? cudaSuccess : cudaErrorInvalidValue);
	return rt_leave(rt,
		function_allow_dynamic(rt, f, value) ? cudaSuccess : cudaErrorInvalidValue);
}

/* Checks that the kernel exists. The settings themselves have no effect. */
static cudaError_t
check_kernel(const void *func)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, module_find(rt, func) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

API cudaError_t
cudaFuncSetCacheConfig(const void *func, int config)
{
	(void)config;
	return check_kernel(func);
}
API cudaError_t
cudaFuncSetSharedMemConfig(const void *func, int config)
{
	(void)config;
	return check_kernel(func);
}

API cudaError_t
cudaFuncGetName(const char **name, const void *func)
{
	Runtime *rt = rt_enter();
	const Function *f = module_find(rt, func);
	if (!name || !f)
		return rt_leave(rt, name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
	*name = f->name;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size)
{
	Runtime *rt = rt_enter();
	cudaError_t e;
	size_t n;
	const Function *f = module_function(rt, func, &e);
	if (!f)
		return rt_leave(rt, e);
	bool good = offset && function_parameter(f, index, offset, size ? size : &n);
	return rt_leave(rt, good ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *func, int threads, size_t dynamic, unsigned flags)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaErrorInvalidValue;
	const Function *f = blocks && threads > 0 ? module_function(rt, func, &e) : NULL;
	(void)flags;
	if (!f)
		return rt_leave(rt, e);
	*blocks = function_resident(f, rt->arch, threads, dynamic);
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, const void *func, int threads, size_t dynamic)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, func, threads, dynamic, 0);
}

API cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(
	size_t *dynamic, const void *func, int blocks, int threads)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaErrorInvalidValue;
	const Function *f =
		dynamic && blocks > 0 && threads > 0 ? module_function(rt, func, &e) : NULL;
	if (!f)
		return rt_leave(rt, e);
	*dynamic = function_available(rt, f, blocks);
	return rt_leave(rt, cudaSuccess);
}
