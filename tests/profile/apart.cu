// SPDX-License-Identifier: MIT
// Loops whose lanes diverge: run.sh counts them with lanes that do not reconverge. Each lane of `once` executes the inner loop once. In
// the other kernels all trip counts of inner loops are in[0], so each entry's longest lane has that many iterations, whichever lanes
// enter together. `again` enters them many times, `ends` ends lanes in the inner loop, lanes of `meets` wait for others in another execution
// of the loop, `deeper` calls itself in its path.
// make.sh generates apart.ptx.
#include <ccc.h>

extern "C" __global__ void once(const unsigned *in, unsigned *out, int n)
{
	__syncthreads();
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned s = 0;
		#pragma ccc for var
		for (unsigned j = 0; j < in[i] % 23; j++)
			s = s * 3 + in[(i + j) % n];
		out[i] = s;
	}
}

__device__ __forceinline__ unsigned step(const unsigned *in, unsigned x, unsigned n)
{
	return x & 8 ? x / 3 + in[x % n] : x % 11 * in[(x + 5) % n];
}

extern "C" __global__ void again(const unsigned *in, unsigned *out, int n)
{
	#pragma unroll 1
	for (int pass = 0; pass < 2; pass++) {
		#pragma ccc for
		for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
			unsigned x = in[i] + pass, s = 0;
			#pragma unroll 1
			for (unsigned j = 0; j < in[0]; j++)
				x = step(in, x + j, n);
			#pragma ccc for var
			for (unsigned j = 0; j < in[0]; j++)
				s = step(in, s + x, n);
			#pragma ccc if
			if (s % 3) {
				#pragma unroll 1
				for (unsigned j = 0; j < in[0]; j++)
					s = step(in, s + j, n);
				out[i] = s;
			}
		}
	}
}

extern "C" __global__ void ends(const unsigned *in, unsigned *out, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned s = 0;
		#pragma ccc for var
		for (unsigned j = 0; j < in[0]; j++) {
			s = step(in, s + in[i] + j, n);
#ifdef __CUDACC__
			asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 50; @p exit; }" ::"r"(in[i] % 64 + j));
#endif
		}
		out[i] = s;
	}
}

// Each thread has two iterations. The even lanes of a warp wait in their first execution of the inner loop for the odd lanes in their
// second one, and all leave it together.
extern "C" __global__ void meets(const unsigned *in, unsigned *out, int n)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned s = 0;
		#pragma ccc for var
		for (unsigned j = 0; j < in[0]; j++) {
			s = step(in, s + in[i] + j, n);
#ifdef __CUDACC__
			if (j + 1 == in[0] && (i & 1) == (i >= n / 2))
				__syncwarp();
#endif
		}
		out[i] = s;
	}
}

__device__ __attribute__((noinline)) unsigned deeper(const unsigned *in, unsigned x, unsigned n, int levels)
{
	#pragma ccc if
	if (x % 4 && levels) {
		#pragma unroll 1
		for (unsigned j = 0; j < in[0]; j++)
			x = step(in, x + j, n);
		x += deeper(in, x, n, levels - 1);
		#pragma unroll 1
		for (unsigned j = 0; j < in[0]; j++)
			x = step(in, x + j, n);
	}
	return x;
}

extern "C" __global__ void calls(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = deeper(in, in[i], n, 3);
}

#ifdef MAIN
#include <cstdio>
#include <cstdlib>
int main(int argc, char **argv)
{
	enum { N = 960 };
	const int many = argc > 1 ? atoi(argv[1]) : 1;
	unsigned *in, *out, sum = 0;
	cudaMallocManaged(&in, N * sizeof *in);
	cudaMallocManaged(&out, N * sizeof *out);
	for (unsigned i = 0; i < N; i++)
		in[i] = i ? i * 7919 % 10007 : 5;
	for (int k = 0; k < many; k++) {
		once<<<2, 96>>>(in, out, 192);
		again<<<2, 96>>>(in, out, N);
		cudaDeviceSynchronize();
		for (int i = 0; i < N; i++)
			sum = sum * 31 + out[i];
		ends<<<2, 96>>>(in, out, N);
		meets<<<2, 96>>>(in, out, 384);
		calls<<<2, 96>>>(in, out, 192);
		cudaDeviceSynchronize();
		for (int i = 0; i < N; i++)
			sum = sum * 31 + out[i];
	}
	printf("%u\n", sum);
}
#endif
