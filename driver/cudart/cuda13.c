/* SPDX-License-Identifier: MIT */
/* Parts of the runtime that differ from CUDA 12: calls for graph edges have edge data, which the
 * emulator does not use. */
#include "driver/cudart/graph.h"

const int rt_version = CUDART_VERSION;

API cudaError_t cudaGraphAddNode(cudaGraphNode_t *to, cudaGraph_t g, const cudaGraphNode_t *before,
	const cudaGraphEdgeData *data, size_t n, cudaGraphNodeParams *p);
API cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
	cudaGraphEdgeData *data, size_t *n);
API cudaError_t cudaGraphNodeGetDependencies(
	cudaGraphNode_t node, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n);
API cudaError_t cudaGraphNodeGetDependentNodes(
	cudaGraphNode_t node, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n);
API cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n);
API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n);
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **last,
	const cudaGraphEdgeData **data, size_t *n);
API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t *nodes,
	const cudaGraphEdgeData *data, size_t n, unsigned flags);

#define WITH_EDGES(name) name
#include "driver/cudart/edges.def"
ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz)
ALSO(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz)
