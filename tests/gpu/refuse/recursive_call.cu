// WARNS: ccc-call
// A call in the path to a recursive function: after it, ptxas assumes converged lanes although they are not.
#ifndef KERNELS
#define KERNELS "refuse/recursive_call.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_call_recursive);
	return finish();
}
#else
__device__ __noinline__ unsigned depth(unsigned x)
{
	return x % 5 == 0 ? x : mix(depth(mix(x)));        // cannot become a loop
}

__global__ void k_call_recursive(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = depth(mix(i));
	}
}
#endif
// SPDX-License-Identifier: MIT
