// SPDX-License-Identifier: MIT
// The CCC paper's synthetic kernel (section 6.3): the workload, the plain kernel, and models, written by hand, of the code that
// ptxccc should emit for each policy.
// A divergent path of L dependent FMAs is taken by k of every 32 lanes. The context is one 4-byte index; the path has no
// live-outs except a store that never happens.
#ifndef BENCH_SYNTH_CUH
#define BENCH_SYNTH_CUH

#include <cmath>
#include <cstring>

constexpr int BLOCK = 256, WARPS = BLOCK / 32;
constexpr float A = 0.97f, B = 0.05f;
constexpr unsigned KS[] = {1, 4, 8, 16, 24, 31};

// ---- the workload ----------------------------------------------------------------------------------------------------
// Exactly k of every 32 consecutive i; an odd multiplier and a rotation by the warp's iteration scatter them.
static __host__ __device__ __forceinline__ bool takes(unsigned i, unsigned k)
{
	return ((i * 13u + ((i >> 5) * 0x9E3779B1u >> 27)) & 31u) < k;
}
template <int L> __device__ __forceinline__ unsigned path(unsigned i, float a, float b)
{
	float x = __uint_as_float(0x3f800000u | (i & 0x7fffffu));
#pragma unroll
	for (int l = 0; l < L; ++l)
		x = fmaf(x, a, b);
	return __float_as_uint(x);
}
// TEST sums all results; otherwise a store that never happens keeps the path alive without memory traffic.
template <bool TEST> __device__ __forceinline__ void use(unsigned v, unsigned *out)
{
	if (TEST || v == 0x7fc12345u)
		atomicAdd(out, v);
}

// ---- base -------------------------------------------------------------------------------------------------------------
template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_base(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		if (takes(i, k))
			use<TEST>(path<L>(i, a, b), out);
	}
}

// ---- model -----------------------------------------------------------------------------------------------------------
// Policy stack: per-lane loop index, lanes that park when their loop ends, one vote per round and a second
// one only in rounds without a task, the mask of arriving lanes in a register, the untransformed loop as the fallback.
// Kept in registers: otherwise the compiler recomputes the lane mask and the shared address at every use.
typedef unsigned Shared;
__device__ __forceinline__ unsigned lanemask_lt()
{
	unsigned m;
	asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
	return m;
}
__device__ __forceinline__ Shared pin(unsigned *p)
{
	unsigned a = (unsigned)__cvta_generic_to_shared(p);
	asm volatile("" : "+r"(a));
	return a;
}
__device__ __forceinline__ unsigned get(Shared s, int i)
{
	unsigned v;
	asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(s + 4 * i) : "memory");
	return v;
}
__device__ __forceinline__ void put(Shared s, int i, unsigned v)
{
	asm volatile("st.shared.u32 [%0], %1;" :: "r"(s + 4 * i), "r"(v) : "memory");
}

template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_model(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	__shared__ unsigned stacks[WARPS][32];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned M = __activemask();
	if ((M & (M + 1)) == 0) {
		const unsigned lt = lanemask_lt();
		const Shared stack = pin(stacks[threadIdx.x / 32]);
		const int size = __popc(M);
		int top = 0;
		bool in = i < n;
		for (;;) {
			bool p = in && takes(i, k);
			unsigned c = i;
			const unsigned P = __ballot_sync(M, p);
			const int idle = size - __popc(P);
			__syncwarp(M);
			if (top >= idle) {
				if (!p)
					c = get(stack, top - 1 - __popc(~P & M & lt));
				top -= idle;
				use<TEST>(path<L>(c, a, b), out);
			} else {
				if (p)
					put(stack, top + __popc(P & lt), c);
				top += size - idle;
				if (P == 0 && !__any_sync(M, in))
					break;
			}
			i += gridDim.x * blockDim.x;
			in = in && i < n;
		}
		__syncwarp(M);
		if ((int)(threadIdx.x & 31) < top)
			use<TEST>(path<L>(get(stack, threadIdx.x & 31), a, b), out);
	} else {
		for (; i < n; i += gridDim.x * blockDim.x)
			if (takes(i, k))
				use<TEST>(path<L>(i, a, b), out);
	}
}

