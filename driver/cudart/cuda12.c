/* SPDX-License-Identifier: MIT */
/* Parts of the runtime that only CUDA 12 has, or that differ from CUDA 13: for programs that
 * load libcudart.so.12. All other supported functions are the same. */
#include <stdio.h>
#include <string.h>
#include "driver/cudart/graph.h"

const int rt_version = 12090;

/* cudaDeviceProp in CUDA 12's layout; its header maps the function to
 * cudaGetDeviceProperties_v2. */
typedef struct {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated,
		canMapHostMemory, computeMode, textures[40];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
		asyncEngineCount, unifiedAddressing;
	int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
		maxThreadsPerMultiProcessor;
	int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
		hostNativeAtomicSupported;
	int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
		computePreemptionSupported;
	int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
		maxBlocksPerMultiProcessor;
	int accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, others[12], reserved[63];
} Properties;

API cudaError_t cudaGetDeviceProperties_v2(Properties *p, int device);
API cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end);
API cudaError_t cudaMemAdvise_v2(const void *p, size_t n, int advice, cudaMemLocation at);
API cudaError_t cudaMemPrefetchAsync_v2(
	const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t stream);
API cudaError_t cudaThreadSynchronize(void);
API cudaError_t cudaThreadExit(void);

#define GET_PROPERTIES cudaGetDeviceProperties_v2
#define PROPERTIES Properties
#include "driver/cudart/properties.def"

cudaError_t
cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	return cudaEventElapsedTime(ms, start, end);
}

cudaError_t
cudaMemAdvise_v2(const void *p, size_t n, int advice, cudaMemLocation at)
{
	return cudaMemAdvise(p, n, advice, at);
}

cudaError_t
cudaMemPrefetchAsync_v2(
	const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t stream)
{
	return cudaMemPrefetchAsync(p, n, to, flags, stream);
}
ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync_v2_ptsz)

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

/* ---- graphs: without what belongs to an edge, and, since 12.3, with it ----------------------- */

API cudaError_t cudaGraphAddNode(cudaGraphNode_t *to, cudaGraph_t g, const cudaGraphNode_t *before,
	size_t n, cudaGraphNodeParams *p);
API cudaError_t cudaGraphGetEdges(
	cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n);
API cudaError_t cudaGraphNodeGetDependencies(
	cudaGraphNode_t node, cudaGraphNode_t *to, size_t *n);
API cudaError_t cudaGraphNodeGetDependentNodes(
	cudaGraphNode_t node, cudaGraphNode_t *to, size_t *n);
API cudaError_t cudaGraphAddDependencies(
	cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
API cudaError_t cudaGraphRemoveDependencies(
	cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **last, size_t *n);
API cudaError_t cudaStreamGetCaptureInfo(
	cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id);
API cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t s, cudaGraphNode_t *nodes, size_t n, unsigned flags);
API cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *to, cudaGraph_t g,
	const cudaGraphNode_t *before, const cudaGraphEdgeData *data, size_t n,
	cudaGraphNodeParams *p);
API cudaError_t cudaGraphGetEdges_v2(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
	cudaGraphEdgeData *data, size_t *n);
API cudaError_t cudaGraphNodeGetDependencies_v2(
	cudaGraphNode_t node, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n);
API cudaError_t cudaGraphNodeGetDependentNodes_v2(
	cudaGraphNode_t node, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n);
API cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n);
API cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n);
API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t s, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **last,
	const cudaGraphEdgeData **data, size_t *n);
API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, cudaGraphNode_t *nodes,
	const cudaGraphEdgeData *data, size_t n, unsigned flags);

#define WITH_EDGES(name) name##_v2
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v3
#include "driver/cudart/edges.def"
ALSO(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz)
ALSO(cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2_ptsz)

cudaError_t
cudaGraphAddNode(cudaGraphNode_t *to, cudaGraph_t g, const cudaGraphNode_t *before, size_t n,
	cudaGraphNodeParams *p)
{
	return cudaGraphAddNode_v2(to, g, before, NULL, n, p);
}

cudaError_t
cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
	return graph_get_edges(g, from, to, n);
}

cudaError_t
cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *to, size_t *n)
{
	return graph_get_neighbours(node, false, to, n);
}

cudaError_t
cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *to, size_t *n)
{
	return graph_get_neighbours(node, true, to, n);
}

cudaError_t
cudaGraphAddDependencies(
	cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	return cudaGraphAddDependencies_v2(g, from, to, NULL, n);
}

cudaError_t
cudaGraphRemoveDependencies(
	cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	return cudaGraphRemoveDependencies_v2(g, from, to, NULL, n);
}

cudaError_t
cudaStreamGetCaptureInfo_v2(cudaStream_t s, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **last, size_t *n)
{
	return graph_capture_info(s, (Capture_answer){ status, id, g, last, n });
}
ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz)

cudaError_t
cudaStreamGetCaptureInfo(
	cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
	return cudaStreamGetCaptureInfo_v2(s, status, id, NULL, NULL, NULL);
}
ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz)

cudaError_t
cudaStreamUpdateCaptureDependencies(
	cudaStream_t s, cudaGraphNode_t *nodes, size_t n, unsigned flags)
{
	return graph_capture_depend(s, nodes, n, flags);
}
ALSO(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz)

#define CALL(name) \
	API cudaError_t name(void); \
	cudaError_t name(void) { static bool said; return rt_refuse(#name, &said); }
#include "driver/cudart/calls12.def"
#undef CALL
