// SPDX-License-Identifier: MIT
// `cccnvcc --ccc-profile-generate` includes this before each CUDA source. It declares a variable
// through which the program finds the counters of the source's annotated paths and inner loops
// (docs/profiles.md), and writes them to a file when the program ends. With --ccc-check-promise it
// reports broken promises of annotations.
//
// The counters are read while CUDA still works, when thread-local objects of the main thread are
// destroyed: that is before anything passed to atexit() runs, including the CUDA runtime's own end.
#ifndef CCC_PROFILE_H
#define CCC_PROFILE_H
#if (defined __CUDACC__ && !defined __CUDACC_RTC__) || defined CCC_PROFILE_GLOBAL

#include <cuda_runtime.h>
#include "ccc_profile_file.h"

// Filled by ptxccc; see write_profile.
#ifdef CCC_PROFILE_GLOBAL // one name for a whole program
extern "C" { __device__ unsigned long long __ccc_profile[8]; }
#else
static __device__ __attribute__((used)) unsigned long long __ccc_profile[8];
#endif

namespace {
namespace __ccc {

inline int copy(void *to, u64 from, size_t n)
{
	return cudaMemcpy(to, reinterpret_cast<const void *>(from), n, cudaMemcpyDeviceToHost);
}

inline int attribute(int which, int *value)
{
	int gpu = 0;
	cudaError_t e = cudaGetDevice(&gpu);
	return e ? e : cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(which), gpu);
}

struct writer {
	bool armed;
	~writer()
	{
		const gpu_access gpu = { copy, attribute };
		u64 v[8] = { 0 };
		if (!armed)
			return;
		cudaDeviceSynchronize();
		cudaError_t e = cudaMemcpyFromSymbol(v, __ccc_profile, sizeof v);
		if (e != cudaSuccess)
			fprintf(stderr, "ccc: the profile's counters cannot be read: %s\n", cudaGetErrorString(e));
		else if (v[0] == 7)
			write_profile(&gpu, v);
		else if (v[0] == 8)
			report_promises(&gpu, v);
	}
};

thread_local writer at_end;

__attribute__((constructor)) inline void begin() { at_end.armed = true; }

} // namespace __ccc
} // namespace

#endif
#endif
