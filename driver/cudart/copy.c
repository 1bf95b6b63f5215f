/* SPDX-License-Identifier: MIT */
/* Copies, sets and symbols. Each call exists with and without a stream; without one it uses the
 * legacy stream. */
#include "driver/cudart/cudart.h"

static cudaError_t
fill_place(Copy_place to, int value, Copy_extent b, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		work_set(rt, stream, (Set_work){ to, b, { (uint32_t)value, 1 } }));
}

static Copy_place one_row(const void *at) { return (Copy_place){ (void *)(uintptr_t)at, 0, 0 }; }

/* ---- copies ---------------------------------------------------------------------------------- */

API cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	return rt_leave(rt,
		work_copy(
			rt, stream, (Copy_work){ one_row(to), one_row(from), { n, 1, 1 }, kind }));
}
ALSO(cudaMemcpyAsync, cudaMemcpyAsync_ptsz)

API cudaError_t
cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(to, from, n, kind, NULL);
}
ALSO(cudaMemcpy, cudaMemcpy_ptds)

API cudaError_t
cudaMemcpyPeerAsync(
	void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t stream)
{
	if (to_device || from_device)
		return rt_leave(rt_enter(), cudaErrorInvalidDevice);
	return cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream);
}

API cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t n)
{
	return cudaMemcpyPeerAsync(to, to_device, from, from_device, n, NULL);
}

API cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	Copy_place d = { to, to_pitch, 0 }, s = { (void *)(uintptr_t)from, from_pitch, 0 };
	return rt_leave(rt, work_copy(rt, stream, (Copy_work){ d, s, { width, height, 1 }, kind }));
}
ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz)

API cudaError_t
cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}
ALSO(cudaMemcpy2D, cudaMemcpy2D_ptds)

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

API cudaError_t
cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	Copy_work c;
	cudaError_t e;
	return rt_leave(rt, copy_3d(p, &c, &e) ? work_copy(rt, stream, c) : e);
}
ALSO(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz)

API cudaError_t
cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
	return cudaMemcpy3DAsync(p, NULL);
}
ALSO(cudaMemcpy3D, cudaMemcpy3D_ptds)

/* ---- sets ------------------------------------------------------------------------------------ */

API cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t stream)
{
	return fill_place(one_row(p), value, (Copy_extent){ n, 1, 1 }, stream);
}
ALSO(cudaMemsetAsync, cudaMemsetAsync_ptsz)

API cudaError_t
cudaMemset(void *p, int value, size_t n)
{
	return cudaMemsetAsync(p, value, n, NULL);
}
ALSO(cudaMemset, cudaMemset_ptds)

API cudaError_t
cudaMemset2DAsync(
	void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	return fill_place(
		(Copy_place){ p, pitch, 0 }, value, (Copy_extent){ width, height, 1 }, stream);
}
ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz)

API cudaError_t
cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
	return cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}
ALSO(cudaMemset2D, cudaMemset2D_ptds)

API cudaError_t
cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t stream)
{
	const Copy_extent b = { e.width, e.height, e.depth };
	return fill_place(place_3d(p, (cudaPos){ 0, 0, 0 }), value, b, stream);
}
ALSO(cudaMemset3DAsync, cudaMemset3DAsync_ptsz)

API cudaError_t
cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent e)
{
	return cudaMemset3DAsync(p, value, e, NULL);
}
ALSO(cudaMemset3D, cudaMemset3D_ptds)

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
run_symbol_copy(Symbol_copy c, cudaStream_t stream)
{
	Runtime *rt = rt_enter();
	Copy_work w;
	cudaError_t e = copy_symbol(rt, c, &w);
	return rt_leave(rt, e ? e : work_copy(rt, stream, w));
}

API cudaError_t
cudaMemcpyToSymbolAsync(const void *variable, const void *from, size_t n, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return run_symbol_copy((Symbol_copy){ variable, from, n, offset, kind, false }, stream);
}
ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz)

API cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const void *variable, size_t n, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return run_symbol_copy((Symbol_copy){ variable, to, n, offset, kind, true }, stream);
}
ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz)

API cudaError_t
cudaMemcpyToSymbol(
	const void *variable, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
	return cudaMemcpyToSymbolAsync(variable, from, n, offset, kind, NULL);
}
ALSO(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds)

API cudaError_t
cudaMemcpyFromSymbol(
	void *to, const void *variable, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
	return cudaMemcpyFromSymbolAsync(to, variable, n, offset, kind, NULL);
}
ALSO(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds)

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
