// SPDX-License-Identifier: MIT
// Rays that hit surfaces of several materials: each thread shades one hit, and the formulas of the materials have nothing in common. The
// hits of a warp are of all materials, so each warp runs all formulas, each for a few lanes. `#pragma ccc remap` lets the threads of a
// block exchange their hits before the branch, so that most warps have one material. There is no loop over hits from which to collect
// them, and threads without a hit exit at once.
//
//	cccnvcc -O3 -arch=native remap.cu -o remap                       with exchange
//	nvcc -diag-suppress 20199 -O3 -arch=native remap.cu -o remap     without
//
//	remap [--hits N] [--rounds R]       16777216 hits, 64 rounds of each formula by default
//
// Prints the kernel time and "ok" or "WRONG" (against the CPU). Exit code: 0 ok, 1 a wrong result, 2 no GPU or an invalid command line.
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
	fprintf(stderr, "remap: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

constexpr int BLOCK = 256;

// ---- the materials: integer arithmetic, so that the CPU computes the same ------------------------------------------------------------
__host__ __device__ inline unsigned glass(unsigned x, int rounds)
{
	for (int k = 0; k < rounds; ++k)
		x = (x ^ x >> 15) * 0x2c1b3c6du + k;
	return x;
}
__host__ __device__ inline unsigned metal(unsigned x, int rounds)
{
	for (int k = 0; k < rounds; ++k)
		x = (x << 7 | x >> 25) + (x ^ 0x9e3779b9u) * 5;
	return x;
}
__host__ __device__ inline unsigned wood(unsigned x, int rounds)
{
	unsigned y = ~x;
	for (int k = 0; k < rounds; ++k) {
		y += x * 3 + (x >> 4);
		x ^= y << 3;
	}
	return x + y;
}

__global__ void __launch_bounds__(BLOCK) shade(int n, const unsigned *hit, unsigned *color, int rounds)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	const unsigned h = hit[i], x = h >> 2;
	unsigned c = 0;                         // the sky
	#pragma ccc remap
	if ((h & 3) == 1)
		c = glass(x, rounds);
	else if ((h & 3) == 2)
		c = metal(x, rounds);
	else if ((h & 3) == 3)
		c = wood(x, rounds);
	color[i] = c ^ x;
}

static unsigned want(unsigned h, int rounds)
{
	const unsigned x = h >> 2, m = h & 3;
	return (m == 1 ? glass(x, rounds) : m == 2 ? metal(x, rounds) : m == 3 ? wood(x, rounds) : 0) ^ x;
}

int main(int argc, char **argv)
{
	int n = 1 << 24, rounds = 64;
	for (int i = 1; i < argc; ++i) {
		int *to = !strcmp(argv[i], "--hits") ? &n : !strcmp(argv[i], "--rounds") ? &rounds : nullptr;
		if (!to || i + 1 == argc || (*to = atoi(argv[++i])) <= 0) {
			fprintf(stderr, "usage: remap [--hits N] [--rounds R]\n");
			return 2;
		}
	}
	std::vector<unsigned> hit(n), color(n);
	unsigned s = 12345;
	for (unsigned &h : hit) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
		h = s;
	}
	unsigned *d_hit, *d_color;
	CHECK(cudaMalloc(&d_hit, n * sizeof(unsigned)));
	CHECK(cudaMalloc(&d_color, n * sizeof(unsigned)));
	CHECK(cudaMemcpy(d_hit, hit.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
	cudaEvent_t start, stop;
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	float best = INFINITY;
	for (int r = 0; r < 3; ++r) {
		float ms;
		CHECK(cudaEventRecord(start));
		shade<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(n, d_hit, d_color, rounds);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaEventSynchronize(stop));
		CHECK(cudaEventElapsedTime(&ms, start, stop));
		best = ms < best ? ms : best;
	}
	CHECK(cudaMemcpy(color.data(), d_color, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
	int wrong = 0;
	for (int i = 0; i < n; ++i)
		wrong += color[i] != want(hit[i], rounds);
	printf("%d hits, %d rounds: %.3f ms, %s\n", n, rounds, best, wrong ? "WRONG" : "ok");
	return wrong != 0;
}
