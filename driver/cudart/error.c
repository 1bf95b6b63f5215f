/* SPDX-License-Identifier: MIT */
/* Names and texts of errors, and each thread's last error. */
#include "driver/cudart/cudart.h"

static _Thread_local cudaError_t last_error;

cudaError_t
rt_leave(Runtime *rt, cudaError_t e)
{
	context_use();
	e = rt_unlock(rt, e);
	if (e && e != cudaErrorNotReady)
		last_error = e;
	return e;
}

/* Returns the sticky error, if any, else the thread's last one. clear: resets the latter. */
static cudaError_t
take_last_error(bool clear)
{
	cudaError_t e = rt_unlock(rt_enter(), last_error);
	if (clear)
		last_error = cudaSuccess;
	return e;
}

API cudaError_t cudaGetLastError(void) { return take_last_error(true); }
API cudaError_t cudaPeekAtLastError(void) { return take_last_error(false); }

static const char *text_or_unknown(const char *s) { return s ? s : "unrecognized error code"; }
API const char *cudaGetErrorName(cudaError_t e) { return text_or_unknown(error_name((int)e)); }
API const char *cudaGetErrorString(cudaError_t e) { return text_or_unknown(error_text((int)e)); }
