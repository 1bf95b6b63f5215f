/* SPDX-License-Identifier: MIT */
/* Allocation, and queries about memory. */
#include "driver/libcuda/cu.h"

typedef struct { int type, id; } Location;

API CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n);
API CUresult cuMemAllocAsync(CUdeviceptr *p, size_t n, CUstream s);
API CUresult cuMemAllocPitch_v2(
	CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned item);
API CUresult cuMemAllocManaged(CUdeviceptr *p, size_t n, unsigned flags);
API CUresult cuMemAllocHost_v2(void **p, size_t n);
API CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags);
API CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned flags);
API CUresult cuMemHostUnregister(void *p);
API CUresult cuMemFree_v2(CUdeviceptr p);
API CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s);
API CUresult cuMemFreeHost(void *p);
API CUresult cuMemGetInfo_v2(size_t *unused, size_t *total);
API CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *n, CUdeviceptr p);
API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *p, unsigned flags);
API CUresult cuMemHostGetFlags(unsigned *flags, void *p);
API CUresult cuPointerGetAttribute(void *to, int attr, CUdeviceptr p);
API CUresult cuPointerGetAttributes(unsigned n, int *attrs, void **to, CUdeviceptr p);
API CUresult cuPointerSetAttribute(const void *value, int attr, CUdeviceptr p);
API CUresult cuMemAdvise(CUdeviceptr p, size_t n, int advice, CUdevice device);
API CUresult cuMemAdvise_v2(CUdeviceptr p, size_t n, int advice, Location at);
API CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t n, CUdevice to, CUstream s);
API CUresult cuMemPrefetchAsync_v2(
	CUdeviceptr p, size_t n, Location to, unsigned flags, CUstream s);
API CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t n, unsigned flags);

/* ---- the device's ---------------------------------------------------------------------------- */

static CUresult
device_new(CUdeviceptr *p, size_t n, const char *call)
{
	Runtime *rt = cu_enter();
	void *at = NULL;
	if (!rt)
		return cu_outside();
	cudaError_t e = p && n ? memory_new(rt, &at, n, call) : cudaErrorInvalidValue;
	if (!e)
		*p = cu_address(at);
	return cu_leave(rt, e);
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) { return device_new(p, n, "cuMemAlloc"); }

CUresult
cuMemAllocAsync(CUdeviceptr *p, size_t n, CUstream s)
{
	CUresult e = device_new(p, n, "cuMemAllocAsync");
	if (e)
		return e;
	Runtime *rt = rt_enter();
	return cu_leave(rt, work_on(rt, s, &(Work){ .kind = WORK_ALLOC }));
}
ALSO(cuMemAllocAsync, cuMemAllocAsync_ptsz)

CUresult
cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned item)
{
	Runtime *rt = cu_enter();
	const size_t size[] = { width, height };
	void *at = NULL;
	(void)item;
	if (!rt)
		return cu_outside();
	cudaError_t e = p && width && height ?
		memory_new_rows(rt, &at, pitch, size, "cuMemAllocPitch") :
		cudaErrorInvalidValue;
	if (!e)
		*p = cu_address(at);
	return cu_leave(rt, e);
}

CUresult
cuMemFree_v2(CUdeviceptr p)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, memory_free(rt, cu_pointer(p))) : cu_outside();
}

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

CUresult
cuMemGetInfo_v2(size_t *unused, size_t *total)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (total)
		*total = MEMORY_BYTES;
	if (unused)
		*unused = MEMORY_BYTES - rt->used;
	return cu_leave(rt, unused && total ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- the host's ------------------------------------------------------------------------------ */

static CUresult
host_new(void **p, Host_memory h, const char *call)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, memory_new_host(rt, p, h, call)) : cu_outside();
}

CUresult
cuMemAllocManaged(CUdeviceptr *p, size_t n, unsigned flags)
{
	void *at = NULL;
	Host_memory h = { .n = n, .type = cudaMemoryTypeManaged, .flags = flags };
	CUresult e = p ? host_new(&at, h, "cuMemAllocManaged") : CUDA_ERROR_INVALID_VALUE;
	if (!e)
		*p = cu_address(at);
	return e;
}

CUresult
cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
	Host_memory h = { .n = n, .type = cudaMemoryTypeHost, .flags = flags };
	return host_new(p, h, "cuMemHostAlloc");
}

