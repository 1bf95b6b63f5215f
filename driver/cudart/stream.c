/* SPDX-License-Identifier: MIT */
/* Streams, events and callbacks. All work is synchronous, so streams are always empty and events
 * complete. While a stream is captured, its work becomes nodes of a graph. */
#include "driver/cudart/cudart.h"

API cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
	Runtime *rt = rt_enter();
	if (!stream || flags > cudaStreamNonBlocking)
		return rt_leave(rt, cudaErrorInvalidValue);
	*stream = stream_new(flags, priority);
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithPriority(stream, 0, 0);
}
API cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
	return cudaStreamCreateWithPriority(stream, flags, 0);
}

API cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	if (!stream_made(stream))
		return rt_leave(rt, cudaErrorInvalidResourceHandle);
	stream_free(stream);
	return rt_leave(rt, cudaSuccess);
}

static cudaError_t
check_stream_done(cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, stream ? capture_forbids(rt, stream) : cudaSuccess);
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return check_stream_done(stream); }
ALSO(cudaStreamSynchronize, cudaStreamSynchronize_ptsz)
API cudaError_t cudaStreamQuery(cudaStream_t stream) { return check_stream_done(stream); }
ALSO(cudaStreamQuery, cudaStreamQuery_ptsz)

API cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!event || flags > 1)
		return rt_leave(rt, event ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	return rt_leave(rt, capture_wait(rt, stream, event, flags));
}
ALSO(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz)

API cudaError_t
cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
	Runtime *rt = rt_enter();
	if (!flags)
		return rt_leave(rt, cudaErrorInvalidValue);
	*flags = stream_made(stream) ? stream->flags : 0;
	return rt_leave(rt, cudaSuccess);
}
ALSO(cudaStreamGetFlags, cudaStreamGetFlags_ptsz)

API cudaError_t
cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	Runtime *rt = rt_enter();
	if (!priority)
		return rt_leave(rt, cudaErrorInvalidValue);
	*priority = stream_made(stream) ? stream->priority : 0;
	return rt_leave(rt, cudaSuccess);
}
ALSO(cudaStreamGetPriority, cudaStreamGetPriority_ptsz)

API cudaError_t
cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	Runtime *rt = rt_enter();
	if (!id)
		return rt_leave(rt, cudaErrorInvalidValue);
	*id = stream_id(stream);
	return rt_leave(rt, cudaSuccess);
}
ALSO(cudaStreamGetId, cudaStreamGetId_ptsz)

API cudaError_t
cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	Runtime *rt = rt_enter();
	(void)stream;
	if (!device)
		return rt_leave(rt, cudaErrorInvalidValue);
	*device = 0;
	return rt_leave(rt, cudaSuccess);
}
ALSO(cudaStreamGetDevice, cudaStreamGetDevice_ptsz)

API cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	Runtime *rt = rt_enter();
	if (!status)
		return rt_leave(rt, cudaErrorInvalidValue);
	*status = capture_status(stream);
	return rt_leave(rt, cudaSuccess);
}
ALSO(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz)

API cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	if (least)
		*least = STREAM_LEAST;
	if (greatest)
		*greatest = STREAM_GREATEST;
	return rt_leave(rt_enter(), cudaSuccess);
}

/* ---- callbacks: outside of the lock, for they may call the runtime --------------------------- */

API cudaError_t
cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t f, void *user, unsigned flags)
{
	Runtime *rt = rt_enter();
	cudaError_t e = !f || flags ? cudaErrorInvalidValue : capture_forbids(rt, stream);
	e = rt_leave(rt, e);
	if (f && !flags)
		f(stream, e, user);
	return e;
}
ALSO(cudaStreamAddCallback, cudaStreamAddCallback_ptsz)

API cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t f, void *user)
{
	Runtime *rt = rt_enter();
	const Work w = { .kind = WORK_HOST, .host = { f, user } };
	return rt_leave(rt, f ? work_on(rt, stream, &w) : cudaErrorInvalidValue);
}
ALSO(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz)

/* ---- events ---------------------------------------------------------------------------------- */

API cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!event || flags > 7)
		return rt_leave(rt, cudaErrorInvalidValue);
	*event = event_new(flags);
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

API cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
	Runtime *rt = rt_enter();
	if (!event)
		return rt_leave(rt, cudaErrorInvalidResourceHandle);
	event_free(event);
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!event || flags > 1)
		return rt_leave(rt, event ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	return rt_leave(rt, capture_record(rt, stream, event, flags));
}
ALSO(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz)

API cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudaEventRecordWithFlags(event, stream, 0);
}
ALSO(cudaEventRecord, cudaEventRecord_ptsz)

API cudaError_t
cudaEventQuery(cudaEvent_t event)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, event ? capture_event(event) : cudaErrorInvalidResourceHandle);
}

API cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, event ? capture_event(event) : cudaErrorInvalidResourceHandle);
}

API cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	Runtime *rt = rt_enter();
	if (!ms)
		return rt_leave(rt, cudaErrorInvalidValue);
	return rt_leave(rt, event_elapsed(ms, start, end));
}
