// Monte Carlo with a rare, expensive event: particles cross a slab; few collide, and a collision takes long to compute.
//
// A particle of random energy collides with probability 1/P. Only then is its way through the material followed, in 200 steps
// in which it loses energy at a rate 1/E, and the remaining energy is counted in a histogram. The count is an integer atomic in
// memory, so any lane can do it, in any order, with the same result.
//
//	cccnvcc -O3 -arch=native montecarlo.cu -o montecarlo
//	montecarlo [--particles N] [--one-in P]         2^22 particles; P is 2, 4, 8, 16, 32 and 64 by default
//
// One line per run: P, collisions, ms, and "ok" or "WRONG" (the histogram against the CPU's).
// Exit code: 0 all ok, 1 a wrong result, 2 no GPU or an invalid command line.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "montecarlo: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

constexpr int BINS = 64;

static __host__ __device__ unsigned random32(unsigned x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

// Returns the histogram bin of the energy that remains of e after the slab. Uses only operations that GPU and CPU round alike.
static __host__ __device__ int slow_down(float e, float depth)
{
	for (int step = 0; step < 200; ++step) {
		const float loss = depth / e;
		e = fmaxf(e - loss, 0.01f);
	}
	const int bin = (int)(e * BINS);
	return bin < BINS ? bin : BINS - 1;
}

static __host__ __device__ float energy_of(unsigned particle) { return 0.25f + (random32(particle) >> 8) / 16777216.0f; }
static __host__ __device__ bool collides(unsigned particle, unsigned one_in)
{
	return random32(particle + 0x9e3779b9u) % one_in == 0;
}

__global__ void transport(unsigned n, unsigned one_in, float depth, unsigned *histogram)
{
	#pragma ccc for
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const float energy = energy_of(i);
		#pragma ccc if
		if (collides(i, one_in))
			atomicAdd(histogram + slow_down(energy, depth), 1);
	}
}

static bool run(unsigned n, unsigned one_in, unsigned *histogram)
{
	const float depth = 0.0005f;
	std::vector<unsigned> got(BINS), want(BINS);
	int blocks, sms;
	float best = 1e30f, ms;
	cudaEvent_t start, stop;

	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, transport, 256, 0));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	for (int r = 0; r < 4; ++r) {
		CHECK(cudaMemset(histogram, 0, BINS * sizeof(unsigned)));
		CHECK(cudaEventRecord(start));
		transport<<<blocks * sms, 256>>>(n, one_in, depth, histogram);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaEventSynchronize(stop));
		CHECK(cudaEventElapsedTime(&ms, start, stop));
		best = std::min(best, ms);
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	CHECK(cudaMemcpy(got.data(), histogram, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
	unsigned collisions = 0;
	for (unsigned i = 0; i < n; ++i)
		if (collides(i, one_in))
			++want[slow_down(energy_of(i), depth)], ++collisions;
	printf("%6u %11u %9.3f  %s\n", one_in, collisions, best, got == want ? "ok" : "WRONG");
	return got == want;
}

int main(int argc, char **argv)
{
	unsigned n = 1u << 22;
	std::vector<int> one_in = {2, 4, 8, 16, 32, 64};
	for (int i = 1; i < argc; i += 2) {
		const int x = i + 1 < argc ? atoi(argv[i + 1]) : 0;
		if (!strcmp(argv[i], "--particles") && x > 0)
			n = x;
		else if (!strcmp(argv[i], "--one-in") && x > 0)
			one_in = {x};
		else {
			fprintf(stderr, "usage: montecarlo [--particles N] [--one-in P]\n");
			return 2;
		}
	}
	unsigned *histogram;
	CHECK(cudaMalloc(&histogram, BINS * sizeof(unsigned)));
	printf("one in  collisions        ms  result\n");
	bool ok = true;
	for (int p : one_in)
		ok = run(n, p, histogram) && ok;
	CHECK(cudaFree(histogram));
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
