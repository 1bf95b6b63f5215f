// WARNS: ccc-warp-sync
// Warp-synchronous operations in the path; the whole warp takes it.
#ifndef KERNELS
#define KERNELS "refuse/warp_operation.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_shuffle);
	RUN(k_vote);
	RUN(k_syncwarp);
	RUN(k_active);
	return finish();
}
#else
__device__ __forceinline__ unsigned warp_mask()
{
	const int left = block_size() - (block_rank() & ~31);
	return left >= 32 ? ~0u : (1u << left) - 1;
}

__global__ void k_shuffle(Args g)
{
	const unsigned mask = warp_mask();
	CCC(for)
	for (int t = 0; t < 12; ++t) {
		CCC(if)
		if (g.in[t] & 1)
			atomicAdd(g.per_thread + thread_id(), __shfl_sync(mask, thread_id() + t, 0));
	}
}

__global__ void k_vote(Args g)
{
	const unsigned mask = warp_mask();
	CCC(for)
	for (int t = 0; t < 12; ++t) {
		CCC(if)
		if (g.in[t] & 1)
			atomicAdd(g.per_thread + thread_id(), __ballot_sync(mask, mix(thread_id() + t) & 1));
	}
}

__global__ void k_syncwarp(Args g)
{
	const unsigned mask = warp_mask();
	CCC(for)
	for (int t = 0; t < 12; ++t) {
		CCC(if)
		if (g.in[t] & 1) {
			g.out[thread_id()] = mix(t);
			__syncwarp(mask);
			atomicAdd(g.per_thread + thread_id(), g.out[thread_id()]);
		}
	}
}

// The number of active lanes in the path is undefined; but there is at least one.
__global__ void k_active(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(i) + (__activemask() != 0);
	}
}
#endif
// SPDX-License-Identifier: MIT
