// Partial warps at the loop: lanes that returned before, divergent branches around the loop.
#ifndef KERNELS
#define KERNELS "lanes.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_first_lanes);
	RUN(k_last_lanes);
	RUN(k_odd_lanes);
	RUN(k_one_lane);
	RUN(k_random_lanes);
	RUN(k_in_branch);
	RUN(k_both_branches);
	RUN(k_halves);
	RUN(k_different_trips);
	RUN(k_late);
	return finish();
}
#else
#define LANE (block_rank() & 31)
#define ANNOTATED_LOOP(salt) \
	CCC(for) \
	GRID_STRIDE(i) { \
		CCC(if) \
		if (wants(g, i)) \
			atomicAdd(g.out + i, mix(i + (salt))); \
	}

// Most lanes of the warp reach the loop: collection is possible.
__global__ void k_first_lanes(Args g)
{
	if (LANE >= 20)
		return;
	ANNOTATED_LOOP(1)
	g.per_thread[thread_id()] = 1;
}

// The same with any set of lanes. Further down, at most half of the lanes arrive and must run the untransformed loop.
__global__ void k_last_lanes(Args g)
{
	if (LANE < 3)
		return;
	ANNOTATED_LOOP(1)
	g.per_thread[thread_id()] = 1;
}
__global__ void k_odd_lanes(Args g)
{
	if (LANE % 2 == 0)
		return;
	ANNOTATED_LOOP(1)
	g.per_thread[thread_id()] = 1;
}
__global__ void k_one_lane(Args g)
{
	if (LANE != block_rank() / 32 % 32)
		return;
	ANNOTATED_LOOP(1)
	g.per_thread[thread_id()] = 1;
}
__global__ void k_random_lanes(Args g)
{
	if (mix(thread_id()) % 3 == 0)
		return;
	ANNOTATED_LOOP(1)
	g.per_thread[thread_id()] = 1;
}

__global__ void k_in_branch(Args g)
{
	if (mix(thread_id()) & 1) {
		ANNOTATED_LOOP(2)
	}
	g.per_thread[thread_id()] = 1;
}

// The lanes of a warp run different loops, perhaps at the same time.
__global__ void k_both_branches(Args g)
{
	if (mix(thread_id()) & 1) {
		ANNOTATED_LOOP(3)
	} else {
		ANNOTATED_LOOP(4)
	}
	g.per_thread[thread_id()] = 1;
}
__global__ void k_halves(Args g)
{
	if (LANE < 16) {
		ANNOTATED_LOOP(5)
	} else {
		ANNOTATED_LOOP(6)
	}
	ANNOTATED_LOOP(7)
	g.per_thread[thread_id()] = 1;
}

// Lanes leave the loop at very different iterations.
__global__ void k_different_trips(Args g)
{
	const int trips = mix(thread_id()) % 50;
	unsigned sum = 0;
	CCC(for)
	for (int t = 0; t < trips; ++t) {
		const int i = (thread_id() + t * 1009) % (g.n + 1);
		sum += g.in[i];
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(t + thread_id()));
	}
	g.per_thread[thread_id()] = sum + trips;
}

// Lanes arrive at different times: the loop before has a lane-dependent trip count.
__global__ void k_late(Args g)
{
	unsigned x = thread_id();
	for (int s = mix(x) % 100; s > 0; --s)
		x = mix(x);
	if (x % 4 == 0)
		atomicAdd(g.count, x);
	ANNOTATED_LOOP((int)(x & 15))
	g.per_thread[thread_id()] = x;
}
#undef ANNOTATED_LOOP
#undef LANE
#endif
// SPDX-License-Identifier: MIT
