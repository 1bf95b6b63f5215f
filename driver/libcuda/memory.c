/* SPDX-License-Identifier: MIT */
/* Allocation, and queries about memory. */
#include "driver/libcuda/cu.h"
#include "driver/rt/memory.def"


/* ---- allocation ------------------------------------------------------------------------------ */

static cudaError_t
device_new(Runtime *rt, CUdeviceptr *p, size_t n, const char *call)
{
	return p && n ? memory_new(rt, p, n, call) : cudaErrorInvalidValue;
}

DRIVER(cuMemAlloc_v2, (p, n), CUdeviceptr *p, size_t n)
{
	return device_new(rt, p, n, "cuMemAlloc");
}

DRIVER(cuMemAllocAsync, (p, n, s), CUdeviceptr *p, size_t n, CUstream s)
{
	cudaError_t e = device_new(rt, p, n, "cuMemAllocAsync");
	return e ? e : work_on(rt, s, &(Work){ .kind = WORK_ALLOC });
}
ALSO(cuMemAllocAsync, cuMemAllocAsync_ptsz)

DRIVER(cuMemAllocPitch_v2, (p, pitch, width, height, item), CUdeviceptr *p, size_t *pitch,
	size_t width, size_t height, unsigned item)
{
	const size_t size[] = { width, height };
	(void)item;
	return p && width && height ? memory_new_rows(rt, p, pitch, size, "cuMemAllocPitch") :
				      cudaErrorInvalidValue;
}

/* A call of its own if the free is not captured. */
API CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s);
CUresult
cuMemFreeAsync(CUdeviceptr p, CUstream s)
{
	Runtime *rt = rt_enter(); /* a graph that uses the memory may be launched again */
	cudaError_t e = cudaSuccess;
	bool kept = capture_work(rt, s, &(Work){ .kind = WORK_FREE }, &e);
	CUresult r = cu_leave(rt, e);
	return r || kept ? r : cuMemFree_v2(p);
}
ALSO(cuMemFreeAsync, cuMemFreeAsync_ptsz)

DRIVER(cuMemAllocManaged, (p, n, flags), CUdeviceptr *p, size_t n, unsigned flags)
{
	Host_memory h = { .n = n, .type = cudaMemoryTypeManaged, .flags = flags };
	return memory_new_host(rt, p, h, "cuMemAllocManaged");
}

DRIVER(cuMemHostAlloc, (p, n, flags), void **p, size_t n, unsigned flags)
{
	Host_memory h = { .n = n, .type = cudaMemoryTypeHost, .flags = flags };
	return memory_new_host(rt, p, h, "cuMemHostAlloc");
}

DRIVER(cuMemAllocHost_v2, (p, n), void **p, size_t n)
{
	Host_memory h = { .n = n, .type = cudaMemoryTypeHost };
	return memory_new_host(rt, p, h, "cuMemAllocHost");
}

/* ---- questions ------------------------------------------------------------------------------- */

DRIVER_ANYWHERE(cuMemGetAddressRange_v2, (start, n, p), CUdeviceptr *start, size_t *n,
	CUdeviceptr p)
{
	void *first;
	size_t bytes;
	(void)memory_of(rt, p, &first, &bytes);
	if (start)
		*start = first;
	if (n)
		*n = bytes;
	return bytes ? cudaSuccess : cudaErrorInvalidSymbol;
}

/* What a pointer points to, for its attributes. */
typedef struct { CUdeviceptr p, start; size_t n; enum cudaMemoryType type; bool device; } Pointed;

/* CUpointer_attribute */
enum {
	POINTER_CONTEXT = 1,
	POINTER_MEMORY_TYPE,
	POINTER_DEVICE,
	POINTER_HOST,
	POINTER_SYNC = 6,
	POINTER_ID,
	POINTER_MANAGED,
	POINTER_ORDINAL,
	POINTER_IPC,
	POINTER_START,
	POINTER_SIZE,
	POINTER_MAPPED,
	POINTERS = 24
};

/* Returns false if the attribute is unknown. */
static bool
pointer_attribute(void *to, int attr, const Pointed *p)
{
	enum { OF_HOST = 1, OF_DEVICE = 2 };
	bool device = p->type == cudaMemoryTypeDevice || p->type == cudaMemoryTypeManaged;
	switch (attr) {
	case POINTER_CONTEXT: *(CUcontext *)to = context_current(); break;
	case POINTER_MEMORY_TYPE: *(unsigned *)to = device ? OF_DEVICE : OF_HOST; break;
	case POINTER_DEVICE: *(CUdeviceptr *)to = p->p; break;
	case POINTER_HOST:
		*(void **)to = p->device ? NULL : p->p;
		return !p->device;
	case POINTER_ID: *(unsigned long long *)to = (uintptr_t)p->start; break;
	case POINTER_MANAGED: *(int *)to = p->type == cudaMemoryTypeManaged; break;
	case POINTER_ORDINAL: *(int *)to = 0; break;
	case POINTER_START: *(CUdeviceptr *)to = p->start; break;
	case POINTER_SIZE: *(size_t *)to = p->n; break;
	case POINTER_MAPPED: *(int *)to = 1; break;
	default: *(int *)to = 0; break;
	}
	return attr > 0 && attr < POINTERS;
}

static Pointed
find_pointed(Runtime *rt, CUdeviceptr p)
{
	Pointed is = { .p = p, .device = memory_device(p) };
	is.type = memory_of(rt, p, &is.start, &is.n);
	return is;
}

DRIVER(cuPointerGetAttribute, (to, attr, p), void *to, int attr, CUdeviceptr p)
{
	Pointed is = find_pointed(rt, p);
	bool good = to && is.n && pointer_attribute(to, attr, &is);
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* Unknown attributes are reported as zeros. */
DRIVER(cuPointerGetAttributes, (n, attrs, to, p), unsigned n, int *attrs, void **to, CUdeviceptr p)
{
	if (!attrs || !to)
		return cudaErrorInvalidValue;
	Pointed is = find_pointed(rt, p);
	for (unsigned k = 0; k < n; k++) {
		bool wide = attrs[k] == POINTER_CONTEXT || attrs[k] == POINTER_DEVICE ||
			attrs[k] == POINTER_HOST || attrs[k] == POINTER_ID ||
			attrs[k] == POINTER_START || attrs[k] == POINTER_SIZE;
		if (is.n)
			(void)pointer_attribute(to[k], attrs[k], &is);
		else if (wide)
			*(uint64_t *)to[k] = 0;
		else
			*(int *)to[k] = attrs[k] == POINTER_ORDINAL ? -2 : 0;
	}
	return cudaSuccess;
}

DRIVER_ANYWHERE(cuPointerSetAttribute, (value, attr, p), const void *value, int attr, CUdeviceptr p)
{
	(void)p;
	return value && attr == POINTER_SYNC ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- advice, which changes nothing here ------------------------------------------------------ */

DRIVER(cuMemAdvise, (p, n, advice, device), CUdeviceptr p, size_t n, int advice, CUdevice device)
{
	(void)p, (void)n, (void)advice, (void)device;
	return cudaSuccess;
}

DRIVER(cuMemPrefetchAsync, (p, n, to, s), CUdeviceptr p, size_t n, CUdevice to, CUstream s)
{
	(void)p, (void)n, (void)to, (void)s;
	return cudaSuccess;
}
ALSO(cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz)
