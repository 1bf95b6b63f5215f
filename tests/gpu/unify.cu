// Unification: lanes record which arm each of their next iterations takes, run those of one arm, then those of the other.
#ifndef KERNELS
#define KERNELS "unify.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_both);
	RUN(k_one);
	RUN(k_few_ahead);
	RUN(k_own_state);
	RUN(k_third);
	RUN(k_top);
	RUN(k_breaks);
	RUN(k_early);
	RUN(k_outer);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

__global__ void k_both(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(unify)
		if (g.in[i] & 4)
			g.out[i] = walk(i, 7);
		else
			g.out[i] = walk(i + 1, 11);
	}
}

__global__ void k_one(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(unify)
		if (g.in[i] & 4)
			g.out[i] = walk(i, 7);
	}
}

__global__ void k_few_ahead(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(unify policy(ahead(5)))
		if ((g.in[i] & 7) < g.k)
			g.out[i] = walk(i, 7);
		else
			g.out2[i] = walk(i + 1, 11);
	}
}

// Each arm keeps something in order.
__global__ void k_own_state(Args g)
{
	unsigned s = thread_id(), t = 1;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(unify)
		if (g.in[i] & 4) {
			s = walk(s * 3 + i, 7);
			g.out[i] = s;
		} else {
			t = walk(t * 5 + i, 11);
			g.out2[i] = t;
		}
	}
	g.per_thread[thread_id()] = s * 31 + t;
}

// An iteration may take paths of both kinds.
__global__ void k_third(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(unify)
		if (g.in[i] & 4)
			atomicAdd(&g.out[i], walk(i, 7) + walk(i + 9, 7) + walk(i + 19, 7));
		else
			atomicAdd(&g.out[i], walk(i + 1, 11));
		CCC(if)
		if (g.in[i] & 1)
			atomicAdd(&g.out2[i], walk(i + 2, 5));
	}
}

__global__ void k_top(Args g)
{
	int i = thread_id();
	CCC(for)
	while (true) {
		if (i >= g.n || g.in64[i] % 97 == 0)
			break;
		CCC(unify)
		if (g.in[i] & 4)
			g.out[i] = walk(i, 7);
		else
			g.out[i] = walk(i + 1, 11);
		i += thread_count();
	}
	g.per_thread[thread_id()] = i;
}

__global__ void k_breaks(Args g)
{
	int i = thread_id();
	CCC(for)
	for (; i < g.n; i += thread_count()) {
		CCC(unify)
		if (g.in[i] & 4)
			g.out[i] = walk(i, 7);
		else
			g.out[i] = walk(i + 1, 11);
		if (g.in[i] % 31 == 5)
			break;
	}
	g.per_thread[thread_id()] = i;
}

__global__ void k_early(Args g)
{
	if (thread_id() % 3 == 1)
		return;
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		if (g.in[i] % 7 == 3)
			continue;
		CCC(unify)
		if (g.in[i] & 4)
			g.out[i] = walk(i, 7);
		else
			g.out[i] = walk(i + 1, 11);
	}
}

__global__ void k_outer(Args g)
{
	for (int round = 0; round < 1 + (thread_id() & 1); ++round) {
		CCC(for)
		for (int i = thread_id(); i < g.n; i += thread_count()) {
			CCC(unify)
			if ((g.in[i] >> round) & 4)
				atomicAdd(&g.out[i], walk(i, 7));
			else
				atomicAdd(&g.out[i], walk(i + 1, 11));
		}
	}
}
#endif
// SPDX-License-Identifier: MIT
