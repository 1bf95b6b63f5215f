// Registers that the path defines and the loop reads, but which depend only on the owner's state ("false live-out").
// With `for (int i ...)` nvcc (below sm_100: k_copy; also later: k_copy_return) converts i to 64 bits for the addresses and
// back to 32 bits inside the path, and adds the step to that copy. In k_steps and k_extra_step the source does it itself.
#ifndef KERNELS
#define KERNELS "liveout.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_copy);
	RUN(k_copy_return);
	RUN(k_copy_size_t);
	RUN(k_next);
	RUN(k_steps);
	RUN(k_extra_step);
	RUN(k_pointer_step);
	return finish();
}
#else
__global__ void k_copy(Args g)
{
	const int stride = thread_count();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += stride) {
		CCC(if)
		if ((g.in[i] & 31) < 31) {
			unsigned x = g.in[i];
			while (x % 9)
				x = mix(x);
			g.out[i] = x + mix(i);
		} else
			break;
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}

__global__ void k_copy_return(Args g)
{
	const int stride = thread_count();
	CCC(for)
	for (int i = thread_id(); i < g.n; i += stride) {
		CCC(if)
		if ((g.in[i] & 31) < 31) {
			unsigned x = g.in[i];
			if (x % 9) {
				x = mix(x);
				g.out2[(size_t)i + 1] = 2;
			}
			g.out[i] = x + mix(i);
		} else
			return;
	}
	atomicAdd(g.per_thread + thread_id(), 1);
}

__global__ void k_copy_size_t(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		const size_t at = i;
		CCC(if)
		if (wants(g, at)) {
			unsigned x = g.in[at];
			for (int s = 0; s < 5; ++s)
				x = mix(x + (int)at);
			g.out[at] = x;
		}
	}
}

// The path uses a value that the loop's step computes too.
__global__ void k_next(Args g)
{
	const unsigned stride = thread_count();
	CCC(for)
	for (unsigned i = thread_id(); i < g.n; i += stride) {
		CCC(if)
		if (wants(g, i)) {
			const unsigned next = i + stride;
			g.out[i] = next < g.n ? g.in[next] : mix(next);
		}
	}
}

// Each thread has a range of its own, with a step that depends on the branch.
__global__ void k_steps(Args g)
{
	const int share = g.n / thread_count() + 1, end = min(g.n, (thread_id() + 1) * share);
	int i = thread_id() * share;
	CCC(for)
	while (i < end) {
		CCC(if)
		if (wants(g, i)) {
			unsigned x = g.in[i];
			while (x % 9)
				x = mix(x);
			g.out[i] = x + mix(i);
			i += 3;
		} else {
			g.out2[i] = 6;
			i += 2;
		}
	}
	g.per_thread[thread_id()] = i;
}

__global__ void k_extra_step(Args g)
{
	const int share = g.n / thread_count() + 1, end = min(g.n, (thread_id() + 1) * share);
	int i = thread_id() * share;
	CCC(for)
	while (i < end) {
		CCC(if)
		if (wants(g, i)) {
			atomicAdd(g.out + i, mix(i));
			++i;
		}
		++i;
	}
	g.per_thread[thread_id()] = i;
}

__global__ void k_pointer_step(Args g)
{
	const int share = g.n / thread_count() + 1;
	const int *p = g.in + min(g.n, thread_id() * share), *const end = g.in + min(g.n, (thread_id() + 1) * share);
	CCC(for)
	for (; p < end; ++p) {
		const int x = *p;
		CCC(if)
		if ((x & 7) < g.k) {
			atomicAdd(g.out + (p - g.in), mix(x));
			if (x & 64)
				atomicAdd(g.out2 + (p - g.in), 1);
			++p;
		}
	}
	g.per_thread[thread_id()] = p - g.in;
}
#endif
// SPDX-License-Identifier: MIT
