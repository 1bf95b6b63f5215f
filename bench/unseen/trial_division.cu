// SPDX-License-Identifier: MIT
// Smallest prime factors by trial division with a wheel, then the rest of the factorization; one
// number a thread. Data set a has random numbers, b products of two primes near 1500.
#include "unseen.h"

__device__ unsigned
smallest_factor(unsigned n)
{
	if (n < 4)
		return n;
	if (n % 2 == 0)
		return 2;
	if (n % 3 == 0)
		return 3;
	for (unsigned d = 5; d * d <= n; d += 6) {
		if (n % d == 0)
			return d;
		if (n % (d + 2) == 0)
			return d + 2;
	}
	return n;
}

__global__ void
factorize(int n, const unsigned *__restrict__ numbers, unsigned *smallest, unsigned *largest,
	unsigned *totient)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned rest = numbers[i], phi = rest, last = 1, first = 0;
	while (rest > 1) {
		unsigned p = smallest_factor(rest);
		if (p != last) {
			phi = phi / p * (p - 1);
			last = p;
		}
		if (first == 0)
			first = p;
		rest /= p;
	}
	smallest[i] = first;
	largest[i] = last;
	totient[i] = phi;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 19);
	Rng rng(31);
	std::vector<unsigned> primes, numbers(n);
	for (unsigned p = 1451; p < 1550; p += 2) {
		bool prime = true;
		for (unsigned d = 3; d * d <= p; d += 2)
			prime = prime && p % d;
		if (prime)
			primes.push_back(p);
	}
	for (unsigned &number : numbers)
		number = options.divergent ? 2 + rng.below((1 << 23) - 2) :
			primes[rng.below((unsigned)primes.size())] * primes[rng.below((unsigned)primes.size())];
	unsigned *d_numbers = to_device(numbers), *smallest = device_zeros<unsigned>(n);
	unsigned *largest = device_zeros<unsigned>(n), *totient = device_zeros<unsigned>(n);
	double ms = time_ms(options, [&] {
		factorize<<<blocks_for(n, 256), 256>>>(n, d_numbers, smallest, largest, totient);
	});
	Checksum sum;
	sum.device(smallest, n);
	sum.device(largest, n);
	sum.device(totient, n);
	return report(sum, ms);
}
