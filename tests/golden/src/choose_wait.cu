// OPTIONS: -use_fast_math
// SPDX-License-Identifier: MIT
// No annotation names a policy, and nothing can be collected: the path updates a state that the common code reads. Lanes wait for
// a long path; a short one is left unchanged.
static __device__ unsigned draw(unsigned &seed) { return seed = seed * 1664525u + 1013904223u; }

__global__ void events(int n, int length, float *out)
{
	unsigned seed = blockIdx.x * blockDim.x + threadIdx.x + 1;
	float sum = 0;
	#pragma ccc for
	for (int i = 0; i < n; ++i) {
		const unsigned u = draw(seed);
		#pragma ccc if
		if (u % 32 == 0)
			for (int k = 0; k < length; ++k)
				sum = fmaf(sum, 0.999f, __fdividef(float(draw(seed)), fmaf(sum, sum, 1.0f)));
	}
	out[threadIdx.x] = sum;
}
__global__ void brief(int n, float *out)
{
	unsigned seed = blockIdx.x * blockDim.x + threadIdx.x + 1;
	float sum = 0;
	#pragma ccc for
	for (int i = 0; i < n; ++i) {
		const unsigned u = draw(seed);
		#pragma ccc if
		if (u % 32 == 0)
			for (int k = 0; k < 4; ++k)
				sum = fmaf(sum, 0.999f, float(draw(seed)));
	}
	out[threadIdx.x] = sum;
}
