// SPDX-License-Identifier: MIT
// For `ptxccc --suggest`: a kernel without profitable candidates. Its tests are those of an index, and few instructions
// depend on what it reads.
extern "C" __global__ void small(const int *in, int *out, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = in[i] > 3 ? in[i] * 2 : 7;
}
