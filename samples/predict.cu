// Cross sections, as in Monte Carlo neutron transport: a particle in one of twelve materials needs the sum over its 4 to 321
// nuclides. Without a policy, a warp runs the inner loop as long as its longest lane does. `predict` makes lanes that are done wait
// after the loop only while 24 others are still in it; then they fetch their next particles together and re-enter the loop
// (Damani and others, speculative reconvergence: loop merge). The sums keep their order, so the results are those of the original loop.
//
//	cccnvcc -O3 -arch=native predict.cu -o predict
//	predict [--particles N] [--threads N]           2^20 particles, 2^17 threads by default
//
// Prints one line: particles, terms, ms, and "ok" or "WRONG" (each sum, bit for bit, against the CPU).
// Exit code: 0 ok, 1 a wrong result, 2 no GPU or an invalid command line.

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
	fprintf(stderr, "predict: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

constexpr int MATERIALS = 12, NUCLIDES = 512;
#define COUNTS {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9}
static __constant__ int count_on_device[MATERIALS] = COUNTS;
static const int count_of[MATERIALS] = COUNTS;

struct Nuclide { float place, width, a, b; };

static __host__ __device__ unsigned random32(unsigned x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}
static __host__ __device__ float energy_of(unsigned particle) { return 0.25f + (float)(random32(particle) >> 8) / 16777216.0f; }
// One particle in seven is in fuel, which has the most nuclides.
static __host__ __device__ int material_of(unsigned particle)
{
	const unsigned r = random32(particle + 0x9e3779b9u) % 1000;
	return r < 140 ? 0 : 1 + (int)(r % (MATERIALS - 1));
}
// Uses only operations that GPU and CPU round alike.
static __host__ __device__ float term(Nuclide q, float energy)
{
	float d = energy - q.place, sum = 0;
	for (int pole = 0; pole < 4; ++pole) {
		const float r = 1.0f / fmaf(d, d, q.width);
		sum = fmaf(q.a, fabsf(d) * r, fmaf(q.b, q.width * r, sum));
		d = fmaf(d, -0.9375f, 0.171875f);
	}
	return sum;
}

__global__ void lookup(int n, const Nuclide *nuclide, float *out)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const float energy = energy_of(i);
		const int material = material_of(i), end = 13 * material + count_on_device[material];
		float sum = 0;
		#pragma ccc predict threshold(24)
		for (int k = 13 * material; k < end; ++k)
			sum += term(nuclide[k], energy);
		out[i] = sum;
	}
}

int main(int argc, char **argv)
{
	int n = 1 << 20, threads = 1 << 17;
	for (int i = 1; i < argc; i += 2) {
		const int x = i + 1 < argc ? atoi(argv[i + 1]) : 0;
		if (!strcmp(argv[i], "--particles") && x > 0)
			n = x;
		else if (!strcmp(argv[i], "--threads") && x > 0)
			threads = x;
		else {
			fprintf(stderr, "usage: predict [--particles N] [--threads N]\n");
			return 2;
		}
	}
	std::vector<Nuclide> nuclide(NUCLIDES);
	for (int i = 0; i < NUCLIDES; ++i) {
		const float u = (float)(2 * (i * 37 % NUCLIDES) + 1) / 1024;
		nuclide[i] = {0.125f + u, 0.0625f + u / 8, 0.5f + u / 2, 1 - u / 2};
	}
	Nuclide *table;
	float *out;
	cudaEvent_t begin, end;
	float best = 1e30f, ms;
	CHECK(cudaMalloc(&table, NUCLIDES * sizeof *table));
	CHECK(cudaMalloc(&out, n * sizeof *out));
	CHECK(cudaMemcpy(table, nuclide.data(), NUCLIDES * sizeof *table, cudaMemcpyHostToDevice));
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	for (int r = 0; r < 4; ++r) {
		CHECK(cudaMemset(out, 0, n * sizeof *out));
		CHECK(cudaEventRecord(begin));
		lookup<<<(threads + 127) / 128, 128>>>(n, table, out);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&ms, begin, end));
		best = std::min(best, ms);
	}
	std::vector<float> got(n);
	CHECK(cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
	bool ok = true;
	unsigned long long terms = 0;
	for (int i = 0; i < n; ++i) {
		const int material = material_of(i), last = 13 * material + count_of[material];
		float sum = 0;
		for (int k = 13 * material; k < last; ++k)
			sum += term(nuclide[k], energy_of(i));
		terms += count_of[material];
		ok = ok && sum == got[i];
	}
	printf("%d particles, %llu terms, %.3f ms  %s\n", n, terms, best, ok ? "ok" : "WRONG");
	CHECK(cudaFree(table));
	CHECK(cudaFree(out));
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
