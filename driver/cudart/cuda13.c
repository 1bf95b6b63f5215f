/* SPDX-License-Identifier: MIT */
/* Parts of the runtime that differ from CUDA 12: calls for graph edges have edge data, which the
 * emulator does not use. */
#include "driver/cudart/graph.h"

const int rt_version = CUDART_VERSION;

#define WITH_DATA(name) name
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#include "driver/rt/edges.def"

RUNTIME(cudaGraphAddNode, (to, g, before, data, n, p), cudaGraphNode_t *to, cudaGraph_t g,
	const cudaGraphNode_t *before, const Edge_data *data, size_t n, cudaGraphNodeParams *p)
{
	(void)data;
	return graph_add_node(rt, to, g, before, n, p);
}
