/* SPDX-License-Identifier: MIT */
/* Streams, events and callbacks. */
#include "driver/libcuda/cu.h"
#include "driver/rt/stream.def"

ALSO(cuStreamDestroy_v2, cuStreamDestroy)
ALSO(cuEventDestroy_v2, cuEventDestroy)
ALSO(cuEventElapsedTime, cuEventElapsedTime_v2)

FORWARD(CUresult, cuStreamCreate, cuStreamCreateWithPriority, (s, flags, 0), CUstream *s,
	unsigned flags)

DRIVER(cuStreamGetCtx, (s, c), CUstream s, CUcontext *c)
{
	(void)s;
	if (!c)
		return cudaErrorInvalidValue;
	*c = context_current();
	return cudaSuccess;
}
ALSO(cuStreamGetCtx, cuStreamGetCtx_ptsz)

DRIVER(cuStreamGetCtx_v2, (s, c, green), CUstream s, CUcontext *c, void **green)
{
	if (green)
		*green = NULL;
	return do_cuStreamGetCtx(rt, s, c);
}
ALSO(cuStreamGetCtx_v2, cuStreamGetCtx_v2_ptsz)

/* Calls the callback outside of the lock, for it may call the driver. */
typedef void Stream_callback(CUstream stream, CUresult e, void *user);
API CUresult cuStreamAddCallback(CUstream s, Stream_callback *f, void *user, unsigned flags);
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
