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
} CUDA_RESOURCE_DESC;
enum { OF_ARRAY, OF_MIPMAPPED, OF_LINEAR, OF_PITCHED };
typedef struct {
	int edge[3], filter;
	unsigned flags, anisotropy;
	int mipmap_filter;
	float bias, least, most, border[4];
	int reserved[12];
} CUDA_TEXTURE_DESC;
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };
typedef unsigned long long CUtexObject, CUsurfObject;

API CUresult cuArrayCreate_v2(CUarray *to, const CUDA_ARRAY_DESCRIPTOR *d);
API CUresult cuArray3DCreate_v2(CUarray *to, const CUDA_ARRAY3D_DESCRIPTOR *d);
API CUresult cuArrayDestroy(CUarray a);
API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray a);
API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray a);
API CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t at, const void *from, size_t n, CUstream s);
API CUresult cuMemcpyHtoA_v2(CUarray to, size_t at, const void *from, size_t n);
API CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t at, size_t n, CUstream s);
API CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t at, size_t n);
API CUresult cuMemcpyDtoA_v2(CUarray to, size_t at, CUdeviceptr from, size_t n);
API CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t at, size_t n);
API CUresult cuTexObjectCreate(CUtexObject *to, const CUDA_RESOURCE_DESC *r,
	const CUDA_TEXTURE_DESC *d, const void *view);
API CUresult cuTexObjectDestroy(CUtexObject t);
API CUresult cuSurfObjectCreate(CUsurfObject *to, const CUDA_RESOURCE_DESC *r);
API CUresult cuSurfObjectDestroy(CUsurfObject t);

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

CUresult
cuArray3DCreate_v2(CUarray *to, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (!d)
		return cu_leave(rt, cudaErrorInvalidValue);
	const Array is = { .width = d->width, .height = d->height, .depth = d->depth,
		.desc = channel_description(d->format, d->channels), .flags = d->flags };
	return cu_leave(rt, array_new(rt, to, is));
}

CUresult
cuArrayCreate_v2(CUarray *to, const CUDA_ARRAY_DESCRIPTOR *d)
{
	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_ARRAY3D_DESCRIPTOR of = { d->width, d->height, 0, d->format, d->channels, 0 };
	return cuArray3DCreate_v2(to, &of);
}

CUresult
cuArrayDestroy(CUarray a)
{
	Runtime *rt = rt_enter();
	return cu_leave(rt, a ? array_free(rt, a) : cudaErrorInvalidResourceHandle);
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

static CUresult
copy_array(CUarray a, size_t at, Copy_work c, CUstream s)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	if (!a || at > a->width * a->element || c.box.width > a->width * a->element - at)
		return cu_leave(rt, a ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	*(c.to.at ? &c.from : &c.to) = array_place(a, at, 0, 0);
	return cu_leave(rt, work_copy(rt, s, c));
}

static Copy_work
linear_copy(const void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	return (Copy_work){ { (void *)(uintptr_t)to, 0, 0 }, { (void *)(uintptr_t)from, 0, 0 },
		{ n, 1, 1 }, kind };
}

CUresult
cuMemcpyHtoAAsync_v2(CUarray to, size_t at, const void *from, size_t n, CUstream s)
{
	return copy_array(to, at, linear_copy(NULL, from, n, cudaMemcpyHostToDevice), s);
}
ALSO(cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz)

CUresult
cuMemcpyHtoA_v2(CUarray to, size_t at, const void *from, size_t n)
{
	return cuMemcpyHtoAAsync_v2(to, at, from, n, NULL);
}
ALSO(cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds)

CUresult
cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t at, size_t n, CUstream s)
{
	if (!to)
		return CUDA_ERROR_INVALID_VALUE;
	return copy_array(from, at, linear_copy(to, NULL, n, cudaMemcpyDeviceToHost), s);
}
ALSO(cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz)

