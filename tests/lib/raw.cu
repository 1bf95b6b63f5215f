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
