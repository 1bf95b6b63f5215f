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
} Resource; /* cudaResourceDesc */

typedef struct {
	int addressMode[3], filterMode, readMode, sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned maxAnisotropy;
	int mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
} Description; /* cudaTextureDesc */


/* ---- arrays ---------------------------------------------------------------------------------- */

RUNTIME(cudaMalloc3DArray, (to, desc, e, flags), cudaArray_t *to, const cudaChannelFormatDesc *desc,
	cudaExtent e, unsigned flags)
{
	if (!desc)
		return cudaErrorInvalidValue;
	const Array is = { .width = e.width, .height = e.height, .depth = e.depth, .desc = *desc,
		.flags = flags };
	return array_new(rt, to, is);
}

FORWARD(cudaError_t, cudaMallocArray, cudaMalloc3DArray,
	(to, desc, (cudaExtent){ width, height, 0 }, flags), cudaArray_t *to,
	const cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned flags)

RUNTIME(cudaFreeArray, (a), cudaArray_t a)
{
	return array_free(rt, a);
}

RUNTIME(cudaArrayGetInfo, (desc, e, flags, a), cudaChannelFormatDesc *desc, cudaExtent *e,
	unsigned *flags, cudaArray_t a)
{
	if (!a)
		return cudaErrorInvalidResourceHandle;
	if (desc)
		*desc = a->desc;
	if (e)
		*e = (cudaExtent){ a->width, a->height, a->depth };
	if (flags)
		*flags = a->flags;
	return cudaSuccess;
}

FORWARD(cudaError_t, cudaGetChannelDesc, cudaArrayGetInfo, (desc, NULL, NULL, a),
	cudaChannelFormatDesc *desc, cudaArray_t a)

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
	return e ? e : work_copy(rt, stream, c);
}

RUNTIME(cudaMemcpy2DToArrayAsync, (to, x, y, from, pitch, width, height, kind, stream),
	cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;
	const Copy_work c = { array_part(to, x, y, &e), pitched_rows(from, pitch),
		{ width, height, 1 }, kind };
	return copy_array(rt, stream, c, e);
}
ALSO(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz)

WITHOUT_STREAM(cudaMemcpy2DToArray, (to, x, y, from, pitch, width, height, kind), cudaArray_t to,
	size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
	enum cudaMemcpyKind kind)

RUNTIME(cudaMemcpy2DFromArrayAsync, (to, pitch, from, x, y, width, height, kind, stream), void *to,
	size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width, size_t height,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;
	const Copy_work c = { pitched_rows(to, pitch), array_part(from, x, y, &e),
		{ width, height, 1 }, kind };
	return copy_array(rt, stream, c, e);
}
ALSO(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz)

WITHOUT_STREAM(cudaMemcpy2DFromArray, (to, pitch, from, x, y, width, height, kind), void *to,
	size_t pitch, cudaArray_t from, size_t x, size_t y, size_t width, size_t height,
	enum cudaMemcpyKind kind)

RUNTIME(cudaMemcpy2DArrayToArray, (to, x, y, from, from_x, from_y, width, height, kind),
	cudaArray_t to, size_t x, size_t y, cudaArray_t from, size_t from_x, size_t from_y,
	size_t width, size_t height, enum cudaMemcpyKind kind)
{
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
not_whole(void)
{
	rt_say("copies of parts of several rows between arrays and memory in one piece are not "
	       "supported by the emulator: use cudaMemcpy2DToArray, cudaMemcpy2DFromArray");
	return cudaErrorNotSupported;
}

RUNTIME(cudaMemcpyToArrayAsync, (to, x, y, from, n, kind, stream), cudaArray_t to, size_t x,
	size_t y, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Copy_extent b;
	cudaError_t e = cudaSuccess;
	if (!whole_rows(to, x, n, &b))
		return not_whole();
	return copy_array(rt, stream,
		(Copy_work){ array_part(to, x, y, &e), pitched_rows(from, b.width), b, kind }, e);
}
ALSO(cudaMemcpyToArrayAsync, cudaMemcpyToArrayAsync_ptsz)

WITHOUT_STREAM(cudaMemcpyToArray, (to, x, y, from, n, kind), cudaArray_t to, size_t x, size_t y,
	const void *from, size_t n, enum cudaMemcpyKind kind)

RUNTIME(cudaMemcpyFromArrayAsync, (to, from, x, y, n, kind, stream), void *to, cudaArray_t from,
	size_t x, size_t y, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Copy_extent b;
	cudaError_t e = cudaSuccess;
	if (!whole_rows(from, x, n, &b))
		return not_whole();
	return copy_array(rt, stream,
		(Copy_work){ pitched_rows(to, b.width), array_part(from, x, y, &e), b, kind }, e);
}
ALSO(cudaMemcpyFromArrayAsync, cudaMemcpyFromArrayAsync_ptsz)

WITHOUT_STREAM(cudaMemcpyFromArray, (to, from, x, y, n, kind), void *to, cudaArray_t from, size_t x,
	size_t y, size_t n, enum cudaMemcpyKind kind)

/* ---- objects --------------------------------------------------------------------------------- */

static Rows_of
rows_of(const Resource *r, bool linear)
{
	if (linear)
		return (Rows_of){ .at = r->linear.at, .desc = r->linear.desc,
			.bytes = r->linear.bytes };
	return (Rows_of){ r->pitched.at, r->pitched.desc, 0, r->pitched.width, r->pitched.height,
		r->pitched.pitch };
}

static bool
read_description(const Description *d, Sim_texture *t)
{
	for (uint32_t k = 0; k < 3; k++)
		t->edge[k] = (Sim_edge)(d->addressMode[k] & 3);
	for (uint32_t k = 0; k < 4; k++)
		t->border[k] = d->borderColor[k];
	t->linear = d->filterMode;
	t->normalized = d->normalizedCoords;
	t->fraction = d->readMode;
	return !d->sRGB;
}

#include "driver/rt/texture.def"
