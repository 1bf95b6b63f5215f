// SPDX-License-Identifier: MIT
// A program that makes its kernel at run time: source text -> NVRTC -> libptxccc -> driver API.
//
//	ptxccc_annotate     the annotations in the source become visible in PTX; NVRTC alone would drop them with a warning
//	nvrtcCompileProgram CUDA to PTX, for the GPU that is there
//	ptxccc_transform    the annotated loop collects its tasks
//	cuModuleLoadData    PTX to the GPU's code, by the driver
//
// It loads the PTX as NVRTC made it too, runs both, compares both with the CPU, and prints the times.
//
//	make && ./nvrtc [--count N] [--show]    numbers to look at (2^22), the texts on the way to standard output
//	./nvrtc --compile-only                  needs no GPU
//
// Exit code: 0 ok, 1 a wrong result, 2 no GPU, or something failed.

#include <cuda.h>
#include <nvrtc.h>
#include <ptxccc/ptxccc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// How many primes p in [from, from + count) have p + gap prime too? The gap is known at run time only, and compiled in.
static const char source[] = R"(
__device__ bool small_factor(unsigned x)
{
	return x % 2 == 0 || x % 3 == 0 || x % 5 == 0 || x % 7 == 0 || x % 11 == 0 || x % 13 == 0;
}

__device__ bool passes(unsigned x, unsigned base)       // Miller-Rabin
{
	int twos = __ffs(x - 1) - 1;
	unsigned long long y = 1, power = base;
	for (unsigned e = (x - 1) >> twos; e; e >>= 1) {
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

__device__ bool prime(unsigned x)                       // of more than 13, below 3215031751
{
	return passes(x, 2) && passes(x, 3) && passes(x, 5) && passes(x, 7);
}

extern "C" __global__ void __launch_bounds__(256)
pairs(unsigned from, unsigned count, unsigned *found)
{
	#pragma ccc for
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
		unsigned x = from + i;
		#pragma ccc if
		if (!small_factor(x) && !small_factor(x + GAP)) {
			if (prime(x) && prime(x + GAP))
				atomicAdd(found, 1u);
		}
	}
}
)";

[[noreturn]] static void fail(const char *what, const char *why)
{
	fprintf(stderr, "nvrtc: %s: %s\n", what, why);
	exit(2);
}

static void check(CUresult r, const char *what)
{
	const char *why = "no such error";
	if (r != CUDA_SUCCESS) {
		cuGetErrorString(r, &why);
		fail(what, why ? why : "unknown error");
	}
}
#define CHECK(call) check(call, #call)

static void check(nvrtcResult r, const char *what)
{
	if (r != NVRTC_SUCCESS)
		fail(what, nvrtcGetErrorString(r));
}

// ---- from text to PTX ------------------------------------------------------------------------------------------------

static void show(void *, const ptxccc_diagnostic *d)
{
	fputs(d->printed, stderr);
}

static std::string result(ptxccc *c, ptxccc_status status, const char *what)
{
	if (status != PTXCCC_OK)
		fail(what, ptxccc_message(c));
	return ptxccc_text(c, nullptr);
}

static std::string compile(const std::string &cuda, int gap, int architecture)
{
	const std::string arch = "--gpu-architecture=compute_" + std::to_string(architecture), define = "-DGAP=" + std::to_string(gap);
	const char *options[] = { arch.c_str(), define.c_str() };
	nvrtcProgram p;
	size_t n;
	CHECK(nvrtcCreateProgram(&p, cuda.c_str(), "pairs.cu", 0, nullptr, nullptr));
	const nvrtcResult r = nvrtcCompileProgram(p, 2, options);
	CHECK(nvrtcGetProgramLogSize(p, &n));
	std::string log(n, '\0');
	CHECK(nvrtcGetProgramLog(p, &log[0]));
	fputs(log.c_str(), stderr);
	check(r, "pairs.cu");
	CHECK(nvrtcGetPTXSize(p, &n));
	std::string ptx(n, '\0');
	CHECK(nvrtcGetPTX(p, &ptx[0]));
	CHECK(nvrtcDestroyProgram(&p));
	return ptx.c_str();
}

// ---- running it --------------------------------------------------------------------------------------------------------

