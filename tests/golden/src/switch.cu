// SPDX-License-Identifier: MIT
// Cases of switches: those that are collected, and the messages about the others.
__device__ __forceinline__ float heavy(float x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 1.0001f + 0.5f / x;
	return x;
}
#define STRIDE(i) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

__global__ void those_that_pay(const int *op, float *out, const float *in, int n)
{
#pragma ccc for threads(128)
	STRIDE(i) {
		const float v = in[i];
#pragma ccc switch
		switch (op[i]) {
		case 0: out[i] = v; break;
		case 1: out[i] = heavy(v, 7); break;
		case 2: case 3: out[i] = heavy(v, 9); break;
		default: out[i] = 0;
		}
	}
}

__global__ void the_costliest(const int *op, float *out, const float *in, int n)
{
#pragma ccc for threads(128)
	STRIDE(i) {
		const float v = in[i];
#pragma ccc switch paths(1)
		switch (op[i]) {
		case 1: out[i] = heavy(v, 7); break;
		case 2: out[i] = heavy(v, 9); break;
		}
	}
}

__global__ void none_pays(const int *op, float *out, const float *in, int n)
{
#pragma ccc for
	STRIDE(i) {
#pragma ccc switch
		switch (op[i]) {
		case 1: out[i] = in[i]; break;
		case 2: out[i] = in[i] + 1; break;
		}
	}
}

__global__ void too_many(const int *op, float *out, const float *in, double w, int n)
{
#pragma ccc for
	STRIDE(i) {
		const float v = in[i], u = in[i + n];
#pragma ccc switch
		switch (op[i]) {
		case 1: out[i] = heavy(v, 7) + u; break;
		case 2: out[i] = heavy(v, 8) + u; break;
		case 3: out[i] = heavy(v, 9) + u; break;
		case 4: out[i] = heavy(v, 10) + u; break;
		case 5: out[i] = heavy(v, 11) + u; break;
		case 6: out[i] = heavy(v, 12) + u; break;
		}
	}
}

__global__ void one_continues(const int *op, float *out, const float *in, int n)
{
#pragma ccc for
	STRIDE(i) {
		const float v = in[i];
#pragma ccc switch
		switch (op[i]) {
		case 1:
			if (v > 1) {
				out[i] = heavy(v, 7);
				continue;
			}
			out[i + n] = heavy(v, 6);
			break;
		case 2: out[i] = heavy(v, 8); break;
		}
		out[i + 2 * n] = v;
	}
}

__global__ void result_is_used(const int *op, float *out, const float *in, int n)
{
#pragma ccc for
	STRIDE(i) {
		float v = in[i];
#pragma ccc switch
		switch (op[i]) {
		case 1: v = heavy(v, 7); break;
		case 2: out[i] = heavy(v, 8); break;
		}
		out[i + 2 * n] = v;
	}
}
