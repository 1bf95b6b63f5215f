// SPDX-License-Identifier: MIT
// STRICT: no. With the slots of many sums, the tasks fit only for smaller blocks, and ptxccc says so.
// Registers that the path reduces into and that are read after the loop (reductions): each has a slot in shared memory.
#ifndef KERNELS
#define KERNELS "sums.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_sum);
	RUN(k_sum_of_inner_loop);
	RUN(k_all_operations);
	RUN(k_all_operations64);
	RUN(k_floats);
	RUN(k_clause);
	RUN(k_also_outside);
	RUN(k_left_early);
	RUN(k_in_outer_loop);
	RUN(k_slice_and_sum);
	return finish();
}
#else
__device__ __forceinline__ unsigned work(unsigned x)
{
	while (x % 9)
		x = mix(x);
	return x;
}

__global__ void k_sum(Args g)
{
	unsigned s = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			s += work(g.in[i]);
	}
	g.per_thread[thread_id()] = s;
}

// nvcc unrolls the inner loop: sums in a row, in several registers.
__global__ void k_sum_of_inner_loop(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			for (int k = 0; k < (g.in[i] & 31); ++k)
				s += mix(g.in[i] + k);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_all_operations(Args g)
{
	unsigned sum = 1, all = ~0u, any = 0, odd = 7, most = 0, least = ~0u;
	int low = 5, high = -5;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = work(g.in[i]);
			if (x & 32)
				g.out[i] = x;
			sum -= x * i;
			all &= x | 0xff;
			any |= x & 0x10101;
			odd ^= x;
			most = max(most, x);
			least = min(least, x);
			low = min(low, int(x));
			high = max(high, int(x));
		}
	}
	g.per_thread[thread_id()] = sum + 3 * all + 5 * any + 7 * odd + 11 * most + 13 * least + 17 * low + 19 * high;
}

__global__ void k_all_operations64(Args g)
{
	unsigned long long sum = 1, all = ~0ull, any = 0, odd = 7, most = 0, least = ~0ull;
	long long low = 5, high = -5;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = work(g.in[i]);
			const unsigned long long y = g.in64[i] * x;
			sum += (unsigned long long)x * i + y;
			all &= y | 0xff;
			any |= y & 0x1010100000101;
			odd ^= y;
			most = max(most, y);
			least = min(least, y);
			low = min(low, (long long)y);
			high = max(high, (long long)y);
		}
	}
	const unsigned long long r = sum + 3 * all + 5 * any + 7 * odd + 11 * most + 13 * least + 17 * low + 19 * high;
	g.per_thread[thread_id()] = unsigned(r ^ r >> 32);
}

// Small integers: their sums are exact in any order.
__global__ void k_floats(Args g)
{
	float s = 1, low = 1e9f, high = -1e9f;
	double t = 1, low_double = 1e9, high_double = -1e9;
	CCC(for reassociate)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const int x = int(work(g.in[i])) % 500;
			s += x & 15;
			t -= (x & 31) * 2.0;
			low = fminf(low, x * .5f);
			high = fmaxf(high, x * .5f);
			low_double = fmin(low_double, x * .25);
			high_double = fmax(high_double, x * .25);
		}
	}
	g.per_thread[thread_id()] = mix(int(s + 2 * low + 6 * high)) + mix(int(t + 4 * low_double + 12 * high_double));
}

__global__ void k_clause(Args g)
{
	float s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if reduction(+: s))
		if (wants(g, i))
			s += work(g.in[i]) & 15;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_also_outside(Args g)
{
	unsigned s = 0, n = 0;
	CCC(for)
	GRID_STRIDE(i) {
		s += 3;
		CCC(if)
		if (wants(g, i)) {
			const unsigned x = work(g.in[i]);
			if (x & 64)
				++n;
			s += x;
		}
	}
	g.per_thread[thread_id()] = s * 3 + n;
}

__global__ void k_left_early(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		if ((g.in[i] & 127) == 126) {
			g.per_thread[thread_id()] = s;
			return;
		}
		CCC(if)
		if (wants(g, i))
			s += work(g.in[i]);
		if ((g.in[i] & 127) == 125)
			break;
	}
	g.per_thread[thread_id()] = s + 1;
}

__global__ void k_in_outer_loop(Args g)
{
	unsigned r = 0;
	for (int k = 0; k < 3; ++k) {
		unsigned s = k;
		CCC(for)
		GRID_STRIDE(i) {
			CCC(if)
			if (wants(g, i + k < g.n ? i + k : i))
				s += work(g.in[i] + k);
		}
		r = r * 5 + s;
	}
	g.per_thread[thread_id()] = r;
}

// The index is live out as well.
__global__ void k_slice_and_sum(Args g)
{
	const int share = g.n / thread_count() + 1, end = min(g.n, (thread_id() + 1) * share);
	int i = thread_id() * share;
	unsigned s = 0;
	CCC(for)
	while (i < end) {
		CCC(if)
		if (wants(g, i)) {
			s += work(g.in[i]);
			i += 3;
		} else
			i += 2;
	}
	g.per_thread[thread_id()] = s + i;
}
#endif
