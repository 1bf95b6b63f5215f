/* SPDX-License-Identifier: MIT */
/* Streams, events and callbacks. */
#include "driver/libcuda/cu.h"

typedef void Host_function(void *user);
typedef void Stream_callback(CUstream stream, CUresult e, void *user);

API CUresult cuStreamCreate(CUstream *s, unsigned flags);
API CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority);
API CUresult cuStreamDestroy_v2(CUstream s);
API CUresult cuStreamSynchronize(CUstream s);
API CUresult cuStreamQuery(CUstream s);
API CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags);
API CUresult cuStreamGetFlags(CUstream s, unsigned *flags);
API CUresult cuStreamGetPriority(CUstream s, int *priority);
API CUresult cuStreamGetId(CUstream s, unsigned long long *id);
API CUresult cuStreamGetCtx(CUstream s, CUcontext *c);
API CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *c, void **green);
API CUresult cuStreamGetDevice(CUstream s, CUdevice *device);
API CUresult cuStreamIsCapturing(CUstream s, int *status);
API CUresult cuStreamAddCallback(CUstream s, Stream_callback *f, void *user, unsigned flags);
API CUresult cuLaunchHostFunc(CUstream s, Host_function *f, void *user);
API CUresult cuThreadExchangeStreamCaptureMode(int *mode);
API CUresult cuEventCreate(CUevent *event, unsigned flags);
API CUresult cuEventDestroy_v2(CUevent event);
API CUresult cuEventRecord(CUevent event, CUstream s);
API CUresult cuEventRecordWithFlags(CUevent event, CUstream s, unsigned flags);
API CUresult cuEventQuery(CUevent event);
API CUresult cuEventSynchronize(CUevent event);
API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);

/* ---- streams --------------------------------------------------------------------------------- */

CUresult
cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (!s || flags > cudaStreamNonBlocking)
		return cu_leave(rt, cudaErrorInvalidValue);
	*s = stream_new(flags, priority);
	return cu_leave(rt, cudaSuccess);
}

CUresult
cuStreamCreate(CUstream *s, unsigned flags)
{
	return cuStreamCreateWithPriority(s, flags, 0);
}

CUresult
cuStreamDestroy_v2(CUstream s)
{
	Runtime *rt = rt_enter();
	if (!stream_made(s))
		return cu_leave(rt, cudaErrorInvalidResourceHandle);
	stream_free(s);
	return cu_leave(rt, cudaSuccess);
}
ALSO(cuStreamDestroy_v2, cuStreamDestroy)

static CUresult
check_stream_done(CUstream s)
{
	Runtime *rt = cu_enter();
	(void)s;
	return rt ? cu_leave(rt, cudaSuccess) : cu_outside();
}

CUresult
cuStreamSynchronize(CUstream s)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	return cu_leave(rt, s ? capture_forbids(rt, s) : cudaSuccess);
}
ALSO(cuStreamSynchronize, cuStreamSynchronize_ptsz)
ALSO(cuStreamSynchronize, cuStreamQuery)
ALSO(cuStreamSynchronize, cuStreamQuery_ptsz)

CUresult
cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags)
{
	if (!event || flags > 1)
		return event ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, capture_wait(rt, s, event, flags)) : cu_outside();
}
ALSO(cuStreamWaitEvent, cuStreamWaitEvent_ptsz)

CUresult
cuStreamGetFlags(CUstream s, unsigned *flags)
{
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = stream_made(s) ? s->flags : 0;
	return check_stream_done(s);
}
ALSO(cuStreamGetFlags, cuStreamGetFlags_ptsz)

CUresult
cuStreamGetPriority(CUstream s, int *priority)
{
	if (!priority)
		return CUDA_ERROR_INVALID_VALUE;
	*priority = stream_made(s) ? s->priority : 0;
	return check_stream_done(s);
}
ALSO(cuStreamGetPriority, cuStreamGetPriority_ptsz)

CUresult
cuStreamGetId(CUstream s, unsigned long long *id)
{
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	*id = stream_id(s);
	return check_stream_done(s);
}
ALSO(cuStreamGetId, cuStreamGetId_ptsz)

