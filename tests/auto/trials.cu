// SPDX-License-Identifier: MIT
// Walks with different numbers of steps. Whether ptxas fuses the product with the sums that read it is not known from the text.
extern "C" __global__ void trials(const unsigned *seed, float *out, int n, float scale)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned s = seed[i];
	float total = 0;
	#pragma unroll 1
	for (int k = 0; k < n; k++) {
		float x = 2;
		#pragma unroll 1
		while (x > 0 && x < 4) {
			s = s * 1664525 + 1013904223;
			float d = (float)(s >> 8) * scale;
			if (s & 4096) {
				x += d;
				s ^= s % 1021 + s % 769;
			} else {
				x -= d;
				s += s % 509 + s % 251;
			}
		}
		total += x;
	}
	out[i] = total;
}
