/* SPDX-License-Identifier: MIT */
/* What CUDA 12's runtime has that CUDA 13's has not, or otherwise: for programs that ask for
 * libcudart.so.12. The rest of the interface is the same, as far as the emulator has it. */
#include <stdio.h>
#include <string.h>
#include "driver/cudart/cudart.h"

const int rt_version = 12090;

/* cudaDeviceProp as CUDA 12 lays it out; its header calls the function
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

#define CALL(name) \
	API cudaError_t name(void); \
	cudaError_t name(void) { static bool said; return rt_refuse(#name, &said); }
#include "driver/cudart/calls12.def"
#undef CALL