// The best time of five, in ms.
static float run(const std::string &ptx, CUdevice gpu, unsigned from, unsigned count, unsigned *result)
{
	CUmodule module;
	CUfunction kernel;
	CUdeviceptr found;
	CUevent start, stop;
	int blocks, sms;
	float best = 1e30f, ms;
	CHECK(cuModuleLoadData(&module, ptx.c_str()));
	CHECK(cuModuleGetFunction(&kernel, module, "pairs"));
	CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
	CHECK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu));
	CHECK(cuMemAlloc(&found, sizeof *result));
	CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
	CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
	void *arguments[] = { &from, &count, &found };
	for (int i = 0; i < 5; ++i) {
		CHECK(cuMemsetD32(found, 0, 1));
		CHECK(cuEventRecord(start, nullptr));
		CHECK(cuLaunchKernel(kernel, (unsigned)(blocks * sms), 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
		CHECK(cuEventRecord(stop, nullptr));
		CHECK(cuEventSynchronize(stop));
		CHECK(cuEventElapsedTime(&ms, start, stop));
		best = std::min(best, ms);
	}
	CHECK(cuMemcpyDtoH(result, found, sizeof *result));
	CHECK(cuMemFree(found));
	CHECK(cuModuleUnload(module));
	return best;
}

static unsigned on_cpu(unsigned from, unsigned count, unsigned gap)
{
	const uint64_t end = (uint64_t)from + count + gap;
	std::vector<bool> composite(count + gap);
	unsigned found = 0;
	for (uint64_t p = 2; p * p < end; ++p)
		for (uint64_t m = std::max(p * p, (from + p - 1) / p * p); m < end; m += p)
			composite[m - from] = true;
	for (unsigned i = 0; i < count; ++i)
		found += !composite[i] && !composite[i + gap];
	return found;
}

int main(int argc, char **argv)
{
	unsigned from = 2000000001, count = 1u << 22, gap = 6;
	bool texts = false, compile_only = false;
	for (int i = 1; i < argc; ++i)
		if (!strcmp(argv[i], "--count") && i + 1 < argc && atoi(argv[i + 1]) > 0 && atoi(argv[i + 1]) < 1 << 30)
			count = (unsigned)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--show"))
			texts = true;
		else if (!strcmp(argv[i], "--compile-only"))
			compile_only = true;
		else
			fail("usage", "nvrtc [--count N] [--show] [--compile-only]");

	int architecture = 90, minor = 0;
	CUdevice gpu = 0;
	if (!compile_only) {
		CHECK(cuInit(0));
		CHECK(cuDeviceGet(&gpu, 0));
		CHECK(cuDeviceGetAttribute(&architecture, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu));
		CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu));
		architecture = 10 * architecture + minor;
	}

	ptxccc *c = ptxccc_new(nullptr, nullptr);
	if (!c)
		fail("ptxccc_new", "out of memory");
	ptxccc_on_diagnostic(c, show, nullptr);
	const std::string cuda = result(c, ptxccc_annotate(c, "pairs.cu", source, strlen(source)), "ptxccc_annotate");
	const std::string ptx = compile(cuda, (int)gap, architecture);
	const std::string collected = result(c, ptxccc_transform(c, "pairs.ptx", ptx.data(), ptx.size()), "ptxccc_transform");
	fputs(ptxccc_report(c, PTXCCC_TEXT), stderr);
	const bool transformed = ptxccc_site_at(c, 0) && ptxccc_site_at(c, 0)->transformed;
	ptxccc_free(c);
	if (texts)
		printf("%s\n%s\n%s\n", cuda.c_str(), ptx.c_str(), collected.c_str());
	if (compile_only)
		return transformed ? 0 : 1;

	CUcontext context;
	CHECK(cuDevicePrimaryCtxRetain(&context, gpu));
	CHECK(cuCtxSetCurrent(context));
	unsigned plain_found, found;
	const float plain_ms = run(ptx, gpu, from, count, &plain_found), ms = run(collected, gpu, from, count, &found);
	const unsigned want = on_cpu(from, count, gap);
	const bool ok = transformed && plain_found == want && found == want;
	printf("%u pairs of primes %u apart in %u numbers: NVRTC's PTX %.3f ms, transformed %.3f ms (%.2fx), %s\n", want, gap, count,
	       plain_ms, ms, plain_ms / ms, ok ? "ok" : "WRONG");
	CHECK(cuDevicePrimaryCtxRelease(gpu));
	return ok ? 0 : 1;
}
