/* SPDX-License-Identifier: MIT */
/* Sets of items of 1, 2 and 4 bytes, in 1D and 2D. */
#include "driver/libcuda/cu.h"

#define SETS(bits, type) \
	DRIVER(cuMemsetD##bits##Async, (p, value, n, s), CUdeviceptr p, type value, size_t n, \
		CUstream s) \
	{ \
		const Set_work w = { { p, 0, 0 }, { n * (bits / 8), 1, 1 }, { value, bits / 8 } }; \
		return work_set(rt, s, w); \
	} \
	FORWARD(CUresult, cuMemsetD##bits##_v2, cuMemsetD##bits##Async, (p, value, n, NULL), \
		CUdeviceptr p, type value, size_t n) \
	DRIVER(cuMemsetD2D##bits##Async, (p, pitch, value, width, height, s), CUdeviceptr p, \
		size_t pitch, type value, size_t width, size_t height, CUstream s) \
	{ \
		const Set_work w = { { p, pitch, 0 }, { width * (bits / 8), height, 1 }, \
			{ value, bits / 8 } }; \
		return work_set(rt, s, w); \
	} \
	FORWARD(CUresult, cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##Async, \
		(p, pitch, value, width, height, NULL), CUdeviceptr p, size_t pitch, type value, \
		size_t width, size_t height) \
	ALSO(cuMemsetD##bits##_v2, cuMemsetD##bits##_v2_ptds) \
	ALSO(cuMemsetD##bits##Async, cuMemsetD##bits##Async_ptsz) \
	ALSO(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##_v2_ptds) \
	ALSO(cuMemsetD2D##bits##Async, cuMemsetD2D##bits##Async_ptsz)
SETS(8, unsigned char)
SETS(16, unsigned short)
SETS(32, unsigned)
#undef SETS
