// SPDX-License-Identifier: MIT
// A loop in a kernel of one task a thread. The test after it becomes code of the exit by `break`, which lanes that leave in different
// iterations execute apart.
__global__ void __launch_bounds__(128) search(const unsigned *in, unsigned *out, int n, int most)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned x = in[i], code = 0;
	bool hit = false;
	for (int k = 0; k < most; k++) {
		x = x * 1664525u + 1013904223u;
		x ^= x >> 15;
		if (x >> 29 == 5) {
			hit = true;
			break;
		}
		if (x >> 24 == 0)
			break;
	}
	if (hit) {
		unsigned h = x ^ i;
#pragma unroll 1
		for (unsigned j = 0; j < 4 + (x & 15); j++) {
			h = (h ^ h >> 13) * 0x7feb352du + j;
			h = (h ^ h >> 16) * 0x846ca68bu;
		}
		for (int j = 0; j < 8; j++)
			code = code * 31 + (h >> 4 * j & 15) * (h >> j & 0x3ff);
		code ^= h;
	} else {
		code = x;
	}
	out[i] = code;
}
