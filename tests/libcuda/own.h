/* SPDX-License-Identifier: MIT */
/* What driver.c uses of cuda.h, for machines without a toolkit: the functions are pointers, which
 * own_load has from the library as Python's libraries do, by cuGetProcAddress. */
#include <stddef.h>
#include <stdint.h>

typedef enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_NOT_INITIALIZED = 3,
	CUDA_ERROR_INVALID_DEVICE = 101,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
	CUDA_ERROR_INVALID_PTX = 218,
	CUDA_ERROR_FILE_NOT_FOUND = 301,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_ILLEGAL_ADDRESS = 700,
	CUDA_ERROR_NOT_SUPPORTED = 801,
	CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
	CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901
} CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef void *CUcontext, *CUmodule, *CUfunction, *CUlibrary, *CUkernel, *CUstream, *CUevent,
	*CUlinkState, *CUgraph, *CUgraphNode, *CUgraphExec, *CUarray;
typedef unsigned long long CUtexObject, CUsurfObject;
typedef struct { size_t Width, Height; int Format; unsigned NumChannels; } CUDA_ARRAY_DESCRIPTOR;
typedef int CUdriverProcAddressQueryResult, CUjit_option, CUstreamCaptureStatus;
typedef struct { char bytes[64]; } CUipcMemHandle;
typedef struct {
	CUdeviceptr dst;
	size_t pitch;
	unsigned value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct {
	CUfunction func;
	unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	void **kernelParams, **extra;
	CUkernel kern;
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct { void (*fn)(void *); void *userData; } CUDA_HOST_NODE_PARAMS;
typedef struct {
	int resType;
	union { struct { CUarray hArray; } array; int room[32]; } res;
	unsigned flags;
} CUDA_RESOURCE_DESC;
typedef struct {
	int addressMode[3], filterMode;
	unsigned flags, maxAnisotropy;
	int mipmapFilterMode;
	float others[7];
	int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct {
	size_t srcXInBytes, srcY;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	void *srcArray;
	size_t srcPitch, dstXInBytes, dstY;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	void *dstArray;
	size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct {
	unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
	CUstream hStream;
	void *attrs;
	unsigned numAttrs;
} CUlaunchConfig;
enum {
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_MEMORYTYPE_HOST = 1,
	CU_MEMORYTYPE_DEVICE = 2,
	CU_MEMORYTYPE_ARRAY = 3,
	CU_AD_FORMAT_FLOAT = 0x20,
	CU_TR_FILTER_MODE_LINEAR = 1,
	CU_JIT_ERROR_LOG_BUFFER = 5,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
	CU_JIT_INPUT_PTX = 1,
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
	CU_STREAM_NON_BLOCKING = 1,
	CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
	CU_EVENT_DEFAULT = 0
};
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

#define OWN_CALLS(X) \
	X(cuInit, (unsigned)) \
	X(cuDriverGetVersion, (int *)) \
	X(cuDeviceGetCount, (int *)) \
	X(cuDeviceGet, (CUdevice *, int)) \
	X(cuDeviceGetName, (char *, int, CUdevice)) \
	X(cuDeviceTotalMem, (size_t *, CUdevice)) \
	X(cuDeviceGetAttribute, (int *, int, CUdevice)) \
	X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice)) \
	X(cuCtxSetCurrent, (CUcontext)) \
	X(cuCtxGetCurrent, (CUcontext *)) \
	X(cuCtxPushCurrent, (CUcontext)) \
	X(cuCtxPopCurrent, (CUcontext *)) \
	X(cuCtxSynchronize, (void)) \
	X(cuMemAlloc, (CUdeviceptr *, size_t)) \
	X(cuMemAllocPitch, (CUdeviceptr *, size_t *, size_t, size_t, unsigned)) \
	X(cuMemAllocHost, (void **, size_t)) \
	X(cuMemFree, (CUdeviceptr)) \
	X(cuMemFreeHost, (void *)) \
	X(cuMemGetInfo, (size_t *, size_t *)) \
	X(cuMemGetAddressRange, (CUdeviceptr *, size_t *, CUdeviceptr)) \
	X(cuPointerGetAttribute, (void *, int, CUdeviceptr)) \
	X(cuMemcpyHtoD, (CUdeviceptr, const void *, size_t)) \
	X(cuMemcpyDtoH, (void *, CUdeviceptr, size_t)) \
	X(cuMemcpy2D, (const CUDA_MEMCPY2D *)) \
	X(cuMemsetD8, (CUdeviceptr, unsigned char, size_t)) \
	X(cuMemsetD16, (CUdeviceptr, unsigned short, size_t)) \
	X(cuMemsetD32, (CUdeviceptr, unsigned, size_t)) \
	X(cuModuleLoad, (CUmodule *, const char *)) \
	X(cuModuleLoadData, (CUmodule *, const void *)) \
	X(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, CUjit_option *, void **)) \
	X(cuModuleUnload, (CUmodule)) \
	X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *)) \
	X(cuModuleGetGlobal, (CUdeviceptr *, size_t *, CUmodule, const char *)) \
	X(cuLibraryLoadData, (CUlibrary *, const void *, int *, void **, unsigned, int *, \
		void **, unsigned)) \
	X(cuLibraryGetKernel, (CUkernel *, CUlibrary, const char *)) \
	X(cuLibraryGetKernelCount, (unsigned *, CUlibrary)) \
	X(cuLibraryUnload, (CUlibrary)) \
	X(cuKernelGetFunction, (CUfunction *, CUkernel)) \
	X(cuKernelGetAttribute, (int *, int, CUkernel, CUdevice)) \
	X(cuFuncGetName, (const char **, CUfunction)) \
	X(cuFuncGetAttribute, (int *, int, CUfunction)) \
	X(cuFuncSetAttribute, (CUfunction, int, int)) \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, CUfunction, int, size_t)) \
	X(cuOccupancyMaxPotentialBlockSize, (int *, int *, CUfunction, size_t (*)(int), size_t, \
		int)) \
	X(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, \
		unsigned, unsigned, CUstream, void **, void **)) \
	X(cuLaunchKernelEx, (const CUlaunchConfig *, CUfunction, void **, void **)) \
	X(cuLaunchHostFunc, (CUstream, void (*)(void *), void *)) \
	X(cuLinkCreate, (unsigned, int *, void **, CUlinkState *)) \
	X(cuLinkAddData, (CUlinkState, int, void *, size_t, const char *, unsigned, int *, \
		void **)) \
	X(cuLinkComplete, (CUlinkState, void **, size_t *)) \
	X(cuLinkDestroy, (CUlinkState)) \
	X(cuStreamCreate, (CUstream *, unsigned)) \
	X(cuStreamDestroy, (CUstream)) \
	X(cuStreamSynchronize, (CUstream)) \
	X(cuStreamWaitEvent, (CUstream, CUevent, unsigned)) \
	X(cuEventCreate, (CUevent *, unsigned)) \
	X(cuEventDestroy, (CUevent)) \
	X(cuEventRecord, (CUevent, CUstream)) \
	X(cuEventElapsedTime, (float *, CUevent, CUevent)) \
	X(cuGetErrorName, (CUresult, const char **)) \
	X(cuGetErrorString, (CUresult, const char **)) \
	X(cuGetProcAddress, (const char *, void **, int, uint64_t, int *)) \
	X(cuArrayCreate, (CUarray *, const CUDA_ARRAY_DESCRIPTOR *)) \
	X(cuArrayDestroy, (CUarray)) \
	X(cuMemcpyHtoA, (CUarray, size_t, const void *, size_t)) \
	X(cuTexObjectCreate, (CUtexObject *, const CUDA_RESOURCE_DESC *, \
		const CUDA_TEXTURE_DESC *, const void *)) \
	X(cuTexObjectDestroy, (CUtexObject)) \
	X(cuSurfObjectCreate, (CUsurfObject *, const CUDA_RESOURCE_DESC *)) \
	X(cuSurfObjectDestroy, (CUsurfObject)) \
	X(cuIpcGetMemHandle, (CUipcMemHandle *, CUdeviceptr)) \
	X(cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream)) \
	X(cuMemcpyDtoHAsync, (void *, CUdeviceptr, size_t, CUstream)) \
	X(cuStreamBeginCapture, (CUstream, int)) \
	X(cuStreamEndCapture, (CUstream, CUgraph *)) \
	X(cuStreamIsCapturing, (CUstream, CUstreamCaptureStatus *)) \
	X(cuGraphGetNodes, (CUgraph, CUgraphNode *, size_t *)) \
	X(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long)) \
	X(cuGraphLaunch, (CUgraphExec, CUstream)) \
	X(cuGraphExecDestroy, (CUgraphExec)) \
	X(cuGraphDestroy, (CUgraph)) \
	X(cuGraphAddHostNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, \
		const CUDA_HOST_NODE_PARAMS *)) \
	X(cuGraphAddMemsetNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, \
		const CUDA_MEMSET_NODE_PARAMS *, CUcontext)) \
	X(cuGraphAddKernelNode, (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, \
		const CUDA_KERNEL_NODE_PARAMS *)) \
	X(cuGraphExecMemsetNodeSetParams, (CUgraphExec, CUgraphNode, \
		const CUDA_MEMSET_NODE_PARAMS *, CUcontext)) \
	X(cuGraphExecKernelNodeSetParams, (CUgraphExec, CUgraphNode, \
		const CUDA_KERNEL_NODE_PARAMS *)) \
	X(cuGraphCreate, (CUgraph *, unsigned))
#define cuGraphInstantiate cuGraphInstantiateWithFlags

#define OWN_POINTER(name, arguments) static CUresult(*name) arguments;
OWN_CALLS(OWN_POINTER)
#undef OWN_POINTER

static void
own_load(void *library)
{
	void *at = library ? dlsym(library, "cuGetProcAddress_v2") : NULL;
	if (!at) {
		fputs("no libcuda.so.1\n", stderr);
		exit(3);
	}
	memcpy(&cuGetProcAddress, &at, sizeof at);
#define OWN_LOAD(name, arguments) \
	if (cuGetProcAddress(#name, &at, 13000, 0, NULL)) { \
		fputs("no " #name "\n", stderr); \
		exit(3); \
	} \
	memcpy(&name, &at, sizeof at);
	OWN_CALLS(OWN_LOAD)
#undef OWN_LOAD
}
