/* SPDX-License-Identifier: MIT */
/* Copies. Device addresses are not valid host addresses, so the direction of a copy can be
 * checked. */
#include "driver/libcuda/cu.h"

typedef struct {
	size_t x, y;
	int type;
	const void *host;
	CUdeviceptr device;
	void *array;
	size_t pitch;
} End2D;
typedef struct { End2D from, to; size_t width, height; } CUDA_MEMCPY2D;

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

typedef struct { const void *to, *from; size_t n; enum cudaMemcpyKind kind; } Bytes;

static CUresult
copy_bytes(Bytes b, CUstream stream)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	Copy_place d = { (void *)(uintptr_t)b.to, 0, 0 }, s = { (void *)(uintptr_t)b.from, 0, 0 };
	return cu_leave(rt, work_copy(rt, stream, (Copy_work){ d, s, { b.n, 1, 1 }, b.kind }));
}

CUresult
cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
	return copy_bytes((Bytes){ cu_pointer(to), cu_pointer(from), n, cudaMemcpyDefault }, s);
}
ALSO(cuMemcpyAsync, cuMemcpyAsync_ptsz)

CUresult
cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n)
{
	return cuMemcpyAsync(to, from, n, NULL);
}
ALSO(cuMemcpy, cuMemcpy_ptds)

CUresult
cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s)
{
	return copy_bytes((Bytes){ cu_pointer(to), from, n, cudaMemcpyHostToDevice }, s);
}
ALSO(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz)

CUresult
cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n)
{
	return cuMemcpyHtoDAsync_v2(to, from, n, NULL);
}
ALSO(cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds)

CUresult
cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s)
{
	return copy_bytes((Bytes){ to, cu_pointer(from), n, cudaMemcpyDeviceToHost }, s);
}
ALSO(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz)

CUresult
cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n)
{
	return cuMemcpyDtoHAsync_v2(to, from, n, NULL);
}
ALSO(cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds)

CUresult
cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
	return copy_bytes(
		(Bytes){ cu_pointer(to), cu_pointer(from), n, cudaMemcpyDeviceToDevice }, s);
}
ALSO(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz)

CUresult
cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n)
{
	return cuMemcpyDtoDAsync_v2(to, from, n, NULL);
}
ALSO(cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds)

CUresult
cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
	size_t n, CUstream s)
{
	(void)to_context, (void)from_context;
	return cuMemcpyDtoDAsync_v2(to, from, n, s);
}
ALSO(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz)

CUresult
cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
	size_t n)
{
	return cuMemcpyPeerAsync(to, to_context, from, from_context, n, NULL);
}
ALSO(cuMemcpyPeer, cuMemcpyPeer_ptds)

/* ---- of boxes -------------------------------------------------------------------------------- */

static Copy_place
place_of_end(const End3D *e)
{
	if (e->type == MEMORY_ARRAY)
		return array_place(e->array, e->x, e->y, e->z);
	size_t slice = e->pitch * e->height;
	const char *at = e->type == MEMORY_HOST ? e->host : cu_pointer(e->device);
	at += e->z * slice + e->y * e->pitch + e->x;
	return (Copy_place){ (void *)(uintptr_t)at, e->pitch, slice };
}

/* Converts two memory types to a cudaMemcpyKind. */
static enum cudaMemcpyKind
kind_of(int from, int to)
{
	from = from == MEMORY_ARRAY ? MEMORY_DEVICE : from;
	to = to == MEMORY_ARRAY ? MEMORY_DEVICE : to;
	if (from == MEMORY_UNIFIED || to == MEMORY_UNIFIED)
		return cudaMemcpyDefault;
	if (from == MEMORY_DEVICE)
		return to == MEMORY_DEVICE ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
	return to == MEMORY_DEVICE ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

cudaError_t
cu_copy(const CUDA_MEMCPY3D *c, Copy_work *to)
{
	if (!c || c->from.type < MEMORY_HOST || c->from.type > MEMORY_UNIFIED ||
		c->to.type < MEMORY_HOST || c->to.type > MEMORY_UNIFIED)
		return cudaErrorInvalidValue;
	if ((c->from.type == MEMORY_ARRAY && !c->from.array) ||
		(c->to.type == MEMORY_ARRAY && !c->to.array))
		return cudaErrorInvalidResourceHandle;
	*to = (Copy_work){ place_of_end(&c->to), place_of_end(&c->from),
		{ c->width, c->height, c->depth }, kind_of(c->from.type, c->to.type) };
	return cudaSuccess;
}

CUresult
cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream s)
{
	Runtime *rt = cu_enter();
	Copy_work w;
	if (!rt)
		return cu_outside();
	cudaError_t e = cu_copy(c, &w);
	return cu_leave(rt, e ? e : work_copy(rt, s, w));
}
ALSO(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz)

CUresult
cuMemcpy3D_v2(const CUDA_MEMCPY3D *c)
{
	return cuMemcpy3DAsync_v2(c, NULL);
}
ALSO(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds)

static End3D
of_plane(const End2D *e)
{
	return (End3D){ .x = e->x, .y = e->y, .type = e->type, .host = e->host,
		.device = e->device, .array = e->array, .pitch = e->pitch };
}

CUresult
cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream s)
{
	if (!c)
		return cuMemcpy3D_v2(NULL);
	const CUDA_MEMCPY3D box = { of_plane(&c->from), of_plane(&c->to), c->width, c->height, 1 };
	return cuMemcpy3DAsync_v2(&box, s);
}
ALSO(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz)

CUresult
cuMemcpy2D_v2(const CUDA_MEMCPY2D *c)
{
	return cuMemcpy2DAsync_v2(c, NULL);
}
ALSO(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds)
ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2)
ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2_ptds)
