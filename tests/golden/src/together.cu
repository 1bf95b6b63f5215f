// SPDX-License-Identifier: MIT
// One technique inside another: valid combinations, and those that are refused (docs/techniques.md).
__device__ float smooth(float x, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < rounds; i++)
		x = x > 1.0f ? x * 0.5f - 0.25f : x * 1.5f + 0.125f;
	return x;
}
__global__ void predict_in_path(float *out, const float *a, int n, int rounds)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float u = a[i];
#pragma ccc if policy(stack)
		if (u > 0.5f) {
			for (int k = 0; k < rounds; ++k) {
				u = u * 1.5f + 0.25f;
#pragma ccc predict threshold(8)
				if (u > 1.0f)
					u = smooth(u, rounds) * 0.25f;
			}
			out[i] = u;
		}
	}
}
__global__ void for_in_path(float *out, const float *a, int n, int rounds)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float u = a[i];
#pragma ccc if policy(stack)
		if (u > 0.5f) {
#pragma ccc for
			for (int k = 0; k < rounds; ++k) {
				u = u * 1.5f + 0.25f;
#pragma ccc predict threshold(8)
				if (u > 1.0f)
					u = smooth(u, rounds) * 0.25f;
			}
			out[i] = u;
		}
	}
}
__global__ void distribute_in_remap(float *out, const float *a, int n, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i % n];
#pragma ccc remap policy(partition)
	if (u > 0.5f) {
#pragma ccc distribute
		if (u > 0.75f)
			u = smooth(u, rounds) * 7.0f;
		else
			u = smooth(u * 2.0f, rounds) + 1.0f;
	} else {
		u = rsqrtf(u + 1.0f);
	}
	out[i] = u;
}
__global__ void loop_in_remap(float *out, const float *a, int n, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i % n];
#pragma ccc remap policy(partition)
	if (u > 0.5f) {
#pragma ccc for
		for (int k = 0; k < rounds; ++k) {
#pragma ccc if
			if (a[(i + k) % n] > 0.5f)
				out[i * rounds + k] = smooth(u, rounds);
		}
	} else {
		out[i * rounds] = rsqrtf(u + 1.0f);
	}
}
__global__ void remap_in_loop(float *out, const float *a, int n, int rounds)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float u = a[i];
#pragma ccc remap
		if (u > 0.5f)
			u = smooth(u, rounds);
		else
			u = rsqrtf(u + 1.0f);
#pragma ccc if
		if (u > 0.75f)
			out[i] = smooth(u, 2 * rounds);
	}
}
__global__ void distribute_in_delay(float *out, const float *a, int n, int rounds)
{
	float u = a[threadIdx.x];
#pragma ccc for
	for (int i = 0; i < n; ++i) {
		u = u * 1.5f + a[i];
#pragma ccc delay policy(live)
		if (u > 8.0f) {
#pragma ccc distribute
			if (u > 16.0f)
				u = smooth(u, rounds) * 0.125f;
			else
				u = smooth(u * 2.0f, rounds) + 0.5f;
		} else {
			u = sqrtf(u + 1.0f) * 3.0f;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = u;
}
__global__ void predict_two(float *out, const float *a, int n, int rounds)
{
	float u = a[threadIdx.x];
#pragma ccc for
	for (int i = 0; i < n; ++i) {
		u = u * 1.5f + a[i];
#pragma ccc predict threshold(8)
		if (u > 8.0f)
			u = smooth(u, rounds) * 0.125f;
#pragma ccc predict threshold(4)
		if (u < 2.0f)
			u = sqrtf(u + 1.0f) * 3.0f;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = u;
}
__global__ void predict_nested(float *out, const float *a, int n, int rounds)
{
	float u = a[threadIdx.x];
#pragma ccc for
	for (int i = 0; i < n; ++i) {
		u = u * 1.5f + a[i];
#pragma ccc predict threshold(8)
		if (u > 8.0f) {
			u = smooth(u, rounds) * 0.125f;
#pragma ccc predict threshold(4)
			if (u < 2.0f)
				u = sqrtf(u + 1.0f) * 3.0f;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = u;
}
