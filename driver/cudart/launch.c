/* SPDX-License-Identifier: MIT */
/* Launches: the configuration that `<<<>>>` leaves, the kernel's arguments, the run, and what its
 * end means to the program.
 *
 * A fault that stops the kernel is an error that stays, as on a GPU. One that does not (a race, a
 * read of what nobody wrote) is told on the standard error output, and ptxrun's exit status; the
 * program does not see it.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "driver/cudart/cudart.h"
#include "driver/cudart/progress.h"

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func);
API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
	size_t shared, cudaStream_t stream);

/* ---- the configuration ----------------------------------------------------------------------- */

typedef struct { dim3 grid, block; size_t shared; cudaStream_t stream; bool cooperative; } Config;

/* An argument of `<<<>>>`'s kernel may itself launch. */
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

/* ---- the run --------------------------------------------------------------------------------- */

static cudaError_t
check(const Runtime *rt, const Function *f, const Config *c)
{
	uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
	const Limits l = device_limits(rt->arch);
	if (!threads || !c->grid.x || !c->grid.y || !c->grid.z)
		return cudaErrorInvalidConfiguration;
	if (threads > 1024 || c->block.z > 64 || c->grid.x > INT32_MAX || c->grid.y > UINT16_MAX ||
		c->grid.z > UINT16_MAX || threads > f->needs.threads ||
		(f->needs.exact && threads != f->needs.threads) ||
		c->shared > function_most_dynamic(f) ||
		f->needs.shared + c->shared > (size_t)(l.shared - l.reserved) << 10)
		return cudaErrorInvalidValue;
	uint64_t room = (uint64_t)function_resident(f, rt->arch, (int)threads, c->shared) *
		(uint64_t)rt->sms;
	if (c->cooperative && (uint64_t)c->grid.x * c->grid.y * c->grid.z > room)
		return cudaErrorCooperativeLaunchTooLarge;
	return cudaSuccess;
}

static cudaError_t
error_of(Fault f)
{
	switch (f) {
	case FAULT_NONE: return cudaSuccess;
	case FAULT_BOUNDS: case FAULT_FREED: return cudaErrorIllegalAddress;
	case FAULT_ALIGN: return cudaErrorMisalignedAddress;
	case FAULT_STACK: return cudaErrorHardwareStackError;
	case FAULT_BRANCH: return cudaErrorInvalidPc;
	case FAULT_ASSERT: return cudaErrorAssert;
	case FAULT_DEADLOCK: case FAULT_LIMIT: return cudaErrorLaunchTimeout;
	default: return cudaErrorLaunchFailure;
	}
}

/* The arguments, each at its place. */
static uint8_t *
lay_out(const Sim_kernel *k, void **args)
{
	uint8_t *params = xmalloc(sim_param_bytes(k) + 16u);
	memset(params, 0, sim_param_bytes(k) + 16u);
	for (uint32_t i = 0; i < sim_nparams(k); i++) {
		uint32_t at, n;
		sim_param(k, i, &at, &n);
		memcpy(params + at, args[i], n);
	}
	return params;
}

static void
tell(const Function *f, const Config *c, const char *found)
{
	fputs(found, stderr);
	rt_say("found in launch %u of kernel '%s', grid (%u, %u, %u), block (%u, %u, %u)",
		f->launches, f->shown, c->grid.x, c->grid.y, c->grid.z, c->block.x, c->block.y,
		c->block.z);
}

static cudaError_t
launch(Runtime *rt, const void *func, Config c, void **args)
{
	cudaError_t e;
	Function *f = module_function(rt, func, &e);
	/* func could be a cudaKernel_t, too: CUDA 13 takes it for one */
	if (e == cudaErrorInvalidDeviceFunction)
		e = cudaErrorInvalidResourceHandle;
	if (rt->sticky || !f || (e = check(rt, f, &c)))
		return e;
	if (!args && sim_nparams(f->kernel))
		return cudaErrorInvalidValue;
	module_managed(rt, NULL);
	Sim_launch l = rt->defaults;
	Sim_counts counts = {0};
	Buf found = {0}, text = {0};
	uint8_t *params = lay_out(f->kernel, args);
	const uint32_t grid[3] = { c.grid.x, c.grid.y, c.grid.z },
		       block[3] = { c.block.x, c.block.y, c.block.z };
	memcpy(l.grid, grid, sizeof grid);
	memcpy(l.block, block, sizeof block);
	l.shared = (uint32_t)c.shared;
	l.cooperative = c.cooperative;
	l.params = params;
	l.text = &text;
	Progress progress;
	l.tick = progress_tick;
	l.user = &progress;
	f->launches++;
	progress_begin(&progress, f->shown);
	sim_launch(f->binary->sim, f->kernel, &l, &found, &counts);
	bool interrupted = progress_end(&progress);
	rt->sticky = l.keep_going ? cudaSuccess : error_of(counts.stopped);
	rt_report(rt, f, &counts);
	if (text.n)
		fwrite(text.at, 1, text.n, stdout);
	if (found.n)
		tell(f, &c, found.at);
	buf_free(&text);
	buf_free(&found);
	xfree(params);
	if (interrupted) {
		rt_end(rt);
		raise(SIGINT);
	}
	return rt->sticky;
}

/* ---- the calls ------------------------------------------------------------------------------- */

API cudaError_t
cudaLaunchKernel(
	const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, launch(rt, func, (Config){ grid, block, shared, stream, false }, args));
}
ALSO(cudaLaunchKernel, cudaLaunchKernel_ptsz)

cudaError_t
__cudaLaunchKernel(
	cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
ALSO(__cudaLaunchKernel, __cudaLaunchKernel_ptsz)

API cudaError_t
cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
	Runtime *rt = rt_enter();
	Function *f = module_find(rt, func);
	if (!kernel || !f)
		return rt_leave(
			rt, kernel ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
	*kernel = (cudaKernel_t)(void *)f;
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
__cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
	return cudaGetKernel(kernel, func);
}

API cudaError_t
cudaLaunchCooperativeKernel(
	const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, launch(rt, func, (Config){ grid, block, shared, stream, true }, args));
}
ALSO(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz)

API cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args)
{
	Runtime *rt = rt_enter();
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
	return rt_leave(rt,
		e ? e :
		    launch(rt, func,
			    (Config){ c->gridDim, c->blockDim, c->dynamicSmemBytes, c->stream,
				    cooperative },
			    args));
}
ALSO(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz)
