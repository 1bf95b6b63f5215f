// WARNS: ccc-barrier
// A block barrier in the loop, outside the path.
#ifndef KERNELS
#define KERNELS "refuse/loop_barrier.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_loop_barrier);
	return finish();
}
#else
__global__ void k_loop_barrier(Args g)
{
	__shared__ unsigned turn[2];
	volatile int same = g.in[5] % 20;       // in local memory: that it is uniform cannot be proven
	const int trips = same;
	CCC(for)
	for (int t = 0; t < trips; ++t) {
		const int i = t * thread_count() + thread_id();
		CCC(if)
		if (i < g.n && wants(g, i))
			atomicAdd(g.out + i, mix(i));
		if (block_rank() == 0)
			turn[t & 1] = t;
		__syncthreads();
		atomicAdd(g.per_thread + thread_id(), turn[t & 1]);
	}
}
#endif
// SPDX-License-Identifier: MIT
