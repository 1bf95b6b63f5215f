// SPDX-License-Identifier: MIT
// Paths of which an iteration takes at most one: they share a vote (shared_vote.c).
#ifndef KERNELS
#define KERNELS "grouped.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_switch);
	RUN(k_one_after_the_other);
	RUN(k_alike);
	RUN(k_chain);
	RUN(k_sums);
	RUN(k_whose);
	RUN(k_many);
	RUN(k_left_early);
	RUN(k_in_outer_loop);
	RUN(k_not_alone);
	return finish();
}
#else
__device__ __forceinline__ unsigned work(unsigned x, unsigned to)
{
	while (x % to)
		x = mix(x);
	return x;
}

// Each path has context of its own.
__global__ void k_switch(Args g)
{
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], y = mix(x), z = mix(y);
		unsigned *const to = g.out + i;
		CCC(switch paths(64))
		switch (z % 6) {
		case 0: *to = work(x, 9); break;
		case 1: *to = work(y, 7) + x; break;
		case 2: *to = work(z, 5) + g.k; break;
		case 3: *to = work(x + y, 11) ^ z; break;
		case 4: *to = work(i + 5, 13); break;
		}
	}
}

// No branch skips the other paths; one number is compared.
__global__ void k_one_after_the_other(Args g)
{
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], y = mix(x) >> 4;
		const int which = int(x % 5) - 2;
		CCC(if)
		if (which == -2)
			g.out[i] = work(y, 9);
		CCC(if)
		if (which == -1)
			g.out[i] = work(y, 7) + i;
		CCC(if)
		if (which == 0)
			g.out[i] = work(y + i, 8);
		CCC(if)
		if (which == 1)
			g.out[i] = work(y, 5) + x;
	}
}

// All paths have the same context.
__global__ void k_alike(Args g)
{
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], y = mix(x);
		CCC(switch paths(64))
		switch (y % 5) {
		case 0: g.out[i] = work(x, 9); break;
		case 1: g.out[i] = work(x, 7); break;
		case 2: g.out[i] = work(x, 5); break;
		case 3: g.out[i] = work(x, 11); break;
		}
	}
}

__global__ void k_chain(Args g)
{
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], y = mix(x);
		CCC(if else)
		if (y % 8 < 2)
			g.out[i] = work(x, 9);
		else if (y % 8 < 3)
			g.out[i] = work(y, 7);
		else if (x & 64)
			g.out[i] = work(x, 6) + y;
	}
}

__global__ void k_sums(Args g)
{
	unsigned own = 0, all = 0, odd = 0;
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], which = mix(x) % 4;
		CCC(if warpwide)
		if (which == 1)
			all += work(x, 9);
		CCC(if)
		if (which == 2)
			own ^= work(x, 7);
		CCC(if)
		if (which == 3)
			odd += work(x, 5);
	}
	atomicAdd(&g.count[0], all);
	g.per_thread[thread_id()] = own + odd;
}

// The code after the paths reads their results in the owners.
__global__ void k_whose(Args g)
{
	unsigned most = 0;
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], which = mix(x) % 5;
		unsigned y = x;
		CCC(switch paths(64))
		switch (which) {
		case 0: y = work(x, 9); break;
		case 1: y = work(x + 1, 7); break;
		case 2: y = work(x + i, 8); break;
		}
		g.out[i] = y + which;
		most = max(most, x >> 3);
	}
	g.per_thread[thread_id()] = most;
}

// As many paths as fit into five bits.
__global__ void k_many(Args g)
{
	CCC(for policy(queue) threads(128))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
#define ONE(k) CCC(if) if (x % 20 == k) g.out[i] = work(x / 20, 3 + k);
		ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8)
		ONE(9) ONE(10) ONE(11) ONE(12) ONE(13) ONE(14) ONE(15) ONE(16)
#undef ONE
	}
}

__global__ void k_left_early(Args g)
{
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], y = mix(x);
		if ((x & 1023) == 77)
			break;
		CCC(switch paths(64))
		switch (y % 4) {
		case 0: g.out[i] = work(x, 9); break;
		case 1: g.out[i] = work(x, 7); break;
		case 2: g.out[i] = work(y, 5); break;
		}
		if ((y & 511) == 3)
			return;
	}
	g.per_thread[thread_id()] = 5;
}

__global__ void k_in_outer_loop(Args g)
{
	for (int k = 0; k < 3; ++k) {
		CCC(for policy(queue) threads(256))
		GRID_STRIDE(i) {
			const unsigned x = g.in[i] + k;
			CCC(switch paths(64))
			switch (x % 7) {
			case 0: g.out[i] += work(x, 9); break;
			case 1: g.out[i] ^= work(x, 7); break;
			case 2: g.out[i] += work(mix(x), 5); break;
			case 3: g.out[i] += work(mix(x), 4); break;
			}
		}
	}
}

// An iteration may take the last path and one of the others: there are two votes.
__global__ void k_not_alone(Args g)
{
	CCC(for policy(queue) threads(256))
	GRID_STRIDE(i) {
		const unsigned x = g.in[i], which = mix(x) % 4;
		CCC(if)
		if (which == 0)
			g.out[i] = work(x, 9);
		CCC(if)
		if (which == 1)
			g.out[i] = work(x, 7);
		CCC(if)
		if (x & 2)
			g.out2[i] = work(x, 5);
	}
}
#endif
