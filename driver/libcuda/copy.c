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

/* ---- of rows of bytes ------------------------------------------------------------------------ */

static Copy_place one_row(const void *at) { return (Copy_place){ (void *)(uintptr_t)at, 0, 0 }; }

/* A call and its variant without a stream. */
#define COPY(name, to_type, from_type, kind) \
	DRIVER(name##Async_v2, (to, from, n, s), to_type to, from_type from, size_t n, CUstream s) \
	{ \
		Copy_work c = { one_row(to), one_row(from), { n, 1, 1 }, kind }; \
		return work_copy(rt, s, c); \
	} \
	ALSO(name##Async_v2, name##Async_v2_ptsz) \
	FORWARD(CUresult, name##_v2, name##Async_v2, (to, from, n, NULL), to_type to, \
		from_type from, size_t n) \
	ALSO(name##_v2, name##_v2_ptds)
COPY(cuMemcpyHtoD, CUdeviceptr, const void *, cudaMemcpyHostToDevice)
COPY(cuMemcpyDtoH, void *, CUdeviceptr, cudaMemcpyDeviceToHost)
COPY(cuMemcpyDtoD, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice)
#undef COPY

DRIVER(cuMemcpyAsync, (to, from, n, s), CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s)
{
	Copy_work c = { one_row(to), one_row(from), { n, 1, 1 }, cudaMemcpyDefault };
	return work_copy(rt, s, c);
}
ALSO(cuMemcpyAsync, cuMemcpyAsync_ptsz)

FORWARD(CUresult, cuMemcpy, cuMemcpyAsync, (to, from, n, NULL), CUdeviceptr to, CUdeviceptr from,
	size_t n)
ALSO(cuMemcpy, cuMemcpy_ptds)

DRIVER(cuMemcpyPeerAsync, (to, to_context, from, from_context, n, s), CUdeviceptr to,
	CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n, CUstream s)
{
	(void)to_context, (void)from_context;
	return do_cuMemcpyDtoDAsync_v2(rt, to, from, n, s);
}
ALSO(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz)

FORWARD(CUresult, cuMemcpyPeer, cuMemcpyPeerAsync, (to, to_context, from, from_context, n, NULL),
	CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n)
ALSO(cuMemcpyPeer, cuMemcpyPeer_ptds)

/* ---- of boxes -------------------------------------------------------------------------------- */

static Copy_place
place_of_end(const End3D *e)
{
	if (e->type == MEMORY_ARRAY)
		return array_place(e->array, e->x, e->y, e->z);
	size_t slice = e->pitch * e->height;
	const char *at = e->type == MEMORY_HOST ? e->host : e->device;
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

DRIVER(cuMemcpy3DAsync_v2, (c, s), const CUDA_MEMCPY3D *c, CUstream s)
{
	Copy_work w;
	cudaError_t e = cu_copy(c, &w);
	return e ? e : work_copy(rt, s, w);
}
ALSO(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz)

FORWARD(CUresult, cuMemcpy3D_v2, cuMemcpy3DAsync_v2, (c, NULL), const CUDA_MEMCPY3D *c)
ALSO(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds)

static End3D
of_plane(const End2D *e)
{
	return (End3D){ .x = e->x, .y = e->y, .type = e->type, .host = e->host,
		.device = e->device, .array = e->array, .pitch = e->pitch };
}

DRIVER(cuMemcpy2DAsync_v2, (c, s), const CUDA_MEMCPY2D *c, CUstream s)
{
	if (!c)
		return cudaErrorInvalidValue;
	const CUDA_MEMCPY3D box = { of_plane(&c->from), of_plane(&c->to), c->width, c->height, 1 };
	return do_cuMemcpy3DAsync_v2(rt, &box, s);
}
ALSO(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz)

FORWARD(CUresult, cuMemcpy2D_v2, cuMemcpy2DAsync_v2, (c, NULL), const CUDA_MEMCPY2D *c)
ALSO(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds)
ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2)
ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2_ptds)
