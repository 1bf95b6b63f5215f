// SPDX-License-Identifier: MIT
// One item a thread, and a loop of unknown length that an unknown part of the lanes take: only counting decides.
__global__ void
rare(const unsigned *in, unsigned *out, unsigned n, unsigned part, int steps)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned x = in[i];
	if ((x & 1023) < part)
#pragma unroll 1
		for (int k = 0; k < steps; k++)
			x = (x ^ x >> 15) * 0x846ca68bu + k;
	out[i] = x;
}
