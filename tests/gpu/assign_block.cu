// SPDX-License-Identifier: MIT
// Iteration draw of a whole block: a lane without work takes an iteration of any thread of its block, numbered by a counter in shared
// memory.
#ifndef KERNELS
#define KERNELS "assign_block.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_flat);
	RUN(k_ragged);
	RUN(k_plain);
	RUN(k_values);
	RUN(k_wait);
	RUN(k_half);
	RUN(k_merge);
	RUN(k_delay);
	RUN(k_cycle);
	RUN(k_visits);
	RUN(k_index_behind);
	RUN(k_pointers);
	RUN(k_down);
	RUN(k_once);
	RUN(k_written_before);
	RUN(k_two);
	RUN(k_small_blocks);
	RUN(k_long);
	RUN(k_none);
	RUN(k_mixed);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

__global__ void k_flat(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = i;
		CCC(for var)
		for (int left = g.in[i] & 15; left; --left)
			s = mix(s + left);
		g.out[i] = s;
	}
}

// Each thread has a range of its own, of different lengths: the number of iterations differs.
__global__ void k_ragged(Args g)
{
	int per = (g.n + thread_count() - 1) / thread_count(), first = thread_id() * per;
	int end = min(g.n, first + (thread_id() % 3 ? per : per / 2));
	CCC(assign policy(block))
	for (int i = first; i < end; i++) {
		unsigned s = i;
		CCC(while policy(flatten(3)))
		while (s % 11)
			s = mix(s + g.k);
		g.out[i] = s;
	}
}

__global__ void k_plain(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		if (wants(g, i))
			g.out[i] = walk(i, 7);
		else
			g.out2[i] = g.in[i] + 1;
	}
}

// Values that an iteration reads from its owner: the thread's index, numbers of several widths, a predicate.
__global__ void k_values(Args g)
{
	const double d = g.in_double[thread_id()];
	const long long w = g.in64[thread_id()];
	const bool odd = w & 1, far = d > 0.25;
	const float f = g.in4[thread_id()].y;
	const short h = (short)g.in[thread_id()];
	int step = thread_count();
	asm volatile("" : "+r"(step)); // else nvcc adds it by mad in each iteration, which the policy does not follow
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += step) {
		double s = d + threadIdx.y;
		CCC(for var)
		for (int left = g.in[i] & 7; left; --left)
			s = s * 0.75 + left;
		long long t = w ^ i ^ h;
		if (odd)
			t = t * 3 + (long long)(s * 1000);
		if (far && i & 1)
			t ^= threadIdx.x;
		g.out[i] = (unsigned)t + (unsigned)(t >> 32) + (unsigned)(int)(f * 100);
		g.out2[i] = blockIdx.x;
	}
}

__global__ void k_wait(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = g.in[i];
		CCC(if policy(wait(4)))
		if (wants(g, i))
			s = walk(s, 13);
		g.out[i] = s;
	}
}

__global__ void k_half(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = g.in[i];
		CCC(if policy(majority))
		if (wants(g, i))
			s = walk(s, 13);
		g.out[i] = s;
	}
}

__global__ void k_merge(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = g.in[i];
		CCC(predict threshold(20))
		for (int left = s & 31; left; --left)
			s = mix(s + left);
		g.out[i] = s;
		atomicAdd(g.count, s & 7);
	}
}

__global__ void k_delay(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = g.in[i];
		CCC(delay threshold(12))
		if (wants(g, i))
			s = walk(s, 13);
		else
			s = walk(s + 5, 5);
		g.out[i] = s;
	}
}

__global__ void k_cycle(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = g.in[i];
		CCC(delay policy(cycle(2, 1)))
		if (wants(g, i))
			s = walk(s, 13);
		else
			s = walk(s + 5, 5);
		g.out[i] = s;
	}
}

// The block reaches the loop several times; the warps arrive in any order.
__global__ void k_visits(Args g)
{
	for (int visit = 0; visit < g.k; ++visit) {
		if (wants(g, thread_id()))
			atomicAdd(g.count, walk(thread_id() + visit, 5));
		CCC(assign policy(block))
		for (int i = thread_id() + visit * 7; i < g.n; i += thread_count()) {
			unsigned s = g.in[i] + visit;
			CCC(for var)
			for (int left = s & 15; left; --left)
				s = mix(s + left);
			atomicAdd(&g.out[i], s);
		}
	}
}

