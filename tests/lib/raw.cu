#include <ccc.h>
#include "raw.h"
#define BOTH(x) ((x) & 3)
#ifdef NEVER
#error never
#endif

template<typename T> __global__ void
kernel(int n, const T *in, T *out)
{
	CCC_FOR(threads(128)
		independent)
	for (int i = threadIdx.x; i < n; i += blockDim.x) CCC_IF() if (BOTH(in[i]) == 1) { out[i] = R"(CCC_IF() {)"[in[i] % 10]; }
	_Pragma("ccc for threads(256)") for (int i = threadIdx.x; i < n; i += blockDim.x) {
#ifdef ALSO_NEVER
		out[i] = 0;
#endif
		/* CCC_PATH() */
		#pragma ccc if else
		if (in[i] == 7)
			out[i] = in[i] % __LINE__;
		else
			out[i] = in[i] / 3;
	}
	_Pragma("unroll 2")
	for (int i = 0; i < 10; i++)
		out[i] = twice(in[i]);
}

template __global__ void kernel<int>(int, const int *, int *);

#define TWO_SIDED __host__ __device__ constexpr
#define ALSO TWO_SIDED
#define WHEN if constexpr (true)
struct Init { int v = 1; };
ALSO int
folded(int n, int *p, Init from = {})
{
	_Pragma ( L" ccc for" )
	for (int i = 0; i < n; i++)
		_Pragma("CCC if")
		if (p[i] > from.v)
			p[i] = p[i] / 3;
	return n;
}

#define FIRST 1
#define FIRST_LINE 100 // and 7
#line FIRST_LINE "generated.cuh" // by 3.4
__global__ void
also(int n, int *p)
{
	WHEN {
		#pragma ccc for
		for (int i = threadIdx.x; i < n; i += blockDim.x)
			if (p[i])
				p[i] = folded(n, p);
	}
}
// SPDX-License-Identifier: MIT
