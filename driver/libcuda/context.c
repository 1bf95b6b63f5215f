/* SPDX-License-Identifier: MIT */
/* Contexts; see driver/rt/context.c. */
#include "driver/libcuda/cu.h"
#include "driver/rt/settings.def"

API CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice device);
API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active);
API CUresult cuCtxCreate_v2(CUcontext *c, unsigned flags, CUdevice device);
API CUresult cuCtxCreate_v3(CUcontext *c, void *affinities, int n, unsigned flags, CUdevice device);
API CUresult cuCtxCreate_v4(CUcontext *c, void *params, unsigned flags, CUdevice device);
API CUresult cuCtxDestroy_v2(CUcontext c);
API CUresult cuCtxGetCurrent(CUcontext *c);
API CUresult cuCtxSetCurrent(CUcontext c);
API CUresult cuCtxPushCurrent_v2(CUcontext c);
API CUresult cuCtxPopCurrent_v2(CUcontext *c);
API CUresult cuCtxGetDevice(CUdevice *device);
API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext c);
API CUresult cuCtxGetFlags(unsigned *flags);
API CUresult cuCtxSetFlags(unsigned flags);
API CUresult cuCtxGetId(CUcontext c, unsigned long long *id);
API CUresult cuCtxGetApiVersion(CUcontext c, unsigned *version);
API CUresult cuCtxSynchronize(void);
API CUresult cuCtxSynchronize_v2(CUcontext c);
API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);

/* ---- the primary one ------------------------------------------------------------------------- */

static CUresult
check_query(const void *to, CUdevice device)
{
	if (cu_outside() == CUDA_ERROR_NOT_INITIALIZED)
		return CUDA_ERROR_NOT_INITIALIZED;
	return device ? CUDA_ERROR_INVALID_DEVICE : to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice device)
{
	CUresult e = check_query(c, device);
	if (e)
		return e;
	Runtime *rt = rt_enter();
	*c = context_primary();
	(*c)->retained++;
	return cu_leave(rt, cudaSuccess);
}

CUresult
cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUresult e = check_query(&device, device);
	if (e)
		return e;
	Runtime *rt = rt_enter();
	bool was = context_primary()->retained != 0;
	if (was)
		context_primary()->retained--;
	(void)rt_unlock(rt, cudaSuccess);
	return was ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
ALSO(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease)

/* Memory is kept: host code may still hold pointers into it. */
CUresult
cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	CUresult e = check_query(&device, device);
	if (e)
		return e;
	Runtime *rt = rt_enter();
	rt->sticky = cudaSuccess;
	return cu_leave(rt, cudaSuccess);
}
ALSO(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset)

CUresult
cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
	CUresult e = check_query(&device, device);
	if (!e)
		context_primary()->flags = flags;
	return e;
}
ALSO(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags)

CUresult
cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
	CUresult e = check_query(flags && active ? flags : NULL, device);
	if (e)
		return e;
	*flags = context_primary()->flags;
	*active = context_primary()->retained != 0;
	return CUDA_SUCCESS;
}

/* ---- others ---------------------------------------------------------------------------------- */

CUresult
cuCtxCreate_v2(CUcontext *c, unsigned flags, CUdevice device)
{
	CUresult e = check_query(c, device);
	if (e)
		return e;
	Runtime *rt = rt_enter();
	*c = context_new(flags);
	return cu_leave(rt, context_push(*c) ? cudaSuccess : cudaErrorInvalidValue);
}

CUresult
cuCtxCreate_v3(CUcontext *c, void *affinities, int n, unsigned flags, CUdevice device)
{
	(void)affinities;
	return n ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(c, flags, device);
}

CUresult
cuCtxCreate_v4(CUcontext *c, void *params, unsigned flags, CUdevice device)
{
	return params ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(c, flags, device);
}

/* Not freed: it may be on another thread's stack. */
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

CUresult
cuCtxGetCurrent(CUcontext *c)
{
	CUresult e = check_query(c, 0);
	if (!e)
		*c = context_current();
	return e;
}

CUresult
cuCtxSetCurrent(CUcontext c)
{
	CUresult e = check_query(&c, 0);
	if (e)
		return e;
	(void)context_pop();
	return !c || context_push(c) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuCtxPushCurrent_v2(CUcontext c)
{
	CUresult e = check_query(&c, 0);
	if (e)
		return e;
	return c && context_push(c) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
ALSO(cuCtxPushCurrent_v2, cuCtxPushCurrent)

CUresult
cuCtxPopCurrent_v2(CUcontext *c)
{
	CUcontext was = context_pop();
	if (was && c)
		*c = was;
	return was ? CUDA_SUCCESS : cu_outside();
}
ALSO(cuCtxPopCurrent_v2, cuCtxPopCurrent)

/* Checks that a context is current and `to` is not NULL. */
static CUresult
check_in_context(const void *to)
{
	if (!context_current())
		return cu_outside();
	return to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuCtxGetDevice(CUdevice *device)
{
	CUresult e = check_in_context(device);
	if (!e)
		*device = 0;
	return e;
}

CUresult
cuCtxGetDevice_v2(CUdevice *device, CUcontext c)
{
	if (!c)
		return cuCtxGetDevice(device);
	CUresult e = check_query(device, 0);
	if (!e)
		*device = 0;
	return e;
}

CUresult
cuCtxGetFlags(unsigned *flags)
{
	CUresult e = check_in_context(flags);
	if (!e)
		*flags = context_current()->flags;
	return e;
}

CUresult
cuCtxSetFlags(unsigned flags)
{
	CUresult e = check_in_context(&flags);
	if (!e)
		context_current()->flags = flags;
	return e;
}

CUresult
cuCtxGetId(CUcontext c, unsigned long long *id)
{
	CUresult e = check_in_context(id);
	if (!e)
		*id = (uintptr_t)(c ? c : context_current());
	return e;
}

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

CUresult
cuCtxSynchronize(void)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, capture_forbids(rt, NULL)) : cu_outside();
}

CUresult
cuCtxSynchronize_v2(CUcontext c)
{
	return c ? cu_leave(rt_enter(), cudaSuccess) : cuCtxSynchronize();
}

CUresult
cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	(void)peer, (void)flags;
	return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

FORWARD(CUresult, cuCtxDisablePeerAccess, cuCtxEnablePeerAccess, (peer, 0), CUcontext peer)
