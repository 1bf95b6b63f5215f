// SPDX-License-Identifier: MIT
// Calls of one function on the sides of a branch become one; those that do not, with what to do about it.
__device__ __noinline__ float f(float x, int n)
{
	for (int i = 0; i < n; i++)
		x = x > 1.0f ? x * 0.5f - 0.25f : x * 1.5f + 0.125f;
	return x;
}
__device__ __noinline__ float helper(float x, int n)
{
#pragma ccc predict
	x = f(x + 1.0f, n);
	return x * 2.0f;
}
__device__ __noinline__ float wrapper(float x, int n) { return f(x + 2.0f, n) * 3.0f; }

__global__ void three_sides(float *out, int n)
{
	float x = out[threadIdx.x];
	if (x < 1.0f) {
#pragma ccc predict
		x = f(x, n);
	} else if (x < 2.0f) {
#pragma ccc predict
		{
			x = f(x * 3.0f, n);
			out[threadIdx.x + 1024] = x;
		}
	} else {
		x += 7.0f;
#pragma ccc predict
		x = f(n, n) + x;
	}
	out[threadIdx.x] = x;
}
// The third call stays apart: its statement has an operation between lanes.
__global__ void third_refused(float *out, int n)
{
	float x = out[threadIdx.x];
	if (x < 1.0f) {
#pragma ccc predict
		{
			x += __shfl_sync(__activemask(), x, 0);
			x = f(x, n);
		}
	} else if (x < 2.0f) {
#pragma ccc predict
		x = f(x * 3.0f, n);
	} else {
#pragma ccc predict
		x = f(x - 1.0f, n);
	}
	out[threadIdx.x] = x;
}
__global__ void side_without(float *out, int n)
{
	float x = out[threadIdx.x];
	if (x < 1.0f) {
#pragma ccc predict
		x = f(x, n);
	} else if (x < 2.0f) {
#pragma ccc predict
		x = f(x * 3.0f, n);
	}
	out[threadIdx.x] = x;
}
__global__ void one_after_another(float *out, int n)
{
	float x = out[threadIdx.x];
	if (x < 1.0f) {
#pragma ccc predict
		x = f(x, n);
	}
	if (x < 2.0f) {
#pragma ccc predict
		x = f(x * 3.0f, n);
	}
	out[threadIdx.x] = x;
}
__global__ void in_a_loop(float *out, int n)
{
	float x = out[threadIdx.x];
	if (x < 1.0f) {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
#pragma ccc predict
			x = f(x, n);
		}
	} else {
#pragma ccc predict
		x = f(x * 3.0f, n);
	}
	out[threadIdx.x] = x;
}
__global__ void in_helper(float *out, int n)
{
	float x = out[threadIdx.x];
	if (x < 1.0f) {
#pragma ccc predict
		x = f(x, n);
	} else {
		x = helper(x, n);
	}
	out[threadIdx.x] = x;
}
__global__ void by_wrapper(float *out, int n)
{
	float x = out[threadIdx.x];
	if (x < 1.0f) {
#pragma ccc predict
		x = f(x, n);
	} else {
#pragma ccc predict
		x = wrapper(x, n);
	}
	out[threadIdx.x] = x;
}
