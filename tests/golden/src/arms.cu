// SPDX-License-Identifier: MIT
// Branches with similar arms: with a loop and a branch in them, with calls, in a collected path; and some that cannot be melded.
__device__ float smooth(float x, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < rounds; i++)
		x = x > 1.0f ? x * 0.5f - 0.25f : x * 1.5f + 0.125f;
	return x;
}

__global__ void sides(float *out, const float *a, const float *b, int n, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i % n], v = b[i % n];

#pragma ccc distribute
	if (i & 1) {
		u = smooth(u * 3.0f + 1.0f, rounds) + sqrtf(u);
		if (u > 2.0f)
			out[i + n] = u;
	} else {
		v = smooth(v * 5.0f + 2.0f, rounds) + sqrtf(v);
		if (v > 4.0f)
			out[i + n] = v;
	}
	out[i] = u - v;
}

__global__ void in_path(float *out, const float *a, int n, int rounds)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float u = a[i];
#pragma ccc if
		if (u > 0.5f) {
#pragma ccc distribute
			if (u > 0.75f)
				u = smooth(u, rounds) * 7.0f;
			else
				u = smooth(u * 2.0f, rounds) + 1.0f;
			out[i] = u;
		}
	}
}

__global__ void unlike(float *out, const float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#pragma ccc distribute
	if (a[i] > 0.5f)
		out[i] = sqrtf(a[i]);
	else
		out[i + n] = (float)(i % 17);
}

__global__ void shapes(float *out, const float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i];

#pragma ccc distribute
	if (u > 0.5f) {
		for (int k = 0; k < n; k++)
			u = u * u + 0.25f;
	} else {
		u = sqrtf(u) + 1.0f;
	}
	out[i] = u;
}

__global__ void between_lanes(float *out, const float *a)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i];

#pragma ccc distribute
	if (i & 32)
		u = __shfl_xor_sync(0xffffffff, u, 1) * 2.0f;
	else
		u = __shfl_xor_sync(0xffffffff, u, 2) * 3.0f;
	out[i] = u;
}

// The compiler hoists what one short arm sets above its branch: one arm has a block that the other one lacks.
__global__ void lone(float *out, const float *a, int n, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, at = i % n;
	float u = a[i], v = 0;

#pragma ccc distribute
	if (u > 0.5f) {
		v = smooth(u * 3.0f, rounds);
		if (v > 2.0f) {
			++at;
			if (at < n)
				v = sqrtf(v);
		} else {
			u = -u;
		}
	} else {
		v = smooth(u * 5.0f, rounds);
		if (v > 2.0f) {
			--at;
			if (at > 0) {
				v = sqrtf(v);
				if (v < 3.0f)
					for (int k = 0; k < rounds; ++k)
						v = v * u + 1.0f;
			}
		} else {
			u = -u;
		}
	}
	out[i] = u + v + at;
}
