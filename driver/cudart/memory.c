/* SPDX-License-Identifier: MIT */
/* Allocation. Device memory has addresses that only kernels have: a host that uses one crashes, as
 * with a GPU. Managed and page-locked memory, and what cudaHostRegister names, is the host's own,
 * at one address on both sides (simt.h, sim_map). */
#include <stdlib.h>
#include <string.h>
#include "driver/cudart/cudart.h"

enum { PITCH = 512, HOST_ALIGN = 4096 };

bool memory_device(const void *p) { return sim_only((uint64_t)(uintptr_t)p); }

/* That p points into; NULL: none. */
static Host_memory *
host_memory(const Runtime *rt, const void *p)
{
	for (uint32_t i = 0; i < rt->host.n; i++) {
		Host_memory *h = &rt->host.at[i];
		if ((const char *)p >= (const char *)h->at &&
			(size_t)((const char *)p - (const char *)h->at) < h->n)
			return h;
	}
	return NULL;
}

/* ---- device memory --------------------------------------------------------------------------- */

/* What messages call the memory: "cudaMalloc number 3". Kept, as the emulator keeps freed memory's
 * names. */
static const char *
label(Runtime *rt, const char *call)
{
	Buf name = {0};
	buf_printf(&name, "%s number %u", call, ++rt->allocations);
	return name.at;
}

static cudaError_t
device_new(Runtime *rt, void **p, size_t n, const char *call)
{
	if (!p)
		return cudaErrorInvalidValue;
	*p = NULL;
	if (n > MEMORY_BYTES - rt->used)
		return cudaErrorMemoryAllocation;
	if (n)
		*p = (void *)(uintptr_t)sim_alloc_unwritten(rt->memory, n, label(rt, call));
	if (n && !*p)
		return cudaErrorMemoryAllocation;
	rt->used += n;
	return cudaSuccess;
}

API cudaError_t
cudaMalloc(void **p, size_t n)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, device_new(rt, p, n, "cudaMalloc"));
}

API cudaError_t
cudaMallocAsync(void **p, size_t n, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	(void)stream;
	return rt_leave(rt, device_new(rt, p, n, "cudaMallocAsync"));
}
ALSO(cudaMallocAsync, cudaMallocAsync_ptsz)

static size_t round_up(size_t n) { return (n + PITCH - 1) / PITCH * PITCH; }

API cudaError_t
cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	Runtime *rt = rt_enter();
	if (!pitch || width > MEMORY_BYTES || height > MEMORY_BYTES / (round_up(width) + 1))
		return rt_leave(rt, pitch ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
	*pitch = round_up(width);
	return rt_leave(rt, device_new(rt, p, *pitch * height, "cudaMallocPitch"));
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

static cudaError_t
host_add(Runtime *rt, Host_memory h, const char *call)
{
	*vec_push(&rt->host) = h;
	sim_map(rt->memory, h.at, h.n, label(rt, call));
	return cudaSuccess;
}

static cudaError_t
host_new(Runtime *rt, void **p, Host_memory h, const char *call)
{
	if (!p)
		return cudaErrorInvalidValue;
	*p = NULL;
	if (!h.n)
		return h.type == cudaMemoryTypeManaged ? cudaErrorInvalidValue : cudaSuccess;
	if (h.n > MEMORY_BYTES)
		return cudaErrorMemoryAllocation;
	h.at = aligned_alloc(HOST_ALIGN, (h.n + HOST_ALIGN - 1) / HOST_ALIGN * HOST_ALIGN);
	if (!h.at)
		return cudaErrorMemoryAllocation;
	memset(h.at, 0, h.n);
	*p = h.at;
	return host_add(rt, h, call);
}

API cudaError_t
cudaMallocManaged(void **p, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		host_new(rt, p,
			(Host_memory){ .n = n, .type = cudaMemoryTypeManaged, .flags = flags },
			"cudaMallocManaged"));
}

API cudaError_t
cudaHostAlloc(void **p, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		host_new(rt, p, (Host_memory){ .n = n, .type = cudaMemoryTypeHost, .flags = flags },
			"cudaHostAlloc"));
}

API cudaError_t
cudaMallocHost(void **p, size_t n)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		host_new(rt, p, (Host_memory){ .n = n, .type = cudaMemoryTypeHost },
			"cudaMallocHost"));
}

API cudaError_t
cudaHostRegister(void *p, size_t n, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!p || !n || memory_device(p))
		return rt_leave(rt, cudaErrorInvalidValue);
	if (host_memory(rt, p) || host_memory(rt, (char *)p + n - 1))
		return rt_leave(rt, cudaErrorHostMemoryAlreadyRegistered);
	Host_memory h = { p, n, cudaMemoryTypeHost, true, flags };
	return rt_leave(rt, host_add(rt, h, "cudaHostRegister"));
}

/* Takes away the memory that begins at p, if it is of that kind. */
static bool
host_remove(Runtime *rt, void *p, enum cudaMemoryType type, bool registered)
{
	Host_memory *h = host_memory(rt, p);
	if (!h || h->at != p || h->type != type || h->registered != registered)
		return false;
	sim_unmap(rt->memory, (uint64_t)(uintptr_t)p);
	if (!registered)
		free(p);
	*h = *vec_pop(&rt->host);
	return true;
}

API cudaError_t
cudaHostUnregister(void *p)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		host_remove(rt, p, cudaMemoryTypeHost, true) ? cudaSuccess :
							       cudaErrorHostMemoryNotRegistered);
}

API cudaError_t
cudaFreeHost(void *p)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		!p || host_remove(rt, p, cudaMemoryTypeHost, false) ? cudaSuccess :
								      cudaErrorInvalidValue);
}

static cudaError_t
device_free(Runtime *rt, void *p)
{
	uint64_t at = (uint64_t)(uintptr_t)p, start;
	if (!p || host_remove(rt, p, cudaMemoryTypeManaged, false))
		return cudaSuccess;
	size_t n = memory_device(p) ? sim_buffer(rt->memory, at, &start) : 0;
	if (!n || !sim_release(rt->memory, at))
		return cudaErrorInvalidValue;
	rt->used -= n;
	return cudaSuccess;
}

API cudaError_t
cudaFree(void *p)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, device_free(rt, p));
}

API cudaError_t
cudaFreeAsync(void *p, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	(void)stream;
	return rt_leave(rt, device_free(rt, p));
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
	const Host_memory *h = host_memory(rt, p);
	uint64_t start, at = (uint64_t)(uintptr_t)p;
	if (!a)
		return rt_leave(rt, cudaErrorInvalidValue);
	memset(a, 0, sizeof *a);
	a->device = -1;
	if (h)
		a->type = h->type;
	else if (sim_buffer(rt->memory, at, &start))
		a->type = memory_device(p) ?
			cudaMemoryTypeDevice :
			cudaMemoryTypeManaged; /* the latter: a __managed__ variable */
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
	if (!device || flags || !host_memory(rt, host))
		return rt_leave(rt, cudaErrorInvalidValue);
	*device = host;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaHostGetFlags(unsigned *flags, void *host)
{
	Runtime *rt = rt_enter();
	const Host_memory *h = host_memory(rt, host);
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
