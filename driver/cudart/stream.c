/* SPDX-License-Identifier: MIT */
/* Streams, events and callbacks. */
#include "driver/cudart/cudart.h"
#include "driver/rt/stream.def"

FORWARD(cudaError_t, cudaStreamCreate, cudaStreamCreateWithPriority, (stream, 0, 0),
	cudaStream_t *stream)
FORWARD(cudaError_t, cudaStreamCreateWithFlags, cudaStreamCreateWithPriority, (stream, flags, 0),
	cudaStream_t *stream, unsigned flags)
FORWARD(cudaError_t, cudaEventCreate, cudaEventCreateWithFlags, (event, cudaEventDefault),
	cudaEvent_t *event)

/* Calls the callback outside of the lock, for it may call the runtime. */
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
