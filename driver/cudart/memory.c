/* SPDX-License-Identifier: MIT */
/* Allocation, and queries about memory. */
#include <string.h>
#include "driver/cudart/cudart.h"
#include "driver/rt/memory.def"

RUNTIME(cudaMalloc, (p, n), void **p, size_t n)
{
	return memory_new(rt, p, n, "cudaMalloc");
}

RUNTIME(cudaMallocAsync, (p, n, stream), void **p, size_t n, cudaStream_t stream)
{
	cudaError_t e = memory_new(rt, p, n, "cudaMallocAsync");
	return e ? e : work_on(rt, stream, &(Work){ .kind = WORK_ALLOC });
}
ALSO(cudaMallocAsync, cudaMallocAsync_ptsz)

RUNTIME(cudaMallocPitch, (p, pitch, width, height), void **p, size_t *pitch, size_t width,
	size_t height)
{
	const size_t size[] = { width, height };
	return memory_new_rows(rt, p, pitch, size, "cudaMallocPitch");
}

API cudaError_t
cudaMalloc3D(cudaPitchedPtr *p, cudaExtent extent)
{
	size_t height = extent.height && extent.depth > MEMORY_BYTES / extent.height ?
		SIZE_MAX :
		extent.height * extent.depth;
	if (!p)
		return rt_leave(rt_enter(), cudaErrorInvalidValue);
	p->xsize = extent.width;
	p->ysize = extent.height;
	return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, height);
}

/* ---- the host's ------------------------------------------------------------------------------ */

RUNTIME(cudaMallocManaged, (p, n, flags), void **p, size_t n, unsigned flags)
{
	Host_memory h = { .n = n, .type = cudaMemoryTypeManaged, .flags = flags };
	return memory_new_host(rt, p, h, "cudaMallocManaged");
}

RUNTIME(cudaHostAlloc, (p, n, flags), void **p, size_t n, unsigned flags)
{
	Host_memory h = { .n = n, .type = cudaMemoryTypeHost, .flags = flags };
	return memory_new_host(rt, p, h, "cudaHostAlloc");
}

RUNTIME(cudaMallocHost, (p, n), void **p, size_t n)
{
	return memory_new_host(rt, p, (Host_memory){ .n = n, .type = cudaMemoryTypeHost },
		"cudaMallocHost");
}

RUNTIME(cudaFreeAsync, (p, stream), void *p, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess; /* a graph that uses the memory may be launched again */
	if (capture_work(rt, stream, &(Work){ .kind = WORK_FREE }, &e) || e)
		return e;
	return memory_free(rt, p);
}
ALSO(cudaFreeAsync, cudaFreeAsync_ptsz)

/* ---- questions ------------------------------------------------------------------------------- */

RUNTIME(cudaPointerGetAttributes, (a, p), cudaPointerAttributes *a, const void *p)
{
	void *start;
	size_t n;
	if (!a)
		return cudaErrorInvalidValue;
	/* CUDA 12's struct ends before the reserved members */
	memset(a, 0, rt_version < 13000 ? offsetof(cudaPointerAttributes, reserved) : sizeof *a);
	a->device = -1;
	a->type = memory_of(rt, p, &start, &n);
	if (a->type)
		a->device = 0, a->devicePointer = (void *)(uintptr_t)p;
	if (a->type != cudaMemoryTypeDevice)
		a->hostPointer = (void *)(uintptr_t)p;
	return cudaSuccess;
}
