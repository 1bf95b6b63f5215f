// A GPU test file holds kernels whose loops are annotated by CCC(...). It is included twice, here, in namespace `annotated`
// (CCC(for) is #pragma ccc for) and in namespace `plain` (CCC(for) is nothing). RUN(k) runs both on the same input under
// many launches and compares everything that they wrote, bit for bit:
//
//	#ifndef KERNELS
//	#define KERNELS "name.cu"        the file's own name
//	#include "gpu_test.cuh"
//	int main() { RUN(k1); RUN(k2); return finish(); }
//	#else
//	__global__ void k1(Args g) { ... }
//	#endif
//
// A kernel's output must not depend on the order of iterations: stores by item or by thread, integer atomics.
// With GPU_TEST_SMALL=1 in the environment, launches are few and small (for compute-sanitizer). The first wrong launch ends the
// test of a kernel. Exit code: 0 right, 1 wrong, 2 no GPU or a CUDA error.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

struct Args {
	int n, k;                       // items; k of 8 items take the path
	const int *in;                  // random numbers of several types, n of each (and a few more)
	const long long *in64;
	const double *in_double;        // small integers: sums and products are exact
	const float4 *in4;              // small integers as well
	unsigned *out, *out2;           // by item
	unsigned *per_thread;           // by thread of the grid
	unsigned *count;                // 64 counters, for atomics
};

// ---- for kernels -------------------------------------------------------------------------------------------------------
__device__ __forceinline__ int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ __forceinline__ int block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ int thread_id() { return blockIdx.x * block_size() + block_rank(); }
__device__ __forceinline__ int thread_count() { return gridDim.x * block_size(); }
__device__ __forceinline__ bool wants(const Args &g, int i) { return (g.in[i] & 7) < g.k; }
__device__ __forceinline__ unsigned mix(unsigned x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}
#define GRID_STRIDE(i) for (int i = thread_id(); i < g.n; i += thread_count())

#define CCC_PRAGMA(x) _Pragma(#x)
#define CCC(...) CCC_PRAGMA(ccc __VA_ARGS__)
namespace annotated {
#include KERNELS
}
#undef CCC
#define CCC(...)
namespace plain {
#include KERNELS
}

// ---- running -----------------------------------------------------------------------------------------------------------
constexpr int MAX_N = 100003, MAX_THREADS = 60 * 1024;
static bool all_right = true;

inline void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

struct Buffers {
	Args g;
	unsigned *written;              // out, out2, per_thread and count, one after the other
	static constexpr size_t words = 2 * (MAX_N + 61) + MAX_THREADS + 64;
};

template <class T, class F> static const T *filled(F value)
{
	std::vector<T> v(MAX_N + 61);
	for (T &x : v)
		x = value();
	void *p;
	CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
	CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return static_cast<const T *>(p);
}

inline const Buffers &buffers()
{
	static Buffers b;
	if (b.written)
		return b;
	unsigned long long s = 1;
	auto random = [&s] { s = s * 6364136223846793005u + 1442695040888963407u; return (unsigned)(s >> 33); };
	auto small = [&] { return (float)(random() % 1000); };
	b.g.in = filled<int>([&] { return (int)random(); });
	b.g.in64 = filled<long long>([&] { return (long long)random() << 31 ^ random(); });
	b.g.in_double = filled<double>([&] { return (double)small(); });
	b.g.in4 = filled<float4>([&] { return make_float4(small(), small(), small(), small()); });
	CHECK(cudaMalloc((void **)&b.written, Buffers::words * 4));
	b.g.out = b.written;
	b.g.out2 = b.g.out + MAX_N + 61;
	b.g.per_thread = b.g.out2 + MAX_N + 61;
	b.g.count = b.g.per_thread + MAX_THREADS;
	return b;
}

typedef void (*Kernel)(Args);

