/* SPDX-License-Identifier: MIT */
/* The calls that the emulator does not have: each says so once, and fails with
 * CUDA_ERROR_NOT_SUPPORTED. None is ever a symbol that the loader, or cuGetProcAddress, misses. */
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

/* What arguments they take does not matter: the caller puts them away. */
#define CALL(name) \
	API CUresult name(void); \
	CUresult name(void) { static bool said; return cu_refuse(#name, &said); }
#include "driver/libcuda/calls.def"
#undef CALL
