/* SPDX-License-Identifier: MIT */
/* Attributes of kernels, and occupancy. */
#include <stdint.h>
#include "driver/libcuda/cu.h"

/* CUfunction_attribute */
enum {
	MAX_THREADS_PER_BLOCK,
	SHARED_SIZE,
	CONST_SIZE,
	LOCAL_SIZE,
	NUM_REGS,
	PTX_VERSION,
	BINARY_VERSION,
	CACHE_MODE_CA,
	MAX_DYNAMIC_SHARED_SIZE,
	PREFERRED_CARVEOUT,
	ATTRIBUTES = 16
};

typedef size_t Dynamic_of_block(int threads);

API CUresult cuKernelGetAttribute(int *value, int attr, CUkernel k, CUdevice device);
API CUresult cuKernelSetAttribute(int attr, int value, CUkernel k, CUdevice device);
API CUresult cuFuncSetCacheConfig(CUfunction f, int config);
API CUresult cuFuncSetSharedMemConfig(CUfunction f, int config);
API CUresult cuKernelSetCacheConfig(CUkernel k, int config, CUdevice device);
API CUresult cuFuncGetName(const char **name, CUfunction f);
API CUresult cuKernelGetName(const char **name, CUkernel k);
API CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *size);
API CUresult cuFuncIsLoaded(int *state, CUfunction f);
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, CUfunction f, int threads, size_t dynamic, unsigned flags);
API CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
	Dynamic_of_block *of, size_t dynamic, int limit);
API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
	Dynamic_of_block *of, size_t dynamic, int limit, unsigned flags);

/* Decodes the kernel of a handle. */
static cudaError_t
decode_kernel(Runtime *rt, CUfunction f)
{
	return module_is_function(rt, f) ? module_decode(rt, f) : cudaErrorInvalidResourceHandle;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static int
function_attribute(const Runtime *rt, const Function *f, int attr)
{
	switch (attr) {
	case MAX_THREADS_PER_BLOCK: return (int)f->needs.threads;
	case SHARED_SIZE: return (int)f->needs.shared;
	case CONST_SIZE: return (int)f->needs.constant;
	case LOCAL_SIZE: return (int)f->needs.local;
	case NUM_REGS: return ASSUMED_REGISTERS;
	case PTX_VERSION: return (int)f->binary->m->target;
	case BINARY_VERSION: return (int)rt->arch;
	case MAX_DYNAMIC_SHARED_SIZE: return (int)function_most_dynamic(f);
	case PREFERRED_CARVEOUT: return -1;
	default: return 0;
	}
}

DRIVER_ANYWHERE(cuFuncGetAttribute, (value, attr, f), int *value, int attr, CUfunction f)
{
	cudaError_t e = value && attr >= 0 && attr < ATTRIBUTES ? decode_kernel(rt, f) :
								    cudaErrorInvalidValue;
	if (!e)
		*value = function_attribute(rt, f, attr);
	return e;
}

DRIVER_ANYWHERE(cuFuncSetAttribute, (f, attr, value), CUfunction f, int attr, int value)
{
	cudaError_t e = decode_kernel(rt, f);
	if (!e && (attr < MAX_DYNAMIC_SHARED_SIZE || attr >= ATTRIBUTES ||
		(attr == MAX_DYNAMIC_SHARED_SIZE && !function_allow_dynamic(rt, f, value))))
		e = cudaErrorInvalidValue;
	return e;
}

CUresult
cuKernelGetAttribute(int *value, int attr, CUkernel k, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attr, k);
}

CUresult
cuKernelSetAttribute(int attr, int value, CUkernel k, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute(k, attr, value);
}

/* Checks that f is a kernel. The settings themselves have no effect. */
static CUresult
check_kernel(CUfunction f)
{
	Runtime *rt = rt_enter();
	bool is = module_is_function(rt, f);
	return cu_leave(rt, is ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CUresult
cuFuncSetCacheConfig(CUfunction f, int config)
{
	(void)config;
	return check_kernel(f);
}
ALSO(cuFuncSetCacheConfig, cuFuncSetSharedMemConfig)

CUresult
cuKernelSetCacheConfig(CUkernel k, int config, CUdevice device)
{
	return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig(k, config);
}

CUresult
cuFuncGetName(const char **name, CUfunction f)
{
	CUresult e = name ? check_kernel(f) : CUDA_ERROR_INVALID_VALUE;
	if (!e)
		*name = f->name;
	return e;
}
ALSO(cuFuncGetName, cuKernelGetName)

DRIVER_ANYWHERE(cuFuncGetParamInfo, (f, index, offset, size), CUfunction f, size_t index,
	size_t *offset, size_t *size)
{
	cudaError_t e = offset ? decode_kernel(rt, f) : cudaErrorInvalidValue;
	size_t n;
	if (!e && !function_parameter(f, index, offset, size ? size : &n))
		e = cudaErrorInvalidValue;
	return e;
}
ALSO(cuFuncGetParamInfo, cuKernelGetParamInfo)

DRIVER_ANYWHERE(cuFuncLoad, (f), CUfunction f)
{
	return decode_kernel(rt, f);
}

CUresult
cuFuncIsLoaded(int *state, CUfunction f)
{
	CUresult e = state ? check_kernel(f) : CUDA_ERROR_INVALID_VALUE;
	if (!e)
		*state = f->kernel != NULL;
	return e;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

DRIVER_ANYWHERE(cuOccupancyMaxActiveBlocksPerMultiprocessor, (blocks, f, threads, dynamic),
	int *blocks, CUfunction f, int threads, size_t dynamic)
{
	cudaError_t e = blocks && threads > 0 ? decode_kernel(rt, f) : cudaErrorInvalidValue;
	if (!e)
		*blocks = function_resident(f, rt->arch, threads, dynamic);
	return e;
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, CUfunction f, int threads, size_t dynamic, unsigned flags)
{
	(void)flags;
	return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, dynamic);
}

DRIVER_ANYWHERE(cuOccupancyAvailableDynamicSMemPerBlock, (dynamic, f, blocks, threads),
	size_t *dynamic, CUfunction f, int blocks, int threads)
{
	cudaError_t e = dynamic && blocks > 0 && threads > 0 ? decode_kernel(rt, f) :
							       cudaErrorInvalidValue;
	if (!e)
		*dynamic = function_available(rt, f, blocks);
	return e;
}

/* Returns the block size with the most resident threads, the largest if there are several. of()
 * is the program's function, so it is called without the lock. */
CUresult
cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, Dynamic_of_block *of,
	size_t dynamic, int limit)
{
	enum { WARP = 32 };
	int most = 0, best = 0, held = 0, blocks;
	CUresult e = grid && block ? cuFuncGetAttribute(&most, MAX_THREADS_PER_BLOCK, f) :
				     CUDA_ERROR_INVALID_VALUE;
	if (limit > 0 && limit < most)
		most = limit;
	for (int threads = most; !e && threads > 0; threads = (threads - 1) / WARP * WARP) {
		e = cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, f, threads, of ? of(threads) : dynamic);
		if (!e && blocks * threads > best) {
			best = blocks * threads;
			held = blocks;
			*block = threads;
		}
	}
	if (!e) {
		Runtime *rt = rt_enter();
		*grid = held * rt->sms;
		e = cu_leave(rt, cudaSuccess);
	}
	return e;
}

CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
	Dynamic_of_block *of, size_t dynamic, int limit, unsigned flags)
{
	(void)flags;
	return cuOccupancyMaxPotentialBlockSize(grid, block, f, of, dynamic, limit);
}
