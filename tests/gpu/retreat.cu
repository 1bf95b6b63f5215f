// Fallback: warps that continue in the untransformed loop after a round or two, and warps that do not, with lanes that agree or disagree.
// SPDX-License-Identifier: MIT
#ifndef KERNELS
#define KERNELS "retreat.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_agree);
	RUN(k_apart);
	RUN(k_never);
	RUN(k_queue);
	RUN(k_turns);
	RUN(k_threshold);
	RUN(k_change);
	RUN(k_breaks);
	RUN(k_returns);
	RUN(k_sum);
	RUN(k_two);
	RUN(k_nested);
	RUN(k_jump);
	RUN(k_again);
	RUN(k_no);
	RUN(k_ahead);
	RUN(k_ahead_apart);
	return finish();
}
#else
__device__ __forceinline__ bool agree(int i) { return i >> 5 & 1; }
__device__ __forceinline__ unsigned work(unsigned x, int n)
{
#pragma unroll
	for (int k = 0; k < n; k++)
		x = mix(x + k);
	return x;
}

__global__ void k_agree(Args g)
{
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i))
			atomicAdd(g.out + i, work(g.in[i], 2));
		atomicAdd(g.out2 + i, 1);
	}
}

__global__ void k_apart(Args g)
{
	CCC(for policy(stack) retreat(2))
	GRID_STRIDE(i) {
		CCC(if)
		if ((g.in[i] & 31) == 0)
			atomicAdd(g.out + i, work(g.in[i], 12));
		atomicAdd(g.out2 + i, 1);
	}
}

__global__ void k_never(Args g)
{
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] == 12345)
			atomicAdd(g.out + i, work(g.in[i], 2));
		atomicAdd(g.out2 + i, 1);
	}
}

__global__ void k_queue(Args g)
{
	CCC(for policy(queue) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i) || wants(g, i))
			atomicAdd(g.out + i, work(g.in[i], 2));
	}
}

__global__ void k_turns(Args g)
{
	CCC(for policy(queue) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i) || wants(g, i))
			atomicAdd(g.out + i, work(g.in[i], 2));
	}
}

__global__ void k_threshold(Args g)
{
	CCC(for policy(stack) threshold(20) retreat(2))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i) || wants(g, i))
			atomicAdd(g.out + i, work(g.in[i], 3));
	}
}

// The transformed loop gains in the first half, and loses in the second.
__global__ void k_change(Args g)
{
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (i < g.n / 2 ? (g.in[i] & 31) == 0 : true)
			atomicAdd(g.out + i, work(g.in[i], 4));
	}
}

__global__ void k_breaks(Args g)
{
	int last = -1;
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		last = i;
		if (g.in[i] % 90 == 0)
			break;
		CCC(if)
		if (agree(i))
			atomicAdd(g.out + i, work(g.in[i], 1));
		if (g.in[i] % 70 == 0)
			break;
	}
	atomicAdd(g.per_thread + thread_id(), last);
}

__global__ void k_returns(Args g)
{
	CCC(for policy(queue) retreat(1))
	GRID_STRIDE(i) {
		if (g.in[i] % 80 == 0)
			return;
		CCC(if)
		if (agree(i))
			atomicAdd(g.out + i, work(g.in[i], 1));
	}
	atomicAdd(g.per_thread + thread_id(), 7);
}

__global__ void k_sum(Args g)
{
	unsigned sum = 3;
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i) || wants(g, i))
			sum += work(g.in[i], 1);
	}
	atomicAdd(g.per_thread + thread_id(), sum);
}

__global__ void k_two(Args g)
{
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i))
			atomicAdd(g.out + i, work(g.in[i], 2));
		else
			CCC(if policy(queue))
			if (wants(g, i))
				atomicAdd(g.out2 + i, work(g.in[i], 3));
	}
}

__global__ void k_nested(Args g)
{
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i) || wants(g, i)) {
			const unsigned w = work(g.in[i], 2);
			CCC(if)
			if (w & 4)
				atomicAdd(g.out + i, work(w, 3));
			atomicAdd(g.out2 + i, w);
		}
	}
}

__global__ void k_jump(Args g)
{
	CCC(for policy(stack) retreat(1))
	GRID_STRIDE(i) {
		unsigned w = g.in[i];
		CCC(if)
		if (agree(i))
			w = work(w, 2) + g.in[i + 1 < g.n ? i + 1 : 0];
		atomicAdd(g.out + i, w);
	}
}

// The loop is entered again and again, by lanes that left it for different reasons.
__global__ void k_again(Args g)
{
	for (int round = 0; round < 3; round++) {
		CCC(for policy(stack) retreat(1))
		GRID_STRIDE(i) {
			if (round == 1 && g.in[i] % 40 == 0)
				break;
			CCC(if)
			if (round == 2 ? (g.in[i] & 31) == 0 : agree(i))
				atomicAdd(g.out + i, work(g.in[i] + round, 2));
		}
		atomicAdd(g.per_thread + thread_id(), round);
	}
}

__global__ void k_no(Args g)
{
	CCC(for policy(stack) retreat(no))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i))
			atomicAdd(g.out + i, work(g.in[i], 2));
	}
}

__global__ void k_ahead(Args g)
{
	unsigned state = 5;
	CCC(for policy(ahead(4)) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if (agree(i)) {
			state = mix(state + g.in[i]);
			atomicAdd(g.out + i, state);
		}
	}
	atomicAdd(g.per_thread + thread_id(), state);
}

__global__ void k_ahead_apart(Args g)
{
	unsigned state = 5;
	CCC(for policy(ahead(16)) retreat(1))
	GRID_STRIDE(i) {
		CCC(if)
		if ((g.in[i] & 15) == 0) {
			state = work(state + g.in[i], 12);
			atomicAdd(g.out + i, state);
		}
	}
	atomicAdd(g.per_thread + thread_id(), state);
}
#endif
