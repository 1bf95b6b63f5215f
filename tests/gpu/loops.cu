// Kinds of annotated loops.
#ifndef KERNELS
#define KERNELS "loops.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_while);
	RUN(k_do);
	RUN(k_endless);
	RUN(k_down);
	RUN(k_int64);
	RUN(k_size_t);
	RUN(k_unsigned);
	RUN(k_two_counters);
	RUN(k_bits);
	RUN(k_multiply);
	RUN(k_linked);
	RUN(k_ticket);
	RUN(k_no_unroll);
	RUN(k_long_body);
	RUN(k_inner_loops);
	RUN(k_path_by_common_test);
	return finish();
}
#else
__global__ void k_while(Args g)
{
	int i = thread_id();
	CCC(for)
	while (i < g.n) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		i += thread_count();
	}
	g.per_thread[thread_id()] = i;
}

__global__ void k_do(Args g)
{
	int i = thread_id();
	if (i >= g.n)
		return;
	CCC(for)
	do {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		i += thread_count();
	} while (i < g.n);
	g.per_thread[thread_id()] = i;
}

__global__ void k_endless(Args g)
{
	int i = thread_id();
	CCC(for)
	for (;;) {
		if (i >= g.n)
			break;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		i += thread_count();
	}
	g.per_thread[thread_id()] = i;
}

__global__ void k_down(Args g)
{
	CCC(for)
	for (int i = g.n - 1 - thread_id(); i >= 0; i -= thread_count()) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_int64(Args g)
{
	const long long far = 1ll << 40;
	CCC(for)
	for (long long i = far + thread_id(); i < far + g.n; i += thread_count()) {
		CCC(if)
		if (wants(g, (int)(i - far)))
			atomicAdd(g.out + (i - far), (unsigned)(i >> 8));
	}
}

__global__ void k_size_t(Args g)
{
	CCC(for)
	for (size_t i = thread_id(); i < (size_t)g.n; i += thread_count()) {
		CCC(if)
		if (wants(g, (int)i))
			atomicAdd(g.out + i, mix((unsigned)i));
	}
}

__global__ void k_unsigned(Args g)
{
	CCC(for)
	for (unsigned i = 0xffff0000u + thread_id(); i - 0xffff0000u < (unsigned)g.n; i += thread_count()) {
		const unsigned at = i - 0xffff0000u;
		CCC(if)
		if (wants(g, at))
			atomicAdd(g.out + at, mix(i));
	}
}

__global__ void k_two_counters(Args g)
{
	CCC(for)
	for (int i = thread_id(), j = 0; i < g.n && j < 1000; i += thread_count(), j += i & 3) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i) + j);
	}
}

// One bit of a mask per iteration.
__global__ void k_bits(Args g)
{
	unsigned mask = mix(thread_id());
	CCC(for)
	for (; mask; mask &= mask - 1) {
		const int i = (thread_id() + __ffs(mask)) % (g.n + 1);
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mask);
	}
}

__global__ void k_multiply(Args g)
{
	CCC(for)
	for (int i = thread_id() + 1; i < g.n; i = i * 3 + 1) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

// The next index is read from memory.
__global__ void k_linked(Args g)
{
	int steps = 0;
	CCC(for)
	for (int i = thread_id(); i < g.n && steps < 100; i = i + 1 + (g.in[i] & 255), ++steps) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i) + steps);
	}
	g.per_thread[thread_id()] = steps;
}

// The next index comes from an atomic counter: the thread that gets it is unspecified, but not what is computed for it.
__global__ void k_ticket(Args g)
{
	CCC(for)
	for (int i = atomicAdd(g.count + blockIdx.x, 1); i < g.n / (int)gridDim.x; i = atomicAdd(g.count + blockIdx.x, 1)) {
		const int at = i * gridDim.x + blockIdx.x;
		CCC(if)
		if (wants(g, at))
			atomicAdd(g.out + at, mix(at));
	}
}

__global__ void k_no_unroll(Args g)
{
	CCC(for)
#pragma unroll 1
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
}

__global__ void k_long_body(Args g)
{
	unsigned a = 1, b = 2, c = 3;
	CCC(for)
	GRID_STRIDE(i) {
		for (int s = 0; s < 10; ++s)
			a = mix(a + g.in[i]), b ^= a >> 3, c += b * a;
		if (c & 1)
			a ^= 0x55;
		else
			atomicAdd(g.out2 + i, c);
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(a + b));
		if (b & 1)
			c = mix(c);
		a += 3;
	}
	g.per_thread[thread_id()] = a + b + c;
}

// Loops with lane-dependent trip counts before and after the path.
__global__ void k_inner_loops(Args g)
{
	unsigned sum = 0;
	CCC(for)
	GRID_STRIDE(i) {
		for (unsigned x = g.in[i]; x % 7; x = mix(x))
			sum += x;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
		int j = 0;
		do
			sum = mix(sum + j);
		while (j++ < (g.in[i] >> 8 & 7));
	}
	g.per_thread[thread_id()] = sum;
}

// The path begins with a uniform branch.
__global__ void k_path_by_common_test(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			for (int k = 0; k < g.k; k++)
				g.out[i] = g.out[i] / 3 + k;
		}
	}
}
#endif
// SPDX-License-Identifier: MIT
