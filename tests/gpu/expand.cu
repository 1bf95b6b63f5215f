// Expansion of inner loops whose trip count differs between lanes.
#ifndef KERNELS
#define KERNELS "expand.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(x_plain);
	RUN(x_in_if);
	RUN(x_in_path);
	RUN(x_int64);
	RUN(x_step);
	RUN(x_step64);
	RUN(x_down);
	RUN(x_to_end);
	RUN(x_not_equal);
	RUN(x_unsigned);
	RUN(x_pointer);
	RUN(x_last_index);
	RUN(x_two_indices);
	RUN(x_before_and_behind);
	RUN(x_thread_index);
	RUN(x_kinds_of_values);
	RUN(x_branches_inside);
	RUN(x_loop_inside);
	RUN(x_leaves);
	RUN(x_returns);
	RUN(x_once_at_least);
	RUN(x_all_long);
	RUN(x_guarded);
	RUN(x_in_outer_loop);
	RUN(x_sum);
	RUN(x_sum64);
	RUN(x_sum_of_floats);
	RUN(x_sum_of_doubles);
	RUN(x_extremes);
	RUN(x_bits);
	RUN(x_two_reductions);
	RUN(x_sum_under_if);
	RUN(x_sums_selected);
	RUN(x_sum_over_loop);
	RUN(x_long_sums);
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

#define HALF_STRIDE(i) for (int i = thread_id(); i < g.n / 4; i += thread_count())
__device__ __forceinline__ bool sum_goes(int k, int i) { return (k ^ i) & 4; }

__global__ void x_plain(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = g.in[i] & 255, end = begin + row_length(g, i);
		CCC(for var)
		for (int k = begin; k < end; ++k)
			visit(g, i, k);
	}
}

__global__ void x_in_if(Args g)
{
	CCC(for)
	HALF_STRIDE(i)
		if (wants(g, i)) {
			const int begin = g.in[i] & 255, end = begin + row_length(g, i);
			CCC(for var)
			for (int k = begin; k < end; ++k)
				visit(g, i, k);
		}
}

__global__ void x_in_path(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			const int end = row_length(g, i);
			CCC(for var)
			for (int k = 0; k < end; ++k)
				visit(g, i, k);
			g.out2[i] = end;
		}
	}
}

__global__ void x_int64(Args g)
{
	CCC(for)
	for (long long i = thread_id(); i < g.n; i += thread_count()) {
		const long long begin = g.in64[i], end = begin + row_length(g, i);
		CCC(for var)
		for (long long k = begin; k < end; ++k)
			visit(g, i, k ^ k >> 32);
	}
}

__global__ void x_step(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = g.in[i] & 255, end = begin + 3 * row_length(g, i) - i % 3;
		CCC(for var)
		for (int k = begin; k < end; k += 3)
			visit(g, i, k);
	}
}

__global__ void x_step64(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned long long begin = g.in64[i] & ~0ull >> 1, end = begin + 8 * row_length(g, i) + i % 8;
		CCC(for var)
		for (unsigned long long k = begin; k < end; k += 8)
			visit(g, i, k ^ k >> 32);
	}
}

__global__ void x_down(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = g.in[i] & 255, begin = end + 2 * row_length(g, i);
		CCC(for var)
		for (int k = begin; k > end; k -= 2)
			visit(g, i, k);
	}
}

__global__ void x_to_end(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 1 - i % 2; k <= end; ++k)
			visit(g, i, k);
	}
}

__global__ void x_not_equal(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned end = 4 * row_length(g, i);
		CCC(for var)
		for (unsigned k = 0; k != end; k += 4)
			visit(g, i, k);
	}
}

__global__ void x_unsigned(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const unsigned begin = 0x7ffffff0u + g.in[i] % 16, end = begin + row_length(g, i);
		CCC(for var)
		for (unsigned k = begin; k < end; ++k)
			visit(g, i, k);
	}
}

__global__ void x_pointer(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int *p = g.in + i / 2, *const end = p + row_length(g, i) / 2;
		CCC(for var)
		for (; p < end; ++p)
			visit(g, i, *p);
	}
}

// The index is used after the loop.
__global__ void x_last_index(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		int k = i % 5;
		CCC(for var)
		for (; k < end; k += 2)
			visit(g, i, k);
		g.out2[i] = k;
	}
}

__global__ void x_two_indices(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		long long j = g.in64[i];
		CCC(for var)
		for (int k = 0; k < end; ++k, j -= 5)
			visit(g, i, k ^ j);
		g.out2[i] = j;
	}
}

// Helpers read what the owner wrote, and the owner reads what they wrote.
__global__ void x_before_and_behind(Args g)
{
	unsigned sum = 0;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		g.out2[i] = mix(i);
		CCC(for var)
		for (int k = 0; k < end; ++k)
			atomicAdd(g.out + i, g.out2[i] + k);
		sum += g.out[i];
		g.out2[i] = sum;
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void x_thread_index(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; ++k)
			visit(g, threadIdx.x, k + (threadIdx.y << 8));
	}
}

__global__ void x_kinds_of_values(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		const double d = g.in_double[i];
		const float4 f = g.in4[i];
		const short s = g.in64[i];
		const unsigned char c = g.in[i];
		const bool b = wants(g, i);
		CCC(for var)
		for (int k = 0; k < end; ++k) {
			visit(g, __double_as_longlong(d) ^ k, __float_as_int(f.x + f.y) + k);
			if (b)
				visit(g, s * k, c + k);
			atomicAdd(g.out + i, (unsigned)(s + k) >> (c & 7) | b);
		}
	}
}

