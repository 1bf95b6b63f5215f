// WARNS: ccc-path ccc-control
// Paths that leave the loop.
#ifndef KERNELS
#define KERNELS "refuse/leaves_loop.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_break);
	RUN(k_return);
	RUN(k_goto);
	RUN(k_break_sometimes);
	RUN(k_function);
	return finish();
}
#else
__global__ void k_break(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			g.out[i] = mix(i);
			break;
		}
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}

__global__ void k_return(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			g.out[i] = mix(i);
			return;
		}
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}

__global__ void k_goto(Args g)
{
	int r = 1;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			g.out[i] = mix(i);
			if (g.in[i] & 64) {
				r = 2;
				goto out;
			}
		}
	}
	r = 3;
out:
	atomicAdd(g.per_thread + thread_id(), r);
}

__global__ void k_break_sometimes(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = g.in[i];
			while (x % 9)
				x = mix(x);
			g.out[i] = x;
			if (x & 64)
				break;
		}
		atomicAdd(g.out2 + i, 1);
	}
}

__device__ __noinline__ int first(Args g, int salt)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			g.out[i] = mix(i);
			if (mix(i + salt) & 1)
				return i;
		}
	}
	return -1;
}
__global__ void k_function(Args g)
{
	g.per_thread[thread_id()] = first(g, 3) + first(g, 4);
}
#endif
// SPDX-License-Identifier: MIT
