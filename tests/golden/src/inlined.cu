// OPTIONS: -lineinfo
// Inlined code: the copies of an unrolled loop's paths are numbered in another order than the original.
static __device__ __forceinline__ unsigned mix(unsigned x) { return (x ^ x >> 16) * 0x85ebca6bu ^ x >> 13; }
static __device__ __forceinline__ bool wants(const unsigned *in, int i) { return (in[i] & 7) < 3; }

__global__ void inlined(int n, const unsigned *in, unsigned *out)
{
	#pragma ccc for
	#pragma unroll 2
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (wants(in, i))
			atomicAdd(out + i, mix(i));
	}
}
// SPDX-License-Identifier: MIT
