// SPDX-License-Identifier: MIT
// Loads at the start of a path that the owner executes: from adjacent addresses and from others; several loads; with a stride.
__device__ float grind(float x, int rounds)
{
#pragma unroll 1
	for (int i = 0; i < rounds; ++i)
		x = fmaf(x, 0.75f, 0.125f);
	return x;
}
__global__ void one(int n, const int *wanted, const float *in, float *out)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma ccc if coalesced policy(stack)
		if (wanted[i])
			out[i] = grind(in[i], 40);
	}
}
__global__ void several(int n, const int *wanted, const float4 *in, const int *row, const float *weight, float *out)
{
#pragma ccc for policy(queue)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		if (wanted[i]) {
#pragma ccc path coalesced
			{
				const float4 a = in[i];
				const int first = row[i], end = row[i + 1];
				float s = a.x + a.y * a.z - a.w;
				for (int k = first; k < end; ++k)
					s = grind(s + weight[k], 9);
				out[i] = s;
			}
		}
	}
}
// Each lane reads a different sector: the helper executes all loads.
__global__ void none(int n, const int *wanted, const float *in, const int *at, float *out)
{
#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma ccc if coalesced policy(stack)
		if (wanted[i])
			out[i] = grind(in[7 * i], 40);
	}
}
