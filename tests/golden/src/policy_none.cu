// SPDX-License-Identifier: MIT
// policy(none) switches an annotation off: a loop with its paths, a path, a kernel's task loop, arms, a remapped branch.

__device__ float work(float v)
{
	for (int i = 0; i < 40; i++)
		v = v * 1.01f + __sinf(v);
	return v;
}

extern "C" __global__ void a_loop(const float *x, float *y, int n)
{
#pragma ccc for policy(none)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma ccc if policy(stack)
		if (x[i] > 0.9f)
			y[i] = work(x[i]);
	}
}

extern "C" __global__ void a_path(const float *x, float *y, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma ccc if policy(none)
		if (x[i] > 0.9f)
			y[i] = work(x[i]);
	}
}

extern "C" __global__ void one_of_two(const float *x, float *y, int n)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma ccc if policy(none)
		if (x[i] > 0.9f)
			y[i] = work(x[i]);
#pragma ccc if policy(stack)
		if (x[i + n] > 0.9f)
			y[i + n] = work(x[i + n]);
	}
}

#pragma ccc grid policy(none)
extern "C" __global__ void a_kernel(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma ccc if policy(stack)
	if (i < n && x[i] > 0.9f)
		y[i] = work(x[i]);
}

extern "C" __global__ void arms(const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = x[i], r;
#pragma ccc distribute policy(none)
	if (v > 0.5f)
		r = __sinf(v) * v + v;
	else
		r = __sinf(v + 1) * v - 2 * v;
	y[i] = r;
}

extern "C" __global__ void exchanged(const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = x[i];
#pragma ccc remap policy(none)
	if (v > 0.9f)
		y[i] = work(v);
	else
		y[i] = work(v + 1) + v;
}