// Policy queue: every task goes through the buffer; a full group of tasks is taken as soon as there is one.
template <int L, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_model_queue(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	__shared__ unsigned queues[WARPS][64];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned M = __activemask();
	if ((M & (M + 1)) == 0) {
		const unsigned lt = lanemask_lt();
		const Shared queue = pin(queues[threadIdx.x / 32]);
		const int size = __popc(M);
		int top = 0;
		bool in = i < n;
		for (;;) {
			const bool p = in && takes(i, k);
			const unsigned P = __ballot_sync(M, p);
			if (p)
				put(queue, top + __popc(P & lt), i);
			top += __popc(P);
			if (top >= size) {
				top -= size;
				__syncwarp(M);
				const unsigned c = get(queue, top + (threadIdx.x & 31));
				__syncwarp(M);
				use<TEST>(path<L>(c, a, b), out);
			} else if (P == 0 && !__any_sync(M, in)) {
				break;
			}
			i += gridDim.x * blockDim.x;
			in = in && i < n;
		}
		__syncwarp(M);
		if ((int)(threadIdx.x & 31) < top)
			use<TEST>(path<L>(get(queue, threadIdx.x & 31), a, b), out);
	} else {
		for (; i < n; i += gridDim.x * blockDim.x)
			if (takes(i, k))
				use<TEST>(path<L>(i, a, b), out);
	}
}

// Policy queue(U): U iterations of common code per round, then as many full groups of tasks as there are.
template <int L, int U, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_model_wide(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	__shared__ unsigned queues[WARPS][32 * (U + 1)];
	const unsigned stride = gridDim.x * blockDim.x;
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned M = __activemask();
	if ((M & (M + 1)) == 0) {
		const unsigned lt = lanemask_lt();
		const Shared queue = pin(queues[threadIdx.x / 32]);
		const int size = __popc(M);
		int top = 0;
		bool in = i < n;
		for (;;) {
			unsigned c[U];
			bool p[U];
#pragma unroll
			for (int u = 0; u < U; ++u) {
				c[u] = i;
				p[u] = in && takes(i, k);
				i += stride;
				in = in && i < n;
			}
#pragma unroll
			for (int u = 0; u < U; ++u) {
				const unsigned P = __ballot_sync(M, p[u]);
				if (p[u])
					put(queue, top + __popc(P & lt), c[u]);
				top += __popc(P);
			}
			if (top >= size) {
				__syncwarp(M);
				do {
					top -= size;
					use<TEST>(path<L>(get(queue, top + (threadIdx.x & 31)), a, b), out);
				} while (top >= size);
				__syncwarp(M);
			}
			if (!__any_sync(M, in))
				break;
		}
		__syncwarp(M);
		if ((int)(threadIdx.x & 31) < top)
			use<TEST>(path<L>(get(queue, threadIdx.x & 31), a, b), out);
	} else {
		for (; i < n; i += stride)
			if (takes(i, k))
				use<TEST>(path<L>(i, a, b), out);
	}
}

// Policy ahead(U): a lane looks U iterations ahead, selects those that need the path, and then runs its own paths.
template <int L, int U, bool TEST> __global__ void __launch_bounds__(BLOCK)
k_model_ahead(unsigned n, unsigned k, float a, float b, unsigned *out)
{
	const unsigned stride = gridDim.x * blockDim.x;
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	while (i < n) {
		const unsigned first = i;
		unsigned m = 0;
#pragma unroll 8
		for (int u = 0; u < U; ++u, i += stride)
			if (i < n && takes(i, k))
				m |= 1u << u;
		for (; m; m &= m - 1)
			use<TEST>(path<L>(first + (__ffs(m) - 1) * stride, a, b), out);
	}
}

// ---- results ---------------------------------------------------------------------------------------------------------------
static unsigned host_sum(int L, unsigned n, unsigned k)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; ++i) {
		if (!takes(i, k))
			continue;
		unsigned u = 0x3f800000u | (i & 0x7fffffu);
		float x;
		memcpy(&x, &u, 4);
		for (int l = 0; l < L; ++l)
			x = std::fmaf(x, A, B);
		memcpy(&u, &x, 4);
		sum += u;
	}
	return sum;
}

#endif