static std::vector<unsigned> result_of(Kernel kernel, const Args &g, dim3 grid, dim3 block, size_t dynamic)
{
	const Buffers &b = buffers();
	std::vector<unsigned> v(Buffers::words);
	CHECK(cudaMemset(b.written, 0, Buffers::words * 4));
	kernel<<<grid, block, dynamic>>>(g);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(v.data(), b.written, Buffers::words * 4, cudaMemcpyDeviceToHost));
	return v;
}

// Returns whether both kernels wrote the same.
static bool same(const char *name, Kernel k, Kernel p, const Args &g, dim3 grid, dim3 block, size_t dynamic)
{
	const std::vector<unsigned> got = result_of(k, g, grid, block, dynamic);
	const std::vector<unsigned> want = result_of(p, g, grid, block, dynamic);
	const unsigned *const base = buffers().written;
	size_t bad = 0, i = 0;

	for (size_t j = got.size(); j-- > 0;)
		if (got[j] != want[j])
			++bad, i = j;
	if (!bad)
		return true;
	const char *array = "out";
	size_t from = 0;
	if (base + i >= g.count)
		array = "count", from = g.count - base;
	else if (base + i >= g.per_thread)
		array = "per_thread", from = g.per_thread - base;
	else if (base + i >= g.out2)
		array = "out2", from = g.out2 - base;
	printf("%s: WRONG with %u x %u x %u blocks of %u x %u x %u, n %d, k %d: %zu words differ, first %s[%zu] = 0x%x, not 0x%x\n",
	       name, grid.x, grid.y, grid.z, block.x, block.y, block.z, g.n, g.k, bad, array, i - from, got[i], want[i]);
	return false;
}

// GPU_TEST_SMALL
inline bool small_launches()
{
	const char *const env = getenv("GPU_TEST_SMALL");
	return env && *env == '1';
}

// dynamic: bytes of dynamic shared memory per thread.
static void run(const char *name, Kernel k, Kernel p, size_t dynamic = 0)
{
	static const dim3 all[] = {1, 31, 32, 33, 96, 100, 256, 1000, 1024, {32, 8}, {5, 7}, {100, 3}, {16, 16}, {4, 4, 4}, {3, 5, 7},
		{32, 2, 16}, {10, 10, 10}}, few[] = {1, 33, 96, {5, 7}};
	const bool small = small_launches();
	cudaFuncAttributes a, b;
	int done = 0, skipped = 0;

	CHECK(cudaFuncGetAttributes(&a, (const void *)k));
	CHECK(cudaFuncGetAttributes(&b, (const void *)p));
	for (const dim3 &block : small ? std::vector<dim3>(few, few + 4) : std::vector<dim3>(all, all + 17))
		for (int blocks : small ? std::vector<int>{1, 3} : std::vector<int>{1, 3, 60})
			for (int n : small ? std::vector<int>{0, 31, 1000} : std::vector<int>{0, 1, 31, 1000, MAX_N}) {
				static const int ks[] = {1, 3, 8, 0, 5};
				const int threads = block.x * block.y * block.z;
				if (threads > b.maxThreadsPerBlock) {
					++skipped;
					continue;
				}
				if (threads > a.maxThreadsPerBlock) {
					printf("%s: WRONG: %d threads cannot be launched as before\n", name, threads);
					all_right = false;
					return;
				}
				if (n / (threads * blocks) > 2000)      // would take too long
					continue;
				Args g = buffers().g;
				g.n = n;
				g.k = ks[done % 5];
				if (!same(name, k, p, g, blocks, block, threads * dynamic)) {
					all_right = false;
					return;
				}
				++done;
			}
	printf("%s: ok, %d launches", name, done);
	if (skipped)
		printf(" (%d too large for the kernel)", skipped);
	printf("\n");
}
#define RUN(kernel, ...) run(#kernel, annotated::kernel, plain::kernel, ##__VA_ARGS__)

inline int finish()
{
	return all_right ? 0 : 1;
}
// SPDX-License-Identifier: MIT
