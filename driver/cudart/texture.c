/* SPDX-License-Identifier: MIT */
/* Arrays, textures and surfaces. Types are laid out as in the toolkit's driver_types.h and
 * texture_types.h. */
#include "driver/cudart/cudart.h"

typedef struct {
	int type;
	union {
		cudaArray_t array;
		struct { void *at; cudaChannelFormatDesc desc; size_t bytes; } linear;
		struct {
			void *at;
			cudaChannelFormatDesc desc;
			size_t width, height, pitch;
		} pitched;
		int room[32];
	};
	unsigned flags;
} cudaResourceDesc;
enum { OF_ARRAY, OF_MIPMAPPED, OF_LINEAR, OF_PITCHED };

typedef struct {
	int addressMode[3], filterMode, readMode, sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned maxAnisotropy;
	int mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;

API cudaError_t cudaMallocArray(cudaArray_t *to, const cudaChannelFormatDesc *desc, size_t width,
	size_t height, unsigned flags);
API cudaError_t cudaMalloc3DArray(
	cudaArray_t *to, const cudaChannelFormatDesc *desc, cudaExtent e, unsigned flags);
API cudaError_t cudaFreeArray(cudaArray_t a);
API cudaError_t cudaArrayGetInfo(
	cudaChannelFormatDesc *desc, cudaExtent *e, unsigned *flags, cudaArray_t a);
API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_t a);
API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind);
API cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_t from, size_t x,
	size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream);
API cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
	size_t width, size_t height, enum cudaMemcpyKind kind);
API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_t from,
	size_t from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind);
API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t n, enum cudaMemcpyKind kind, cudaStream_t stream);
API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
	enum cudaMemcpyKind kind);
API cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_t from, size_t x, size_t y, size_t n,
	enum cudaMemcpyKind kind, cudaStream_t stream);
API cudaError_t cudaMemcpyFromArray(
	void *to, cudaArray_t from, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind);
API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *to, const cudaResourceDesc *resource,
	const cudaTextureDesc *desc, const void *view);
API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *to, const cudaResourceDesc *resource);
API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);

/* ---- arrays ---------------------------------------------------------------------------------- */

cudaError_t
cudaMalloc3DArray(
	cudaArray_t *to, const cudaChannelFormatDesc *desc, cudaExtent e, unsigned flags)
{
	Runtime *rt = rt_enter();
	if (!desc)
		return rt_leave(rt, cudaErrorInvalidValue);
	const Array is = { .width = e.width, .height = e.height, .depth = e.depth, .desc = *desc,
		.flags = flags };
	return rt_leave(rt, array_new(rt, to, is));
}

cudaError_t
cudaMallocArray(cudaArray_t *to, const cudaChannelFormatDesc *desc, size_t width, size_t height,
	unsigned flags)
{
	return cudaMalloc3DArray(to, desc, (cudaExtent){ width, height, 0 }, flags);
}

cudaError_t
cudaFreeArray(cudaArray_t a)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, array_free(rt, a));
}

cudaError_t
cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *e, unsigned *flags, cudaArray_t a)
{
	Runtime *rt = rt_enter();
	if (!a)
		return rt_leave(rt, cudaErrorInvalidResourceHandle);
	if (desc)
		*desc = a->desc;
	if (e)
		*e = (cudaExtent){ a->width, a->height, a->depth };
	if (flags)
		*flags = a->flags;
	return rt_leave(rt, cudaSuccess);
}

cudaError_t
cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_t a)
{
	return cudaArrayGetInfo(desc, NULL, NULL, a);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Returns a part of an array, in bytes and rows. If a is NULL, sets *e. */
static Copy_place
array_part(const Array *a, size_t x, size_t y, cudaError_t *e)
{
	if (a)
		return array_place(a, x, y, 0);
	*e = cudaErrorInvalidResourceHandle;
	return (Copy_place){ 0 };
}

static Copy_place
pitched_rows(const void *at, size_t pitch)
{
	return (Copy_place){ (void *)(uintptr_t)at, pitch, 0 };
}

static cudaError_t
copy_array(Runtime *rt, cudaStream_t stream, Copy_work c, cudaError_t e)
{
	return rt_leave(rt, e ? e : work_copy(rt, stream, c));
}

cudaError_t
cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaSuccess;
	const Copy_work c = { array_part(to, x, y, &e), pitched_rows(from, pitch),
		{ width, height, 1 }, kind };
	return copy_array(rt, stream, c, e);
}
ALSO(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz)

cudaError_t
cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}
ALSO(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds)

cudaError_t
cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaSuccess;
	const Copy_work c = { pitched_rows(to, pitch), array_part(from, x, y, &e),
		{ width, height, 1 }, kind };
	return copy_array(rt, stream, c, e);
}
ALSO(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz)

cudaError_t
cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}
ALSO(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds)

cudaError_t
cudaMemcpy2DArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_t from, size_t from_x,
	size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	Runtime *rt = rt_enter();
	cudaError_t e = cudaSuccess;
	const Copy_work c = { array_part(to, x, y, &e), array_part(from, from_x, from_y, &e),
		{ width, height, 1 }, kind };
	return copy_array(rt, NULL, c, e);
}
ALSO(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds)

