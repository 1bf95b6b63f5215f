/* SPDX-License-Identifier: MIT */
/* Contexts; see driver/rt/context.c. */
#include "driver/libcuda/cu.h"
#include "driver/rt/settings.def"

static cudaError_t
check_query(const void *to, CUdevice device)
{
	return device ? cudaErrorInvalidDevice : to ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- the primary one ------------------------------------------------------------------------- */

DRIVER_READY(cuDevicePrimaryCtxRetain, (c, device), CUcontext *c, CUdevice device)
{
	cudaError_t e = check_query(c, device);
	if (e)
		return e;
	*c = context_primary();
	(*c)->retained++;
	return rt->sticky;
}

DRIVER_READY(cuDevicePrimaryCtxRelease_v2, (device), CUdevice device)
{
	if (device)
		return cudaErrorInvalidDevice;
	if (!context_primary()->retained)
		return NO_CONTEXT;
	context_primary()->retained--;
	return cudaSuccess;
}
ALSO(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease)

/* Memory is kept: host code may still hold pointers into it. */
DRIVER_READY(cuDevicePrimaryCtxReset_v2, (device), CUdevice device)
{
	if (!device)
		rt->sticky = cudaSuccess;
	return check_query(&device, device);
}
ALSO(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset)

DRIVER_READY(cuDevicePrimaryCtxSetFlags_v2, (device, flags), CUdevice device, unsigned flags)
{
	if (!device)
		context_primary()->flags = flags;
	return check_query(&device, device);
}
ALSO(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags)

DRIVER_READY(cuDevicePrimaryCtxGetState, (device, flags, active), CUdevice device, unsigned *flags,
	int *active)
{
	cudaError_t e = check_query(flags && active ? flags : NULL, device);
	if (e)
		return e;
	*flags = context_primary()->flags;
	*active = context_primary()->retained != 0;
	return cudaSuccess;
}

/* ---- others ---------------------------------------------------------------------------------- */

DRIVER_READY(cuCtxCreate_v2, (c, flags, device), CUcontext *c, unsigned flags, CUdevice device)
{
	cudaError_t e = check_query(c, device);
	if (e)
		return e;
	*c = context_new(flags);
	bool pushed = context_push(*c);
	return rt->sticky ? rt->sticky : pushed ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_READY(cuCtxCreate_v3, (c, affinities, n, flags, device), CUcontext *c, void *affinities,
	int n, unsigned flags, CUdevice device)
{
	(void)affinities;
	return n ? cudaErrorNotSupported : do_cuCtxCreate_v2(rt, c, flags, device);
}

DRIVER_READY(cuCtxCreate_v4, (c, params, flags, device), CUcontext *c, void *params, unsigned flags,
	CUdevice device)
{
	return params ? cudaErrorNotSupported : do_cuCtxCreate_v2(rt, c, flags, device);
}

/* Not freed: it may be on another thread's stack. */
API CUresult cuCtxDestroy_v2(CUcontext c);
CUresult
cuCtxDestroy_v2(CUcontext c)
{
	if (!c || c->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context_current() == c)
		(void)context_pop();
	return CUDA_SUCCESS;
}
ALSO(cuCtxDestroy_v2, cuCtxDestroy)

/* ---- the thread's ---------------------------------------------------------------------------- */

DRIVER_READY(cuCtxGetCurrent, (c), CUcontext *c)
{
	if (c)
		*c = context_current();
	return check_query(c, 0);
}

DRIVER_READY(cuCtxSetCurrent, (c), CUcontext c)
{
	(void)context_pop();
	return !c || context_push(c) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_READY(cuCtxPushCurrent_v2, (c), CUcontext c)
{
	return c && context_push(c) ? cudaSuccess : NO_CONTEXT;
}
ALSO(cuCtxPushCurrent_v2, cuCtxPushCurrent)

DRIVER_EARLY(cuCtxPopCurrent_v2, (c), CUcontext *c)
{
	CUcontext was = context_pop();
	if (c)
		*c = was;
	return cudaSuccess;
}
ALSO(cuCtxPopCurrent_v2, cuCtxPopCurrent)

DRIVER_EARLY(cuCtxGetDevice, (device), CUdevice *device)
{
	return give_number(device, 0);
}

DRIVER_READY(cuCtxGetDevice_v2, (device, c), CUdevice *device, CUcontext c)
{
	return !c && !context_current() ? NO_CONTEXT : give_number(device, 0);
}

DRIVER_EARLY(cuCtxGetFlags, (flags), unsigned *flags)
{
	if (flags)
		*flags = context_current()->flags;
	return check_query(flags, 0);
}

DRIVER_EARLY(cuCtxSetFlags, (flags), unsigned flags)
{
	context_current()->flags = flags;
	return cudaSuccess;
}

DRIVER_EARLY(cuCtxGetId, (c, id), CUcontext c, unsigned long long *id)
{
	if (id)
		*id = (uintptr_t)(c ? c : context_current());
	return check_query(id, 0);
}

API CUresult cuCtxGetApiVersion(CUcontext c, unsigned *version);
CUresult
cuCtxGetApiVersion(CUcontext c, unsigned *version)
{
	enum { SINCE_4 = 3020 };
	(void)c;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = SINCE_4;
	return CUDA_SUCCESS;
}

API CUresult cuCtxSynchronize(void);
CUresult
cuCtxSynchronize(void)
{
	Runtime *rt = cu_enter();
	return IN_CONTEXT(rt, capture_forbids(rt, NULL));
}

API CUresult cuCtxSynchronize_v2(CUcontext c);
CUresult
cuCtxSynchronize_v2(CUcontext c)
{
	return c ? cu_leave(rt_enter(), cudaSuccess) : cuCtxSynchronize();
}

DRIVER_READY(cuCtxEnablePeerAccess, (peer, flags), CUcontext peer, unsigned flags)
{
	(void)peer, (void)flags;
	return cudaErrorPeerAccessUnsupported;
}

FORWARD(CUresult, cuCtxDisablePeerAccess, cuCtxEnablePeerAccess, (peer, 0), CUcontext peer)
