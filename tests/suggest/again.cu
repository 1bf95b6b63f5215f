// SPDX-License-Identifier: MIT
// Paths that read what they write: elements that iterations may share, and each iteration's own.
__device__ float work(float x)
{
#pragma unroll 1
	for (int i = 0; i < 40; ++i)
		x = sqrtf(x * 0.5f + i);
	return x;
}
__global__ void shared(int n, const float *in, const int *to, float *sums)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (in[i] > 0.75f)
			sums[to[i]] += work(in[i]);
}
__global__ void own(int n, const float *in, float *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (in[i] > 0.75f)
			out[i] += work(in[i]);
}
