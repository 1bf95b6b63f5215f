// SPDX-License-Identifier: MIT
// The code of blocks that do not count (tests/profile): a body in another module, which names variables, functions, tables and shared
// memory of this one. make.sh generates its PTX, with annotations and without.
#include <cstdio>

__constant__ int weights[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
__device__ unsigned total = 7;

__device__ __noinline__ unsigned twice(unsigned x, unsigned n)
{
	#pragma ccc if
	if (x % 3 == 1)
		for (unsigned i = 0; i < n; i++)
			x = x * 3 + weights[i & 7];
	return x * 2;
}
__device__ __noinline__ unsigned other(unsigned x, unsigned n) { return x ^ n ^ total; }

extern "C" __global__ void plain(const unsigned *in, unsigned *out, int n)
{
	__shared__ unsigned sums[32];
	extern __shared__ unsigned more[];
	unsigned last[4] = { 1, 2, 3, 4 };
	int t = threadIdx.x;
	unsigned (*f)(unsigned, unsigned) = in[0] & 1 ? twice : other;

	if (t < 32)
		sums[t] = t;
	more[t] = 0;
	__syncthreads();
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = in[i], s = f(x, i);
		#pragma ccc for var
		for (unsigned k = 0; k < x % 9; k++)
			s += weights[k & 7] * last[(s + k) & 3];
		switch (x % 11) {
		case 0: s += 5; break;
		case 1: s *= 3; break;
		case 2: s ^= in[s % n]; break;
		case 3: s -= more[t]; break;
		case 4: s = s / 7 + weights[s & 7]; break;
		case 5: s |= 64; break;
		case 6: s = ~s * 5; break;
		}
		#pragma ccc if
		if (x % 5 == 2) {
			#pragma unroll 1
			for (unsigned k = 0; k < x % 13; k++)
				s = s * 5 + in[k];
			last[s & 3] = s;
		}
		more[t] += twice(s, 3);
		atomicAdd(&sums[s & 31], s);
		out[i] = s;
		if (n < 0)
			printf("%u\n", s);
	}
	__syncthreads();
	if (t < 32)
		out[n + blockIdx.x * 32 + t] = sums[t] + more[t];
}
