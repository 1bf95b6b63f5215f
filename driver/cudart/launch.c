/* SPDX-License-Identifier: MIT */
/* Launches: the configuration that `<<<>>>` pushes, and the launch calls. */
#include <string.h>
#include "driver/cudart/cudart.h"

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

/* ---- the configuration ----------------------------------------------------------------------- */

/* An argument of a kernel in `<<<>>>` may itself launch a kernel. */
enum { NESTED = 16 };
static _Thread_local struct { Config at[NESTED]; uint32_t n; } configs;

unsigned
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
	if (configs.n == NESTED)
		return 1;
	configs.at[configs.n++] = (Config){ grid, block, shared, stream, false };
	return 0;
}

cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	if (!configs.n)
		return rt_leave(rt_enter(), cudaErrorMissingConfiguration);
	const Config *c = &configs.at[--configs.n];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	memcpy(stream, &c->stream, sizeof c->stream);
	return cudaSuccess;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static cudaError_t
launch_kernel(Runtime *rt, const void *func, Config c, void **args)
{
	cudaError_t e;
	Function *f = module_function(rt, func, &e);
	/* func could also be a cudaKernel_t; CUDA 13 assumes so */
	if (e == cudaErrorInvalidDeviceFunction)
		e = cudaErrorInvalidResourceHandle;
	const Work w = { .kind = WORK_KERNEL, .kernel = { f, c, { .args = args } } };
	return rt->sticky || !f ? e : work_on(rt, c.stream, &w);
}

RUNTIME(cudaLaunchKernel, (func, grid, block, args, shared, stream), const void *func, dim3 grid,
	dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	const Config c = { grid, block, shared, stream, false };
	return launch_kernel(rt, func, c, args);
}
ALSO(cudaLaunchKernel, cudaLaunchKernel_ptsz)

FORWARD(cudaError_t, __cudaLaunchKernel, cudaLaunchKernel,
	(kernel, grid, block, args, shared, stream), cudaKernel_t kernel, dim3 grid, dim3 block,
	void **args, size_t shared, cudaStream_t stream)
ALSO(__cudaLaunchKernel, __cudaLaunchKernel_ptsz)

RUNTIME(cudaGetKernel, (kernel, func), cudaKernel_t *kernel, const void *func)
{
	Function *f = module_find(rt, func);
	if (!kernel || !f)
		return kernel ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
	*kernel = (cudaKernel_t)(void *)f;
	return cudaSuccess;
}

FORWARD(cudaError_t, __cudaGetKernel, cudaGetKernel, (kernel, func), cudaKernel_t *kernel,
	const void *func)

RUNTIME(cudaLaunchCooperativeKernel, (func, grid, block, args, shared, stream), const void *func,
	dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	const Config c = { grid, block, shared, stream, true };
	return launch_kernel(rt, func, c, args);
}
ALSO(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz)

RUNTIME(cudaLaunchKernelExC, (c, func, args), const cudaLaunchConfig_t *c, const void *func,
	void **args)
{
	cudaError_t e = c ? cudaSuccess : cudaErrorInvalidValue;
	bool cooperative = false;
	for (unsigned i = 0; !e && i < c->numAttrs; i++) {
		const cudaLaunchAttribute *a = &c->attrs[i];
		if (a->id == cudaLaunchAttributeCooperative)
			cooperative = a->val.cooperative;
		if (a->id == cudaLaunchAttributeClusterDimension &&
			a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z > 1) {
			rt_say("a launch of clusters is not supported by the emulator");
			e = cudaErrorNotSupported;
		}
	}
	if (e)
		return e;
	const Config of = { c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream, cooperative };
	return launch_kernel(rt, func, of, args);
}
ALSO(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz)
