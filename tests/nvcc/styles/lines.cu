// SPDX-License-Identifier: MIT
#include "work.cuh"
// Conditions and heads on several lines.
__global__ void lines(const float *in, float *out, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x;
		i < n;
		i += gridDim.x * blockDim.x)
	{
		float x = in[i];
		if (x > 0.5f &&
			x < 0.7f &&
			in[i + 1] > 3)
		{
			out[i] = work(x);
		}
	}
}
