// SPDX-License-Identifier: MIT
#include "work.cuh"
// Guards: the code to collect follows an `if` that returns, or continues.
__global__ void returns(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float x = in[i];
	if (x < 0.9f)
		return;
	float y = work(x);
	y += work(x + y);
	out[i] = y;
}
__global__ void continues(const float *in, float *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float x = in[i];
		if (x < 0.9f) continue;
		float y = work(x);
		y += work(x + y);
		out[i] = y;
	}
}
