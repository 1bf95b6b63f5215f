// Primes in an interval: a cheap test rejects most numbers, an expensive one decides the others.
//
// Four of five numbers have a factor of at most 13. The others, 6 lanes of a warp on average, go through the Miller-Rabin
// test: some hundred 64-bit divisions, while 26 lanes wait. `#pragma ccc if` makes the warp collect candidates until
// it has 32 of them.
//
//	cccnvcc -O3 -arch=native primes.cu -o primes
//	primes [--from A] [--count N]           the numbers A .. A + N - 1 below 2^31; 2000000001 and 2^22 by default
//
// Prints the number of primes, ms, and "ok" or "WRONG" (against a sieve on the CPU).
// Exit code: 0 ok, 1 a wrong result, 2 no GPU or an invalid command line.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "primes: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

__device__ bool has_small_factor(uint32_t x)
{
	return x % 2 == 0 || x % 3 == 0 || x % 5 == 0 || x % 7 == 0 || x % 11 == 0 || x % 13 == 0;
}

// Whether x, odd and above 13, passes the Miller-Rabin test to this base.
__device__ bool passes(uint32_t x, uint32_t base)
{
	const int twos = __ffs(x - 1) - 1;
	uint64_t y = 1, power = base;
	for (uint32_t e = (x - 1) >> twos; e; e >>= 1) {
		if (e & 1)
			y = y * power % x;
		power = power * power % x;
	}
	bool pass = y == 1 || y == x - 1;
	for (int s = 1; s < twos && !pass; ++s) {
		y = y * y % x;
		pass = y == x - 1;
	}
	return pass;
}

__global__ void find_primes(uint32_t from, uint32_t count, uint8_t *prime)
{
	#pragma ccc for
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
		const uint32_t x = from + i;
		#pragma ccc if
		if (!has_small_factor(x)) {
			// The test to these four bases is exact below 3215031751.
			if (passes(x, 2) && passes(x, 3) && passes(x, 5) && passes(x, 7))
				prime[i] = 1;
		}
	}
}

static std::vector<uint8_t> sieve(uint32_t from, uint32_t count)
{
	std::vector<uint8_t> prime(count, 1);
	for (uint64_t p = 2; p * p < (uint64_t)from + count; ++p)       // a composite p crosses out nothing new
		for (uint64_t m = std::max(p * p, (from + p - 1) / p * p); m < (uint64_t)from + count; m += p)
			prime[m - from] = 0;
	return prime;
}

int main(int argc, char **argv)
{
	uint32_t from = 2000000001, count = 1u << 22;
	for (int i = 1; i < argc; i += 2) {
		const long long x = i + 1 < argc ? atoll(argv[i + 1]) : 0;
		if (!strcmp(argv[i], "--from") && x > 13 && x < 1ll << 31)
			from = (uint32_t)x;
		else if (!strcmp(argv[i], "--count") && x > 0 && x < 1ll << 31)
			count = (uint32_t)x;
		else {
			fprintf(stderr, "usage: primes [--from A] [--count N], A > 13, A + N <= 2^31\n");
			return 2;
		}
	}
	count = std::min(count, (1u << 31) - from);

	uint8_t *prime;
	int blocks, sms;
	float best = 1e30f, ms;
	cudaEvent_t start, stop;
	CHECK(cudaMalloc(&prime, count));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, find_primes, 256, 0));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	for (int r = 0; r < 4; ++r) {
		CHECK(cudaMemset(prime, 0, count));
		CHECK(cudaEventRecord(start));
		find_primes<<<blocks * sms, 256>>>(from, count, prime);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaEventSynchronize(stop));
		CHECK(cudaEventElapsedTime(&ms, start, stop));
		best = std::min(best, ms);
	}
	std::vector<uint8_t> got(count);
	CHECK(cudaMemcpy(got.data(), prime, count, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(prime));
	const bool ok = got == sieve(from, count);
	printf("%lld primes in %u .. %u, %.3f ms, %s\n", (long long)std::count(got.begin(), got.end(), 1), from,
	       from + (count - 1), best, ok ? "ok" : "WRONG");
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
