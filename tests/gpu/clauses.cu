// Clauses, and limits on the block size.
#ifndef KERNELS
#define KERNELS "clauses.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_threads_64);
	RUN(k_bounds_96);
	RUN(k_bounds_256);
	RUN(k_policy_stack);
	RUN(k_independent);
	return finish();
}
#else
// Larger blocks run the untransformed loop.
__global__ void k_threads_64(Args g)
{
	CCC(for threads(64))
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void __launch_bounds__(96) k_bounds_96(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void __launch_bounds__(256, 4) k_bounds_256(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_policy_stack(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(stack))
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

// The rest of the iteration could read what the path writes if the index were the same, but it never is.
__global__ void k_independent(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if independent)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		sum += g.out2[i];
	}
	g.per_thread[thread_id()] = sum;
}
#endif
// SPDX-License-Identifier: MIT
