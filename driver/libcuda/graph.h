/* SPDX-License-Identifier: MIT */
/* Graphs of the driver API (driver/rt/graph.h): types laid out as in the toolkit's cuda.h, and
 * the calls. graph.c: graphs and edges; node.c: nodes; exec.c: executable graphs, stream
 * capture. */
#ifndef DRIVER_LIBCUDA_GRAPH_H
#define DRIVER_LIBCUDA_GRAPH_H

#include "driver/libcuda/cu.h"

typedef Graph *CUgraph;
typedef Graph_node *CUgraphNode;
typedef Graph_exec *CUgraphExec;

typedef struct {
	CUfunction func;
	unsigned grid[3], block[3], shared;
	void **args, **extra;
	/* the first version ends here */
	CUkernel kernel;
	CUcontext context;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct {
	CUdeviceptr dst;
	size_t pitch;
	unsigned value, bytes;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct { cudaHostFn_t f; void *user; } CUDA_HOST_NODE_PARAMS;
typedef struct {
	unsigned long long flags;
	CUstream upload;
	CUgraphNode wrong;
	int result;
} CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct { int result; CUgraphNode node, from; } CUgraphExecUpdateResultInfo;
typedef struct { unsigned char ports[2], type, reserved[5]; } CUgraphEdgeData;

#define NEW CUgraphNode *to, CUgraph g, const CUgraphNode *before, size_t n
API CUresult cuGraphCreate(CUgraph *to, unsigned flags);
API CUresult cuGraphDestroy(CUgraph g);
API CUresult cuGraphClone(CUgraph *to, CUgraph g);
API CUresult cuGraphNodeFindInClone(CUgraphNode *to, CUgraphNode node, CUgraph clone);
API CUresult cuGraphDestroyNode(CUgraphNode node);
API CUresult cuGraphNodeGetType(CUgraphNode node, int *type);
API CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *to, size_t *n);
API CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *to, size_t *n);
API CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n);
API CUresult cuGraphGetEdges_v2(
	CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *n);
API CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *to, size_t *n);
API CUresult cuGraphNodeGetDependencies_v2(
	CUgraphNode node, CUgraphNode *to, CUgraphEdgeData *data, size_t *n);
API CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *to, size_t *n);
API CUresult cuGraphNodeGetDependentNodes_v2(
	CUgraphNode node, CUgraphNode *to, CUgraphEdgeData *data, size_t *n);
API CUresult cuGraphAddDependencies(
	CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n);
API CUresult cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
	const CUgraphEdgeData *data, size_t n);
API CUresult cuGraphRemoveDependencies(
	CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n);
API CUresult cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from,
	const CUgraphNode *to, const CUgraphEdgeData *data, size_t n);
API CUresult cuGraphAddKernelNode(NEW, const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphAddKernelNode_v2(NEW, const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphExecKernelNodeSetParams(
	CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphExecKernelNodeSetParams_v2(
	CUgraphExec x, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
API CUresult cuGraphAddMemcpyNode(NEW, const CUDA_MEMCPY3D *c, CUcontext context);
API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *c);
API CUresult cuGraphExecMemcpyNodeSetParams(
	CUgraphExec x, CUgraphNode node, const CUDA_MEMCPY3D *c, CUcontext context);
API CUresult cuGraphAddMemsetNode(NEW, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context);
API CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *p);
API CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p);
API CUresult cuGraphExecMemsetNodeSetParams(
	CUgraphExec x, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context);
API CUresult cuGraphAddHostNode(NEW, const CUDA_HOST_NODE_PARAMS *p);
API CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *p);
API CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p);
API CUresult cuGraphExecHostNodeSetParams(
	CUgraphExec x, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p);
API CUresult cuGraphAddEmptyNode(NEW);
API CUresult cuGraphAddEventRecordNode(NEW, CUevent event);
API CUresult cuGraphAddEventWaitNode(NEW, CUevent event);
API CUresult cuGraphAddChildGraphNode(NEW, CUgraph child);
API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *to);
API CUresult cuGraphInstantiateWithFlags(CUgraphExec *to, CUgraph g, unsigned long long flags);
API CUresult cuGraphInstantiateWithParams(
	CUgraphExec *to, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p);
API CUresult cuGraphInstantiate_v2(
	CUgraphExec *to, CUgraph g, CUgraphNode *wrong, char *log, size_t n);
API CUresult cuGraphExecDestroy(CUgraphExec x);
API CUresult cuGraphExecUpdate_v2(CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *result);
API CUresult cuGraphExecUpdate(CUgraphExec x, CUgraph g, CUgraphNode *wrong, int *result);
API CUresult cuGraphLaunch(CUgraphExec x, CUstream s);
API CUresult cuGraphUpload(CUgraphExec x, CUstream s);
API CUresult cuGraphNodeSetEnabled(CUgraphExec x, CUgraphNode node, unsigned on);
API CUresult cuGraphNodeGetEnabled(CUgraphExec x, CUgraphNode node, unsigned *on);
API CUresult cuStreamBeginCapture_v2(CUstream s, int mode);
API CUresult cuStreamBeginCapture(CUstream s);
API CUresult cuStreamEndCapture(CUstream s, CUgraph *to);
API CUresult cuStreamGetCaptureInfo(CUstream s, int *status, unsigned long long *id);
API CUresult cuStreamGetCaptureInfo_v2(CUstream s, int *status, unsigned long long *id, CUgraph *g,
	const CUgraphNode **last, size_t *n);
API CUresult cuStreamGetCaptureInfo_v3(CUstream s, int *status, unsigned long long *id, CUgraph *g,
	const CUgraphNode **last, const CUgraphEdgeData **data, size_t *n);
API CUresult cuStreamUpdateCaptureDependencies(
	CUstream s, CUgraphNode *nodes, size_t n, unsigned flags);
API CUresult cuStreamUpdateCaptureDependencies_v2(CUstream s, CUgraphNode *nodes,
	const CUgraphEdgeData *data, size_t n, unsigned flags);

/* Ends a call whose arguments are known to be valid or not. */
static inline CUresult
cu_end(Runtime *rt, bool good)
{
	return cu_leave(rt, good ? cudaSuccess : cudaErrorInvalidValue);
}

#endif
