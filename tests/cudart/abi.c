/* SPDX-License-Identifier: MIT */
/* Layouts and numbers of the runtime's interface: compiled against a toolkit's header and against
 * ptxrun's, prints the same. */
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdio.h>

#define AT(type, field) printf(#type "." #field " %zu\n", offsetof(struct type, field))
#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define IS(constant) printf(#constant " %d\n", (int)constant)

int
main(void)
{
	SIZE(struct cudaDeviceProp), SIZE(struct cudaFuncAttributes),
		SIZE(struct cudaPointerAttributes), SIZE(struct cudaMemcpy3DParms);
	SIZE(struct cudaPitchedPtr), SIZE(struct cudaExtent), SIZE(struct cudaMemLocation),
		SIZE(struct cudaChannelFormatDesc);
	SIZE(cudaLaunchConfig_t), SIZE(cudaLaunchAttribute), SIZE(dim3);
	AT(cudaDeviceProp, totalGlobalMem), AT(cudaDeviceProp, maxGridSize),
		AT(cudaDeviceProp, major);
	AT(cudaDeviceProp, multiProcessorCount), AT(cudaDeviceProp, maxTextureCubemapLayered),
		AT(cudaDeviceProp, surfaceAlignment);
	AT(cudaDeviceProp, unifiedAddressing), AT(cudaDeviceProp, sharedMemPerMultiprocessor),
		AT(cudaDeviceProp, cooperativeLaunch);
	AT(cudaDeviceProp, sharedMemPerBlockOptin), AT(cudaDeviceProp, reservedSharedMemPerBlock),
		AT(cudaDeviceProp, clusterLaunch);
	AT(cudaDeviceProp, maxBlocksPerMultiProcessor),
		AT(cudaDeviceProp, hostNumaMultinodeIpcSupported);
	AT(cudaFuncAttributes, localSizeBytes), AT(cudaFuncAttributes, numRegs),
		AT(cudaFuncAttributes, preferredShmemCarveout);
	AT(cudaFuncAttributes, maxDynamicSharedSizeBytes),
		AT(cudaFuncAttributes, nonPortableClusterSizeAllowed);
	AT(cudaPointerAttributes, devicePointer), AT(cudaPointerAttributes, hostPointer);
	AT(cudaMemcpy3DParms, srcPtr), AT(cudaMemcpy3DParms, dstPos), AT(cudaMemcpy3DParms, extent),
		AT(cudaMemcpy3DParms, kind);
	printf("launch %zu %zu %zu\n", offsetof(cudaLaunchConfig_t, stream),
		offsetof(cudaLaunchConfig_t, attrs), offsetof(cudaLaunchAttribute, val));
	IS(cudaErrorInvalidValue), IS(cudaErrorInvalidConfiguration),
		IS(cudaErrorInvalidPitchValue), IS(cudaErrorInvalidSymbol);
	IS(cudaErrorInvalidMemcpyDirection), IS(cudaErrorMissingConfiguration),
		IS(cudaErrorInvalidDeviceFunction);
	IS(cudaErrorInvalidDevice), IS(cudaErrorNoKernelImageForDevice),
		IS(cudaErrorUnsupportedLimit);
	IS(cudaErrorInvalidResourceHandle), IS(cudaErrorNotReady), IS(cudaErrorIllegalAddress),
		IS(cudaErrorLaunchTimeout);
	IS(cudaErrorAssert), IS(cudaErrorHostMemoryAlreadyRegistered),
		IS(cudaErrorHostMemoryNotRegistered);
	IS(cudaErrorHardwareStackError), IS(cudaErrorMisalignedAddress), IS(cudaErrorInvalidPc),
		IS(cudaErrorLaunchFailure);
	IS(cudaErrorCooperativeLaunchTooLarge), IS(cudaErrorNotSupported), IS(cudaErrorUnknown),
		IS(cudaMemcpyDefault);
	IS(cudaMemoryTypeManaged), IS(cudaLimitPersistingL2CacheSize),
		IS(cudaFuncAttributeMaxDynamicSharedMemorySize);
	IS(cudaFuncAttributeClusterSchedulingPolicyPreference),
		IS(cudaStreamCaptureStatusInvalidated);
	IS(cudaDevAttrMaxGridDimX), IS(cudaDevAttrMultiProcessorCount),
		IS(cudaDevAttrMaxThreadsPerMultiProcessor);
	IS(cudaDevAttrComputeCapabilityMinor), IS(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
		IS(cudaDevAttrManagedMemory);
	IS(cudaDevAttrMaxSharedMemoryPerBlockOptin), IS(cudaDevAttrMaxBlocksPerMultiprocessor),
		IS(cudaHostAllocMapped);
	IS(cudaMemAttachGlobal), IS(cudaStreamNonBlocking), IS(cudaEventDisableTiming),
		IS(cudaLaunchAttributeCooperative);
	IS(cudaLaunchAttributeClusterDimension), IS(CUDART_VERSION / 1000);
	return 0;
}
