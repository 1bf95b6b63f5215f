// SPDX-License-Identifier: MIT
// Kernels with one task per thread, for grids of one to three dimensions.
#define TASKS _Pragma("ccc grid")
#include <ccc.h>

static __device__ unsigned slow(unsigned x)
{
	for (unsigned k = x & 31; k; --k)
		x = x * 1664525u + 1013904223u;
	return x;
}

#pragma ccc grid
extern "C" __global__ void __launch_bounds__(256) one_task(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned v = in[i];
	#pragma ccc if
	if (v % 5 == 0)
		out[i] = slow(v);
}

// the block index in the path, and after it
TASKS
extern "C" __global__ void box(int n, const unsigned *in, unsigned *out)
{
	int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	int i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
	if (i < n) {
		unsigned v = in[i];
		#pragma ccc if
		if (v % 3 == 0)
			out[2 * i] = slow(v) + blockIdx.y + 10 * blockIdx.z;
		out[2 * i + 1] = v + blockIdx.x;
	}
}

CCC_GRID(threads(128) policy(queue))
template <int N>
__attribute__((noinline)) __global__ void by_type(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && in[i] % N == 0)
		return;
	if (i < n) {
		#pragma ccc if
		if (in[i] & 64)
			out[i] = slow(in[i]) + N;
		else
			out[i] = 7;
	}
}
template __global__ void by_type<11>(int, const unsigned *, unsigned *);

#pragma ccc grid(dynamic)
extern "C" __global__ void by_the_gpu(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	#pragma ccc if
	if (in[i] % 5 == 0)
		out[i] = slow(in[i]);
}