CUresult
cuStreamGetCtx(CUstream s, CUcontext *c)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	*c = context_current();
	return check_stream_done(s);
}
ALSO(cuStreamGetCtx, cuStreamGetCtx_ptsz)

CUresult
cuStreamGetCtx_v2(CUstream s, CUcontext *c, void **green)
{
	if (green)
		*green = NULL;
	return cuStreamGetCtx(s, c);
}
ALSO(cuStreamGetCtx_v2, cuStreamGetCtx_v2_ptsz)

CUresult
cuStreamGetDevice(CUstream s, CUdevice *device)
{
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = 0;
	return check_stream_done(s);
}
ALSO(cuStreamGetDevice, cuStreamGetDevice_ptsz)

CUresult
cuStreamIsCapturing(CUstream s, int *status)
{
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	*status = (int)capture_status(s);
	return check_stream_done(s);
}
ALSO(cuStreamIsCapturing, cuStreamIsCapturing_ptsz)

/* Unsafe calls are allowed during a capture in any mode; the mode is only stored. */
CUresult
cuThreadExchangeStreamCaptureMode(int *mode)
{
	static _Thread_local int current;
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	int was = current;
	current = *mode;
	*mode = was;
	return CUDA_SUCCESS;
}

/* ---- callbacks: outside of the lock, for they may call the driver ---------------------------- */

CUresult
cuStreamAddCallback(CUstream s, Stream_callback *f, void *user, unsigned flags)
{
	if (!f || flags)
		return CUDA_ERROR_INVALID_VALUE;
	Runtime *rt = cu_enter();
	CUresult e = rt ? cu_leave(rt, capture_forbids(rt, s)) : cu_outside();
	f(s, e, user);
	return e;
}
ALSO(cuStreamAddCallback, cuStreamAddCallback_ptsz)

CUresult
cuLaunchHostFunc(CUstream s, Host_function *f, void *user)
{
	Runtime *rt = cu_enter();
	const Work w = { .kind = WORK_HOST, .host = { f, user } };
	if (!rt)
		return cu_outside();
	return cu_leave(rt, f ? work_on(rt, s, &w) : cudaErrorInvalidValue);
}
ALSO(cuLaunchHostFunc, cuLaunchHostFunc_ptsz)

/* ---- events ---------------------------------------------------------------------------------- */

CUresult
cuEventCreate(CUevent *event, unsigned flags)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (!event || flags > 7)
		return cu_leave(rt, cudaErrorInvalidValue);
	*event = event_new(flags);
	return cu_leave(rt, cudaSuccess);
}

CUresult
cuEventDestroy_v2(CUevent event)
{
	Runtime *rt = rt_enter();
	if (!event)
		return cu_leave(rt, cudaErrorInvalidResourceHandle);
	event_free(event);
	return cu_leave(rt, cudaSuccess);
}
ALSO(cuEventDestroy_v2, cuEventDestroy)

CUresult
cuEventRecordWithFlags(CUevent event, CUstream s, unsigned flags)
{
	if (!event || flags > 1)
		return event ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, capture_record(rt, s, event, flags)) : cu_outside();
}
ALSO(cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz)

CUresult
cuEventRecord(CUevent event, CUstream s)
{
	return cuEventRecordWithFlags(event, s, 0);
}
ALSO(cuEventRecord, cuEventRecord_ptsz)

CUresult
cuEventQuery(CUevent event)
{
	Runtime *rt = event ? cu_enter() : NULL;
	if (!rt)
		return event ? cu_outside() : CUDA_ERROR_INVALID_HANDLE;
	return cu_leave(rt, capture_event(event));
}
ALSO(cuEventQuery, cuEventSynchronize)

CUresult
cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	Runtime *rt = rt_enter();
	return cu_leave(rt, ms ? event_elapsed(ms, start, end) : cudaErrorInvalidValue);
}
ALSO(cuEventElapsedTime, cuEventElapsedTime_v2)
