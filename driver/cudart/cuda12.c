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

#define GET_PROPERTIES cudaGetDeviceProperties_v2
#define PROPERTIES Properties
#include "driver/cudart/properties.def"

FORWARD(cudaError_t, cudaEventElapsedTime_v2, cudaEventElapsedTime, (ms, start, end), float *ms,
	cudaEvent_t start, cudaEvent_t end)
FORWARD(cudaError_t, cudaMemAdvise_v2, cudaMemAdvise, (p, n, advice, at), const void *p, size_t n,
	int advice, cudaMemLocation at)
FORWARD(cudaError_t, cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync, (p, n, to, flags, stream),
	const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t stream)
ALSO(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync_v2_ptsz)
FORWARD(cudaError_t, cudaThreadSynchronize, cudaDeviceSynchronize, (), void)
FORWARD(cudaError_t, cudaThreadExit, cudaDeviceReset, (), void)

/* ---- graphs: without what belongs to an edge, and, since 12.3, with it ----------------------- */

#define WITH_DATA(name) name##_v2
#define WITHOUT_DATA
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v3
#include "driver/rt/edges.def"

RUNTIME(cudaGraphAddNode, (to, g, before, n, p), cudaGraphNode_t *to, cudaGraph_t g,
	const cudaGraphNode_t *before, size_t n, cudaGraphNodeParams *p)
{
	return graph_add_node(rt, to, g, before, n, p);
}

RUNTIME(cudaGraphAddNode_v2, (to, g, before, data, n, p), cudaGraphNode_t *to, cudaGraph_t g,
	const cudaGraphNode_t *before, const Edge_data *data, size_t n, cudaGraphNodeParams *p)
{
	(void)data;
	return graph_add_node(rt, to, g, before, n, p);
}

#define CALL(name) \
	API cudaError_t name(void); \
	cudaError_t name(void) { static bool said; return rt_refuse(#name, &said); }
#include "driver/cudart/calls12.def"
#undef CALL
