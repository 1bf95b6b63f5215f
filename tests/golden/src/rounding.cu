// Products that ptxas may contract with additions (docs/proofs/contraction.md).

// The comparison prevents the contraction: the copies prevent it explicitly, since those of policy `ahead` lack the comparison.
__global__ void compared(const float *x, const float *y, float *out, int n, float t, float u)
{
	float s = 0;
	#pragma ccc for proven policy(ahead)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float m = x[i] * y[i];
		#pragma ccc if
		if (m > t) {
			float v = m + x[i];
			#pragma unroll 1
			for (int j = 0; j < 20; j++)
				v = sqrtf(v) + u;
			s += v;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Only the loop's own test separates the product from the addition of the next iteration: if ptxas unrolls the loop, it contracts
// them. The loop is left unchanged.
__global__ void carried(const float *x, float *out, int n, float t, float u)
{
	float s = 0, p = u;
	#pragma ccc for proven policy(wait)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float v = x[i] + p;
		#pragma ccc if
		if (x[i] > t) {
			#pragma unroll 1
			for (int j = 0; j < 20; j++)
				v = sqrtf(v) + u;
			s += v;
		}
		p = x[i] * u;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// SPDX-License-Identifier: MIT
