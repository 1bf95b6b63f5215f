// SPDX-License-Identifier: MIT
// Reductions where only the combined value of the warp's lanes matters (warpwide): the lane that runs a path keeps its contribution.
#ifndef KERNELS
#define KERNELS "warpwide.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_sum);
	RUN(k_all_operations);
	RUN(k_floats);
	RUN(k_of_the_loop);
	RUN(k_both_sides);
	RUN(k_one_of_two);
	RUN(k_behind_each_other);
	RUN(k_several_own_parts);
	RUN(k_left_early);
	RUN(k_in_outer_loop);
	RUN(k_steps);
	return finish();
}
#else
__device__ __forceinline__ unsigned work(unsigned x)
{
	while (x % 9)
		x = mix(x);
	return x;
}

__global__ void k_sum(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if warpwide)
		if (wants(g, i))
			s += work(g.in[i]);
	}
	atomicAdd(&g.count[0], s);
}

__global__ void k_all_operations(Args g)
{
	unsigned sum = 1, all = ~0u, any = 0, odd = 7, most = 0, least = ~0u;
	int low = 5, high = -5;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if warpwide)
		if (wants(g, i)) {
			const unsigned x = work(g.in[i]);
			sum -= x * i;
			all &= x | 0xff;
			any |= x & 0x10101;
			odd ^= x;
			most = max(most, x);
			least = min(least, x);
			low = min(low, int(x));
			high = max(high, int(x));
		}
	}
	atomicAdd(&g.count[0], sum);
	atomicAnd(&g.count[1], all);
	atomicOr(&g.count[2], any);
	atomicXor(&g.count[3], odd);
	atomicMax(&g.count[4], most);
	atomicMax(&g.count[5], ~least);
	atomicMax(reinterpret_cast<int *>(&g.count[6]), high);
	atomicMax(reinterpret_cast<int *>(&g.count[7]), ~low);
}

// Small integers: their sums are exact in any order.
__global__ void k_floats(Args g)
{
	float s = 1;
	double t = 1;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if warpwide)
		if (wants(g, i)) {
			s += g.in4[i].x;
			t -= g.in_double[i];
		}
	}
	atomicAdd(&g.count[0], unsigned(int(s)));
	atomicAdd(&g.count[1], unsigned(int(t)));
}

__global__ void k_of_the_loop(Args g)
{
	unsigned s = 0;
	CCC(for warpwide)
	GRID_STRIDE(i) {
		s += g.in[i];
		CCC(if policy(queue))
		if (wants(g, i))
			s += work(g.in[i]);
	}
	atomicAdd(&g.count[0], s);
}

__global__ void k_both_sides(Args g)
{
	unsigned s = 0, n = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if else warpwide)
		if (wants(g, i)) {
			s += work(g.in[i]);
			++n;
		} else {
			s += mix(g.in[i] + 3);
			n += 3;
		}
	}
	atomicAdd(&g.count[0], s);
	atomicAdd(&g.count[1], n);
}

// The contributions of one path go to the owner, those of the other stay in their lane.
__global__ void k_one_of_two(Args g)
{
	unsigned s = 0, own = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if warpwide)
		if (wants(g, i))
			s += work(g.in[i]);
		CCC(if)
		if (wants(g, i + 1))
			own += work(g.in[i] + 1);
	}
	atomicAdd(&g.count[0], s);
	g.per_thread[thread_id()] = own;
}

__global__ void k_behind_each_other(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if warpwide)
		if (wants(g, i))
			s += work(g.in[i]);
		CCC(if warpwide policy(queue))
		if (wants(g, i + 1))
			s += work(g.in[i] + 1);
		CCC(if)
		if (wants(g, i + 2))
			s += work(g.in[i] + 2);
	}
	atomicAdd(&g.count[0], s);
}

__global__ void k_several_own_parts(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if warpwide policy(queue(4)))
		if (wants(g, i))
			s += work(g.in[i]);
	}
	atomicAdd(&g.count[0], s);
}

__global__ void k_left_early(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		if ((g.in[i] & 1023) == 77)
			break;
		CCC(if warpwide threshold(20))
		if (wants(g, i))
			s ^= work(g.in[i]);
	}
	atomicXor(&g.count[0], s);
}

__global__ void k_in_outer_loop(Args g)
{
	unsigned s = 0;
	for (int k = 0; k < 3; ++k) {
		CCC(for retreat(2))
		GRID_STRIDE(i) {
			CCC(if warpwide)
			if (wants(g, i + k))
				s += work(g.in[i] + k);
		}
	}
	atomicAdd(&g.count[0], s);
}

// A task is one iteration of an inner loop.
__global__ void k_steps(Args g)
{
	unsigned s = 0;
	CCC(for warpwide)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(while)
		while (x % 9) {
			x = mix(x);
			s += x >> 7;
		}
		g.out[i] = x;
	}
	atomicAdd(&g.count[0], s);
}
#endif
