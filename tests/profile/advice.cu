// SPDX-License-Identifier: MIT
// Code for `ptxrun --advice`, without annotations: an expensive branch that few lanes take, a loop that lanes leave at different
// times, a uniform branch, a cheap branch. make.sh generates its PTX.
extern "C" __global__ void advice(const unsigned *in, float *out, int n, int all)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float x = (float)in[i], s = x;
		if (in[i] % 16 == 3)
			for (int k = 0; k < 40; k++)
				s = s * 0.5f + x / (s + 3.0f);
		#pragma unroll 1
		for (unsigned j = 0; j < in[i] % 37; j++)
			s += 1.0f / (s * s + 1.0f);
		if (in[0] % 2 == (unsigned)all) { // not known before, but uniform
			#pragma unroll
			for (int k = 0; k < 30; k++)
				s = s * s + 1.0f / (x + k);
		}
		if (in[i] & 1)
			s += 2.0f;
		out[i] = s;
	}
}
