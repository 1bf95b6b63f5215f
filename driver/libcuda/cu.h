/* SPDX-License-Identifier: MIT */
/* CUDA's driver interface on the emulator (driver/rt/): libcuda.so.1, for programs that make their
 * kernels while they run (NVRTC), and for Python's libraries. Internal to driver/libcuda/.
 *
 * Types are laid out as in the toolkit's cuda.h, under its names. Functions not described here do
 * what NVIDIA's CUDA Driver API manual says. A module is a Binary of driver/rt/, and a library as
 * well; a function is a Function, and a kernel as well; a context is a Context.
 *
 *	entry.c     cuInit, cuGetProcAddress; error.c: errors
 *	other.c     calls that fail with a message
 *	device.c    the device; context.c: contexts
 *	module.c    modules, libraries; link.c, nvjitlink.c: PTX to be linked
 *	function.c  attributes of kernels, occupancy; launch.c: launches
 *	memory.c    allocation, questions; copy.c: copies; set.c: sets
 *	stream.c    streams, events, callbacks; texture.c: arrays, textures
 *	graph.h     graphs, streams that are captured
 */
#ifndef DRIVER_LIBCUDA_CU_H
#define DRIVER_LIBCUDA_CU_H

#include "driver/rt/graph.h"
#include "driver/rt/rt.h"

#define API __attribute__((visibility("default")))
/* The same call under another name, in the same file: of another version, or with a thread's own
 * default stream as stream 0. */
#define ALSO(name, other) API extern __typeof__(name) other __attribute__((alias(#name)));

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

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef Binary *CUmodule, *CUlibrary;
typedef Function *CUfunction, *CUkernel;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef struct { char bytes[16]; } CUuuid;

/* A copy of a box, as CUDA_MEMCPY3D has it. */
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
/* What it asks for. */
cudaError_t cu_copy(const CUDA_MEMCPY3D *c, Copy_work *to);

/* What a driver of CUDA 13.0 says. */
enum { CU_VERSION = 13000 };

/* Every call that works: Runtime *rt = cu_enter(); if (!rt) return cu_outside(); ... return
 * cu_leave(rt, error). NULL: cuInit was not called, or no context is current. */
Runtime *cu_enter(void);
CUresult cu_outside(void);
/* A runtime's error, in the driver's numbers. */
CUresult cu_leave(Runtime *rt, cudaError_t e);
CUresult cu_result(cudaError_t e);
/* For a call that the emulator lacks: says so, unless *said, and fails. */
CUresult cu_refuse(const char *name, bool *said);

static inline void *
cu_pointer(CUdeviceptr p)
{
	return (void *)(uintptr_t)p;
}
static inline CUdeviceptr
cu_address(const void *p)
{
	return (CUdeviceptr)(uintptr_t)p;
}

#endif
