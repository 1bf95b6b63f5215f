// STRICT: no. ptxccc may transform these loops or not; the result must be right in both cases.
#ifndef KERNELS
#define KERNELS "maybe.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_unrolled);
	RUN(k_unrolled_full);
	RUN(k_two_paths);
	RUN(k_paths_in_row);
	RUN(k_continue_in_path);
	RUN(k_big_context);
	RUN(k_big_shared);
	RUN(k_barrier_outside);
	RUN(k_no_branch);
	RUN(k_printf);
	RUN(k_nested_annotations);
	return finish();
}
#else
__global__ void k_unrolled(Args g)
{
	CCC(for)
#pragma unroll 4
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_unrolled_full(Args g)
{
	CCC(for)
#pragma unroll
	for (int t = 0; t < 4; ++t) {
		const int i = thread_id() + t * 777;
		if (i < g.n) {
			CCC(if)
			if (wants(g, i))
				atomicAdd(g.out + i, mix(t));
		}
	}
}

__global__ void k_two_paths(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		CCC(if)
		if (g.in[i] & 16)
			atomicAdd(g.out2 + i, mix(i + 1));
	}
}

__global__ void k_paths_in_row(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			atomicAdd(g.out + i, mix(i));
		} else {
			CCC(if)
			if (g.in[i] & 16)
				atomicAdd(g.out2 + i, mix(i + 1));
		}
	}
}

// Two exits of the path, one of which skips the rest of the iteration.
__global__ void k_continue_in_path(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = mix(i);
			g.out[i] = x;
			if (g.in[i] & 32)
				continue;
			atomicAdd(g.out2 + i, x);
		}
		sum += i;
		atomicAdd(g.out2 + i, 5);
	}
	g.per_thread[thread_id()] = sum;
}

// 24 words for each of 1024 threads do not fit in 48 KB.
__global__ void k_big_context(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned v[24], sum = 0;
#pragma unroll
		for (int j = 0; j < 24; ++j)
			sum += v[j] = g.in[(i + j * 17) % g.n] * (j + 1);
		g.out2[i] = sum;
		CCC(if)
		if (wants(g, i)) {
			unsigned x = sum;
#pragma unroll
			for (int j = 0; j < 24; ++j)
				x = mix(x ^ v[j]);
			g.out[i] = x;
		}
	}
}

// The program's own shared memory leaves 1 KB free.
__global__ void k_big_shared(Args g)
{
	__shared__ unsigned mine[47 * 256];
	for (int j = block_rank(); j < 47 * 256; j += block_size())
		mine[j] = mix(j);
	__syncthreads();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
	__syncthreads();
	unsigned sum = 0;
	for (int j = block_rank(); j < 47 * 256; j += block_size())
		sum += mine[j] * j;
	atomicAdd(g.count, sum);
}

__global__ void k_barrier_outside(Args g)
{
	__shared__ unsigned turn[2];
	for (int base = 0; base < 1; ++base) {
		CCC(for)
		for (int t = 0; t < 10; ++t) {
			const int i = t * thread_count() + thread_id();
			CCC(if)
			if (i < g.n && wants(g, i))
				atomicAdd(g.out + i, mix(i));
			__syncthreads();
			if (block_rank() == 0)
				turn[t & 1] = t;
			__syncthreads();
			atomicAdd(g.per_thread + thread_id(), turn[t & 1]);
		}
	}
}

// No branch is left: the compiler emits a select, or knows the condition.
__global__ void k_no_branch(Args g)
{
	unsigned x = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			x += 1;
	}
	g.per_thread[thread_id()] = x;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (i >= 0)
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_printf(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			atomicAdd(g.out + i, mix(i));
			if (g.in[i] < 0)
				printf("a negative number: %d\n", g.in[i]);
		}
	}
}

__global__ void k_nested_annotations(Args g)
{
	for (int round = 0; round < 2; ++round) {
		CCC(for)
		GRID_STRIDE(i) {
			CCC(if)
			if (wants(g, i)) {
				CCC(for)
				for (int j = 0; j < (g.in[i] >> 4 & 7); ++j) {
					CCC(if)
					if (mix(i + j) % 3 == 0)
						atomicAdd(g.out + i, mix(j + round));
				}
			}
		}
	}
}
#endif
// SPDX-License-Identifier: MIT
