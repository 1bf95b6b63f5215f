/* SPDX-License-Identifier: MIT */
/* Copies, sets and symbols. Each call exists with and without a stream; without one it uses the
 * legacy stream. */
#include "driver/cudart/cudart.h"

static cudaError_t
fill_place(Runtime *rt, Copy_place to, int value, Copy_extent b, cudaStream_t stream)
{
	return work_set(rt, stream, (Set_work){ to, b, { (uint32_t)value, 1 } });
}

static Copy_place one_row(const void *at) { return (Copy_place){ (void *)(uintptr_t)at, 0, 0 }; }

/* ---- copies ---------------------------------------------------------------------------------- */

RUNTIME(cudaMemcpyAsync, (to, from, n, kind, stream), void *to, const void *from, size_t n,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return work_copy(rt, stream, (Copy_work){ one_row(to), one_row(from), { n, 1, 1 }, kind });
}
ALSO(cudaMemcpyAsync, cudaMemcpyAsync_ptsz)

WITHOUT_STREAM(cudaMemcpy, (to, from, n, kind), void *to, const void *from, size_t n,
	enum cudaMemcpyKind kind)

API cudaError_t
cudaMemcpyPeerAsync(
	void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t stream)
{
	if (to_device || from_device)
		return rt_leave(rt_enter(), cudaErrorInvalidDevice);
	return cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream);
}

FORWARD(cudaError_t, cudaMemcpyPeer, cudaMemcpyPeerAsync,
	(to, to_device, from, from_device, n, NULL), void *to, int to_device, const void *from,
	int from_device, size_t n)

RUNTIME(cudaMemcpy2DAsync, (to, to_pitch, from, from_pitch, width, height, kind, stream), void *to,
	size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Copy_place d = { to, to_pitch, 0 }, s = { (void *)(uintptr_t)from, from_pitch, 0 };
	return work_copy(rt, stream, (Copy_work){ d, s, { width, height, 1 }, kind });
}
ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz)

WITHOUT_STREAM(cudaMemcpy2D, (to, to_pitch, from, from_pitch, width, height, kind), void *to,
	size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
	enum cudaMemcpyKind kind)

static Copy_place
place_3d(cudaPitchedPtr p, cudaPos at)
{
	size_t slice = p.pitch * p.ysize;
	return (Copy_place){ (char *)p.ptr + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice };
}

/* Returns one end of a copy. Positions are in elements in arrays, in bytes elsewhere. */
static Copy_place
end_3d(const Array *a, cudaPitchedPtr p, cudaPos at)
{
	return a ? array_place(a, at.x * a->element, at.y, at.z) : place_3d(p, at);
}

bool
copy_3d(const cudaMemcpy3DParms *p, Copy_work *to, cudaError_t *e)
{
	*e = p ? cudaSuccess : cudaErrorInvalidValue;
	if (!p)
		return false;
	const Array *a = p->srcArray ? p->srcArray : p->dstArray;
	*to = (Copy_work){ end_3d(p->dstArray, p->dstPtr, p->dstPos),
		end_3d(p->srcArray, p->srcPtr, p->srcPos),
		{ p->extent.width * (a ? a->element : 1), p->extent.height, p->extent.depth },
		p->kind };
	return true;
}

RUNTIME(cudaMemcpy3DAsync, (p, stream), const cudaMemcpy3DParms *p, cudaStream_t stream)
{
	Copy_work c;
	cudaError_t e;
	return copy_3d(p, &c, &e) ? work_copy(rt, stream, c) : e;
}
ALSO(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz)

WITHOUT_STREAM(cudaMemcpy3D, (p), const cudaMemcpy3DParms *p)

/* ---- sets ------------------------------------------------------------------------------------ */

RUNTIME(cudaMemsetAsync, (p, value, n, stream), void *p, int value, size_t n, cudaStream_t stream)
{
	return fill_place(rt, one_row(p), value, (Copy_extent){ n, 1, 1 }, stream);
}
ALSO(cudaMemsetAsync, cudaMemsetAsync_ptsz)

