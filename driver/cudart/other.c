/* SPDX-License-Identifier: MIT */
/* The calls that the emulator does not have: each says so once, and fails with
 * cudaErrorNotSupported, so that a program's own check of errors tells where. None is ever a symbol
 * that the loader misses. */
#include "driver/cudart/cudart.h"

cudaError_t
rt_refuse(const char *name, bool *said)
{
	Runtime *rt = rt_enter();
	if (!*said)
		rt_say("'%s' is not supported by the emulator", name);
	*said = true;
	return rt_leave(rt, cudaErrorNotSupported);
}

/* What arguments they take does not matter: the caller puts them away. */
#define CALL(name) \
	API cudaError_t name(void); \
	cudaError_t name(void) { static bool said; return rt_refuse(#name, &said); }
#include "driver/cudart/calls.def"
#undef CALL
