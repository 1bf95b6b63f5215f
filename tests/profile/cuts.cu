// SPDX-License-Identifier: MIT
// The code that tests/profile counts: a path in an inlined function, at two places; an inner loop; two paths, one in the else branch
// of the other; a path outside annotated loops; loops without annotations, and a long arm; atomic operations. make.sh generates its PTX, with lines.
#include <ccc.h>

__device__ __forceinline__ unsigned work(unsigned x)
{
	#pragma ccc if
	if (x % 5 == 2)
		for (int k = 0; k < 3; k++)
			x = x * 3 + k * k;
	return x;
}

extern "C" __global__ void loops(const unsigned *in, unsigned *out, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned s = work(in[i]);
		#pragma ccc for var
		for (unsigned j = 0; j < in[i] % 7; j++)
			s += in[(i + j) % n];
		s += work(in[i] + 1);
		out[i] = s;
	}
}

extern "C" __global__ void arms(const unsigned *in, unsigned *out, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= n)
		return;
	unsigned x = in[t];
	#pragma ccc if
	if (x & 1)
		out[t] = x * x / 3;
	#pragma ccc for
	for (int i = t; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if else
		if (in[i] % 3 == 0)
			out[n + i] = x + in[i] / 7;
		else
			out[n + i] = x * in[i] % 11;
	}
}

extern "C" __global__ void deep(const unsigned *in, unsigned *out, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = in[i], s = 0;
		#pragma unroll 1
		for (unsigned j = 0; j < x % 4; j++)
			s = s * 3 + in[j];
		#pragma ccc if
		if (x % 5 == 2) {
			#pragma unroll 1
			for (unsigned j = 0; j < x % 3; j++) {
				#pragma unroll 1
				for (unsigned k = 0; k < x % 7; k++)
					s = s * 5 + in[k];
				s ^= j;
			}
			#pragma unroll 1
			for (unsigned k = 0; k < 60; k++)
				s = s * 7 + k * k;
			if (in[x % 8] & 4) {
				s = s / (x | 3) + s % (x | 5) * (s / (x | 9));
				for (unsigned k = 0; k < 5; k++)
					s += in[(s + k) % 11];
			}
			out[i] = s;
		}
	}
}

// Additions to words in two cache lines; to shared memory, for one value in seven; predicated.
extern "C" __global__ void adds(const unsigned *in, unsigned *out, int n)
{
	__shared__ unsigned own[32];
	if (threadIdx.x < 32)
		own[threadIdx.x] = 0;
	__syncthreads();
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = in[i];
		#pragma ccc if
		if (x % 5 == 2) {
			atomicAdd(out + x / 5 % 2 * 32 + x % 4, 1);
			atomicAdd(x % 7 ? out + 64 + x % 3 * 32 : own + x % 32, x);
		}
#ifdef __CUDACC__
		asm volatile("{ .reg .pred p; setp.ge.u32 p, %1, 8; @p red.global.add.u32 [%0+64], 1; }" ::
			"l"(__cvta_generic_to_global(out + x % 2 * 16)), "r"(x % 32));
#endif
	}
}

#ifdef MAIN
#include <cstdio>
int main()
{
	enum { N = 1000, FEW = 20 };
	unsigned *in, *out, sum = 0;
	cudaMallocManaged(&in, N * sizeof *in);
	cudaMallocManaged(&out, 2 * N * sizeof *out);
	for (unsigned i = 0; i < N; i++)
		in[i] = i;
	loops<<<2, 96>>>(in, out, N);
	arms<<<2, 96>>>(in, out, N);
	cudaDeviceSynchronize();
	for (int i = 0; i < 2 * N; i++)
		sum = sum * 31 + out[i];
	deep<<<2, 96>>>(in, out, N);
	deep<<<2, 32>>>(in, out, N);
	deep<<<2, 96>>>(in, out, FEW);
	adds<<<2, 96>>>(in, out, N);
	loops<<<2, 32>>>(in, out, N);
	loops<<<2, 96>>>(in, out, FEW);
	cudaDeviceSynchronize();
	for (int i = 0; i < 2 * N; i++)
		sum = sum * 31 + out[i];
	printf("%u\n", sum);
}
#endif
