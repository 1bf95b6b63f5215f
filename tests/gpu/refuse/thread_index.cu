// WARNS: ccc-call
// A call in the path to a function that reads threadIdx: it would read that of the lane that runs it.
#ifndef KERNELS
#define KERNELS "refuse/thread_index.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_thread_index);
	return finish();
}
#else
__device__ __noinline__ unsigned place(unsigned x)
{
	return mix(x) + threadIdx.x + 100 * threadIdx.y;
}
__global__ void k_thread_index(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = place(i);
	}
}
#endif
// SPDX-License-Identifier: MIT
