// SPDX-License-Identifier: MIT
// The rest of the iteration reads what the path computes: the task runs the rest too (tail capture).
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
	RUN(k_chain_summed);
	RUN(k_chain_stored);
	RUN(k_cases_summed);
	RUN(k_one_then_chain);
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

// The compiler moves the last computation after the end marker.
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

// Several paths, of which each iteration takes at most one: each task runs the rest of its iteration.
__global__ void k_chain_summed(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		unsigned y = x;
		CCC(if)
		if (x % 5 == 1)
			y = work(x);
		else {
			CCC(if)
			if (x % 5 == 2)
				y = work(x + 7) ^ 3;
			else {
				CCC(if)
				if (x % 5 == 3)
					for (unsigned k = x & 15; k > 0; --k)
						y = mix(y + k);
			}
		}
		sum += y >> 3;
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void k_chain_stored(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		unsigned y;
		if (x & 1) {
			CCC(if)
			if (wants(g, i))
				y = work(x);
			else
				y = 5;
		} else {
			CCC(if)
			if (x & 2)
				y = work(~x) + 1;
			else
				y = 7;
		}
		if (y & 4)
			atomicAdd(&g.count[y & 63], 1u);
		g.out[i] = y;
	}
}

__global__ void k_cases_summed(Args g)
{
	unsigned sum = 0, most = 0;
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		unsigned y = x & 255;
		CCC(switch paths(3))
		switch (x >> 3 & 7) {
		case 0: y = work(x); break;
		case 1: y = work(x * 3) + 9; break;
		case 2: y = ~work(x ^ 77); break;
		case 3: y = x + 1; break;
		case 6: y = x * x; break;
		}
		sum += y;
		most = max(most, y & 0xffff);
	}
	g.per_thread[thread_id()] = sum + most;
}

// The first path's task ends before the other paths.
__global__ void k_one_then_chain(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		unsigned y = x, z = 1;
		CCC(if)
		if (wants(g, i))
			y = work(x);
		g.out[i] = y;
		CCC(if)
		if (x % 3 == 1)
			z = work(x + 1);
		else {
			CCC(if)
			if (x % 3 == 2)
				z = work(x + 2) & 15;
		}
		g.out2[i] = z;
		sum += z;
	}
	g.per_thread[thread_id()] = sum;
}
#endif
