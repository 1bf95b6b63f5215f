// continue, break, return and goto outside the path; code after the loop for the lanes that did not return.
#ifndef KERNELS
#define KERNELS "flow.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_continue_before);
	RUN(k_continue_behind);
	RUN(k_break_before);
	RUN(k_break_behind);
	RUN(k_break_deep);
	RUN(k_return);
	RUN(k_return_behind);
	RUN(k_function_returns);
	RUN(k_goto);
	RUN(k_exit);
	return finish();
}
#else
__global__ void k_continue_before(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] % 5 == 0)
			continue;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_continue_behind(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] % 7 == 0) {
			atomicAdd(g.out2 + i, 100);
			continue;
		}
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		if (g.in[i] % 3 == 0)
			continue;
		atomicAdd(g.out2 + i, i + 1);
	}
}

__global__ void k_break_before(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] % 50 == 0)
			break;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}

__global__ void k_break_behind(Args g)
{
	int last = -1;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		if (g.in[i] % 50 == 0) {
			last = i;
			break;
		}
	}
	atomicAdd(g.per_thread + thread_id(), last);
}

// Several breaks, one of them after an inner loop.
__global__ void k_break_deep(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] % 70 == 1)
			break;
		bool stop = false;
		for (int j = 0; j < (g.in[i] & 15) && !stop; ++j) {
			sum += mix(i + j);
			stop = sum % 100 == 0;
		}
		if (stop)
			break;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		if (g.in[i] % 70 == 2)
			break;
	}
	atomicAdd(g.per_thread + thread_id(), sum);
}

__global__ void k_return(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] % 60 == 0)
			return;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}

__global__ void k_return_behind(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		if (g.in[i] % 60 == 0) {
			atomicAdd(g.per_thread + thread_id(), 7);
			return;
		}
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}

__device__ __noinline__ int find(Args g, int wanted)
{
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] % 64 == wanted)
			return i;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i + wanted));
	}
	return -5;
}
__global__ void k_function_returns(Args g)
{
	const int a = find(g, 9);
	const int b = find(g, thread_id() % 3);
	atomicAdd(g.per_thread + thread_id(), a * 3 + b);
}

__global__ void k_goto(Args g)
{
	int r = 1;
	CCC(for)
	GRID_STRIDE(i) {
		if (g.in[i] % 80 == 0) {
			r = 2;
			goto out;
		}
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
	r = 3;
out:
	atomicAdd(g.per_thread + thread_id(), r);
}

// Inline assembly ends the thread inside the loop: PTX `exit`, not `ret`.
__global__ void k_exit(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		if (g.in[i] % 60 == 0)
			asm volatile("exit;");
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}
#endif
// SPDX-License-Identifier: MIT
