// WARNS: ccc-live-out
// Registers that are live out of the path, without a declared reduction.
#ifndef KERNELS
#define KERNELS "refuse/live_out.cu"
#include "../gpu_test.cuh"
int main()
{
	RUN(k_sum);
	RUN(k_last);
	RUN(k_maximum_index);
	RUN(k_same_iteration);
	RUN(k_flag);
	return finish();
}
#else
__global__ void k_sum(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = g.in[i];
			while (x % 9)
				x = mix(x);
			sum = sum * 3 + x;
		}
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void k_last(Args g)
{
	unsigned last = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			last = g.in[i + 1];
			g.out[i] = last;
		}
	}
	g.per_thread[thread_id()] = last;
}

__global__ void k_maximum_index(Args g)
{
	int best = -1, at = -1;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const int x = mix(g.in[i]) >> 1;
			atomicAdd(g.out + i, 1);
			if (x > best) {
				best = x;
				at = i;
			}
		}
	}
	g.per_thread[thread_id()] = best + at;
}

__global__ void k_same_iteration(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = 1;
		CCC(if)
		if (wants(g, i)) {
			x = g.in[i];
			while (x % 9)
				x = mix(x);
		}
		sum = sum * 7 + x;
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void k_flag(Args g)
{
	bool seen = false;
	CCC(for)
	GRID_STRIDE(i) {
		if (seen)
			atomicAdd(g.out2 + i, 1);
		CCC(if)
		if (wants(g, i)) {
			atomicAdd(g.out + i, mix(i));
			seen = g.in[i + 1] & 1;
		}
	}
	g.per_thread[thread_id()] = seen;
}
#endif
// SPDX-License-Identifier: MIT
