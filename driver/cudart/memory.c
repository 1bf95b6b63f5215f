/* SPDX-License-Identifier: MIT */
/* Allocation, and queries about memory. */
#include <string.h>
#include "driver/cudart/cudart.h"

API cudaError_t
cudaMalloc(void **p, size_t n)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, memory_new(rt, p, n, "cudaMalloc"));
}

API cudaError_t
cudaMallocAsync(void **p, size_t n, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	cudaError_t e = memory_new(rt, p, n, "cudaMallocAsync");
	return rt_leave(rt, e ? e : work_on(rt, stream, &(Work){ .kind = WORK_ALLOC }));
}
ALSO(cudaMallocAsync, cudaMallocAsync_ptsz)

API cudaError_t
cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	Runtime *rt = rt_enter();
	const size_t size[] = { width, height };
	return rt_leave(rt, memory_new_rows(rt, p, pitch, size, "cudaMallocPitch"));
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

API cudaError_t
cudaMallocManaged(void **p, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	Host_memory h = { .n = n, .type = cudaMemoryTypeManaged, .flags = flags };
	return rt_leave(rt, memory_new_host(rt, p, h, "cudaMallocManaged"));
}

API cudaError_t
cudaHostAlloc(void **p, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	Host_memory h = { .n = n, .type = cudaMemoryTypeHost, .flags = flags };
	return rt_leave(rt, memory_new_host(rt, p, h, "cudaHostAlloc"));
}

API cudaError_t
cudaMallocHost(void **p, size_t n)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		memory_new_host(rt, p, (Host_memory){ .n = n, .type = cudaMemoryTypeHost },
			"cudaMallocHost"));
}

API cudaError_t
cudaHostRegister(void *p, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, memory_register(rt, p, n, flags));
}

API cudaError_t
cudaHostUnregister(void *p)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, memory_unregister(rt, p));
}

API cudaError_t
cudaFreeHost(void *p)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, memory_free_host(rt, p));
}

API cudaError_t
cudaFree(void *p)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, memory_free(rt, p));
}

API cudaError_t
cudaFreeAsync(void *p, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaSuccess; /* a graph that uses the memory may be launched again */
	if (capture_work(rt, stream, &(Work){ .kind = WORK_FREE }, &e) || e)
		return rt_leave(rt, e);
	return rt_leave(rt, memory_free(rt, p));
}
ALSO(cudaFreeAsync, cudaFreeAsync_ptsz)

/* ---- questions ------------------------------------------------------------------------------- */

API cudaError_t
cudaMemGetInfo(size_t *unused, size_t *total)
{
	Runtime *rt = rt_enter();
	if (!unused || !total)
		return rt_leave(rt, cudaErrorInvalidValue);
	*total = MEMORY_BYTES;
	*unused = MEMORY_BYTES - rt->used;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
	Runtime *rt = rt_enter();
	void *start;
	size_t n;
	if (!a)
		return rt_leave(rt, cudaErrorInvalidValue);
	/* CUDA 12's struct ends before the reserved members */
	memset(a, 0, rt_version < 13000 ? offsetof(cudaPointerAttributes, reserved) : sizeof *a);
	a->device = -1;
	a->type = memory_of(rt, p, &start, &n);
	if (a->type)
		a->device = 0, a->devicePointer = (void *)(uintptr_t)p;
	if (a->type != cudaMemoryTypeDevice)
		a->hostPointer = (void *)(uintptr_t)p;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!device || flags || !memory_host(rt, host))
		return rt_leave(rt, cudaErrorInvalidValue);
	*device = host;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaHostGetFlags(unsigned *flags, void *host)
{
	Runtime *rt = rt_enter();
	const Host_memory *h = memory_host(rt, host);
	if (!flags || !h || h->type != cudaMemoryTypeHost)
		return rt_leave(rt, cudaErrorInvalidValue);
	*flags = h->flags | cudaHostAllocMapped;
	return rt_leave(rt, cudaSuccess);
}

/* ---- advice, which changes nothing here ------------------------------------------------------ */

API cudaError_t
cudaMemPrefetchAsync(
	const void *p, size_t n, cudaMemLocation to, unsigned flags, cudaStream_t stream)
{
	(void)p, (void)n, (void)to, (void)flags, (void)stream;
	return rt_leave(rt_enter(), cudaSuccess);
}
ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz)

API cudaError_t
cudaMemAdvise(const void *p, size_t n, int advice, cudaMemLocation at)
{
	(void)p, (void)n, (void)advice, (void)at;
	return rt_leave(rt_enter(), cudaSuccess);
}

API cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t n, unsigned flags)
{
	(void)stream, (void)p, (void)n, (void)flags;
	return rt_leave(rt_enter(), cudaSuccess);
}
ALSO(cudaStreamAttachMemAsync, cudaStreamAttachMemAsync_ptsz)
