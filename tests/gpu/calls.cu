// Calls in the path to functions that the module defines.
#ifndef KERNELS
#define KERNELS "calls.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_call);
	RUN(k_call_chain);
	RUN(k_call_struct);
	RUN(k_call_frame);
	RUN(k_call_around);
	RUN(k_call_in_condition);
	return finish();
}
#else
__device__ __noinline__ unsigned leaf(unsigned x, int steps)
{
	for (int s = 0; s < steps; ++s)
		x = mix(x + s);
	return x;
}
__device__ __noinline__ void store(unsigned *out, int i, unsigned v)
{
	if (v & 1)
		out[i] = leaf(v, 2);
	else
		atomicAdd(out + i, v);
}
struct Pair { unsigned a; double b; short c; };
__device__ __noinline__ Pair make(unsigned x, double d, short s)
{
	return {mix(x), d + 1, (short)(s - 3)};
}
// The function has a local array in its own frame.
__device__ __noinline__ unsigned sorted(unsigned x)
{
	unsigned a[8];
	for (int j = 0; j < 8; ++j)
		a[j] = x = mix(x);
	for (int j = 1; j < 8; ++j)
		for (int m = j; m > 0 && a[m - 1] > a[m]; --m) {
			const unsigned t = a[m];
			a[m] = a[m - 1];
			a[m - 1] = t;
		}
	return a[x % 8];
}
__global__ void k_call(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = leaf(g.in[i], i % 7);
	}
}

__global__ void k_call_chain(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			store(g.out, i, leaf(i, 3));
	}
}

__global__ void k_call_struct(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const Pair p = make(i, g.in_double[i], (short)g.in[i]);
			g.out[i] = p.a + (unsigned)p.b + p.c;
		}
	}
}

__global__ void k_call_frame(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = sorted(g.in[i]);
	}
}

// Calls before and after the path as well.
__global__ void k_call_around(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned a = leaf(g.in[i], 1);
		CCC(if)
		if (wants(g, i))
			g.out[i] = leaf(a, 3);
		sum += leaf(a + 1, 2);
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void k_call_in_condition(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (leaf(g.in[i], 2) % 3 == 0 && wants(g, i))
			g.out[i] = leaf(i, 5);
	}
}
#endif
// SPDX-License-Identifier: MIT
