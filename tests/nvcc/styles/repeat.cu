// SPDX-License-Identifier: MIT
#include "work.cuh"
// do loops, in a kernel with one task per thread.
__global__ void repeat(const unsigned *from, unsigned *steps, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned x = from[i], count = 0;
	do {
		x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12, x *= 0x297a2d39u, x ^= x >> 15;
		x = x % 1000003u * 4057u + x / 7001u;
		x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12, x *= 0x297a2d39u, x ^= x >> 15;
		count++;
	} while (x % 32 &&
		count < 1000);
	steps[i] = count;
}
