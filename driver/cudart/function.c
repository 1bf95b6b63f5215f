/* SPDX-License-Identifier: MIT */
/* Attributes of kernels, and occupancy. */
#include "driver/cudart/cudart.h"

RUNTIME(cudaFuncGetAttributes, (a, func), cudaFuncAttributes *a, const void *func)
{
	cudaError_t e = cudaErrorInvalidValue;
	Function *f = a ? module_function(rt, func, &e) : NULL;
	if (!f)
		return e;
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
	return cudaSuccess;
}

RUNTIME(cudaFuncSetAttribute, (func, attr, value), const void *func, enum cudaFuncAttribute attr,
	int value)
{
	cudaError_t e;
	Function *f = module_function(rt, func, &e);
	if (!f)
		return e;
	if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
		return attr > 7 && attr < 16 ? cudaSuccess : cudaErrorInvalidValue;
	return function_allow_dynamic(rt, f, value) ? cudaSuccess : cudaErrorInvalidValue;
}

/* Checks that the kernel exists. The settings themselves have no effect. */
RUNTIME(cudaFuncSetCacheConfig, (func, config), const void *func, int config)
{
	(void)config;
	return module_find(rt, func) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

FORWARD(cudaError_t, cudaFuncSetSharedMemConfig, cudaFuncSetCacheConfig, (func, config),
	const void *func, int config)

RUNTIME(cudaFuncGetName, (name, func), const char **name, const void *func)
{
	const Function *f = module_find(rt, func);
	if (!name || !f)
		return name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
	*name = f->name;
	return cudaSuccess;
}

RUNTIME(cudaFuncGetParamInfo, (func, index, offset, size), const void *func, size_t index,
	size_t *offset, size_t *size)
{
	cudaError_t e;
	size_t n;
	const Function *f = module_function(rt, func, &e);
	if (!f)
		return e;
	bool good = offset && function_parameter(f, index, offset, size ? size : &n);
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
	(blocks, func, threads, dynamic, flags), int *blocks, const void *func, int threads,
	size_t dynamic, unsigned flags)
{
	cudaError_t e = cudaErrorInvalidValue;
	const Function *f = blocks && threads > 0 ? module_function(rt, func, &e) : NULL;
	(void)flags;
	if (!f)
		return e;
	*blocks = function_resident(f, rt->arch, threads, dynamic);
	return cudaSuccess;
}

FORWARD(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
	cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
	( blocks, func, threads, dynamic, 0), int *blocks, const void *func, int threads,
	size_t dynamic)

RUNTIME(cudaOccupancyAvailableDynamicSMemPerBlock, (dynamic, func, blocks, threads),
	size_t *dynamic, const void *func, int blocks, int threads)
{
	cudaError_t e = cudaErrorInvalidValue;
	const Function *f =
		dynamic && blocks > 0 && threads > 0 ? module_function(rt, func, &e) : NULL;
	if (!f)
		return e;
	*dynamic = function_available(rt, f, blocks);
	return cudaSuccess;
}
