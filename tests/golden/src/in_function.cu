static __device__ __noinline__ int visit(int from, int to, int *b)
{
	#pragma ccc for
	for (int i = from; i < to; i++) {
		#pragma ccc if
		if (i % 3 == 0)
			atomicAdd(&b[i], i * i);
	}
	return to;
}
__global__ void k(int n, const int *row, int *b)
{
	b[threadIdx.x] = visit(row[threadIdx.x], row[threadIdx.x + 1], b);
}
// SPDX-License-Identifier: MIT
