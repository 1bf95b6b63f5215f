// SPDX-License-Identifier: MIT
// Policies queue(U) and threshold(N): batches of several iterations of common code, and executions of the path with idle lanes. STRICT: no, some loops cannot be batched, and ptxccc says so.
#ifndef KERNELS
#define KERNELS "queues.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_queue_2);
	RUN(k_queue_4);
	RUN(k_queue_8);
	RUN(k_queue_32);
	RUN(k_queue_several);
	RUN(k_queue_if_else);
	RUN(k_queue_sum);
	RUN(k_queue_out);
	RUN(k_queue_jump);
	RUN(k_queue_apart);
	RUN(k_queue_mixed);
	RUN(k_queue_break);
	RUN(k_queue_tail);
	RUN(k_stack_threshold);
	RUN(k_stack_threshold_apart);
	RUN(k_queue_threshold);
	RUN(k_queue_threshold_apart);
	RUN(k_queue_4_threshold);
	RUN(k_threshold_several);
	RUN(k_threshold_nested);
	RUN(k_threshold_one);
	RUN(k_threshold_sum);
	return finish();
}
#else
#define ONE_PATH(name, ...) \
	__global__ void name(Args g) \
	{ \
		CCC(for __VA_ARGS__) \
		GRID_STRIDE(i) { \
			CCC(if) \
			if (wants(g, i)) \
				atomicAdd(g.out + i, mix(i)); \
		} \
	}
ONE_PATH(k_queue_2, policy(queue(2)))
ONE_PATH(k_queue_4, policy(queue(4)))
ONE_PATH(k_queue_8, policy(queue(8)))
ONE_PATH(k_queue_32, policy(queue(32)) threads(128))
ONE_PATH(k_stack_threshold, policy(stack) threshold(20))
ONE_PATH(k_queue_threshold, policy(queue) threshold(28))
ONE_PATH(k_queue_4_threshold, policy(queue(4)) threshold(8))
ONE_PATH(k_threshold_one, policy(queue(3)) threshold(1))

__global__ void k_queue_several(Args g)
{
	CCC(for policy(queue(4)))
	GRID_STRIDE(i) {
		int v = g.in[i];
		CCC(if)
		if ((v & 7) < g.k)
			atomicAdd(g.out + i, mix(v));
		g.out2[i] = v * 3;
		CCC(if)
		if ((v >> 3 & 7) < g.k)
			atomicXor(g.count + (v & 15), mix(i));
	}
}

// Both arms of one branch are paths.
__global__ void k_queue_if_else(Args g)
{
	CCC(for policy(queue(3)))
	GRID_STRIDE(i) {
		CCC(if else)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		else
			atomicXor(g.out + i, mix(i + 1));
	}
}

__global__ void k_queue_sum(Args g)
{
	unsigned sum = 0, most = 0;
	CCC(for policy(queue(4)))
	GRID_STRIDE(i) {
		most += i;
		CCC(if)
		if (wants(g, i))
			sum += mix(i);
	}
	g.per_thread[thread_id()] = sum ^ most;
}

// What a lane computed last is read after the loop, while the other lanes are still in it.
__global__ void k_queue_out(Args g)
{
	unsigned last = 7;
	CCC(for policy(queue(4)))
	GRID_STRIDE(i) {
		last = g.in[i] * 5u;
		CCC(if)
		if (last % 8 < (unsigned)g.k)
			atomicAdd(g.out + i, mix(last));
	}
	g.per_thread[thread_id()] = last;
}

// The task is the path and the rest of the iteration: queue(1).
__global__ void k_queue_jump(Args g)
{
	CCC(for policy(queue(4)))
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(if)
		if (wants(g, i))
			x = mix(x);
		atomicAdd(g.out + i, x);
	}
}

// The common code has branches: queue(1).
__global__ void k_queue_apart(Args g)
{
	CCC(for policy(queue(4)))
	GRID_STRIDE(i) {
		if (g.in[i] & 64)
			atomicAdd(g.out2 + i, 5);
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

// A queue's path beside a stack's: queue(1).
__global__ void k_queue_mixed(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if policy(queue(2)))
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		CCC(if policy(stack))
		if (g.in[i] & 16)
			atomicXor(g.count + (i & 15), mix(i));
	}
}

// Lanes leave in different iterations, by two exits.
__global__ void k_queue_break(Args g)
{
	unsigned how = 1;
	CCC(for policy(queue(4)))
	GRID_STRIDE(i) {
		if (g.in[i] % 61 == 3) {
			how = 2;
			break;
		}
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
	g.per_thread[thread_id()] = how;
}

// Values of all sizes, predicates and special registers are saved.
__global__ void k_queue_tail(Args g)
{
	CCC(for policy(queue(2)))
	GRID_STRIDE(i) {
		long long w = g.in64[i];
		double d = g.in_double[i];
		bool odd = g.in[i] & 8;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, (unsigned)w + (unsigned)(d * 3) + (odd ? mix(i) : threadIdx.x * 0));
	}
}

__global__ void k_stack_threshold_apart(Args g)
{
	CCC(for policy(stack) threshold(9))
	GRID_STRIDE(i) {
		if (g.in[i] & 64)
			atomicAdd(g.out2 + i, 5);
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_queue_threshold_apart(Args g)
{
	CCC(for policy(queue))
	GRID_STRIDE(i) {
		if (g.in[i] & 64)
			atomicAdd(g.out2 + i, 5);
		CCC(if threshold(17))
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_threshold_several(Args g)
{
	CCC(for policy(stack) threshold(24))
	GRID_STRIDE(i) {
		int v = g.in[i];
		CCC(if)
		if ((v & 7) < g.k)
			atomicAdd(g.out + i, mix(v));
		CCC(if policy(queue) threshold(12))
		if ((v >> 3 & 7) < g.k)
			atomicXor(g.count + (v & 15), mix(i));
	}
}

__global__ void k_threshold_nested(Args g)
{
	CCC(for policy(stack))
	GRID_STRIDE(i) {
		int v = g.in[i];
		CCC(if threshold(20))
		if ((v & 7) < g.k) {
			atomicAdd(g.out + i, mix(v));
			CCC(if policy(queue) threshold(10))
			if (v & 8)
				atomicXor(g.count + (v & 15), mix(i));
		}
	}
}

__global__ void k_threshold_sum(Args g)
{
	unsigned sum = 0;
	CCC(for policy(stack) threshold(16))
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			sum += mix(i);
	}
	g.per_thread[thread_id()] = sum;
}
#endif
