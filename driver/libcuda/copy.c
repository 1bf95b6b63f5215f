/* SPDX-License-Identifier: MIT */
/* Copies. The device's addresses are no host's, so that what is copied where can be checked. */
#include "driver/libcuda/cu.h"

enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED };

typedef struct {
	size_t x, y;
	int type;
	const void *host;
	CUdeviceptr device;
	void *array;
	size_t pitch;
} End2D;
typedef struct { End2D from, to; size_t width, height; } CUDA_MEMCPY2D;

typedef struct {
	size_t x, y, z, lod;
	int type;
	const void *host;
	CUdeviceptr device;
	void *array, *reserved;
	size_t pitch, height;
} End3D;
typedef struct { End3D from, to; size_t width, height, depth; } CUDA_MEMCPY3D;

API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n);
API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s);
API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n);
API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n);
API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n);
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s);
API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s);
API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s);
API CUresult cuMemcpyPeer(
	CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n);
API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
	CUcontext from_context, size_t n, CUstream s);
API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c);
API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c);
API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream s);
API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c);
API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream s);

/* ---- of rows of bytes ------------------------------------------------------------------------ */

static CUresult
copy(const void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	Place d = { (void *)(uintptr_t)to, 0, 0 }, s = { (void *)(uintptr_t)from, 0, 0 };
	return cu_leave(rt, copy_box(rt, d, s, (Box){ n, 1, 1 }, kind));
}

CUresult
cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n)
{
	return copy(cu_pointer(to), cu_pointer(from), n, cudaMemcpyDefault);
}
ALSO(cuMemcpy, cuMemcpy_ptds)

CUresult
cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n)
{
	return copy(cu_pointer(to), from, n, cudaMemcpyHostToDevice);
}
ALSO(cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds)

CUresult
cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n)
{
	return copy(to, cu_pointer(from), n, cudaMemcpyDeviceToHost);
}
ALSO(cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds)

CUresult
cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n)
{
	return copy(cu_pointer(to), cu_pointer(from), n, cudaMemcpyDeviceToDevice);
}
ALSO(cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds)

CUresult
cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
	(void)s;
	return cuMemcpy(to, from, n);
}
ALSO(cuMemcpyAsync, cuMemcpyAsync_ptsz)

CUresult
cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s)
{
	(void)s;
	return cuMemcpyHtoD_v2(to, from, n);
}
ALSO(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz)

CUresult
cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s)
{
	(void)s;
	return cuMemcpyDtoH_v2(to, from, n);
}
ALSO(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz)

CUresult
cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
	(void)s;
	return cuMemcpyDtoD_v2(to, from, n);
}
ALSO(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz)

CUresult
cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
	size_t n)
{
	(void)to_context, (void)from_context;
	return cuMemcpyDtoD_v2(to, from, n);
}
ALSO(cuMemcpyPeer, cuMemcpyPeer_ptds)

CUresult
cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
	size_t n, CUstream s)
{
	(void)s;
	return cuMemcpyPeer(to, to_context, from, from_context, n);
}
ALSO(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz)

/* ---- of boxes -------------------------------------------------------------------------------- */

static Place
place(const End3D *e)
{
	size_t slice = e->pitch * e->height;
	const char *at = e->type == MEMORY_HOST ? e->host : cu_pointer(e->device);
	at += e->z * slice + e->y * e->pitch + e->x;
	return (Place){ (void *)(uintptr_t)at, e->pitch, slice };
}

/* Of two types, as one of cudaMemcpy. */
static enum cudaMemcpyKind
kind_of(int from, int to)
{
	if (from == MEMORY_UNIFIED || to == MEMORY_UNIFIED)
		return cudaMemcpyDefault;
	if (from == MEMORY_DEVICE)
		return to == MEMORY_DEVICE ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
	return to == MEMORY_DEVICE ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

CUresult
cuMemcpy3D_v2(const CUDA_MEMCPY3D *c)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (c && (c->from.type == MEMORY_ARRAY || c->to.type == MEMORY_ARRAY)) {
		rt_say("copies of arrays are not supported by the emulator");
		return cu_leave(rt, cudaErrorNotSupported);
	}
	if (!c || c->from.type < MEMORY_HOST || c->from.type > MEMORY_UNIFIED ||
		c->to.type < MEMORY_HOST || c->to.type > MEMORY_UNIFIED)
		return cu_leave(rt, cudaErrorInvalidValue);
	Box b = { c->width, c->height, c->depth };
	return cu_leave(rt, copy_box(rt, place(&c->to), place(&c->from), b,
		kind_of(c->from.type, c->to.type)));
}
ALSO(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds)

CUresult
cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream s)
{
	(void)s;
	return cuMemcpy3D_v2(c);
}
ALSO(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz)

static End3D
of_plane(const End2D *e)
{
	return (End3D){ .x = e->x, .y = e->y, .type = e->type, .host = e->host,
		.device = e->device, .array = e->array, .pitch = e->pitch };
}

CUresult
cuMemcpy2D_v2(const CUDA_MEMCPY2D *c)
{
	if (!c)
		return cuMemcpy3D_v2(NULL);
	const CUDA_MEMCPY3D box = { of_plane(&c->from), of_plane(&c->to), c->width, c->height, 1 };
	return cuMemcpy3D_v2(&box);
}
ALSO(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds)
ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2)
ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2_ptds)

CUresult
cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream s)
{
	(void)s;
	return cuMemcpy2D_v2(c);
}
ALSO(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz)
