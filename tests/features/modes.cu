// SPDX-License-Identifier: MIT
// Kernels with launch bounds, built in many ways: for each MODE, nvcc and cccnvcc build the file with these options.
// MODE: -G
// MODE: -maxrregcount=24
// MODE: -maxrregcount=255 -Xptxas -O1
// MODE: -rdc=true
// MODE: -lineinfo --use_fast_math
// MODE: -Xcicc -O0
// MODE: -Xptxas -O0 -g
// MODE: -O1 -fmad=false -ftz=true
// MODE: --restrict --extra-device-vectorization
// MODE: -std=c++20 --extended-lambda --expt-relaxed-constexpr
// MODE: -Xcompiler -O0,-fno-inline --default-stream per-thread
// MODE: -arch=sm_75
// MODE: -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=compute_90
// MODE: -src-in-ptx -lineinfo --keep-device-functions
// MODE: -split-compile=2 -t 2
// MODE: -Ofc=max
// MODE: --relocatable-device-code=true --device-debug
// MODE: -Xptxas -dlcm=cg,-warn-spills,-v
#ifndef KERNELS
#define KERNELS "modes.cu"
#include "features.cuh"
int main()
{
	RUN(bounded); RUN(bounded2); RUN(large); RUN(called); RUN(summed); RUN(rows);
	return finish();
}
#else
__global__ void __launch_bounds__(128) bounded(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(bounded)
template <int T> __global__ void __launch_bounds__(T, 2) bounded_t(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + T;
	}
}
inline void launch_bounded2(const G &g, int blocks, int block)
{
	bounded_t<96><<<blocks, block>>>(g);
	bounded_t<128><<<blocks, block>>>(g);
}
__global__ void large(G g) // many registers in the path and around it
{
	unsigned v[24];
#pragma unroll
	for (int k = 0; k < 24; k++)
		v[k] = g.in[k] + k;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
#pragma unroll
			for (int k = 0; k < 24; k++)
				v[k] = v[k] * 3 + v[(k * 7 + 1) % 24] + x;
		}
	}
	unsigned s = 0;
#pragma unroll
	for (int k = 0; k < 24; k++)
		s = s * 5 + v[k];
	g.thread[thread_id()] = s;
}
LAUNCH(large)
__device__ __noinline__ unsigned far(unsigned x) { return work(x) + 3; }
__global__ void called(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = far(x) + far(x + 1);
	}
}
LAUNCH(called)
__global__ void summed(G g)
{
	unsigned s = 0, m = ~0u;
	float f = 0;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			s += work(x);
			m = min(m, work(x + 1));
			f = fmaxf(f, (float)(x & 0xffff));
		}
	}
	g.thread[thread_id()] = s ^ m ^ (unsigned)f;
}
LAUNCH(summed)
__global__ void rows(G g)
{
	FORV
	EACH(i) {
		unsigned s = 0, end = g.in[i] & 15;
		VAR
		for (unsigned k = 0; k < end; k++)
			s += work(g.in[k] + i);
		g.out[i] = s;
	}
}
LAUNCH(rows)
#endif
