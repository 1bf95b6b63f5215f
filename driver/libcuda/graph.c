/* SPDX-License-Identifier: MIT */
/* Graphs, executable graphs, and stream capture. */
#include "driver/libcuda/cu.h"
#include "driver/rt/graph.def"

#define WITH_DATA(name) name
#define WITHOUT_DATA
#include "driver/rt/edges.def"

DRIVER_ANYWHERE(cuGraphInstantiate_v2, (to, g, wrong, log, n), Graph_exec **to, Graph *g,
	Graph_node **wrong, char *log, size_t n)
{
	if (wrong)
		*wrong = NULL;
	if (log && n)
		*log = 0;
	return do_cuGraphInstantiateWithFlags(rt, to, g, 0);
}
ALSO(cuGraphInstantiate_v2, cuGraphInstantiate)

DRIVER_ANYWHERE(cuGraphExecUpdate, (x, g, wrong, result), Graph_exec *x, Graph *g,
	Graph_node **wrong, int *result)
{
	Update_result r = { 0 };
	cudaError_t e = do_cuGraphExecUpdate_v2(rt, x, g, &r);
	if (wrong)
		*wrong = r.node;
	if (result)
		*result = r.result;
	return e;
}

FORWARD(CUresult, cuStreamBeginCapture, cuStreamBeginCapture_v2, (s, 0), CUstream s)
ALSO(cuStreamBeginCapture, cuStreamBeginCapture_ptsz)
