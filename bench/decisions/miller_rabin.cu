// SPDX-License-Identifier: MIT
// The Miller-Rabin test with several bases, one number a thread; the primes are counted in one word.
//
// data a: odd numbers: most fail at the first base, after exponents of different length
// data b: primes of one length
//
// plan 0: grid, if on the test
// plan 1: for on the bases, for var policy(flatten) on the exponent
// plan 2: for on the bases, predict threshold(24) on the exponent
// plan 3: grid, while on the bases
#include "plans.h"

#define BASES 12
__constant__ unsigned bases[BASES] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37 };

PLANS(grid, , , grid)
__global__ void
test(int n, const unsigned *__restrict__ number, unsigned *primes)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned x = number[i];
	bool prime = true;
	PLANS(if)
	if (x > 37) {
		unsigned odd = (x - 1) >> (__ffs(x - 1) - 1);
		PLANS(, for, for, while)
		for (int k = 0; k < BASES; k++) {
			unsigned long long y = 1, power = bases[k];
			PLANS(, for var policy(flatten), predict threshold(24))
			for (unsigned e = odd; e; e >>= 1) {
				if (e & 1)
					y = y * power % x;
				power = power * power % x;
			}
			unsigned t = odd;
			while (t != x - 1 && y != 1 && y != x - 1) {
				y = y * y % x;
				t <<= 1;
			}
			if (y != x - 1 && !(t & 1)) {
				prime = false;
				break;
			}
		}
	}
	if (prime)
		atomicAdd(primes, 1u);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 22);
	Rng rng(13);
	std::vector<unsigned> numbers(n);
	const unsigned known[] = { 2147483647u, 2147483629u, 2147483587u, 2147483579u };
	for (unsigned &x : numbers)
		x = options.divergent ? (unsigned)rng.next() >> rng.below(24) | 1 : known[rng.below(4)];
	unsigned *number = to_device(numbers), *primes = device_zeros<unsigned>(1);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(primes, 0, sizeof(unsigned))); },
		[&] { test<<<blocks_for(n, 256), 256>>>(n, number, primes); });
	Checksum sum;
	sum.device(primes, 1);
	return report(sum, ms);
}
