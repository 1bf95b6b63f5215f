/* SPDX-License-Identifier: MIT */
/* Calls that the emulator does not support. Each prints a message once and fails with
 * cudaErrorNotSupported, so that the program's own error checks report the place. The loader
 * thus never misses a symbol. */
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

/* The parameters can be omitted, because the caller removes the arguments. */
#define CALL(name) \
	API cudaError_t name(void); \
	cudaError_t name(void) { static bool said; return rt_refuse(#name, &said); }
#include "driver/cudart/calls.def"
#undef CALL
