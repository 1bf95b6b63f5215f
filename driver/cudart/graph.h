/* SPDX-License-Identifier: MIT */
/* Graphs of the CUDA runtime (driver/rt/graph.h): types laid out as in the toolkit's
 * driver_types.h, and the calls. Calls whose parameters differ between CUDA 12 and CUDA 13 are
 * in cuda12.c and cuda13.c, and use the functions declared at the end. */
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
typedef struct {
	void *dst;
	size_t pitch;
	unsigned value, elementSize;
	size_t width, height;
} cudaMemsetParams;
typedef struct { cudaHostFn_t fn; void *userData; } cudaHostNodeParams;
typedef struct { int flags, reserved[3]; cudaMemcpy3DParms copyParams; } cudaMemcpyNodeParams;
typedef struct {
	int type, reserved[3];
	union {
		long long room[29];
		cudaKernelNodeParams kernel;
		cudaMemcpyNodeParams memcpy;
		cudaMemsetParams memset;
		cudaHostNodeParams host;
		cudaGraph_t graph;
		cudaEvent_t event;
	};
	long long behind;
} cudaGraphNodeParams;
typedef struct {
	unsigned long long flags;
	cudaStream_t uploadStream;
	cudaGraphNode_t errNode_out;
	int result_out;
} cudaGraphInstantiateParams;
typedef struct {
	int result;
	cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
typedef struct { unsigned char from_port, to_port, type, reserved[5]; } cudaGraphEdgeData;

/* ---- nodes: node.c --------------------------------------------------------------------------- */

#define NEW cudaGraphNode_t *to, cudaGraph_t g, const cudaGraphNode_t *before, size_t n
API cudaError_t cudaGraphAddKernelNode(NEW, const cudaKernelNodeParams *p);
API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *p);
API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *p);
API cudaError_t cudaGraphExecKernelNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaKernelNodeParams *p);
API cudaError_t cudaGraphKernelNodeSetAttribute(
	cudaGraphNode_t node, int attribute, const void *value);
API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from);
API cudaError_t cudaGraphAddMemcpyNode(NEW, const cudaMemcpy3DParms *p);
API cudaError_t cudaGraphAddMemcpyNode1D(
	NEW, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind);
API cudaError_t cudaGraphAddMemcpyNodeToSymbol(NEW, const void *symbol, const void *src,
	size_t bytes, size_t offset, enum cudaMemcpyKind kind);
API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(NEW, void *dst, const void *symbol, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind);
API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *p);
API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *p);
API cudaError_t cudaGraphExecMemcpyNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaMemcpy3DParms *p);
API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
	size_t bytes, enum cudaMemcpyKind kind);
API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t x, cudaGraphNode_t node,
	void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind);
API cudaError_t cudaGraphAddMemsetNode(NEW, const cudaMemsetParams *p);
API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *p);
API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *p);
API cudaError_t cudaGraphExecMemsetNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaMemsetParams *p);
API cudaError_t cudaGraphAddHostNode(NEW, const cudaHostNodeParams *p);
API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *p);
API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *p);
API cudaError_t cudaGraphExecHostNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, const cudaHostNodeParams *p);
API cudaError_t cudaGraphAddEmptyNode(NEW);
API cudaError_t cudaGraphAddEventRecordNode(NEW, cudaEvent_t event);
API cudaError_t cudaGraphAddEventWaitNode(NEW, cudaEvent_t event);
API cudaError_t cudaGraphAddChildGraphNode(NEW, cudaGraph_t child);
API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *to);
API cudaError_t cudaGraphExecChildGraphNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, cudaGraph_t child);
API cudaError_t cudaGraphExecNodeSetParams(
	cudaGraphExec_t x, cudaGraphNode_t node, cudaGraphNodeParams *p);
API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *p);

/* ---- graphs: graph.c ------------------------------------------------------------------------- */

API cudaError_t cudaGraphCreate(cudaGraph_t *to, unsigned flags);
API cudaError_t cudaGraphDestroy(cudaGraph_t g);
API cudaError_t cudaGraphClone(cudaGraph_t *to, cudaGraph_t g);
API cudaError_t cudaGraphNodeFindInClone(
	cudaGraphNode_t *to, cudaGraphNode_t node, cudaGraph_t clone);
API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type);
API cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *to, size_t *n);
API cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *to, size_t *n);
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t g, unsigned long long flags);
API cudaError_t cudaGraphInstantiateWithFlags(
	cudaGraphExec_t *to, cudaGraph_t g, unsigned long long flags);
API cudaError_t cudaGraphInstantiateWithParams(
	cudaGraphExec_t *to, cudaGraph_t g, cudaGraphInstantiateParams *p);
API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t x, unsigned long long *flags);
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x);
API cudaError_t cudaGraphExecUpdate(
	cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *result);
API cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t stream);
API cudaError_t cudaGraphUpload(cudaGraphExec_t x, cudaStream_t stream);
API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned on);
API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t x, cudaGraphNode_t node, unsigned *on);
API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *to);
API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode);

/* ---- what the versions have each in their own way ------------------------------------------- */

typedef struct {
	cudaGraphNode_t *to;
	cudaGraph_t g;
	const cudaGraphNode_t *before;
	size_t n;
} Added_node;
cudaError_t graph_add_node(Added_node a, const cudaGraphNodeParams *p);
/* A change of n edges, given by both ends; on: adds, otherwise removes them. */
typedef struct { const cudaGraphNode_t *from, *to; size_t n; bool on; } Edge_change;
cudaError_t graph_change_edges(cudaGraph_t g, Edge_change c);
cudaError_t graph_get_edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n);
/* Lists the dependencies of a node or, with behind, the nodes that depend on it. */
cudaError_t graph_get_neighbours(
	cudaGraphNode_t node, bool behind, cudaGraphNode_t *to, size_t *n);
/* Where to store what a query of a capture returns; each may be NULL. */
typedef struct {
	enum cudaStreamCaptureStatus *status;
	unsigned long long *id;
	cudaGraph_t *graph;
	const cudaGraphNode_t **last;
	size_t *n;
} Capture_answer;
cudaError_t graph_capture_info(cudaStream_t stream, Capture_answer to);
/* flags: 0 adds to the dependencies, 1 replaces them. */
cudaError_t graph_capture_depend(
	cudaStream_t stream, const cudaGraphNode_t *nodes, size_t n, unsigned flags);

#endif
