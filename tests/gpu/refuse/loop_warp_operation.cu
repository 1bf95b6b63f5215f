// WARNS: ccc-warp-sync
// Warp operations in the loop but outside the path: two copies of the loop would separate the lanes of their masks.
#ifndef KERNELS
#define KERNELS "refuse/loop_warp_operation.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_shuffle);
	RUN(k_ballot);
	RUN(k_reduce_behind);
	return finish();
}
#else
// The lanes of this thread's warp.
__device__ __forceinline__ unsigned warp_mask()
{
	const int left = block_size() - (block_rank() & ~31);
	return left >= 32 ? ~0u : (1u << left) - 1;
}

__global__ void k_shuffle(Args g)
{
	const unsigned mask = warp_mask();
	CCC(for)
	for (int base = 0; base < g.n; base += thread_count()) {
		const int i = base + thread_id();
		const int mine = i < g.n ? g.in[i] : 5;
		const int theirs = __shfl_xor_sync(mask, mine, 1);
		CCC(if)
		if (i < g.n && wants(g, i))
			g.out[i] = mix(mine ^ ((block_rank() ^ 1) < block_size() ? theirs : 77));
	}
}

__global__ void k_ballot(Args g)
{
	const unsigned mask = warp_mask();
	unsigned seen = 0;
	CCC(for)
	for (int base = 0; base < g.n; base += thread_count()) {
		const int i = base + thread_id();
		const unsigned odd = __ballot_sync(mask, i < g.n && (g.in[i] & 16));
		seen += __popc(odd);
		CCC(if)
		if (i < g.n && wants(g, i))
			g.out[i] = mix(odd) + seen;
	}
	g.per_thread[thread_id()] = seen;
}

__global__ void k_reduce_behind(Args g)
{
	const unsigned mask = warp_mask();
	unsigned sum = 0;
	CCC(for)
	for (int base = 0; base < g.n; base += thread_count()) {
		const int i = base + thread_id();
		CCC(if)
		if (i < g.n && wants(g, i))
			atomicAdd(g.out + i, mix(i));
		sum += __any_sync(mask, i < g.n && g.in[i] % 100 == 0) + __shfl_sync(mask, i, 0);
	}
	g.per_thread[thread_id()] = sum;
}
#endif
// SPDX-License-Identifier: MIT
