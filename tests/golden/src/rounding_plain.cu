// OPTIONS: -lineinfo
// Without annotations the compiler unrolls the inner loop and contracts the product of one iteration with the addition of the next. With
// them it does not: the loop is left unchanged.
__global__ void unrolled(const float *__restrict__ x, const int *__restrict__ count, float *out, int n, float u)
{
	float s = 0;
	#pragma ccc for proven policy(flatten)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float m = 0;
		#pragma ccc while
		for (int j = 0; j < count[i]; j++) {
			s = s + m;
			m = x[j] * u;
		}
		s = s * s + i;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// SPDX-License-Identifier: MIT
