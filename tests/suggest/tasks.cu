// SPDX-License-Identifier: MIT
// For `ptxccc --suggest`: one task per thread; lanes leave an inner loop at different times, and few threads have work outside it.
extern "C" __global__ void tasks(const unsigned *in, unsigned *out, unsigned *found, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned x = in[i], steps = 0;
	while (x != 1 && steps < 500) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		steps++;
	}
	out[i] = steps;
	if (steps > 100) {
		float f = (float)steps;
		#pragma unroll
		for (int j = 0; j < 40; j++)
			f = f * 0.5f + 3.0f / (f + j);
		found[i] = (unsigned)f + in[i];
	}
}
