// WARNS: ccc-barrier
// A block barrier in the path; every thread of the block reaches it.
#ifndef KERNELS
#define KERNELS "refuse/barrier.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_barrier);
	RUN(k_barrier_in_function);
	return finish();
}
#else
__global__ void k_barrier(Args g)
{
	__shared__ unsigned box;
	CCC(for)
	for (int t = 0; t < 12; ++t) {
		CCC(if)
		if (g.in[t] & 1) {
			if (block_rank() == 0)
				box = t;
			__syncthreads();
			atomicAdd(g.per_thread + thread_id(), box + mix(t));
			__syncthreads();
		}
	}
}

__device__ __noinline__ unsigned waits(unsigned x)
{
	__syncthreads();
	return mix(x);
}
__global__ void k_barrier_in_function(Args g)
{
	CCC(for)
	for (int t = 0; t < 12; ++t) {
		CCC(if)
		if (g.in[t] & 1)
			atomicAdd(g.per_thread + thread_id(), waits(t));
	}
}
#endif
// SPDX-License-Identifier: MIT