CUresult
cuMemcpyAtoH_v2(void *to, CUarray from, size_t at, size_t n)
{
	return cuMemcpyAtoHAsync_v2(to, from, at, n, NULL);
}
ALSO(cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds)

CUresult
cuMemcpyDtoA_v2(CUarray to, size_t at, CUdeviceptr from, size_t n)
{
	return copy_array(
		to, at, linear_copy(NULL, cu_pointer(from), n, cudaMemcpyDeviceToDevice), NULL);
}
ALSO(cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds)

CUresult
cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t at, size_t n)
{
	if (!to)
		return CUDA_ERROR_INVALID_VALUE;
	return copy_array(
		from, at, linear_copy(cu_pointer(to), NULL, n, cudaMemcpyDeviceToDevice), NULL);
}
ALSO(cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds)

/* ---- objects --------------------------------------------------------------------------------- */

static cudaError_t
refuse_texture(const char *what)
{
	rt_say("%s are not supported by the emulator", what);
	return cudaErrorNotSupported;
}

static cudaError_t
read_resource(const CUDA_RESOURCE_DESC *r, Sim_texture *t)
{
	switch (r->type) {
	case OF_ARRAY:
		if (!r->array)
			return cudaErrorInvalidValue;
		texture_of_array(t, r->array);
		return cudaSuccess;
	case OF_LINEAR:
		return texture_of_memory(t, (Rows_of){ .at = cu_pointer(r->linear.at),
			.desc = channel_description(r->linear.format, r->linear.channels),
			.bytes = r->linear.bytes });
	case OF_PITCHED:
		return texture_of_memory(t,
			(Rows_of){ cu_pointer(r->pitched.at),
				channel_description(r->pitched.format, r->pitched.channels), 0,
				r->pitched.width, r->pitched.height, r->pitched.pitch });
	case OF_MIPMAPPED: return refuse_texture("textures of mipmapped arrays");
	default: return cudaErrorInvalidValue;
	}
}

CUresult
cuTexObjectCreate(CUtexObject *to, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d,
	const void *view)
{
	Runtime *rt = cu_enter();
	Sim_texture t = { 0 };
	if (!rt)
		return cu_outside();
	if (!r || !d)
		return cu_leave(rt, cudaErrorInvalidValue);
	if (view || d->flags & SRGB)
		return cu_leave(rt, refuse_texture("views of textures, and sRGB,"));
	for (uint32_t k = 0; k < 3; k++)
		t.edge[k] = (Sim_edge)(d->edge[k] & 3);
	for (uint32_t k = 0; k < 4; k++)
		t.border[k] = d->border[k];
	t.linear = d->filter;
	t.normalized = d->flags & NORMALIZED_COORDINATES;
	cudaError_t e = read_resource(r, &t);
	t.fraction = !(d->flags & READ_AS_INTEGER) && t.channel != SIM_FLOAT && t.bytes < 4;
	if (!e && t.linear && !t.fraction && t.channel != SIM_FLOAT)
		e = cudaErrorInvalidValue; /* integers cannot be filtered */
	return cu_leave(rt, e ? e : texture_new(rt, &t, to));
}

CUresult
cuTexObjectDestroy(CUtexObject t)
{
	Runtime *rt = rt_enter();
	return cu_leave(rt, texture_free(rt, t));
}

CUresult
cuSurfObjectCreate(CUsurfObject *to, const CUDA_RESOURCE_DESC *r)
{
	Runtime *rt = cu_enter();
	Sim_texture t = { 0 };
	if (!rt)
		return cu_outside();
	if (!r || r->type != OF_ARRAY || !r->array)
		return cu_leave(rt, cudaErrorInvalidValue);
	texture_of_array(&t, r->array);
	return cu_leave(rt, texture_new(rt, &t, to));
}

CUresult cuSurfObjectDestroy(CUsurfObject t) { return cuTexObjectDestroy(t); }
