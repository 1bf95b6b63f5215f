// SPDX-License-Identifier: MIT
// The synthetic kernel under each policy, next to the model of that policy, in one process (synth.cuh). The same source is compiled
// for all of them: the annotated kernels differ only in their policy.
//
//	ccc_policies [--reps R] [--log2n N]   ratios as a Markdown table: median of R interleaved runs (7), 2^N items (30)
//	             --small                  checks results only, with little work: for the emulator
// Exit code: 0 all results right, 1 a wrong result, 2 no GPU or an invalid command line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include "synth.cuh"

static void check(cudaError_t e, int line)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "ccc_policies.cu:%d: %s\n", line, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, __LINE__)

// ---- annotated --------------------------------------------------------------------------------------------------------
#define LOOP \
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_stack(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(stack)
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_queue(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(queue)
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_queue2(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(queue(2))
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_queue4(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(queue(4))
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_queue8(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(queue(8))
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_ahead8(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(ahead(8))
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_ahead32(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(ahead(32))
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_auto(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for
	LOOP {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

// ---- measuring ---------------------------------------------------------------------------------------------------------
typedef void (*Kernel)(unsigned, unsigned, float, float, unsigned *);
struct Variant {
	const char *name;
	Kernel timed, tested;
};
enum { POLICIES = 8 };
struct Options { int reps = 7, log2n = 30; bool small = false; };
static bool all_right = true;
static double least[POLICIES], sum_log[POLICIES];
static int rows;

// base, then for each policy the kernel that cccnvcc transformed, and the model.
#define BOTH(name, kernel, ...) {name, kernel<L, false>, kernel<L, true>}, {name " by hand", __VA_ARGS__}
template <int L> static std::vector<Variant> variants()
{
	return {{"base", k_base<L, false>, k_base<L, true>},
		BOTH("stack", k_stack, k_model<L, false>, k_model<L, true>),
		BOTH("queue", k_queue, k_model_queue<L, false>, k_model_queue<L, true>),
		BOTH("queue(2)", k_queue2, k_model_wide<L, 2, false>, k_model_wide<L, 2, true>),
		BOTH("queue(4)", k_queue4, k_model_wide<L, 4, false>, k_model_wide<L, 4, true>),
		BOTH("queue(8)", k_queue8, k_model_wide<L, 8, false>, k_model_wide<L, 8, true>),
		BOTH("ahead(8)", k_ahead8, k_model_ahead<L, 8, false>, k_model_ahead<L, 8, true>),
		BOTH("ahead(32)", k_ahead32, k_model_ahead<L, 32, false>, k_model_ahead<L, 32, true>),
		BOTH("auto", k_auto, k_model_wide<L, 8, false>, k_model_wide<L, 8, true>)};
}

static void test(const Variant &v, int L, unsigned k, unsigned *out)
{
	const struct { int blocks, threads; unsigned n; } launches[] = {{3, 236, 5003}, {3, 32, 1000}, {5, 100, 31}, {1, 1, 77}, {2, 33, 0}};
	for (auto &l : launches) {
		unsigned got;
		CHECK(cudaMemset(out, 0, 4));
		v.tested<<<l.blocks, l.threads>>>(l.n, k, A, B, out);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
		if (got == host_sum(L, l.n, k))
			continue;
		printf("WRONG: %s L=%d k=%u <<<%d, %d>>> n=%u\n", v.name, L, k, l.blocks, l.threads, l.n);
		all_right = false;
	}
}

static float time_ms(const Variant &v, unsigned n, unsigned k, unsigned *out)
{
	static cudaEvent_t start, stop;
	int sms, blocks;
	float ms;
	if (!start) {
		CHECK(cudaEventCreate(&start));
		CHECK(cudaEventCreate(&stop));
	}
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, v.timed, BLOCK, 0));
	CHECK(cudaEventRecord(start));
	v.timed<<<blocks * sms, BLOCK>>>(n, k, A, B, out);
	CHECK(cudaEventRecord(stop));
	CHECK(cudaEventSynchronize(stop));
	CHECK(cudaGetLastError());
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	return ms;
}

template <int L> static void row(const Options &o, unsigned k, unsigned *out)
{
	const std::vector<Variant> v = variants<L>();
	std::vector<std::vector<float>> t(v.size());
	for (int r = 0; r < o.reps + 1; ++r)                    // the first round warms up
		for (size_t j = 0; j < v.size(); ++j) {
			const float ms = time_ms(v[j], 1u << o.log2n, k, out);
			if (r)
				t[j].push_back(ms);
		}
	for (auto &x : t)
		std::nth_element(x.begin(), x.begin() + o.reps / 2, x.end());
	const auto ms = [&](size_t j) { return t[j][o.reps / 2]; };
	printf("| %3d | %2u | %8.4f |", L, k, ms(0));
	for (int p = 0; p < POLICIES; ++p) {
		const double ratio = ms(2 * p + 2) / ms(2 * p + 1);
		printf(" %.2fx %.2fx %.3f |", ms(0) / ms(2 * p + 1), ms(0) / ms(2 * p + 2), ratio);
		least[p] = rows ? std::min(least[p], ratio) : ratio;
		sum_log[p] += std::log(ratio);
	}
	printf("\n");
	++rows;
}

template <int L> static void part(const Options &o, unsigned *out)
{
	for (unsigned k : KS) {
		for (const Variant &v : variants<L>())
			test(v, L, k, out);
		if (!o.small)
			row<L>(o, k, out);
	}
}

int main(int argc, char **argv)
{
	Options o;
	for (int i = 1; i < argc; ++i) {
		if (!strcmp(argv[i], "--small"))
			o.small = true;
		else if (!strcmp(argv[i], "--reps") && i + 1 < argc && atoi(argv[i + 1]) > 0)
			o.reps = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--log2n") && i + 1 < argc && atoi(argv[i + 1]) > 0 && atoi(argv[i + 1]) <= 30)
			o.log2n = atoi(argv[++i]);
		else {
			fprintf(stderr, "usage: ccc_policies [--reps R] [--log2n N] [--small]\n");
			return 2;
		}
	}
	unsigned *out;
	CHECK(cudaMalloc(&out, 4));
	if (!o.small) {
		printf("Of each policy: base/ccc, base/by hand, by hand/ccc. 2^%d items, blocks of %d, median of %d.\n\n|   L |  k |  base ms |",
			o.log2n, BLOCK, o.reps);
		const std::vector<Variant> v = variants<5>();
		for (int p = 0; p < POLICIES; ++p)
			printf(" %s |", v[2 * p + 1].name);
		printf("\n| --: | --: | --: |");
		for (int p = 0; p < POLICIES; ++p)
			printf(" --- |");
		printf("\n");
	}
	part<5>(o, out), part<20>(o, out), part<50>(o, out), part<100>(o, out);
	if (!o.small) {
		printf("| least | | |");
		for (int p = 0; p < POLICIES; ++p)
			printf(" %.3f |", least[p]);
		printf("\n| mean | | |");
		for (int p = 0; p < POLICIES; ++p)
			printf(" %.3f |", std::exp(sum_log[p] / rows));
		printf("\n");
	}
	printf("results %s\n", all_right ? "right" : "WRONG");
	CHECK(cudaFree(out));
	return all_right ? 0 : 1;
}
