// Floating-point results keep every bit under each policy: what ptxas contracts in the original loop, it contracts in the copies, and
// what it rounds twice there, it rounds twice here (docs/proofs/contraction.md). CCCFLAGS=--ccc-fp=relaxed does not change these kernels.
#ifndef KERNELS
#define KERNELS "rounding.cu"
#include "gpu_test.cuh"
#define RUN_ALL(kernel) \
	RUN(kernel##_stack); RUN(kernel##_queue); RUN(kernel##_wait); RUN(kernel##_majority); RUN(kernel##_live); \
	RUN(kernel##_cycle); RUN(kernel##_converge)
int main()
{
	RUN_ALL(k_compared);
	RUN(k_compared_queue3);
	RUN(k_compared_ahead);
	RUN_ALL(k_behind);
	RUN_ALL(k_doubles);
	RUN(k_doubles_ahead);
	RUN_ALL(k_quotients);
	RUN(k_quotients_ahead);
	RUN(k_sum_ahead);
	RUN(k_sum_wait);
	RUN(k_sum_majority);
	RUN(k_inner_expand);
	RUN(k_inner_flatten);
	RUN(k_arms);
	return finish();
}
#else
// A random number whose product with another one is rarely exact.
__device__ __forceinline__ float real(int x) { return __fmul_rn(__int2float_rn(x & 0xfffff), 1.37e-3f); }

// What a path does with a result: every bit of it counts.
__device__ __forceinline__ unsigned long_way(float v)
{
	unsigned h = __float_as_uint(v);
#pragma unroll 1
	for (int j = 0; j < 9; j++)
		h = mix(h);
	return h;
}

// The path adds to a product that the test has read.
__device__ __forceinline__ void compared(const Args &g, int i, float x, float y)
{
	float m = x * y;
	CCC(if)
	if (m > 180.0f * (8 - g.k) * 137.0f) {
		float v = m + x;
		g.out[i] = long_way(v);
	}
}

// The path reads the product, and an addition after it uses it.
__device__ __forceinline__ void behind(const Args &g, int i, float x, float y)
{
	float m = x * y;
	CCC(if)
	if (wants(g, i)) {
		float v = m * 0.75f - y * 0.3f;
		g.out[i] = long_way(v);
	}
	g.out2[i] = __float_as_uint(m - x);
}

__device__ __forceinline__ void doubles(const Args &g, int i, double x, double y)
{
	double m = x * 1.1 * y;
	CCC(if)
	if (m > y && wants(g, i)) {
		double v = m - y;
		g.out[i] = long_way(__int_as_float((int)__double_as_longlong(v)));
		g.out2[i] = (unsigned)(__double_as_longlong(v) >> 32);
	}
}

__device__ __forceinline__ void quotients(const Args &g, int i, float x, float y)
{
	float q = __fdividef(x, y + 1.0f);
	CCC(if)
	if (q > 0.5f && wants(g, i)) {
		g.out[i] = long_way(q + x);
	}
}

#define KERNEL(kernel, suffix, clause) \
	__global__ void k_##kernel##suffix(Args g) \
	{ \
		CCC(for clause) \
		GRID_STRIDE(i) \
			kernel(g, i, real(g.in[i]), real(g.in[i + 7])); \
	}
#define KERNEL_OF_ALL(kernel) \
	KERNEL(kernel, _stack, policy(stack)) \
	KERNEL(kernel, _queue, policy(queue)) \
	KERNEL(kernel, _wait, policy(wait(8))) \
	KERNEL(kernel, _majority, policy(majority)) \
	KERNEL(kernel, _live, policy(live)) \
	KERNEL(kernel, _cycle, policy(cycle)) \
	KERNEL(kernel, _converge, policy(converge))
KERNEL_OF_ALL(compared)
KERNEL_OF_ALL(behind)
KERNEL_OF_ALL(doubles)
KERNEL_OF_ALL(quotients)
KERNEL(compared, _queue3, policy(queue(3)))
KERNEL(compared, _ahead, policy(ahead))
KERNEL(doubles, _ahead, policy(ahead))
KERNEL(quotients, _ahead, policy(ahead))

// The thread's iterations in their order.
#define SUM(suffix, clause) \
	__global__ void k_sum##suffix(Args g) \
	{ \
		unsigned s = 0; \
		CCC(for proven clause) \
		GRID_STRIDE(i) { \
			float x = real(g.in[i]), y = real(g.in[i + 7]), m = x * y; \
			CCC(if) \
			if (m > 24660.0f * (8 - g.k)) { \
				s = mix(s + long_way(m + x)); \
			} \
		} \
		g.per_thread[thread_id()] = s; \
	}
SUM(_ahead, policy(ahead))
SUM(_wait, policy(wait(8)))
SUM(_majority, policy(majority))

#define INNER(suffix, words, clause) \
	__global__ void k_inner##suffix(Args g) \
	{ \
		CCC(for clause) \
		GRID_STRIDE(i) { \
			float x = real(g.in[i]), y = real(g.in[i + 7]), m = x * y; \
			int end = i + (g.in[i] & 31); \
			CCC(words) \
			for (int j = i; j < end; j++) { \
				float v = real(j) - m; \
				if (v > m) \
					v = v - y * m; \
				atomicMax(&g.count[j & 63], __float_as_uint(fabsf(v))); \
			} \
			g.out2[i] = __float_as_uint(m + y); \
		} \
	}
INNER(_expand, for var, policy(expand))
INNER(_flatten, while, policy(flatten))

__global__ void k_arms(Args g)
{
	GRID_STRIDE(i) {
		float x = real(g.in[i]), y = real(g.in[i + 7]), v;
		CCC(distribute)
		if (wants(g, i)) {
			float m = x * y;
			v = sqrtf(m) - x * x;
			v = v * v - m;
		} else {
			float m = y * y;
			v = sqrtf(m + x) - y * x;
			v = v * v - x + m;
		}
		g.out[i] = __float_as_uint(v);
	}
}
#endif
// SPDX-License-Identifier: MIT