WITHOUT_STREAM(cudaMemset, (p, value, n), void *p, int value, size_t n)

RUNTIME(cudaMemset2DAsync, (p, pitch, value, width, height, stream), void *p, size_t pitch,
	int value, size_t width, size_t height, cudaStream_t stream)
{
	const Copy_extent b = { width, height, 1 };
	return fill_place(rt, (Copy_place){ p, pitch, 0 }, value, b, stream);
}
ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz)

WITHOUT_STREAM(cudaMemset2D, (p, pitch, value, width, height), void *p, size_t pitch, int value,
	size_t width, size_t height)

RUNTIME(cudaMemset3DAsync, (p, value, e, stream), cudaPitchedPtr p, int value, cudaExtent e,
	cudaStream_t stream)
{
	const Copy_extent b = { e.width, e.height, e.depth };
	return fill_place(rt, place_3d(p, (cudaPos){ 0, 0, 0 }), value, b, stream);
}
ALSO(cudaMemset3DAsync, cudaMemset3DAsync_ptsz)

WITHOUT_STREAM(cudaMemset3D, (p, value, e), cudaPitchedPtr p, int value, cudaExtent e)

/* ---- symbols --------------------------------------------------------------------------------- */

cudaError_t
copy_symbol(Runtime *rt, Symbol_copy c, Copy_work *to)
{
	size_t size;
	uint64_t at = module_variable(rt, c.symbol, &size);
	if (!at || c.offset > size || c.n > size - c.offset)
		return at ? cudaErrorInvalidValue : cudaErrorInvalidSymbol;
	Copy_place in = one_row((const void *)(uintptr_t)(at + c.offset)), other = one_row(c.other);
	*to = (Copy_work){ c.out ? other : in, c.out ? in : other, { c.n, 1, 1 }, c.kind };
	return cudaSuccess;
}

static cudaError_t
run_symbol_copy(Runtime *rt, Symbol_copy c, cudaStream_t stream)
{
	Copy_work w;
	cudaError_t e = copy_symbol(rt, c, &w);
	return e ? e : work_copy(rt, stream, w);
}

RUNTIME(cudaMemcpyToSymbolAsync, (variable, from, n, offset, kind, stream), const void *variable,
	const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return run_symbol_copy(rt, (Symbol_copy){ variable, from, n, offset, kind, false }, stream);
}
ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz)

RUNTIME(cudaMemcpyFromSymbolAsync, (to, variable, n, offset, kind, stream), void *to,
	const void *variable, size_t n, size_t offset, enum cudaMemcpyKind kind,
	cudaStream_t stream)
{
	return run_symbol_copy(rt, (Symbol_copy){ variable, to, n, offset, kind, true }, stream);
}
ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz)

WITHOUT_STREAM(cudaMemcpyToSymbol, (variable, from, n, offset, kind), const void *variable,
	const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind)

WITHOUT_STREAM(cudaMemcpyFromSymbol, (to, variable, n, offset, kind), void *to,
	const void *variable, size_t n, size_t offset, enum cudaMemcpyKind kind)

RUNTIME(cudaGetSymbolAddress, (p, symbol), void **p, const void *symbol)
{
	size_t size;
	uint64_t at = module_variable(rt, symbol, &size);
	if (!p || !at)
		return p ? cudaErrorInvalidSymbol : cudaErrorInvalidValue;
	*p = (void *)(uintptr_t)at;
	return cudaSuccess;
}

RUNTIME(cudaGetSymbolSize, (n, symbol), size_t *n, const void *symbol)
{
	size_t size;
	if (!n || !module_variable(rt, symbol, &size))
		return n ? cudaErrorInvalidSymbol : cudaErrorInvalidValue;
	*n = size;
	return cudaSuccess;
}

API cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (cudaChannelFormatDesc){ x, y, z, w, f };
}
