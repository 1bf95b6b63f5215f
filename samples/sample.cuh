// SPDX-License-Identifier: MIT
// What the samples share: checks of runtime errors, numbers from the command line, device arrays,
// kernel timing, and the last line of output, which says whether the result
// is right.
//
// Exit code of a sample: 0 right, 1 wrong, 2 no GPU or an invalid command line.
#ifndef SAMPLE_CUH
#define SAMPLE_CUH

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>
#include <cuda_runtime.h>

inline void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

// ---- the command line: `--NAME N` for each option, and --blocks ---------------------------------
struct Option {
	const char *name;
	int *value;             // at least 1
};

inline int blocks_wanted = 0;

inline void read_options(int argc, char **argv, std::initializer_list<Option> options)
{
	std::vector<Option> all(options);
	all.push_back({"blocks", &blocks_wanted});
	for (int i = 1; i < argc; i += 2) {
		const long long x = i + 1 < argc ? atoll(argv[i + 1]) : 0;
		const auto o = std::find_if(all.begin(), all.end(), [&](const Option &option) {
			return !strncmp(argv[i], "--", 2) && !strcmp(argv[i] + 2, option.name);
		});
		if (o == all.end() || x < 1 || x > 1 << 30) {
			fprintf(stderr, "usage: %s", argv[0]);
			for (const Option &option : all)
				fprintf(stderr, " [--%s N]", option.name);
			fprintf(stderr, "\n");
			exit(2);
		}
		*o->value = (int)x;
	}
}

// ---- an array on the GPU ------------------------------------------------------------------------
template <class T> class Array {
	T *data;
	size_t count;
public:
	explicit Array(size_t n) : count(n) { CHECK(cudaMalloc((void **)&data, n * sizeof(T))); }
	explicit Array(const std::vector<T> &v) : Array(v.size()) { *this = v; }
	~Array() { cudaFree(data); }
	Array(const Array &) = delete;
	Array &operator=(const std::vector<T> &v)
	{
		CHECK(cudaMemcpy(data, v.data(), count * sizeof(T), cudaMemcpyHostToDevice));
		return *this;
	}
	void fill(int byte) { CHECK(cudaMemset(data, byte, count * sizeof(T))); }
	operator T *() { return data; }
	std::vector<T> host() const
	{
		std::vector<T> v(count);
		CHECK(cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
		return v;
	}
};

// ---- launches -----------------------------------------------------------------------------------
// As many blocks as the GPU holds at once, so that each thread runs many iterations of its loop;
// or --blocks.
template <class Kernel> int resident_blocks(Kernel kernel, int threads)
{
	int blocks, sms;
	if (blocks_wanted)
		return blocks_wanted;
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	return std::max(1, blocks) * sms;
}

// Returns the fastest of three runs, in ms; the time of prepare() is not included.
template <class Prepare, class Run> float best_ms(Prepare prepare, Run run)
{
	cudaEvent_t start, stop;
	float best = 1e30f, ms;
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	for (int r = 0; r < 3; ++r) {
		prepare();
		CHECK(cudaEventRecord(start));
		run();
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaEventSynchronize(stop));
		CHECK(cudaEventElapsedTime(&ms, start, stop));
		best = std::min(best, ms);
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	return best;
}

// ---- numbers and results ------------------------------------------------------------------------
__host__ __device__ inline unsigned random32(unsigned x)
{
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}
// Random, in [0, 1).
__host__ __device__ inline float random01(unsigned x)
{
	return (float)(random32(x) >> 8) / 16777216.0f;
}

// For results whose last bits depend on the order of a sum, or on the GPU's own square roots and
// exponentials.
inline bool close_to(double got, double want, double part)
{
	return std::fabs(got - want) <= part * (std::fabs(want) + 1e-3);
}

// Prints the last line: the result, ms, "ok" or "WRONG". Returns the exit code.
inline int result(bool ok, float ms, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(", %.3f ms, %s\n", ms, ok ? "ok" : "WRONG");
	return ok ? 0 : 1;
}

#endif