/* A linear range of n bytes of an array, row by row. Supported: a range within one row, or whole
 * rows. */
static bool
whole_rows(const Array *a, size_t x, size_t n, Copy_extent *b)
{
	size_t row = a ? a->width * a->element : 1;
	bool one = n <= row && x <= row - n;
	*b = one ? (Copy_extent){ n, 1, 1 } : (Copy_extent){ row, n / row, 1 };
	return one || (!x && n % row == 0);
}

static cudaError_t
not_whole(Runtime *rt)
{
	rt_say("copies of parts of several rows between arrays and memory in one piece are not "
	       "supported by the emulator: use cudaMemcpy2DToArray, cudaMemcpy2DFromArray");
	return rt_leave(rt, cudaErrorNotSupported);
}

cudaError_t
cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	Copy_extent b;
	cudaError_t e = cudaSuccess;
	if (!whole_rows(to, x, n, &b))
		return not_whole(rt);
	return copy_array(rt, stream,
		(Copy_work){ array_part(to, x, y, &e), pitched_rows(from, b.width), b, kind }, e);
}
ALSO(cudaMemcpyToArrayAsync, cudaMemcpyToArrayAsync_ptsz)

cudaError_t
cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
	enum cudaMemcpyKind kind)
{
	return cudaMemcpyToArrayAsync(to, x, y, from, n, kind, NULL);
}
ALSO(cudaMemcpyToArray, cudaMemcpyToArray_ptds)

cudaError_t
cudaMemcpyFromArrayAsync(void *to, cudaArray_t from, size_t x, size_t y, size_t n,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	Copy_extent b;
	cudaError_t e = cudaSuccess;
	if (!whole_rows(from, x, n, &b))
		return not_whole(rt);
	return copy_array(rt, stream,
		(Copy_work){ pitched_rows(to, b.width), array_part(from, x, y, &e), b, kind }, e);
}
ALSO(cudaMemcpyFromArrayAsync, cudaMemcpyFromArrayAsync_ptsz)

cudaError_t
cudaMemcpyFromArray(
	void *to, cudaArray_t from, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind)
{
	return cudaMemcpyFromArrayAsync(to, from, x, y, n, kind, NULL);
}
ALSO(cudaMemcpyFromArray, cudaMemcpyFromArray_ptds)

/* ---- objects --------------------------------------------------------------------------------- */

static cudaError_t
refuse_texture(const char *what)
{
	rt_say("%s are not supported by the emulator", what);
	return cudaErrorNotSupported;
}

static cudaError_t
read_resource(const cudaResourceDesc *r, Sim_texture *t)
{
	switch (r->type) {
	case OF_ARRAY:
		if (!r->array)
			return cudaErrorInvalidValue;
		texture_of_array(t, r->array);
		return cudaSuccess;
	case OF_LINEAR:
		return texture_of_memory(t, (Rows_of){ .at = r->linear.at, .desc = r->linear.desc,
			.bytes = r->linear.bytes });
	case OF_PITCHED:
		return texture_of_memory(t, (Rows_of){ r->pitched.at, r->pitched.desc, 0,
			r->pitched.width, r->pitched.height, r->pitched.pitch });
	case OF_MIPMAPPED: return refuse_texture("textures of mipmapped arrays");
	default: return cudaErrorInvalidValue;
	}
}

cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *to, const cudaResourceDesc *r,
	const cudaTextureDesc *desc, const void *view)
{
	Runtime *rt = rt_enter();
	Sim_texture t = { 0 };
	if (!r || !desc)
		return rt_leave(rt, cudaErrorInvalidValue);
	if (view || desc->sRGB)
		return rt_leave(rt, refuse_texture("views of textures, and sRGB,"));
	for (uint32_t k = 0; k < 3; k++)
		t.edge[k] = (Sim_edge)(desc->addressMode[k] & 3);
	t.linear = desc->filterMode;
	t.normalized = desc->normalizedCoords;
	for (uint32_t k = 0; k < 4; k++)
		t.border[k] = desc->borderColor[k];
	cudaError_t e = read_resource(r, &t);
	t.fraction = desc->readMode && t.channel != SIM_FLOAT && t.bytes < 4;
	if (!e && t.linear && !t.fraction && t.channel != SIM_FLOAT)
		e = cudaErrorInvalidValue; /* integers cannot be filtered */
	return rt_leave(rt, e ? e : texture_new(rt, &t, to));
}

cudaError_t
cudaDestroyTextureObject(cudaTextureObject_t object)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, texture_free(rt, object));
}

cudaError_t
cudaCreateSurfaceObject(cudaSurfaceObject_t *to, const cudaResourceDesc *r)
{
	Runtime *rt = rt_enter();
	Sim_texture t = { 0 };
	if (!r || r->type != OF_ARRAY || !r->array)
		return rt_leave(rt, cudaErrorInvalidValue);
	texture_of_array(&t, r->array);
	return rt_leave(rt, texture_new(rt, &t, to));
}

cudaError_t
cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
	return cudaDestroyTextureObject(object);
}
