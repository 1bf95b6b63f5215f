// Warp operations before and after the annotated loop.
#ifndef KERNELS
#define KERNELS "warp.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_around_loop);
	return finish();
}
#else
// The lanes of this thread's warp.
__device__ __forceinline__ unsigned warp_mask()
{
	const int left = block_size() - (block_rank() & ~31);
	return left >= 32 ? ~0u : (1u << left) - 1;
}

// Before and after the loop.
__global__ void k_around_loop(Args g)
{
	const unsigned mask = warp_mask();
	const int first = __shfl_sync(mask, thread_id(), 0);
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		sum += g.in[i];
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i + first));
	}
	__syncwarp(mask);
	g.per_thread[thread_id()] = sum + __shfl_sync(mask, sum, 0);
}
#endif
// SPDX-License-Identifier: MIT
