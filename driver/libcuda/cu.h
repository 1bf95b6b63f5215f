/* SPDX-License-Identifier: MIT */
/* The CUDA driver API on the emulator (driver/rt/): libcuda.so.1, for programs that compile
 * kernels at run time (NVRTC) and for Python libraries. Internal to driver/libcuda/.
 *
 * Types are laid out and named as in the toolkit's cuda.h. Functions without a comment do what
 * NVIDIA's CUDA Driver API manual says. CUmodule and CUlibrary point to a Binary of driver/rt/,
 * CUfunction and CUkernel to a Function, CUcontext to a Context.
 *
 *	entry.c     cuInit, cuGetProcAddress; error.c: errors
 *	other.c     unsupported calls
 *	device.c    the device; context.c: contexts
 *	module.c    modules, libraries; link.c, nvjitlink.c: linking of PTX
 *	function.c  attributes of kernels, occupancy; launch.c: launches
 *	memory.c    allocation, queries; copy.c: copies; set.c: sets
 *	stream.c    streams, events, callbacks; texture.c: arrays, textures
 *	graph.c     graphs, stream capture; node.c: their nodes */
#ifndef DRIVER_LIBCUDA_CU_H
#define DRIVER_LIBCUDA_CU_H

#include "driver/rt/calls.h"
#include "driver/rt/graph.h"
#include "driver/rt/rt.h"

typedef enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_NOT_INITIALIZED = 3,
	CUDA_ERROR_INVALID_DEVICE = 101,
	CUDA_ERROR_INVALID_IMAGE = 200,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
	CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
	CUDA_ERROR_FILE_NOT_FOUND = 301,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_NOT_SUPPORTED = 801,
	CUDA_ERROR_UNKNOWN = 999
} CUresult;

#define NO_CONTEXT ((cudaError_t)CUDA_ERROR_INVALID_CONTEXT)

typedef int CUdevice;
typedef void *CUdeviceptr; /* an integer in cuda.h, passed in the same way */
typedef struct CUctx_st *CUcontext;
typedef Binary *CUmodule, *CUlibrary;
typedef Function *CUfunction, *CUkernel;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef struct { char bytes[16]; } CUuuid;

/* A 3D copy, as CUDA_MEMCPY3D describes it. */
enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED };
typedef struct {
	size_t x, y, z, lod;
	int type;
	const void *host;
	CUdeviceptr device;
	void *array, *reserved;
	size_t pitch, height;
} End3D;
typedef struct { End3D from, to; size_t width, height, depth; } CUDA_MEMCPY3D;
/* Translates its arguments into *to. */
cudaError_t cu_copy(const CUDA_MEMCPY3D *c, Copy_work *to);

/* The version that a driver of CUDA 13.0 reports. */
enum { CU_VERSION = 13000 };

/* A call that needs a current context, and one that does not. */
#define IN_CONTEXT(rt, e) (rt ? cu_leave(rt, e) : cu_outside())
#define DRIVER(name, args, ...) ENTRY(CUresult, name, args, cu_enter(), IN_CONTEXT, __VA_ARGS__)
#define DRIVER_ANYWHERE(name, args, ...) \
	ENTRY(CUresult, name, args, rt_enter(), cu_leave, __VA_ARGS__)
/* The same for calls that do not return the error of an earlier launch, and with READY need cuInit
 * but no context. */
#define EARLY(rt, e) (rt ? cu_leave_early(rt, e) : cu_outside())
#define DRIVER_EARLY(name, args, ...) ENTRY(CUresult, name, args, cu_enter(), EARLY, __VA_ARGS__)
#define DRIVER_READY(name, args, ...) \
	ENTRY(CUresult, name, args, cu_enter_ready(), EARLY, __VA_ARGS__)
#define BOTH(runtime, name, args, ...) DRIVER(name, args, __VA_ARGS__)
#define ANYWHERE(runtime, name, args, ...) DRIVER_ANYWHERE(name, args, __VA_ARGS__)
#define PTSZ(runtime, name) ALSO(name, name##_ptsz)

/* Begins a call. Returns NULL if cuInit was not called or no context is current: the call returns
 * cu_outside(). */
Runtime *cu_enter(void);
Runtime *cu_enter_ready(void); /* NULL if cuInit was not called */
CUresult cu_outside(void);
/* Converts a runtime error into the driver's. */
CUresult cu_leave(Runtime *rt, cudaError_t e);
CUresult cu_leave_early(Runtime *rt, cudaError_t e); /* whatever a kernel did */
CUresult cu_result(cudaError_t e);
/* Fails on behalf of an unsupported call, with a message unless *said. */
CUresult cu_refuse(const char *name, bool *said);

#endif
