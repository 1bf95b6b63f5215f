/* SPDX-License-Identifier: MIT */
/* Graphs of the CUDA runtime (driver/rt/graph.h): types laid out as in the toolkit's
 * driver_types.h. Calls whose parameters differ between CUDA 12 and CUDA 13 are in cuda12.c and
 * cuda13.c. */
#ifndef DRIVER_CUDART_GRAPH_H
#define DRIVER_CUDART_GRAPH_H

#include "driver/cudart/cudart.h"

typedef Graph *cudaGraph_t;
typedef Graph_node *cudaGraphNode_t;
typedef Graph_exec *cudaGraphExec_t;

typedef struct {
	void *func;
	dim3 gridDim, blockDim;
	unsigned sharedMemBytes;
	void **kernelParams, **extra;
} cudaKernelNodeParams;
typedef struct { int flags, reserved[3]; cudaMemcpy3DParms copyParams; } cudaMemcpyNodeParams;
typedef struct {
	int type, reserved[3];
	union {
		long long room[29];
		cudaKernelNodeParams kernel;
		cudaMemcpyNodeParams memcpy;
		Set_params memset;
		Host_work host;
		cudaGraph_t graph;
		cudaEvent_t event;
	};
	long long behind;
} cudaGraphNodeParams;

/* Adds a node of any kind (node.c). */
cudaError_t graph_add_node(Runtime *rt, cudaGraphNode_t *to, cudaGraph_t g,
	const cudaGraphNode_t *before, size_t n, const cudaGraphNodeParams *p);

#endif
