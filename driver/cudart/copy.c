/* SPDX-License-Identifier: MIT */
/* Copies, sets and symbols. */
#include "driver/cudart/cudart.h"

static const Box none = { 0, 0, 0 };

static cudaError_t
set(Place to, int value, Box b)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, copy_set(rt, to, b, (Fill){ (uint32_t)value, 1 }));
}

static Place line(const void *at) { return (Place){ (void *)(uintptr_t)at, 0, 0 }; }

/* ---- copies ---------------------------------------------------------------------------------- */

API cudaError_t
cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt, copy_box(rt, line(to), line(from), (Box){ n, 1, 1 }, kind));
}
ALSO(cudaMemcpy, cudaMemcpy_ptds)

API cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpy(to, from, n, kind);
}
ALSO(cudaMemcpyAsync, cudaMemcpyAsync_ptsz)

API cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t n)
{
	if (to_device || from_device)
		return rt_leave(rt_enter(), cudaErrorInvalidDevice);
	return cudaMemcpy(to, from, n, cudaMemcpyDeviceToDevice);
}

API cudaError_t
cudaMemcpyPeerAsync(
	void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyPeer(to, to_device, from, from_device, n);
}

API cudaError_t
cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	Runtime *rt = rt_enter();
	Place d = { to, to_pitch, 0 }, s = { (void *)(uintptr_t)from, from_pitch, 0 };
	return rt_leave(rt, copy_box(rt, d, s, (Box){ width, height, 1 }, kind));
}
ALSO(cudaMemcpy2D, cudaMemcpy2D_ptds)

API cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz)

static Place
place_3d(cudaPitchedPtr p, cudaPos at)
{
	size_t slice = p.pitch * p.ysize;
	return (Place){ (char *)p.ptr + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice };
}

API cudaError_t
cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
	Runtime *rt = rt_enter();
	if (!p || p->srcArray || p->dstArray) {
		if (p)
			rt_say("'cudaMemcpy3D' of arrays is not supported by the emulator");
		return rt_leave(rt, p ? cudaErrorNotSupported : cudaErrorInvalidValue);
	}
	Box b = { p->extent.width, p->extent.height, p->extent.depth };
	return rt_leave(rt,
		copy_box(rt, place_3d(p->dstPtr, p->dstPos), place_3d(p->srcPtr, p->srcPos), b,
			p->kind));
}
ALSO(cudaMemcpy3D, cudaMemcpy3D_ptds)

API cudaError_t
cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpy3D(p);
}
ALSO(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz)

/* ---- sets ------------------------------------------------------------------------------------ */

API cudaError_t
cudaMemset(void *p, int value, size_t n)
{
	return set(line(p), value, (Box){ n, 1, 1 });
}
ALSO(cudaMemset, cudaMemset_ptds)

API cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t stream)
{
	(void)stream;
	return cudaMemset(p, value, n);
}
ALSO(cudaMemsetAsync, cudaMemsetAsync_ptsz)

API cudaError_t
cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
	return set((Place){ p, pitch, 0 }, value, (Box){ width, height, 1 });
}
ALSO(cudaMemset2D, cudaMemset2D_ptds)

API cudaError_t
cudaMemset2DAsync(
	void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	(void)stream;
	return cudaMemset2D(p, pitch, value, width, height);
}
ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz)

API cudaError_t
cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent e)
{
	return set(place_3d(p, (cudaPos){ 0, 0, 0 }), value, (Box){ e.width, e.height, e.depth });
}
ALSO(cudaMemset3D, cudaMemset3D_ptds)

API cudaError_t
cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t stream)
{
	(void)stream;
	return cudaMemset3D(p, value, e);
}
ALSO(cudaMemset3DAsync, cudaMemset3DAsync_ptsz)

/* ---- symbols --------------------------------------------------------------------------------- */

/* The place of n bytes at an offset of a variable; sets *b to none and *e if they do not lie
 * there. */
static Place
in_symbol(Runtime *rt, const void *symbol, size_t offset, Box *b, cudaError_t *e)
{
	size_t size;
	uint64_t at = module_variable(rt, symbol, &size);
	*e = !at                                          ? cudaErrorInvalidSymbol :
		offset > size || b->width > size - offset ? cudaErrorInvalidValue :
							    cudaSuccess;
	if (*e)
		*b = none;
	return line((const void *)(uintptr_t)(at + offset));
}

API cudaError_t
cudaMemcpyToSymbol(
	const void *symbol, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
	Runtime *rt = rt_enter();
	Box b = { n, 1, 1 };
	cudaError_t e;
	Place to = in_symbol(rt, symbol, offset, &b, &e);
	return rt_leave(rt, e ? e : copy_box(rt, to, line(from), b, kind));
}
ALSO(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds)

API cudaError_t
cudaMemcpyFromSymbol(
	void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
	Runtime *rt = rt_enter();
	Box b = { n, 1, 1 };
	cudaError_t e;
	Place from = in_symbol(rt, symbol, offset, &b, &e);
	return rt_leave(rt, e ? e : copy_box(rt, line(to), from, b, kind));
}
ALSO(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds)

API cudaError_t
cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyToSymbol(symbol, from, n, offset, kind);
}
ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz)

API cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	(void)stream;
	return cudaMemcpyFromSymbol(to, symbol, n, offset, kind);
}
ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz)

API cudaError_t
cudaGetSymbolAddress(void **p, const void *symbol)
{
	Runtime *rt = rt_enter();
	size_t size;
	uint64_t at = module_variable(rt, symbol, &size);
	if (!p || !at)
		return rt_leave(rt, p ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
	*p = (void *)(uintptr_t)at;
	return rt_leave(rt, cudaSuccess);
}

API cudaError_t
cudaGetSymbolSize(size_t *n, const void *symbol)
{
	Runtime *rt = rt_enter();
	size_t size;
	if (!n || !module_variable(rt, symbol, &size))
		return rt_leave(rt, n ? cudaErrorInvalidSymbol : cudaErrorInvalidValue);
	*n = size;
	return rt_leave(rt, cudaSuccess);
}

API cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (cudaChannelFormatDesc){ x, y, z, w, f };
}
