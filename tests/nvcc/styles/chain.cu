// SPDX-License-Identifier: MIT
#include "work.cuh"
// A chain of `else if`, and a large arm after `else`.
__global__ void chain(const float *in, float *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float x = in[i];
		if (x < 0.1f) {
			out[i] = x;
		} else if (x < 0.3f) {
			out[i] = work(x);
		} else if (x < 0.5f) {
			out[i] = work(x + 1) * work(x + 2);
		} else {
			out[i] = work(x) + work(x + 3) + work(x + 4);
		}
	}
}
__global__ void other(const float *in, float *out, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float x = in[i];
		if (x < 0.9f)
			out[i] = 0;
		else
			out[i] = work(x) + work(x + 3);
	}
}
