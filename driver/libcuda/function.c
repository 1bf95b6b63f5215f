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

DRIVER_ANYWHERE(cuKernelGetAttribute, (value, attr, k, device), int *value, int attr, CUkernel k,
	CUdevice device)
{
	return device ? cudaErrorInvalidDevice : do_cuFuncGetAttribute(rt, value, attr, k);
}

DRIVER_ANYWHERE(cuKernelSetAttribute, (attr, value, k, device), int attr, int value, CUkernel k,
	CUdevice device)
{
	return device ? cudaErrorInvalidDevice : do_cuFuncSetAttribute(rt, k, attr, value);
}

/* Checks that f is a kernel. The settings themselves have no effect. */
static cudaError_t
check_kernel(Runtime *rt, CUfunction f)
{
	return module_is_function(rt, f) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

DRIVER_ANYWHERE(cuFuncSetCacheConfig, (f, config), CUfunction f, int config)
{
	(void)config;
	return check_kernel(rt, f);
}
ALSO(cuFuncSetCacheConfig, cuFuncSetSharedMemConfig)

DRIVER_ANYWHERE(cuKernelSetCacheConfig, (k, config, device), CUkernel k, int config,
	CUdevice device)
{
	(void)config;
	return device ? cudaErrorInvalidDevice : check_kernel(rt, k);
}

DRIVER_ANYWHERE(cuFuncGetName, (name, f), const char **name, CUfunction f)
{
	cudaError_t e = name ? check_kernel(rt, f) : cudaErrorInvalidValue;
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

DRIVER_ANYWHERE(cuFuncIsLoaded, (state, f), int *state, CUfunction f)
{
	cudaError_t e = state ? check_kernel(rt, f) : cudaErrorInvalidValue;
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

DRIVER_ANYWHERE(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
	(blocks, f, threads, dynamic, flags), int *blocks, CUfunction f, int threads,
	size_t dynamic, unsigned flags)
{
	(void)flags;
	return do_cuOccupancyMaxActiveBlocksPerMultiprocessor(rt, blocks, f, threads, dynamic);
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
API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
	Dynamic_of_block *of, size_t dynamic, int limit, unsigned flags);
CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
	Dynamic_of_block *of, size_t dynamic, int limit, unsigned flags)
{
	enum { WARP = 32 };
	int most = 0, best = 0, held = 0, blocks;
	(void)flags;
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

FORWARD(CUresult, cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSizeWithFlags,
	(grid, block, f, of, dynamic, limit, 0), int *grid, int *block, CUfunction f,
	Dynamic_of_block *of, size_t dynamic, int limit)
