/* SPDX-License-Identifier: MIT */
/* Sets of items of 1, 2 and 4 bytes, in 1D and 2D. */
#include "driver/libcuda/cu.h"

static CUresult
fill_place(Copy_place to, Copy_extent b, Fill fill, CUstream s)
{
	Runtime *rt = cu_enter();
	if (!rt)
		return cu_outside();
	return cu_leave(rt, work_set(rt, s, (Set_work){ to, b, fill }));
}

#define SETS(bits, type) \
	API CUresult cuMemsetD##bits##_v2(CUdeviceptr p, type value, size_t n); \
	API CUresult cuMemsetD##bits##Async(CUdeviceptr p, type value, size_t n, CUstream s); \
	API CUresult cuMemsetD2D##bits##_v2( \
		CUdeviceptr p, size_t pitch, type value, size_t width, size_t height); \
	API CUresult cuMemsetD2D##bits##Async( \
		CUdeviceptr p, size_t pitch, type value, size_t width, size_t height, CUstream s); \
	CUresult cuMemsetD##bits##Async(CUdeviceptr p, type value, size_t n, CUstream s) \
	{ \
		return fill_place((Copy_place){ cu_pointer(p), 0, 0 }, \
			(Copy_extent){ n * (bits / 8), 1, 1 }, (Fill){ value, bits / 8 }, s); \
	} \
	CUresult cuMemsetD##bits##_v2(CUdeviceptr p, type value, size_t n) \
	{ \
		return cuMemsetD##bits##Async(p, value, n, NULL); \
	} \
	CUresult cuMemsetD2D##bits##Async( \
		CUdeviceptr p, size_t pitch, type value, size_t width, size_t height, CUstream s) \
	{ \
		return fill_place((Copy_place){ cu_pointer(p), pitch, 0 }, \
			(Copy_extent){ width * (bits / 8), height, 1 }, (Fill){ value, bits / 8 }, \
			s); \
	} \
	CUresult cuMemsetD2D##bits##_v2( \
		CUdeviceptr p, size_t pitch, type value, size_t width, size_t height) \
	{ \
		return cuMemsetD2D##bits##Async(p, pitch, value, width, height, NULL); \
	} \
	ALSO(cuMemsetD##bits##_v2, cuMemsetD##bits##_v2_ptds) \
	ALSO(cuMemsetD##bits##Async, cuMemsetD##bits##Async_ptsz) \
	ALSO(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##_v2_ptds) \
	ALSO(cuMemsetD2D##bits##Async, cuMemsetD2D##bits##Async_ptsz)
SETS(8, unsigned char)
SETS(16, unsigned short)
SETS(32, unsigned)
#undef SETS
