// WARNS: ccc-call
// A call in the path that can call the function that contains the loop.
#ifndef KERNELS
#define KERNELS "refuse/recursion.cu"
#include "../gpu_test.cuh"
int main()
{
	cudaDeviceSetLimit(cudaLimitStackSize, 16384);
	RUN(k_recursion);
	RUN(k_round_about);
	return finish();
}
#else
__device__ __noinline__ void spread(Args g, int from, int to, int depth)
{
	CCC(for)
	for (int i = from; i < to; ++i) {
		CCC(if)
		if (wants(g, i)) {
			atomicAdd(g.out + i, mix(i + depth));
			if (depth < 2)
				spread(g, i + 1, min(i + 3, to), depth + 1);
		}
	}
}
__global__ void k_recursion(Args g)
{
	const int share = g.n / thread_count() + 1;
	spread(g, thread_id() * share, min(g.n, (thread_id() + 1) * share), 0);
}

__device__ void again(Args g, int i, int depth);
__device__ __noinline__ void walk(Args g, int from, int to, int depth)
{
	CCC(for)
	for (int i = from; i < to; ++i) {
		CCC(if)
		if (wants(g, i))
			again(g, i, depth);
	}
}
__device__ __noinline__ void again(Args g, int i, int depth)
{
	atomicAdd(g.out + i, mix(i + depth));
	if (depth < 2)
		walk(g, i + 1, min(i + 3, g.n), depth + 1);
}
__global__ void k_round_about(Args g)
{
	const int share = g.n / thread_count() + 1;
	walk(g, thread_id() * share, min(g.n, (thread_id() + 1) * share), 0);
}
#endif
// SPDX-License-Identifier: MIT
