// Comparisons and `abs` that ptxas may remove, since it knows the range of a value (docs/proofs/contraction.md, I4).

// ptxas keeps the test for a denormal argument in logf(), since it derives no range from the maximum. The comparison with t
// prevents the contraction of the product.
__global__ void logarithm(const float *x, const float *y, float *out, int n, float t, float u)
{
	float s = 0;
	#pragma ccc for proven policy(ahead)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float m = x[i] * y[i];
		#pragma ccc if
		if (m > t) {
			float v = m + logf(fmaxf(x[i], 1e-9f));
			#pragma unroll 1
			for (int j = 0; j < 20; j++)
				v = sqrtf(v) + u;
			s += v;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// ptxas removes the `abs` of the square, and contracts the square with the addition that reads it. The loop is left unchanged.
__global__ void square(const float *x, const float *y, float *out, int n, float t, float u)
{
	float s = 0;
	#pragma ccc for proven policy(ahead)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float v = fabsf(x[i] * x[i]) + y[i];
		#pragma ccc if
		if (y[i] > t) {
			#pragma unroll 1
			for (int j = 0; j < 20; j++)
				v = sqrtf(v) + u;
			s += v;
		}
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// SPDX-License-Identifier: MIT
