// The CCC paper's synthetic kernel (section 6.3, Figures 13 and 14), side by side in one process:
//	base    the plain grid-stride kernel
//	ccc     the same kernel, annotated: cccnvcc transforms it (with plain nvcc it equals base)
//	model   a CUDA model, written by hand, of the code that ptxccc should emit
// for policy stack and for policy queue.
// A divergent path of L dependent FMAs is taken by k of every 32 lanes. The context is one 4-byte index; the path has no
// live-outs except a store that never happens.
//
//	ccc_basic [--reps R] [--log2n N]   times as a Markdown table: median of R interleaved runs (7), 2^N items (30)
//	ccc_basic --once [--log2n N]       runs every kernel once and prints no table: for a profiler, see ccc-basic.sh --ncu
// Exit code: 0 all results right, 1 a wrong result, 2 no GPU or an invalid command line.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#include "synth.cuh"

static void check(cudaError_t e, int line)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "ccc_basic.cu:%d: %s\n", line, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, __LINE__)

// ---- ccc ----------------------------------------------------------------------------------------------------
template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_ccc(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		#pragma ccc if
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_ccc_queue(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	#pragma ccc for policy(queue)
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
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
	int blocks;             /* as many as the GPU holds at once */
};
struct Options { int reps = 7, log2n = 30; bool once = false; };
static double worst_ratio = 1e30, sum_log_ratio;
static int rows;
static bool all_right = true;

static bool right(const Variant &v, int L, unsigned k, unsigned *out)
{
	const struct { int blocks, threads; unsigned n; } launches[] = {{7, 236, 100003}, {3, 32, 1000}, {5, 100, 31},
		{40, 256, 100003}, {1, 1, 77}, {2, 33, 0}};
	for (auto &l : launches) {
		unsigned got;
		CHECK(cudaMemset(out, 0, 4));
		v.tested<<<l.blocks, l.threads>>>(l.n, k, A, B, out);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
		if (got != host_sum(L, l.n, k)) {
			printf("WRONG: %s L=%d k=%u <<<%d, %d>>> n=%u\n", v.name, L, k, l.blocks, l.threads, l.n);
			return false;
		}
	}
	return true;
}

static float time_ms(const Variant &v, unsigned n, unsigned k, unsigned *out)
{
	static cudaEvent_t start, stop;
	if (!start) {
		CHECK(cudaEventCreate(&start));
		CHECK(cudaEventCreate(&stop));
	}
	float ms;
	CHECK(cudaEventRecord(start));
	v.timed<<<v.blocks, BLOCK>>>(n, k, A, B, out);
	CHECK(cudaEventRecord(stop));
	CHECK(cudaEventSynchronize(stop));
	CHECK(cudaGetLastError());
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	return ms;
}

template <int L> static std::vector<Variant> variants(bool queue)
{
	if (queue)
		return {{"base", k_base<L, false>, k_base<L, true>, 0}, {"ccc", k_ccc_queue<L, false>, k_ccc_queue<L, true>, 0},
			{"model", k_model_queue<L, false>, k_model_queue<L, true>, 0}};
	return {{"base", k_base<L, false>, k_base<L, true>, 0}, {"ccc", k_ccc<L, false>, k_ccc<L, true>, 0},
		{"model", k_model<L, false>, k_model<L, true>, 0}};
}

template <int L> static void measure(const Options &o, bool queue, unsigned *out)
{
	std::vector<Variant> v = variants<L>(queue);
	const unsigned n = 1u << o.log2n;
	int sms;

	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	for (Variant &x : v) {
		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&x.blocks, x.timed, BLOCK, 0));
		x.blocks *= sms;
	}
	for (unsigned k : KS) {
		if (o.once) {
			for (const Variant &x : v)
				time_ms(x, n, k, out);
			continue;
		}
		std::vector<float> t[3];
		for (int r = 0; r < o.reps + 1; ++r)            /* the first round warms up */
			for (int j = 0; j < 3; ++j) {
				const float ms = time_ms(v[j], n, k, out);
				if (r)
					t[j].push_back(ms);
			}
		float ms[3];
		bool ok = true;
		for (int j = 0; j < 3; ++j) {
			std::nth_element(t[j].begin(), t[j].begin() + o.reps / 2, t[j].end());
			ms[j] = t[j][o.reps / 2];
			ok = right(v[j], L, k, out) && ok;
		}
		printf("| %3d | %2u | %8.4f | %8.4f | %8.4f | %5.2fx | %5.2fx | %5.3f | %s |\n", L, k, ms[0], ms[1], ms[2],
		       ms[0] / ms[1], ms[0] / ms[2], ms[2] / ms[1], ok ? "ok" : "WRONG");
		worst_ratio = std::min(worst_ratio, (double)ms[2] / ms[1]);
		sum_log_ratio += std::log(ms[2] / ms[1]);
		++rows;
		all_right = all_right && ok;
	}
}

template <int L> static void resources(bool queue)
{
	printf("L=%d:", L);
	for (const Variant &x : variants<L>(queue)) {
		cudaFuncAttributes a;
		CHECK(cudaFuncGetAttributes(&a, x.timed));
		printf("  %s %d registers, %zu bytes shared", x.name, a.numRegs, a.sharedSizeBytes);
	}
	printf("\n");
}

static void table(const Options &o, bool queue, unsigned *out)
{
	if (!o.once) {
		printf("\npolicy %s\n\n", queue ? "queue" : "stack");
		resources<5>(queue), resources<20>(queue), resources<50>(queue), resources<100>(queue);
		printf("\n|   L |  k | base ms  | ccc ms   | model ms | ccc/base | model/base | ccc/model | result |\n"
		       "| --: | -: | -------: | -------: | -------: | -----: | -----: | ----: | --- |\n");
	}
	worst_ratio = 1e30, sum_log_ratio = 0, rows = 0;
	measure<5>(o, queue, out);
	measure<20>(o, queue, out);
	measure<50>(o, queue, out);
	measure<100>(o, queue, out);
	if (rows)
		printf("\nspeed of ccc over model: least %.3f, geometric mean %.3f; results %s\n", worst_ratio,
		       std::exp(sum_log_ratio / rows), all_right ? "right" : "WRONG");
}

int main(int argc, char **argv)
{
	Options o;
	for (int i = 1; i < argc; ++i) {
		if (!strcmp(argv[i], "--once"))
			o.once = true;
		else if (!strcmp(argv[i], "--reps") && i + 1 < argc && atoi(argv[i + 1]) > 0)
			o.reps = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--log2n") && i + 1 < argc && atoi(argv[i + 1]) > 0 && atoi(argv[i + 1]) <= 30)
			o.log2n = atoi(argv[++i]);
		else {
			fprintf(stderr, "usage: ccc_basic [--reps R] [--log2n N] [--once]\n");
			return 2;
		}
	}
	unsigned *out;
	CHECK(cudaMalloc(&out, 4));
	if (!o.once) {
		cudaDeviceProp prop;
		CHECK(cudaGetDeviceProperties(&prop, 0));
		printf("%s, 2^%d items, blocks of %d, median of %d\n", prop.name, o.log2n, BLOCK, o.reps);
	}
	table(o, false, out);
	table(o, true, out);
	CHECK(cudaFree(out));
	return all_right ? 0 : 1;
}
// SPDX-License-Identifier: MIT