// The count is read after the loop.
__global__ void k_index_behind(Args g)
{
	int i = thread_id(), rounds = 0;
	CCC(assign policy(block))
	for (; i < g.n - g.k; i += thread_count(), rounds += 3) {
		unsigned s = g.in[i] + rounds;
		CCC(for var)
		for (int left = s & 15; left; --left)
			s = mix(s + left);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = i * 16 + rounds;
}

__global__ void k_pointers(Args g)
{
	const int *p = g.in + thread_id(), *end = g.in + g.n;
	unsigned *to = g.out + thread_id();
	CCC(assign policy(block))
	while (p < end) {
		unsigned s = *p;
		CCC(for var)
		for (int left = s & 15; left; --left)
			s = mix(s + left);
		*to = s;
		p += thread_count();
		to += thread_count();
	}
}

__global__ void k_down(Args g)
{
	CCC(assign policy(block))
	for (long long i = g.n - 1 - thread_id(); i >= 0; i -= thread_count()) {
		unsigned s = g.in[i];
		CCC(for var)
		for (int left = s & 15; left; --left)
			s = mix(s + left);
		g.out[i] = s;
	}
}

// At least one iteration, and the items in blocks.
__global__ void k_once(Args g)
{
	const int first = blockIdx.x * block_size() * 3 + block_rank();
	int k = 0;
	CCC(assign policy(block))
	do {
		const int i = (first + k * block_size()) % max(g.n, 1);
		unsigned s = g.in[i];
		CCC(for var)
		for (int left = s & 15; left; --left)
			s = mix(s + left);
		atomicMax(&g.out[i], s);
	} while (++k < 3);
}

// The thread that runs an iteration reads what the owner wrote before the loop; after it, the owner reads what that thread wrote.
__global__ void k_written_before(Args g)
{
	for (int i = thread_id(); i < g.n; i += thread_count())
		g.out2[i] = g.in[i] * 3;
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = g.out2[i];
		CCC(for var)
		for (int left = s & 15; left; --left)
			s = mix(s + left);
		g.out[i] = s;
	}
	unsigned sum = 0;
	for (int i = thread_id(); i < g.n; i += thread_count())
		sum += g.out[i];
	g.per_thread[thread_id()] = sum;
}

// Both loops use the same memory; so does a collected one before them.
__global__ void k_two(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(if policy(stack))
		if (wants(g, i))
			g.out2[i] = walk(g.in[i], 7);
	}
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count())
		g.out[i] = walk(g.in[i], 9);
	CCC(assign policy(block))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		if (wants(g, i)) {
			CCC(predict)
			g.out[i] = walk(g.out[i] + 1, 9);
		}
	}
}

// Larger blocks run the original loop.
__global__ void k_small_blocks(Args g)
{
	CCC(assign policy(block) threads(64))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned s = i;
		CCC(for var)
		for (int left = g.in[i] & 15; left; --left)
			s = mix(s + left);
		g.out[i] = s;
	}
}

// One thread has more iterations than are counted at a time.
__global__ void __launch_bounds__(32) k_long(Args g)
{
	const int end = block_rank() == block_size() - 1 ? 4100 : block_rank() % 3;
	CCC(assign policy(block))
	for (int i = 0; i < end; ++i)
		if (i % 64 == 3 || i > 4090)
			atomicAdd(&g.out[(thread_id() + i) % max(g.n, 1)], walk(i, 5));
}

// No thread has an iteration.
__global__ void k_none(Args g)
{
	CCC(assign policy(block))
	for (int i = thread_id() + g.n; i < g.n; i += thread_count())
		g.out[i] = walk(i, 5);
	g.per_thread[thread_id()] = g.k;
}

// Some threads have no iteration; an early branch that all of them leave again.
__global__ void k_mixed(Args g)
{
	int n = thread_id() % 4 ? g.n : thread_id();
	if (thread_id() % 5 == 1)
		n = walk(thread_id(), 3) % max(g.n, 1);
	CCC(assign policy(block))
	for (int i = thread_id(); i < n; i += thread_count())
		g.out[i] = walk(i, 5);
	g.per_thread[thread_id()] = n;
}
#endif
