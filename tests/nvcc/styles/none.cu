// SPDX-License-Identifier: MIT
#include "work.cuh"
// No statements: a conditional expression, operators, a loop by goto, an arm on the line of the other.
__global__ void expressions(const float *in, float *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float x = in[i];
		out[i] = x > 0.3f ? work(x) + work(x + 1) : 1;
	}
}
__global__ void jumps(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = in[i];
again:
	x = work(x) + work(x + 1);
	if (x < 100)
		goto again;
	out[i] = x;
}
__global__ void line(const float *in, float *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float x = in[i];
		if (x > 0.5f) out[i] = work(x) + work(x + 1); else out[i] = work(x + 2) + work(x + 3);
	}
}
