// Device-side definitions for the kernels of tests/gpu: the same as in gpu_test.cuh without the host part.
#pragma once
struct Args {
	int n, k;
	const int *in;
	const long long *in64;
	const double *in_double;
	const float4 *in4;
	unsigned *out, *out2;
	unsigned *per_thread;
	unsigned *count;
};
__device__ __forceinline__ int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ __forceinline__ int block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ int thread_id() { return blockIdx.x * block_size() + block_rank(); }
__device__ __forceinline__ int thread_count() { return gridDim.x * block_size(); }
__device__ __forceinline__ bool wants(const Args &g, int i) { return (g.in[i] & 7) < g.k; }
__device__ __forceinline__ unsigned mix(unsigned x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}
#define GRID_STRIDE(i) for (int i = thread_id(); i < g.n; i += thread_count())
#define CCC_PRAGMA(x) _Pragma(#x)
#define CCC(...) CCC_PRAGMA(ccc __VA_ARGS__)
#define KERNELS
// SPDX-License-Identifier: MIT
