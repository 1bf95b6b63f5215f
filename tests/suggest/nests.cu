// SPDX-License-Identifier: MIT
// Candidates of which only one can be annotated. The thresholds decide which one gains: all elements of a and b are below 20.
__device__ float grind(float x, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < rounds; ++i)
#pragma unroll
		for (int k = 0; k < 32; ++k)
			x = fmaf(x, 0.75f, 0.125f);
	return x;
}
// The loop around the second branch is nested in that around the first one.
__global__ void nest(int n, int first, int second, const int *__restrict__ a, const int *__restrict__ b, float *out)
{
#pragma unroll 1
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float s = 0;
		if (a[i] < first)
			s = grind(s, 100);
#pragma unroll 1
		for (int j = 0; j < 16; ++j)
			if (b[j * blockDim.x + threadIdx.x] < second)
				s = grind(s, 20);
		out[i] = s;
	}
}
// Similar arms in some iterations, and a path at which lanes can only wait, because its test needs the result of the one before.
__global__ void arms(int n, int some, int rare, const int *__restrict__ a, const int *__restrict__ b, float *out)
{
	float s = threadIdx.x;
#pragma unroll 1
	for (int i = 0; i < n; ++i) {
		if (a[i] < some) {
			if (threadIdx.x % 2) {
#pragma unroll 1
				for (int k = 0; k < 100; ++k)
					s = s * 0.75f + sqrtf(s + k);
			} else {
#pragma unroll 1
				for (int k = 0; k < 100; ++k)
					s = s * 0.25f + sqrtf(s + 3 * k);
			}
		}
		if (b[i * blockDim.x + threadIdx.x] + (s < 0) < rare)
			s = sqrtf(grind(s, 40));
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// One loop, in a kernel with one task per thread.
__global__ void walk(int n, const int *__restrict__ a, int *__restrict__ out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
	if (i >= n)
		return;
#pragma unroll 1
	for (int x = a[i]; x > 0; --x)
		steps = steps * 5 + x / 3;
	out[i] = steps;
}
// A loop with two exits: with one warp, the longest lane of the warp is that of the launch.
__global__ void leave(int n, const int *__restrict__ a, int *__restrict__ out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
	if (i >= n)
		return;
#pragma unroll 1
	for (int x = a[i]; x > 0; --x) {
		if (x * (i + 3) % 7 == 1) {
			out[i] = -x;
			return;
		}
		steps = steps * 5 + x / 3;
	}
	out[i] = steps;
}
