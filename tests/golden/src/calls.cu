__device__ __noinline__ int leaf(int x) { int s = 0; for (int i = 0; i < x; i++) s ^= s * 31 + i; return s; }
__global__ void k(int n, const int *a, int *b)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (a[i] > 7)
			b[i] = leaf(a[i]);
	}
}
// SPDX-License-Identifier: MIT