CUresult
cuMemAllocHost_v2(void **p, size_t n)
{
	Host_memory h = { .n = n, .type = cudaMemoryTypeHost };
	return host_new(p, h, "cuMemAllocHost");
}

CUresult
cuMemHostRegister_v2(void *p, size_t n, unsigned flags)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, memory_register(rt, p, n, flags)) : cu_outside();
}

CUresult
cuMemHostUnregister(void *p)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, memory_unregister(rt, p)) : cu_outside();
}

CUresult
cuMemFreeHost(void *p)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, memory_free_host(rt, p)) : cu_outside();
}

CUresult
cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *p, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!device || flags || !memory_host(rt, p))
		return cu_leave(rt, cudaErrorInvalidValue);
	*device = cu_address(p);
	return cu_leave(rt, cudaSuccess);
}

CUresult
cuMemHostGetFlags(unsigned *flags, void *p)
{
	enum { MAPPED = 2 };
	Runtime *rt = rt_enter();
	const Host_memory *h = memory_host(rt, p);
	if (!flags || !h || h->type != cudaMemoryTypeHost)
		return cu_leave(rt, cudaErrorInvalidValue);
	*flags = h->flags | MAPPED;
	return cu_leave(rt, cudaSuccess);
}

/* ---- questions ------------------------------------------------------------------------------- */

CUresult
cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *n, CUdeviceptr p)
{
	Runtime *rt = rt_enter();
	void *first;
	size_t bytes;
	(void)memory_of(rt, cu_pointer(p), &first, &bytes);
	if (start)
		*start = cu_address(first);
	if (n)
		*n = bytes;
	return cu_leave(rt, bytes ? cudaSuccess : cudaErrorInvalidSymbol);
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
		*(void **)to = p->device ? NULL : cu_pointer(p->p);
		return !p->device;
	case POINTER_ID: *(unsigned long long *)to = p->start; break;
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
	void *start;
	Pointed is = { .p = p, .device = memory_device(cu_pointer(p)) };
	is.type = memory_of(rt, cu_pointer(p), &start, &is.n);
	is.start = cu_address(start);
	return is;
}

CUresult
cuPointerGetAttribute(void *to, int attr, CUdeviceptr p)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	Pointed is = find_pointed(rt, p);
	bool good = to && is.n && pointer_attribute(to, attr, &is);
	return cu_leave(rt, good ? cudaSuccess : cudaErrorInvalidValue);
}

/* Unknown attributes are reported as zeros. */
CUresult
cuPointerGetAttributes(unsigned n, int *attrs, void **to, CUdeviceptr p)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (!attrs || !to)
		return cu_leave(rt, cudaErrorInvalidValue);
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
	return cu_leave(rt, cudaSuccess);
}

CUresult
cuPointerSetAttribute(const void *value, int attr, CUdeviceptr p)
{
	(void)p;
	return value && attr == POINTER_SYNC ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- advice, which changes nothing here ------------------------------------------------------ */

static CUresult
report_success(void)
{
	Runtime *rt = cu_enter();
	return rt ? cu_leave(rt, cudaSuccess) : cu_outside();
}

CUresult
cuMemAdvise(CUdeviceptr p, size_t n, int advice, CUdevice device)
{
	(void)p, (void)n, (void)advice, (void)device;
	return report_success();
}

CUresult
cuMemAdvise_v2(CUdeviceptr p, size_t n, int advice, Location at)
{
	(void)p, (void)n, (void)advice, (void)at;
	return report_success();
}

CUresult
cuMemPrefetchAsync(CUdeviceptr p, size_t n, CUdevice to, CUstream s)
{
	(void)p, (void)n, (void)to, (void)s;
	return report_success();
}
ALSO(cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz)

CUresult
cuMemPrefetchAsync_v2(CUdeviceptr p, size_t n, Location to, unsigned flags, CUstream s)
{
	(void)p, (void)n, (void)to, (void)flags, (void)s;
	return report_success();
}
ALSO(cuMemPrefetchAsync_v2, cuMemPrefetchAsync_v2_ptsz)

CUresult
cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t n, unsigned flags)
{
	(void)s, (void)p, (void)n, (void)flags;
	return report_success();
}
ALSO(cuStreamAttachMemAsync, cuStreamAttachMemAsync_ptsz)
