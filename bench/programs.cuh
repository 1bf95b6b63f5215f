// SPDX-License-Identifier: MIT
// What the programs of bench/ccc-programs.sh share: the original kernel, the same kernel annotated, and one written by hand are
// checked, timed in interleaved runs of one process, and give one row of a Markdown table.
//
// Each program takes
//	--reps R     median of R runs (7), after one warm-up run
//	--quick      less work
//	--small      checks results only, with little work: for the emulator
//	--data N     only the N-th data set
// Exit code: 0 all results right, 1 a wrong result, 2 no GPU or an invalid command line.
#ifndef BENCH_PROGRAMS_CUH
#define BENCH_PROGRAMS_CUH

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256, WARPS = BLOCK / 32;
constexpr unsigned FULL = 0xffffffffu;

static void check(cudaError_t e, const char *file, int line)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, __FILE__, __LINE__)

struct Options { int reps = 7, data = 0; bool quick = false, small = false; };

static Options read_options(int argc, char **argv)
{
	Options o;
	for (int i = 1; i < argc; ++i) {
		if (!strcmp(argv[i], "--small"))
			o.small = true;
		else if (!strcmp(argv[i], "--quick"))
			o.quick = true;
		else if (!strcmp(argv[i], "--reps") && i + 1 < argc && atoi(argv[i + 1]) > 0)
			o.reps = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--data") && i + 1 < argc && atoi(argv[i + 1]) > 0)
			o.data = atoi(argv[++i]);
		else {
			fprintf(stderr, "usage: %s [--reps R] [--quick] [--small] [--data N]\n", argv[0]);
			exit(2);
		}
	}
	return o;
}
// The size for these options.
template <class T> static T size_of_work(const Options &o, T full, T quick, T small)
{
	return o.small ? small : o.quick ? quick : full;
}

// ---- device ---------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ int lane_id() { return threadIdx.x & 31; }
__device__ __forceinline__ int warp_base() { return threadIdx.x & ~31; }
__device__ __forceinline__ unsigned lanes_below() { return (1u << lane_id()) - 1u; }
// The warp's index in the block; the shuffle tells the compiler that it is uniform, and so are loops that depend on it.
__device__ __forceinline__ unsigned warp_id() { return __shfl_sync(FULL, threadIdx.x / 32, 0); }

static __host__ __device__ inline uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x85ebca6bu;
	x ^= x >> 13;
	x *= 0xc2b2ae35u;
	return x ^ (x >> 16);
}

// ---- memory ---------------------------------------------------------------------------------------------------------------
template <class T> static T *on_device(size_t count)
{
	void *p;
	CHECK(cudaMalloc(&p, count * sizeof(T)));
	return static_cast<T *>(p);
}
template <class T> static T *to_device(const std::vector<T> &v)
{
	T *d = on_device<T>(v.size());
	CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return d;
}
template <class T> static std::vector<T> to_host(const T *d, size_t count)
{
	std::vector<T> v(count);
	CHECK(cudaMemcpy(v.data(), d, count * sizeof(T), cudaMemcpyDeviceToHost));
	return v;
}
// Blocks that fill the GPU once or, for the given number of tasks, have one thread for each. Small work: few blocks of several iterations.
template <class Kernel> static int fill_device(const Options &o, Kernel kernel, size_t tasks = 0)
{
	int sms, blocks;
	if (o.small)
		return 2;
	if (tasks)
		return int((tasks + BLOCK - 1) / BLOCK);
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, BLOCK, 0));
	return std::max(1, blocks) * sms;
}

// ---- measuring ------------------------------------------------------------------------------------------------------------
// reset is not timed. right checks the results of the preceding run; that of the first version, the original kernel, may keep them
// as the reference for the others.
struct Variant { const char *name; std::function<void()> run; std::function<bool()> right; };
struct Bench { const char *program; Options o; bool all_right = true; };

static float time_ms(const std::function<void()> &run)
{
	static cudaEvent_t start, stop;
	float ms;
	if (!start) {
		CHECK(cudaEventCreate(&start));
		CHECK(cudaEventCreate(&stop));
	}
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventRecord(start));
	run();
	CHECK(cudaEventRecord(stop));
	CHECK(cudaEventSynchronize(stop));
	CHECK(cudaGetLastError());
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	return ms;
}

// v: original, annotated, by hand; and, if possible, the original in a launch of one thread per task.
static void measure(Bench &b, const char *data, const std::function<void()> &reset, const std::vector<Variant> &v)
{
	static int sets;
	std::vector<std::vector<float>> t(v.size());
	bool right = true;
	if (b.o.data && ++sets != b.o.data)
		return;
	for (const Variant &x : v) {
		reset();
		x.run();
		CHECK(cudaDeviceSynchronize());
		if (!x.right()) {
			fprintf(stderr, "WRONG: %s %s %s\n", b.program, data, x.name);
			right = b.all_right = false;
		}
	}
	if (b.o.small) {
		printf("| %s | %s | %s |\n", b.program, data, right ? "right" : "WRONG");
		return;
	}
	for (int r = 0; r < b.o.reps; ++r)
		for (size_t j = 0; j < v.size(); ++j) {
			reset();
			t[j].push_back(time_ms(v[j].run));
		}
	for (auto &x : t)
		std::nth_element(x.begin(), x.begin() + b.o.reps / 2, x.end());
	const auto ms = [&](size_t j) { return t[j][b.o.reps / 2]; };
	printf("| %s | %s | %.4f | %.4f | %.4f | %.2fx | %.2fx | %.3f | %s |", b.program, data, ms(0), ms(1), ms(2), ms(0) / ms(1),
		ms(0) / ms(2), ms(2) / ms(1), right ? "right" : "WRONG");
	if (v.size() > 3)
		printf(" %.4f |\n", ms(3));
	else
		printf(" - |\n");
	fflush(stdout);
}

#endif
