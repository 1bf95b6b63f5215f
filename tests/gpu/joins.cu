// SPDX-License-Identifier: MIT
// Inner loops that are expanded while collected paths run.
#ifndef KERNELS
#define KERNELS "joins.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(j_queue4);
	RUN(j_queue);
	RUN(j_stack);
	RUN(j_choose);
	RUN(j_threshold);
	RUN(j_queue_threshold);
	RUN(j_rest_of_path);
	RUN(j_some_have_no_row);
	RUN(j_sum_of_row);
	RUN(j_sum_of_path);
	RUN(j_wide_index);
	RUN(j_two_paths);
	RUN(j_leaves);
	RUN(j_in_outer_loop);
	RUN(j_two_loops_in_path);
	return finish();
}
#else
// One of 16 rows is long, and half are empty.
__device__ __forceinline__ int row_length(const Args &g, int i)
{
	const unsigned x = mix(g.in[i]);
	return (x & 15) == 0 ? 30 + (x >> 8) % 150 : x & 1 ? 0 : (x >> 8) % 14;
}
__device__ __forceinline__ void visit(const Args &g, unsigned i, unsigned k)
{
	atomicAdd(g.count + k % 64, mix(i * 331 + k));
}
#define SIMPLE(name, path, rows) \
	__global__ void name(Args g) \
	{ \
		CCC(for) \
		GRID_STRIDE(i) { \
			CCC(path) \
			if (wants(g, i)) { \
				const int begin = g.in[i] & 255, end = begin + row_length(g, i); \
				CCC(rows) \
				for (int k = begin; k < end; ++k) \
					visit(g, i, k); \
			} \
		} \
	}

SIMPLE(j_queue4, if policy(queue(4)), for var policy(expand))
SIMPLE(j_queue, if policy(queue), for var policy(expand))
SIMPLE(j_stack, if policy(stack), for var policy(expand))
SIMPLE(j_choose, if policy(queue(2)), for var policy(expand(choose)))
SIMPLE(j_threshold, if policy(stack) threshold(20), for var policy(expand))
SIMPLE(j_queue_threshold, if policy(queue) threshold(5), for var policy(expand))

// A live-out of the inner loop is used after it.
__global__ void j_rest_of_path(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(stack))
		if (wants(g, i)) {
			const int begin = g.in[i] & 255, end = begin + row_length(g, i);
			int k = begin;
			CCC(for var policy(expand))
			for (; k < end; ++k)
				visit(g, i, k);
			g.out[i] = mix(k);
			if (k & 1)
				g.out2[i] = k;
		}
	}
}

__global__ void j_some_have_no_row(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(queue))
		if (wants(g, i)) {
			const int begin = g.in[i] & 255, end = begin + row_length(g, i);
			if (begin & 3) {
				g.out[i] = begin;
				CCC(for var policy(expand))
				for (int k = begin; k < end; ++k)
					visit(g, i, k);
			} else {
				g.out[i] = mix(end);
			}
			atomicAdd(g.count, begin);
		}
	}
}

__global__ void j_sum_of_row(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(queue(3)))
		if (wants(g, i)) {
			const int end = row_length(g, i);
			unsigned sum = i;
			CCC(for var policy(expand))
			for (int k = 0; k < end; ++k)
				sum += mix(i + k);
			g.out[i] = sum;
		}
	}
}

// The path reduces into its live-outs, in the rows and after them.
__global__ void j_sum_of_path(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(stack))
		if (wants(g, i)) {
			const int end = row_length(g, i);
			CCC(for var policy(expand))
			for (int k = 0; k < end; ++k)
				sum += mix(i + k);
			sum += end;
		}
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void j_wide_index(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(queue(2)))
		if (wants(g, i)) {
			const long long begin = g.in[i] & 255, end = begin + row_length(g, i);
			CCC(for var policy(expand))
			for (long long k = begin; k < end; k += 3)
				visit(g, i, (unsigned)k);
		}
	}
}

__global__ void j_two_paths(Args g)
{
	CCC(for threads(256))
	GRID_STRIDE(i) {
		CCC(if policy(queue))
		if (wants(g, i)) {
			const int begin = g.in[i] & 255, end = begin + row_length(g, i);
			CCC(for var policy(expand))
			for (int k = begin; k < end; ++k)
				visit(g, i, k);
		}
		CCC(if policy(stack))
		if (g.in[i] & 8)
			for (int k = 0; k < 3; ++k)
				atomicAdd(g.count + k, mix(i + k));
	}
}

__global__ void j_leaves(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if ((g.in[i] & 0x3ff) == 17)
			break;
		CCC(if policy(queue(4)))
		if (wants(g, i)) {
			const int begin = g.in[i] & 255, end = begin + row_length(g, i);
			CCC(for var policy(expand))
			for (int k = begin; k < end; ++k)
				visit(g, i, k);
		}
	}
}

__global__ void j_in_outer_loop(Args g)
{
	for (int round = 0; round < 2 + (thread_id() & 1); ++round) {
		CCC(for)
		GRID_STRIDE(i) {
			CCC(if policy(queue))
			if (wants(g, i)) {
				const int begin = g.in[i] & 255, end = begin + row_length(g, i);
				CCC(for var policy(expand))
				for (int k = begin; k < end; ++k)
					visit(g, i, k + round);
			}
		}
	}
}

// One loop is expanded, the other one is not.
__global__ void j_two_loops_in_path(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(queue))
		if (wants(g, i)) {
			const int begin = g.in[i] & 255, end = begin + row_length(g, i);
			CCC(for var policy(expand))
			for (int k = begin; k < end; ++k)
				visit(g, i, k);
			for (int k = begin; k < end / 2; k += 2)
				visit(g, i, mix(k));
		}
	}
}
#endif
