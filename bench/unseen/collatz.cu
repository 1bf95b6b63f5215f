// SPDX-License-Identifier: MIT
// Lengths and maxima of Collatz sequences. A thread of a grid-stride loop follows each start to 1,
// or to the limit of 64 bits. Data set a has random starts, b the same start in a warp.
#include "unseen.h"

struct Best {
	unsigned long long packed; // length, then the complement of the index
};

__global__ void
collatz(const unsigned long long *__restrict__ starts, int n, int *length,
	unsigned long long *highest, Best *best)
{
	int stride = blockDim.x * gridDim.x;
	unsigned long long mine = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
		unsigned long long x = starts[i], high = x;
		int steps = 0;
		while (x != 1) {
			if (x & 1) {
				if (x > (0xffffffffffffffffull - 1) / 3) {
					steps = -1; // overflow
					break;
				}
				x = 3 * x + 1;
				if (x > high)
					high = x;
			} else {
				x >>= 1;
			}
			steps++;
		}
		length[i] = steps;
		highest[i] = high;
		if (steps >= 0) {
			unsigned long long packed = (unsigned long long)steps << 32 | (0xffffffffu - (unsigned)i);
			if (packed > mine)
				mine = packed;
		}
	}
	if (mine)
		atomicMax(&best->packed, mine);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(options.divergent ? 1 << 19 : 1 << 22);
	Rng rng(32);
	std::vector<unsigned long long> starts(n);
	for (int i = 0; i < n; i++)
		starts[i] = options.divergent ? 1 + (rng.next() >> (20 + i % 30)) : 27ull << i / 32 % 20;
	unsigned long long *d_starts = to_device(starts), *highest = device_zeros<unsigned long long>(n);
	int *length = device_zeros<int>(n);
	Best *best = device_zeros<Best>(1);
	int blocks = std::min(blocks_for(n, 256), 132 * 16);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(best, 0, sizeof(Best))); },
		[&] { collatz<<<blocks, 256>>>(d_starts, n, length, highest, best); });
	Checksum sum;
	sum.device(length, n);
	sum.device(highest, n);
	sum.device(best, 1);
	return report(sum, ms);
}
