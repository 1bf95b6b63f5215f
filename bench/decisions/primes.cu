// SPDX-License-Identifier: MIT
// Counts the primes of a range: small factors are tried first; what passes is divided by all odd
// numbers up to its root.
//
// data a: numbers around 2^22: the division is long
// data b: numbers below 2^12: it is short
//
// plan 0: for, if
// plan 1: queue(4)
// plan 2: stack
// plan 3: ahead
// plan 4: for, while
#include "plans.h"

__global__ void
count_primes(unsigned from, int n, unsigned range, unsigned *primes, unsigned char *is_prime)
{
	PLANS(for, for, for, for, for)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned x = from + i % range;
		PLANS(if, if policy(queue(4)), if policy(stack), if policy(ahead))
		if (x % 2 && x % 3 && x % 5 && x % 7 && x % 11 && x % 13) {
			bool prime = true;
			PLANS(, , , , while)
			for (unsigned d = 17; d * d <= x; d += 2)
				if (x % d == 0) {
					prime = false;
					break;
				}
			if (prime) {
				is_prime[i] = 1;
				atomicAdd(primes, 1u);
			}
		}
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(options.divergent ? 1 << 22 : 1 << 24);
	unsigned from = options.divergent ? 1u << 22 : 17, range = options.divergent ? 1u << 22 : 4000;
	unsigned *primes = device_zeros<unsigned>(1);
	unsigned char *is_prime = device_zeros<unsigned char>(n);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(primes, 0, sizeof(unsigned))); },
		[&] { count_primes<<<loop_blocks(n, 256), 256>>>(from, n, range, primes, is_prime); });
	Checksum sum;
	sum.device(primes, 1);
	sum.device(is_prime, n);
	return report(sum, ms);
}
