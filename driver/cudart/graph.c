/* SPDX-License-Identifier: MIT */
/* Graphs, executable graphs, and stream capture. */
#include "driver/cudart/graph.h"
#include "driver/rt/graph.def"

FORWARD(cudaError_t, cudaGraphInstantiate, cudaGraphInstantiateWithFlags, (to, g, flags),
	cudaGraphExec_t *to, cudaGraph_t g, unsigned long long flags)

RUNTIME(cudaGraphExecGetFlags, (x, flags), cudaGraphExec_t x, unsigned long long *flags)
{
	if (x && flags)
		*flags = 0;
	return good_if(x && flags);
}
