/* SPDX-License-Identifier: MIT */
/* Arrays, textures and surfaces. Types are laid out as in the toolkit's cuda.h. */
#include "driver/libcuda/cu.h"

typedef Array *CUarray;
typedef struct { size_t width, height; int format; unsigned channels; } CUDA_ARRAY_DESCRIPTOR;
typedef struct {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct {
	int type;
	union {
		CUarray array;
		struct { CUdeviceptr at; int format; unsigned channels; size_t bytes; } linear;
		struct {
			CUdeviceptr at;
			int format;
			unsigned channels;
			size_t width, height, pitch;
		} pitched;
		int room[32];
	};
	unsigned flags;
} Resource; /* CUDA_RESOURCE_DESC */
typedef struct {
	int edge[3], filter;
	unsigned flags, anisotropy;
	int mipmap_filter;
	float bias, least, most, border[4];
	int reserved[12];
} Description; /* CUDA_TEXTURE_DESC */

API CUresult cuArrayCreate_v2(CUarray *to, const CUDA_ARRAY_DESCRIPTOR *d);
API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a);
API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a);

/* ---- arrays ---------------------------------------------------------------------------------- */

static const struct { int format, bits; enum cudaChannelFormatKind kind; } formats[] = {
	{ 0x01, 8, cudaChannelFormatKindUnsigned }, { 0x02, 16, cudaChannelFormatKindUnsigned },
	{ 0x03, 32, cudaChannelFormatKindUnsigned }, { 0x08, 8, cudaChannelFormatKindSigned },
	{ 0x09, 16, cudaChannelFormatKindSigned }, { 0x0a, 32, cudaChannelFormatKindSigned },
	{ 0x10, 16, cudaChannelFormatKindFloat }, { 0x20, 32, cudaChannelFormatKindFloat } };
enum { FORMATS = sizeof formats / sizeof *formats };

/* Converts a format to the runtime's description. An unknown format has channels of 0 bits. */
static cudaChannelFormatDesc
channel_description(int format, unsigned channels)
{
	for (uint32_t k = 0; k < FORMATS; k++)
		if (formats[k].format == format) {
			int b = formats[k].bits;
			return (cudaChannelFormatDesc){ b, channels > 1 ? b : 0,
				channels > 2 ? b : 0, channels > 3 ? b : 0, formats[k].kind };
		}
	return (cudaChannelFormatDesc){ 0 };
}

DRIVER(cuArray3DCreate_v2, (to, d), CUarray *to, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	if (!d)
		return cudaErrorInvalidValue;
	const Array is = { .width = d->width, .height = d->height, .depth = d->depth,
		.desc = channel_description(d->format, d->channels), .flags = d->flags };
	return array_new(rt, to, is);
}

CUresult
cuArrayCreate_v2(CUarray *to, const CUDA_ARRAY_DESCRIPTOR *d)
{
	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_ARRAY3D_DESCRIPTOR of = { d->width, d->height, 0, d->format, d->channels, 0 };
	return cuArray3DCreate_v2(to, &of);
}

DRIVER_ANYWHERE(cuArrayDestroy, (a), CUarray a)
{
	return a ? array_free(rt, a) : cudaErrorInvalidResourceHandle;
}

CUresult
cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a)
{
	if (!a || !d)
		return a ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	*d = (CUDA_ARRAY3D_DESCRIPTOR){ .width = a->width, .height = a->height, .depth = a->depth,
		.channels = 1u + !!a->desc.y + !!a->desc.z + !!a->desc.w, .flags = a->flags };
	for (uint32_t k = 0; k < FORMATS; k++)
		if (formats[k].bits == a->desc.x && formats[k].kind == a->desc.f)
			d->format = formats[k].format;
	return CUDA_SUCCESS;
}

CUresult
cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a)
{
	CUDA_ARRAY3D_DESCRIPTOR of;
	CUresult e = d ? cuArray3DGetDescriptor_v2(&of, a) : CUDA_ERROR_INVALID_VALUE;
	if (!e)
		*d = (CUDA_ARRAY_DESCRIPTOR){ of.width, of.height, of.format, of.channels };
	return e;
}

/* ---- copies of bytes of an array of one dimension -------------------------------------------- */

static cudaError_t
copy_array(Runtime *rt, CUarray a, size_t at, Copy_work c, CUstream s)
{
	if (!a || at > a->width * a->element || c.box.width > a->width * a->element - at)
		return a ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	*(c.to.at ? &c.from : &c.to) = array_place(a, at, 0, 0);
	return work_copy(rt, s, c);
}

static Copy_work
linear_copy(const void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	return (Copy_work){ { (void *)(uintptr_t)to, 0, 0 }, { (void *)(uintptr_t)from, 0, 0 },
		{ n, 1, 1 }, kind };
}

DRIVER(cuMemcpyHtoAAsync_v2, (to, at, from, n, s), CUarray to, size_t at, const void *from,
	size_t n, CUstream s)
{
	return copy_array(rt, to, at, linear_copy(NULL, from, n, cudaMemcpyHostToDevice), s);
}
ALSO(cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz)

FORWARD(CUresult, cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2, (to, at, from, n, NULL), CUarray to,
	size_t at, const void *from, size_t n)
ALSO(cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds)

DRIVER(cuMemcpyAtoHAsync_v2, (to, from, at, n, s), void *to, CUarray from, size_t at, size_t n,
	CUstream s)
{
	if (!to)
		return cudaErrorInvalidValue;
	return copy_array(rt, from, at, linear_copy(to, NULL, n, cudaMemcpyDeviceToHost), s);
}
ALSO(cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz)

FORWARD(CUresult, cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2, (to, from, at, n, NULL), void *to,
	CUarray from, size_t at, size_t n)
ALSO(cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds)

DRIVER(cuMemcpyDtoA_v2, (to, at, from, n), CUarray to, size_t at, CUdeviceptr from, size_t n)
{
	return copy_array(rt, to, at, linear_copy(NULL, from, n, cudaMemcpyDeviceToDevice), NULL);
}
ALSO(cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds)

DRIVER(cuMemcpyAtoD_v2, (to, from, at, n), CUdeviceptr to, CUarray from, size_t at, size_t n)
{
	if (!to)
		return cudaErrorInvalidValue;
	return copy_array(rt, from, at, linear_copy(to, NULL, n, cudaMemcpyDeviceToDevice), NULL);
}
ALSO(cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds)

/* ---- objects --------------------------------------------------------------------------------- */

static Rows_of
rows_of(const Resource *r, bool linear)
{
	if (linear)
		return (Rows_of){ .at = r->linear.at, .bytes = r->linear.bytes,
			.desc = channel_description(r->linear.format, r->linear.channels) };
	return (Rows_of){ r->pitched.at,
		channel_description(r->pitched.format, r->pitched.channels), 0, r->pitched.width,
		r->pitched.height, r->pitched.pitch };
}

static bool
read_description(const Description *d, Sim_texture *t)
{
	enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };
	for (uint32_t k = 0; k < 3; k++)
		t->edge[k] = (Sim_edge)(d->edge[k] & 3);
	for (uint32_t k = 0; k < 4; k++)
		t->border[k] = d->border[k];
	t->linear = d->filter;
	t->normalized = d->flags & NORMALIZED_COORDINATES;
	t->fraction = !(d->flags & READ_AS_INTEGER);
	return !(d->flags & SRGB);
}

#include "driver/rt/texture.def"
