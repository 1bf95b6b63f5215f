// SPDX-License-Identifier: MIT
// For `ptxccc --suggest`: a branch that the compiler can prove uniform, and one that is worth an
// annotation. make.sh generates its PTX.
__constant__ int kind[64];

extern "C" __global__ void uniform(const int *in, float *out, int n)
{
	for (int b = blockIdx.x; b < n; b += gridDim.x) {
		int i = b * blockDim.x + threadIdx.x;
		float s = in[i];
		if (kind[b & 63] > 3) {
			#pragma unroll
			for (int j = 0; j < 30; j++)
				s = s * s + 1.0f / (s + j);
		}
		if (in[i] % 16 == 3) {
			#pragma unroll
			for (int j = 0; j < 30; j++)
				s = s * 0.5f + 2.0f / (s + j);
		}
		out[i] = s;
	}
}
