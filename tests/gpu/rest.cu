// SPDX-License-Identifier: MIT
// The rest of the iteration reads what the path computes: a task runs the rest too.
#ifndef KERNELS
#define KERNELS "rest.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_store_behind);
	RUN(k_sum_stored);
	RUN(k_rest_branches);
	RUN(k_rest_loops);
	RUN(k_rest_and_sum);
	RUN(k_left_behind);
	RUN(k_else);
	RUN(k_sunk);
	return finish();
}
#else
__device__ __forceinline__ unsigned work(unsigned x)
{
	while (x % 9)
		x = mix(x);
	return x;
}

__global__ void k_store_behind(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i], r = x;
		CCC(if)
		if (wants(g, i))
			r = work(x) * 3;
		g.out[i] = r + i;
	}
}

__global__ void k_sum_stored(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned sum = 0;
		CCC(if)
		if (wants(g, i))
			for (int k = 0; k < (g.in[i] & 31); ++k)
				sum += mix(g.in[i] + k);
		g.out[i] = sum;
	}
}

__global__ void k_rest_branches(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned r = i;
		CCC(if)
		if (wants(g, i))
			r = work(g.in[i]);
		if (r & 1)
			atomicAdd(g.count, mix(r));
		else if (r & 2)
			g.out[i] = r;
		else
			g.out2[i] = mix(r + 1);
	}
}

__global__ void k_rest_loops(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned r = i;
		CCC(if)
		if (wants(g, i))
			r = work(g.in[i]);
		for (unsigned k = 0; k < (r & 3); ++k)
			r = mix(r);
		g.out[i] = r;
	}
}

__global__ void k_rest_and_sum(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		unsigned r = i;
		CCC(if)
		if (wants(g, i)) {
			r = work(g.in[i]);
			s += r & 255;
		}
		g.out[i] = r;
		s += 3;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_left_behind(Args g)
{
	int i = thread_id();
	CCC(for)
	for (; i < g.n; i += thread_count()) {
		const unsigned x = g.in[i];
		unsigned r = x;
		CCC(if)
		if (wants(g, i))
			r = work(x);
		g.out[i] = r;
		if ((x & 127) == 126)
			break;
	}
	g.per_thread[thread_id()] = i;
}

__global__ void k_else(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned r;
		CCC(if)
		if (wants(g, i))
			r = work(g.in[i]);
		else
			r = g.in[i] + 5;
		g.out[i] = r * i;
	}
}

// The compiler moves what is computed last behind the end marker.
__global__ void k_sunk(Args g)
{
	unsigned most = 0;
	int high = -5;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = work(g.in[i]);
			most = max(most, x);
			high = max(high, int(x));
			if (x & 32)
				g.out[i] = x;
		}
	}
	g.per_thread[thread_id()] = most + high;
}
#endif
