// SPDX-License-Identifier: MIT
#include "work.cuh"
// Nested loops and branches without braces.
__global__ void bare(const float *in, float *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		if (in[i] > 0.5f)
			for (int j = 0; j < 8; j++)
				out[8 * i + j] = work(in[i] + j);
}
