/* What CUDA 13's runtime has otherwise than CUDA 12's. */
#include "driver/cudart/cudart.h"

API cudaError_t
cudaRuntimeGetVersion(int *version)
{
	Runtime *rt = rt_enter();
	if (version)
		*version = CUDART_VERSION;
	return rt_leave(rt, version ? cudaSuccess : cudaErrorInvalidValue);
}
