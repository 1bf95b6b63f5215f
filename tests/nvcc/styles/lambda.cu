// SPDX-License-Identifier: MIT
#include "work.cuh"
// A lambda that is called in a loop, and one that is passed to a kernel template.
template <typename F>
__global__ void
for_each(int n, F f)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		f(i);
}
void run(const float *in, float *out, int n)
{
	for_each<<<1, 64>>>(n, [=] __device__(int i) {
		float x = in[i];
		if (x > 0.5f)
			out[i] = work(x);
	});
}
__global__ void local(const float *in, float *out, int n)
{
	auto rare = [&](float x, int i) {
		if (x > 0.9f)
			out[i] = work(x) + work(x + 2);
	};
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		rare(in[i], i);
}
