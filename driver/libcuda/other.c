/* SPDX-License-Identifier: MIT */
/* Calls that the emulator does not support. Each prints a message once and fails with
 * CUDA_ERROR_NOT_SUPPORTED. The loader and cuGetProcAddress thus never miss a symbol. */
#include "driver/libcuda/cu.h"

CUresult
cu_refuse(const char *name, bool *said)
{
	Runtime *rt = rt_enter();
	if (!*said)
		rt_say("'%s' is not supported by the emulator", name);
	*said = true;
	return cu_leave(rt, cudaErrorNotSupported);
}

/* The parameters can be omitted, because the caller removes the arguments. */
#define CALL(name) \
	API CUresult name(void); \
	CUresult name(void) { static bool said; return cu_refuse(#name, &said); }
#include "driver/libcuda/calls.def"
#undef CALL
