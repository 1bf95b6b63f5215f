// An annotated loop inside an outer loop, entered many times; varying and invariant values.
#ifndef KERNELS
#define KERNELS "outer.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_outer);
	RUN(k_outer_varies);
	RUN(k_outer_barrier);
	RUN(k_uniform_counter);
	RUN(k_uniform_counter_float);
	RUN(k_varies_by_control);
	RUN(k_varies_by_control_before);
	RUN(k_carried);
	RUN(k_thread_index);
	RUN(k_lane_index);
	RUN(k_block_index);
	return finish();
}
#else
__global__ void k_outer(Args g)
{
	for (int round = 0; round < 5; ++round) {
		CCC(for)
		GRID_STRIDE(i) {
			CCC(if)
			if ((g.in[i] >> round & 7) < g.k)
				atomicAdd(g.out + i, mix(i + round));
		}
	}
}

// The lanes have different numbers of rounds, and of iterations per round.
__global__ void k_outer_varies(Args g)
{
	unsigned sum = 0;
	for (int round = 0; round < (int)(mix(thread_id()) % 6); ++round) {
		const int trips = mix(thread_id() + round) % 9;
		CCC(for)
		for (int t = 0; t < trips; ++t) {
			const int i = (thread_id() * 9 + t + round) % (g.n + 1);
			sum += i;
			CCC(if)
			if (wants(g, i))
				atomicAdd(g.out + i, mix(round * 100 + t));
		}
		sum = mix(sum);
	}
	g.per_thread[thread_id()] = sum;
}

// Other threads of the block read in the next round what the paths of a round wrote.
__global__ void k_outer_barrier(Args g)
{
	__shared__ unsigned a[128], b[128];
	for (int j = block_rank(); j < 128; j += block_size())
		a[j] = b[j] = mix(j + blockIdx.x);
	__syncthreads();
	for (int round = 0; round < 6; ++round) {
		unsigned *from = round % 2 ? b : a, *to = round % 2 ? a : b;
		CCC(for)
		for (int j = block_rank(); j < 128; j += block_size()) {
			CCC(if)
			if ((from[j] & 7) < g.k)
				to[j] = mix(from[(j + 1) % 128] + round);
		}
		__syncthreads();
	}
	for (int j = block_rank(); j < 128; j += block_size())
		atomicAdd(g.count + j % 64, a[j] + 3 * b[j]);
}

// The counter is uniform, but differs between iterations: it is context.
__global__ void k_uniform_counter(Args g)
{
	CCC(for)
	for (int t = 0; t < 40; ++t) {
		const int i = t * thread_count() + thread_id();
		if (i < g.n) {
			CCC(if)
			if (wants(g, i))
				atomicAdd(g.out + i, mix(t));
		}
	}
}
__global__ void k_uniform_counter_float(Args g)
{
	float time = 0, step = 0.25f;
	CCC(for)
	for (int base = 0; base < g.n; base += thread_count()) {
		const int i = base + thread_id();
		CCC(if)
		if (i < g.n && wants(g, i))
			g.out[i] = mix((unsigned)(time * 8 + step));
		time += step;
		step = step > 4 ? 0.25f : step + 0.25f;
	}
}

// c and d take only constant values, but which one depends on the lane.
__global__ void k_varies_by_control(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned c = 11;
		if (g.in[i] & 16) {
			atomicAdd(g.out2 + i, 1);
			c = 500;
			if (g.in[i] & 32) {
				atomicAdd(g.out2 + i, 2);
				c = 9000;
			}
		}
		g.out2[i] += c;
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(c);
	}
}
__global__ void k_varies_by_control_before(Args g)
{
	unsigned d = 3;
	if (mix(thread_id()) & 1) {
		atomicAdd(g.count, 1);
		d = 17;
	}
	unsigned rounds = 0;
	while (mix(thread_id() + rounds) % 4) {
		atomicAdd(g.count + 1, 1);
		++rounds;
	}
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(d) + rounds;
	}
	g.per_thread[thread_id()] = d + rounds;
}

// Values that are carried between iterations; the path reads those of its own iteration.
__global__ void k_carried(Args g)
{
	unsigned a = 1, b = thread_id(), c = 0;
	bool odd = false;
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned t = a + b;
		a = b;
		b = t;
		odd = !odd;
		CCC(if)
		if (wants(g, i))
			g.out[i] = odd ? mix(a) : mix(b) + c;
		if (g.in[i] & 32)
			c += i;
	}
	g.per_thread[thread_id()] = a + b + c + odd;
}

// The path reads special registers: it must get the owner's values, not those of the lane that runs it.
__global__ void k_thread_index(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = threadIdx.x + 1000 * threadIdx.y + 100000 * threadIdx.z;
	}
}
__device__ __forceinline__ unsigned lane_id()
{
	unsigned l;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
	return l;
}
__device__ __forceinline__ unsigned mask_lt()
{
	unsigned m;
	asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
	return m;
}
__global__ void k_lane_index(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = lane_id() + mix(mask_lt());
	}
}
__global__ void k_block_index(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (wants(g, i))
			g.out[i] = blockIdx.x + 1000 * gridDim.x + 100000 * blockDim.y;
	}
}
#endif
// SPDX-License-Identifier: MIT
