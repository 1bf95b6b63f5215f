// Memory that paths write, and its readers: atomics, shared memory of the program in addition to the compiler's own, results
// that the owner reads after the loop, inputs that the owner wrote before the path.
#ifndef KERNELS
#define KERNELS "memory.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_atomics);
	RUN(k_compare_and_swap);
	RUN(k_histogram);
	RUN(k_dynamic, 8);
	RUN(k_static_and_dynamic, 4);
	RUN(k_read_behind);
	RUN(k_read_behind_shared);
	RUN(k_written_before);
	RUN(k_count_warp);
	RUN(k_volatile);
	RUN(k_coalesced);
	RUN(k_coalesced_queue);
	return finish();
}
#else
__global__ void k_atomics(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = mix(i);
			atomicAdd(g.count + x % 8, x);
			atomicMax(g.count + 8 + x % 8, x);
			atomicOr(g.count + 16 + x % 8, 1u << x % 31);
			atomicXor(g.count + 24 + x % 8, x);
			atomicAdd((unsigned long long *)(g.count + 32) + x % 8, x * 5ull);
		}
	}
}

__global__ void k_compare_and_swap(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned *const at = g.count + mix(i) % 64;
			unsigned seen = *at, old;
			do {
				old = seen;
				seen = atomicCAS(at, old, old + mix(i) % 7);
			} while (seen != old);
		}
	}
}

__global__ void k_histogram(Args g)
{
	__shared__ unsigned bins[64], twice[64];
	for (int j = block_rank(); j < 64; j += block_size())
		bins[j] = twice[j] = 0;
	__syncthreads();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			atomicAdd(bins + mix(i) % 64, 1);
			atomicAdd(twice + g.in[i] % 64, 2);
		}
	}
	__syncthreads();
	for (int j = block_rank(); j < 64; j += block_size())
		atomicAdd(g.count + j, bins[j] + 1000 * twice[j]);
}

// Dynamic shared memory: 8 bytes per thread; the thread uses only the first word.
extern __shared__ unsigned dynamic[];
__global__ void k_dynamic(Args g)
{
	unsigned *const mine = dynamic + 2 * block_rank();
	mine[0] = mine[1] = 0;
	CCC(for threads(1024))
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(mine + (i & 1), mix(i));
	}
	g.per_thread[thread_id()] = mine[0] + 7 * mine[1];
}
__global__ void k_static_and_dynamic(Args g)
{
	__shared__ unsigned char guard_a[4];
	__shared__ double sums[8];
	if (block_rank() == 0)
		guard_a[0] = guard_a[1] = guard_a[2] = guard_a[3] = 0x5a;
	for (int j = block_rank(); j < 8; j += block_size())
		sums[j] = 0;
	dynamic[block_rank()] = 0x12345678;
	__syncthreads();
	CCC(for threads(1024))
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(sums + i % 8, (double)(g.in[i] % 1000));
	}
	__syncthreads();
	g.per_thread[thread_id()] = dynamic[block_rank()] + guard_a[0] + guard_a[1] + guard_a[2] + guard_a[3];
	for (int j = block_rank(); j < 8; j += block_size())
		atomicAdd(g.count + j, (unsigned)(long long)sums[j]);
}

// After the loop, the thread reads what its own paths wrote, whichever lane ran them.
__global__ void k_read_behind(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(i);
	}
	unsigned sum = 0;
	GRID_STRIDE(i)
		sum = mix(sum + g.out[i]);
	g.per_thread[thread_id()] = sum;
}
__global__ void k_read_behind_shared(Args g)
{
	__shared__ unsigned mine[1024];
	const int me = block_rank();
	for (int round = 0; round < 3; ++round) {
		mine[me] = round;
		CCC(for)
		GRID_STRIDE(i) {
			CCC(if)
			if (wants(g, i))
				atomicAdd(mine + me, mix(i));
		}
		atomicAdd(g.per_thread + thread_id(), mine[me] * (round + 1));
	}
}

// The owner writes, the path reads.
__global__ void k_written_before(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		g.out2[i] = mix(i + 3);
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(((volatile unsigned *)g.out2)[i]));
	}
}

// One counter per warp: lanes of one warp update the same word from paths that other lanes may run.
__global__ void k_count_warp(Args g)
{
	__shared__ unsigned taken[32];
	if (block_rank() % 32 == 0)
		taken[block_rank() / 32] = 0;
	__syncthreads();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(taken + block_rank() / 32, i % 100);
	}
	__syncthreads();
	g.per_thread[thread_id()] = taken[block_rank() / 32];
}

__global__ void k_volatile(Args g)
{
	volatile unsigned *const out = g.out;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			out[i] = mix(i);
			out[i] = out[i] + 1;
			__threadfence();
		}
	}
}

// Loads from adjacent addresses are executed by the owner: before the path, under its condition.
__global__ void k_coalesced(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if coalesced)
		if (wants(g, i)) {
			const float4 v = g.in4[i];
			unsigned x = g.in[i] + unsigned(v.x + v.y * 3 + v.w);
			while (x % 11)
				x = mix(x);
			g.out[i] = x;
		}
	}
}

__global__ void k_coalesced_queue(Args g)
{
	unsigned s = 0;
	CCC(for policy(queue(2)))
	GRID_STRIDE(i) {
		if (wants(g, i)) {
			CCC(path coalesced) {
				const unsigned x = g.in[i], y = g.in64[i];
				for (unsigned k = x & 15; k; --k)
					s += mix(y + k);
				g.out[i] = x ^ y;
			}
		}
	}
	g.per_thread[thread_id()] = s;
}
#endif
// SPDX-License-Identifier: MIT
