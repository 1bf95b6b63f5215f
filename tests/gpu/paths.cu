// Several paths per loop: two branches in a row, both arms of one, chains of else-if, nested paths, and mixed policies.
#ifndef KERNELS
#define KERNELS "paths.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_two_in_a_row);
	RUN(k_both_ways);
	RUN(k_chain);
	RUN(k_three_deep);
	RUN(k_deep_and_beside);
	RUN(k_flows_in_one);
	return finish();
}
#else
static __device__ unsigned work(unsigned x, int rounds)
{
	for (int k = 0; k < rounds; k++)
		x = x * 1664525u + 1013904223u;
	return x;
}

__global__ void k_two_in_a_row(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned v = mix(g.in[i]);
		CCC(if)
		if (v & 1)
			g.out[i] = work(v, 9);
		CCC(if)
		if ((v & 6) == 2)
			g.out2[i] = work(v + i, 13);
	}
}

__global__ void k_both_ways(Args g)
{
	CCC(for threads(128))
	GRID_STRIDE(i) {
		unsigned v = mix(g.in[i]);
		CCC(if else)
		if (wants(g, i))
			g.out[i] = work(v, 20);
		else
			atomicAdd(g.count + (v & 7), work(v, 5) & 15);
	}
}

__global__ void k_chain(Args g)
{
	CCC(for threads(128))
	GRID_STRIDE(i) {
		unsigned v = mix(g.in[i]), kind = v & 7;
		CCC(if policy(queue))
		if (kind == 0) {
			g.out[i] = work(v, 7);
		} else CCC(if) if (kind == 1) {
			g.out[i] = work(v ^ i, 11);
		} else CCC(if policy(stack)) if (kind < 5) {
			g.out[i] = v % 1000 + threadIdx.x * 0;
			atomicXor(g.count + 1, work(v, 3));
		} else {
			g.out[i] = 7;
		}
	}
}

__global__ void k_three_deep(Args g)
{
	CCC(for threads(128))
	GRID_STRIDE(i) {
		unsigned v = mix(g.in[i]);
		CCC(if)
		if (v & 1) {
			unsigned w = work(v, 6);
			CCC(if)
			if (w & 256) {
				unsigned y = work(w + i, 5);
				CCC(if)
				if (y & 512)
					atomicAdd(g.count + (y >> 29), work(y, 8) & 31);
				g.out2[i] = y;
			}
			g.out[i] = w;
		}
	}
}

__global__ void k_deep_and_beside(Args g)
{
	CCC(for threads(96) policy(queue))
	GRID_STRIDE(i) {
		unsigned v = mix(g.in[i]);
		if (v % 13 == 5)
			continue;
		CCC(if)
		if (v & 3) {
			CCC(if policy(stack))
			if (v & 4)
				g.out[i] = work(v, 10);
			CCC(if)
			if (v & 8)
				atomicAdd(g.count + 2, work(v, 4) & 7);
		}
		CCC(path)
		{
			if (v & 64)
				g.out2[i] = work(v * 3, 6);
		}
	}
}

// The common code reads a live-out of one path, which the owner slice computes; the other path has no live-out.
__global__ void k_flows_in_one(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned v = g.in[i], t = 0;
		CCC(if)
		if (v & 2) {
			t = v * 5 + 1;
			g.out[i] = work(v, 9);
		}
		CCC(if)
		if (v & 4)
			g.out2[i] = work(v + t, 7);
		sum += t;
	}
	g.per_thread[thread_id()] = sum;
}

#endif
// SPDX-License-Identifier: MIT
