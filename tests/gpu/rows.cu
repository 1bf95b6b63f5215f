// SPDX-License-Identifier: MIT
// Expansion of long rows, in each way that rows.tpl has: `rests` for remainders that do not fill a warp, laid end to end;
// `quiet`, where each lane runs its own iterations; and all lanes together. Lengths are near multiples of 32.
#ifndef KERNELS
#define KERNELS "rows.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(r_rests);
	RUN(r_rests_sum);
	RUN(r_rests_down);
	RUN(r_rests_two);
	RUN(r_quiet);
	RUN(r_quiet64);
	RUN(r_quiet_extremes);
	RUN(r_quiet_lap);
	RUN(r_loud);
	RUN(r_loud64);
	RUN(r_loud_lap);
	RUN(r_in_path);
	return finish();
}
#else
#define HALF_STRIDE(i) for (int i = thread_id(); i < g.n / 4; i += thread_count())
// Three of four rows are short or empty; long ones have a multiple of 32 iterations, one more, one less, or any number.
__device__ __forceinline__ int length(const Args &g, int i)
{
	const unsigned x = mix(g.in[i]);
	const int laps = 32 * (1 + (x >> 4) % 6);
	switch (x & 15) {
	case 0: return laps;
	case 1: return laps - 1;
	case 2: return laps + 1;
	case 3: return (x >> 8) % 300;
	default: return x & 16 ? 0 : (x >> 8) % 14;
	}
}
// More expensive than to place its iterations end to end.
__device__ __forceinline__ unsigned heavy(unsigned x)
{
#pragma unroll
	for (int k = 0; k < 40; ++k)
		x = mix(x + k);
	return x;
}

__global__ void r_rests(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = g.in[i] & 255, end = begin + length(g, i);
		CCC(for var)
		for (int k = begin; k < end; ++k)
			atomicAdd(g.count + k % 64, heavy(i * 331 + k));
	}
}

__global__ void r_rests_sum(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int n = length(g, i);
		unsigned sum = i;
		CCC(for var)
		for (int k = 0; k < n; ++k)
			sum += heavy(i * 331 + k);
		g.out[i] = sum;
	}
}

__global__ void r_rests_down(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int end = g.in[i] & 255, begin = end + 3 * length(g, i);
		unsigned sum = 0;
		CCC(for var)
		for (int k = begin; k > end; k -= 3) {
			const unsigned x = heavy(i * 331 + k);
			atomicAdd(g.count + k % 64, x);
			sum ^= x;
		}
		g.out[i] = sum;
	}
}

// Another variable has a 64-bit step, also a negative one.
__global__ void r_rests_two(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int n = length(g, i);
		long long down = -g.in64[i];
		unsigned most = 0;
		CCC(for var)
		for (int k = 0; k < n; ++k, down -= 777777777)
			most = max(most, heavy(k + (unsigned)(down ^ down >> 32)));
		g.out[i] = most;
	}
}

__global__ void r_quiet(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = g.in[i] & 255, end = begin + length(g, i);
		int sum = 0;
		CCC(for var)
		for (int k = begin; k < end; ++k)
			sum += g.in[k] ^ k;
		g.out[i] = sum;
	}
}

__global__ void r_quiet64(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const long long n = length(g, i);
		long long sum = 0;
		CCC(for var)
		for (long long k = 0; k < n; ++k)
			sum ^= g.in64[k] + k;
		g.out[i] = (unsigned)(sum ^ sum >> 32);
	}
}

__global__ void r_quiet_extremes(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = g.in[i] & 255, end = begin + 2 * length(g, i);
		int least = 0x7fffffff, most = -0x7fffffff;
		CCC(for var)
		for (int k = begin; k < end; k += 2) {
			least = min(least, g.in[k] ^ k);
			most = max(most, g.in[k] - k);
		}
		g.out[i] = least ^ most;
	}
}

// Too expensive for several passes in a row.
__global__ void r_quiet_lap(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const long long n = length(g, i);
		unsigned sum = 0;
		CCC(for var)
		for (long long k = 0; k < n; ++k)
			sum += heavy(g.in[k] + (unsigned)k);
		g.out[i] = sum;
	}
}

__global__ void r_loud(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const int begin = g.in[i] & 255, end = begin + length(g, i);
		CCC(for var)
		for (int k = begin; k < end; ++k)
			atomicAdd(g.count + k % 64, g.in[k]);
	}
}

__global__ void r_loud64(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const long long n = length(g, i);
		int sum = 0;
		CCC(for var)
		for (long long k = 0; k < n; ++k) {
			atomicAdd(g.count + k % 64, (unsigned)k);
			sum += g.in[k];
		}
		g.out[i] = sum;
	}
}

__global__ void r_loud_lap(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		const long long n = length(g, i);
		CCC(for var)
		for (long long k = 0; k < n; ++k)
			atomicAdd(g.count + k % 64, heavy(g.in[k] + (unsigned)k));
	}
}

__global__ void r_in_path(Args g)
{
	CCC(for)
	HALF_STRIDE(i) {
		CCC(if policy(queue))
		if (wants(g, i)) {
			const int n = length(g, i);
			unsigned sum = 0;
			CCC(for var policy(expand))
			for (int k = 0; k < n; ++k)
				sum += heavy(i * 331 + k);
			g.out2[i] = sum;
		}
	}
}
#endif
