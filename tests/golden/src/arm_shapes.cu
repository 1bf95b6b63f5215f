// SPDX-License-Identifier: MIT
// Branches whose arms have unlike shapes: a loop that only one has, parts of one arm before or after those of the other, a branch in the loop of one.
__device__ float series(float x, float k, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < rounds; i++)
		x = x * k + sqrtf(fabsf(x) + i);
	return x;
}

__device__ float decay(float x, float k, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < rounds; i++)
		x = expf(-x * k) * 0.75f + logf(fabsf(x) + 1.0f);
	return x;
}

__global__ void second_loop(float *out, const float *a, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i];

#pragma ccc distribute
	if (u > 0.5f)
		u = decay(series(u, 0.5f, rounds), 0.25f, rounds);
	else
		u = decay(-u, 0.125f, rounds);
	out[i] = u;
}

__global__ void ends(float *out, const float *a, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i];

#pragma ccc distribute
	if (u > 0.5f) {
		u = logf(u + 1.0f) * sqrtf(u) + expf(u) * 2.0f + logf(u + 2.0f);
		if (u > 6.0f)
			u = series(u, 0.5f, rounds);
	} else {
		u = series(-u, 0.25f, rounds);
		u = logf(u + 3.0f) * sqrtf(u) + expf(u) * 3.0f + logf(u + 4.0f);
	}
	out[i] = u;
}

__global__ void inside(float *out, const float *a, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float u = a[i];

#pragma ccc distribute
	if (u > 0.5f) {
#pragma unroll 1
		for (int k = 0; k < rounds; k++) {
			u = expf(-u) + logf(u + k);
			if (u > 2.5f)
				out[i + 8192 * (k + 1)] = u;
		}
	} else {
#pragma unroll 1
		for (int k = 0; k < rounds; k++)
			u = expf(-u) * 2.0f + logf(u + k);
	}
	out[i] = u;
}
