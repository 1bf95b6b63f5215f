// SPDX-License-Identifier: MIT
// Lin, Wang and Liu, ACM TACO 15(3) 2018. Figure 1, from its description: Branch 1 computes the condition of Branch 2, and the branches demand different
// mappings. An exchange immediately before each (3.1), where on-CPU remapping has one for the kernel.
// LAUNCH: two_branches --grid 4 --block 256 --arg buf:4096:rand:1 --arg buf:4096:rand:2 --arg buf:4096
// CHECK: two_branches before_lanes_P < 51 && lanes_P > 85 && warps < before_warps
#define BLOCK 256

template <int Q> static __device__ __forceinline__ unsigned path(unsigned x)
{
#pragma unroll 1
	for (int l = 0; l < 16; ++l)
#pragma unroll
		for (int k = 0; k < 32; ++k)
			x = x * (8 * ((k * (2 * Q + 1) + 5 * Q) & 31) + 5) ^ x >> 7; // [P]
	return x;
}

extern "C" __global__ void __launch_bounds__(BLOCK) two_branches(const unsigned *a, const unsigned *b, unsigned *out)
{
	int tid = blockIdx.x * BLOCK + threadIdx.x;
	unsigned cond = a[tid];
	#pragma ccc remap
	if (cond & 256) // Branch 1
		cond = path<0>(cond);
	else
		cond = path<1>(cond);
	#pragma ccc remap
	if (cond & 512) // Branch 2
		out[tid] = path<2>(b[tid]);
	else
		out[tid] = path<3>(b[tid]);
}