__global__ void x_branches_inside(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; ++k) {
			const unsigned x = mix(i + k);
			if (x % 3 == 0)
				continue;
			if (x % 3 == 1)
				visit(g, i, k);
			else
				atomicMax(g.out + x % g.n, x);
		}
	}
}

__global__ void x_loop_inside(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; ++k) {
			unsigned x = i + k;
			do
				x = mix(x);
			while (x % 5);
			visit(g, x, k);
		}
	}
}

__global__ void x_leaves(Args g)
{
	int last = -1;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		if (end > 120)
			break;
		CCC(for var)
		for (int k = 0; k < end; ++k)
			visit(g, i, k);
		last = i;
		if (end == 7)
			break;
	}
	g.per_thread[thread_id()] = last;
}

__global__ void x_returns(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; ++k)
			visit(g, i, k);
		if (end == 9)
			return;
	}
	g.per_thread[thread_id()] = 1;
}

__global__ void x_once_at_least(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		int k = 0;
		CCC(for var)
		do
			visit(g, i, k);
		while (++k < end);
	}
}

__global__ void x_all_long(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n / 8; i += thread_count()) {
		const int end = 32 + (g.in[i] & 63);
		CCC(for var)
		for (int k = 0; k < end; ++k)
			visit(g, i, k);
	}
}

// Lanes that have diverged.
__global__ void x_guarded(Args g)
{
	if (blockIdx.x == 0 && g.in[thread_id()] & 1)
		return;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; ++k)
			visit(g, i, k);
	}
}

__global__ void x_in_outer_loop(Args g)
{
	for (int j = 0; j < 3 + (thread_id() & 1); ++j) {
		CCC(for)
		for (int i = thread_id(); i < g.n / 2; i += thread_count()) {
			const int end = row_length(g, i + j);
			CCC(for var)
			for (int k = 0; k < end; ++k)
				visit(g, i, k + j);
		}
	}
}
// Values that a row reduces.
__global__ void x_sum(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned sum = i;
		CCC(for var)
		for (int k = 0; k < end; ++k)
			sum += mix(i + k);
		g.out[i] = sum;
	}
}

__global__ void x_sum64(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		long long sum = 0;
		CCC(for var)
		for (int k = 0; k < end; ++k)
			sum -= g.in64[(i + k) % g.n];
		g.out[i] = sum ^ sum >> 32;
	}
}

// Small integers: their sums are exact in any order.
__global__ void x_sum_of_floats(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		float sum = 0;
		CCC(for var reassociate)
		for (int k = 0; k < end; ++k)
			sum += (float)(mix(i + k) & 15) * 2.0f;
		g.out[i] = sum;
	}
}

__global__ void x_sum_of_doubles(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		double sum = 0.5;
		CCC(for var reduction(+: sum))
		for (int k = 0; k < end; ++k)
			sum += mix(i + k);
		g.out[i] = __double_as_longlong(sum) >> 20;
	}
}

__global__ void x_extremes(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		int most = -5;
		float least = 3.0f;
		CCC(for var)
		for (int k = 0; k < end; ++k) {
			most = max(most, (int)mix(i + k));
			least = fminf(least, g.in4[(i + k) % g.n].y);
		}
		g.out[i] = most ^ __float_as_int(least);
	}
}

__global__ void x_bits(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned all = ~0u, any = 0;
		unsigned long long odd = i;
		CCC(for var)
		for (int k = 0; k < end; ++k) {
			all &= mix(i + k) | 0xff;
			any |= mix(i + k) & 0xf0f0;
			odd ^= g.in64[(i + k) % g.n];
		}
		g.out[i] = all + any * 3 + odd;
	}
}

__global__ void x_two_reductions(Args g)
{
	unsigned total = 0;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned sum = 0, count = 0;
		int k = 0;
		CCC(for var)
		for (; k < end; ++k) {
			sum += mix(i ^ k);
			if (sum_goes(k, i))
				count++;
		}
		total = mix(total + sum);
		g.out[i] = sum * 5 + count + k;
	}
	g.per_thread[thread_id()] = total;
}

__global__ void x_sum_under_if(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		unsigned sum = 7;
		if (wants(g, i)) {
			const int end = row_length(g, i);
			CCC(for var)
			for (int k = 0; k < end; ++k)
				if (mix(i + k) % 3)
					sum += g.in[(i + k) % g.n];
		}
		g.out[i] = sum;
	}
}

// A conditional addition: nvcc adds, and selects the new sum or the old one.
__global__ void x_sums_selected(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		unsigned sum = 3, bits = i;
		int n = 0;
		CCC(for var)
		for (int k = 0; k < end; ++k) {
			const unsigned x = mix(i * 5 + k), y = x >> 7;
			sum = x & 4 ? sum + y * 3 : sum;
			bits = x & 64 ? bits : bits ^ y;
			n = x & 8 ? n - (int)(x & 15) : n;
		}
		g.out[i] = sum + n + bits;
	}
}

// One variable is reduced over all rows of a lane.
__global__ void x_sum_over_loop(Args g)
{
	unsigned sum = 0;
	CCC(for)
	HALF_STRIDE(i) {
		const int end = row_length(g, i);
		CCC(for var)
		for (int k = 0; k < end; ++k)
			sum += mix(i + k);
	}
	g.per_thread[thread_id()] = sum;
}

__global__ void x_long_sums(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n / 8; i += thread_count()) {
		const int end = 20 + (g.in[i] & 63);
		unsigned sum = 0;
		CCC(for var)
		for (int k = 0; k < end; ++k)
			sum += mix(i + k);
		g.out[i] = sum;
	}
}
#endif
// SPDX-License-Identifier: MIT
