// Several annotated loops in one kernel, annotated functions, sites that are inlined or instantiated many times.
#ifndef KERNELS
#define KERNELS "several.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_two_loops);
	RUN(k_loops_with_barrier);
	RUN(k_function_calls_function);
	RUN(k_called_in_branch);
	RUN(k_inlined);
	RUN(k_instance<1>);
	RUN(k_instance<2>);
	RUN(k_instance<3>);
	RUN(k_instance<8>);
	RUN(k_typed<unsigned>);
	RUN(k_typed<short>);
	RUN(k_typed<unsigned long long>);
	RUN(k_lambda);
	RUN(k_macro);
	return finish();
}
#else
__global__ void k_two_loops(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i));
	}
	unsigned sum = 0;
	CCC(for)
	for (int i = g.n - 1 - thread_id(); i >= 0; i -= thread_count()) {
		sum += g.in[i];
		CCC(if)
		if ((g.in[i] >> 4 & 7) < g.k)
			atomicAdd(g.out2 + i, mix(i + 1));
	}
	g.per_thread[thread_id()] = sum;
}

// The second loop reads what the first one's paths wrote for other threads of the block.
__global__ void k_loops_with_barrier(Args g)
{
	__shared__ unsigned table[256];
	for (int j = block_rank(); j < 256; j += block_size())
		table[j] = 0;
	__syncthreads();
	CCC(for)
	for (int j = block_rank(); j < 256; j += block_size()) {
		CCC(if)
		if (j < g.n && wants(g, j))
			table[j] = mix(j);
	}
	__syncthreads();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = table[i * 7 % 256];
	}
}

__device__ __noinline__ unsigned annotated_function(Args g, int salt)
{
	unsigned seen = 0;
	CCC(for)
	GRID_STRIDE(i) {
		++seen;
		CCC(if)
		if (wants(g, i))
			atomicAdd(g.out + i, mix(i + salt));
	}
	return seen + salt;
}
__device__ __noinline__ unsigned calls_it(Args g, int salt)
{
	return annotated_function(g, salt) + 3 * annotated_function(g, salt + 1);
}
__global__ void k_function_calls_function(Args g)
{
	const unsigned a = calls_it(g, 5);
	g.per_thread[thread_id()] = a + annotated_function(g, block_rank());
}
__global__ void k_called_in_branch(Args g)
{
	unsigned r;
	if (mix(thread_id()) & 1)
		r = annotated_function(g, 1);
	else
		r = annotated_function(g, 2) * 5;
	g.per_thread[thread_id()] = r;
}

__device__ __forceinline__ unsigned inlined(const Args &g, int shift)
{
	unsigned seen = 0;
	CCC(for)
	GRID_STRIDE(i) {
		seen += g.in[i] >> shift;
		CCC(if)
		if ((g.in[i] >> shift & 7) < g.k)
			atomicAdd(g.out + i, mix(i + shift));
	}
	return seen;
}
__global__ void k_inlined(Args g)
{
	unsigned sum = inlined(g, 0);
	sum += inlined(g, 3);
	if (sum & 1)
		sum += inlined(g, 5);
	for (int j = 0; j < 3; ++j)
		sum += inlined(g, 7 + j);
	g.per_thread[thread_id()] = sum;
}

template <int STEPS> __global__ void k_instance(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = i;
#pragma unroll
			for (int s = 0; s < STEPS; ++s)
				x = mix(x);
			g.out[i] = x;
		}
	}
}

template <class T> __global__ void k_typed(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const T x = (T)g.in64[i];
		g.out2[i] = (unsigned)(x + 1);
		CCC(if)
		if (x % 5 == 0)
			g.out[i] = mix((unsigned)(x / 3));
	}
}

__global__ void k_lambda(Args g)
{
	auto each = [&](auto &&wanted, auto &&body) {
		CCC(for)
		GRID_STRIDE(i) {
			CCC(if)
			if (wanted(i))
				body(i);
		}
	};
	each([&](int i) { return wants(g, i); }, [&](int i) { atomicAdd(g.out + i, mix(i)); });
	each([&](int i) { return g.in[i] % 9 == 0; }, [&](int i) { atomicAdd(g.out2 + i, mix(i + 1)); });
}

#define EACH(i, wanted, ...) CCC(for) GRID_STRIDE(i) { CCC(if) if (wanted) { __VA_ARGS__; } }
__global__ void k_macro(Args g)
{
	EACH(i, wants(g, i), atomicAdd(g.out + i, mix(i)))
	EACH(j, g.in[j] % 9 == 0, atomicAdd(g.out2 + j, mix(j + 1)))
}
#undef EACH
#endif
// SPDX-License-Identifier: MIT
