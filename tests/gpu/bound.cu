// Policies that keep each lane's iterations in order: results of paths are carried from iteration to iteration and live out of the loop.
#ifndef KERNELS
#define KERNELS "bound.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_rows);
	RUN(k_state);
	RUN(k_half);
	RUN(k_break);
	RUN(k_best);
	RUN(k_ordered_sum);
	RUN(k_random);
	RUN(k_few_ahead);
	RUN(k_ahead_leaves);
	RUN(k_ahead_steps);
	RUN(k_ahead_sure);
	RUN(k_ahead_down);
	RUN(k_ahead_pointer);
	RUN(k_two_paths);
	RUN(k_ahead_constants);
	RUN(k_ahead_own_place);
	RUN(k_ahead_leaves_first);
	RUN(k_private);
	RUN(k_flat);
	return finish();
}
#else
// No path: the lanes reconverge at the end of each iteration.
__global__ void k_rows(Args g)
{
	CCC(for policy(converge))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned x = g.in[i];
#pragma unroll 1
		while (x % 7)
			x = mix(x);
		if ((x & 63) == 5)
			continue;
		g.out[i] = x;
	}
}

__global__ void k_state(Args g)
{
	unsigned s = thread_id();
	CCC(for policy(wait(8)))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(if)
		if ((s & 7) < g.k)
			while (s % 9)
				s = mix(s);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_half(Args g)
{
	unsigned s = thread_id();
	CCC(for policy(majority))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		s = s * 5 + g.in[i];
		CCC(if)
		if ((s & 7) < g.k)
			while (s % 9)
				s = mix(s);
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

// The path may leave the loop or end the thread.
__global__ void k_break(Args g)
{
	unsigned s = 0;
	CCC(for policy(wait(4)))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(if)
		if (wants(g, i)) {
			s = mix(s + g.in[i]);
			if (s % 31 == 3)
				break;
			if (s % 61 == 5)
				return;
		}
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_best(Args g)
{
	float best = 1e30f;
	int which = -1;
	CCC(for policy(ahead))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		const int x = g.in[i];
		CCC(if)
		if ((x & 7) < g.k) {
			const float e = sqrtf((float)(x & 0xffff)) / (1 + sqrtf((float)(x & 0xff))) + 1 / sqrtf(1 + (x & 31));
			if (e < best)
				best = e, which = i;
		}
	}
	g.per_thread[thread_id()] = which;
}

__global__ void k_ordered_sum(Args g)
{
	float s = 0;
	CCC(for policy(ahead))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(if)
		if (wants(g, i))
			s = s * 0.75f + 1 / (1.0f + (g.in[i] & 1023));
	}
	g.per_thread[thread_id()] = __float_as_uint(s);
}

// The state of a random-number generator that only the path advances.
__global__ void k_random(Args g)
{
	unsigned s = 12345 + thread_id();
	CCC(for policy(ahead(16)) independent)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(if)
		if (wants(g, i)) {
			for (int k = g.in[i] & 3; k >= 0; --k)
				s = mix(s);
			g.out[i] = s;
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_few_ahead(Args g)
{
	unsigned s = 0;
	CCC(for policy(ahead(1)))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		CCC(if)
		if (wants(g, i))
			s = mix(s + i);
	}
	g.per_thread[thread_id()] = s;
}

// Lanes leave in different iterations, and their values are used after the loop.
__global__ void k_ahead_leaves(Args g)
{
	unsigned s = 0;
	int found = -1, at = -1, i;
	CCC(for policy(ahead(32)))
	for (i = thread_id(); i < g.n; i += thread_count()) {
		const int x = g.in[i];
		if (x % 37 == 5) {
			found = x;
			break;
		}
		CCC(if)
		if ((x & 7) < g.k)
			s = mix(s + x), at = i;
	}
	g.per_thread[thread_id()] = s + found + at + i;
}

// A pointer and a 16-bit count in addition to the index.
__global__ void k_ahead_steps(Args g)
{
	const int share = g.n / thread_count() + 1;
	const int *p = g.in + min(g.n, thread_id() * share), *const end = g.in + min(g.n, (thread_id() + 1) * share);
	unsigned s = 0;
	long long turn = 65000;
	CCC(for policy(ahead(8)))
	for (; p < end; ++p, turn -= g.k) {
		CCC(if)
		if ((*p & 7) < g.k)
			s = mix(s + (unsigned)(turn >> 3)) + (unsigned)(p - g.in);
	}
	g.per_thread[thread_id()] = s + (unsigned)turn;
}

// Lanes run different iterations, so they read different constants.
struct Ball { float x, y, r, weight; int id; };
__constant__ Ball c_ball[13] = {{1, 2, 3, 4, 5}, {20, 10, 15, .5f, 6}, {40, 50, 30, 2, 7}, {90, 5, 25, 3, 8}, {70, 70, 20, .1f, 9},
	{10, 90, 40, 7, 10}, {55, 45, 9, 6, 11}, {33, 66, 18, 1, 12}, {80, 30, 35, 2, 13}, {5, 5, 50, 9, 14}, {60, 20, 12, 4, 15},
	{25, 75, 28, 3, 16}, {95, 95, 60, 8, 17}};

__global__ void k_ahead_constants(Args g)
{
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		const float x = g.in[i] & 127, y = g.in[i] >> 7 & 127;
		float most = 0;
		int id = 0;
		CCC(for policy(ahead(13)))
		for (int k = 0; k < 13; ++k) {
			const float dx = x - c_ball[k].x, dy = y - c_ball[k].y, q = c_ball[k].r * c_ball[k].r - dx * dx - dy * dy;
			CCC(if)
			if (q > 0) {
				const float z = sqrtf(q) * c_ball[k].weight;
				if (z > most)
					most = z, id = c_ball[k].id;
			}
		}
		g.out[i] = __float_as_uint(most) + id;
	}
}

// The path writes what the test of the same iteration reads.
__global__ void k_ahead_own_place(Args g)
{
	unsigned s = 0, last = 0;
	CCC(for policy(ahead(8)) independent)
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		const unsigned x = (unsigned)g.in[i] + g.out[i];
		CCC(if)
		if ((x & 7) < (unsigned)g.k) {
			s = mix(s + x);
			g.out[i] = s;
		}
		last = x;
	}
	g.per_thread[thread_id()] = s + last;
}

// Lanes leave before the path, and the path's inner loop makes them diverge.
__global__ void k_ahead_leaves_first(Args g)
{
	unsigned s = 0;
	int i = thread_id();
	CCC(for policy(ahead(24)))
	for (;;) {
		if (i >= g.n)
			break;
		const int x = g.in[i];
		CCC(if)
		if ((x & 7) < g.k) {
			for (int k = x & 3; k >= 0; --k)
				s = mix(s + k);
		}
		i += thread_count();
		if (x % 41 == 3)
			break;
	}
	g.per_thread[thread_id()] = s + i;
}

// The trip count is known: while all lanes have many iterations left, the look-ahead needs no exit tests.
__global__ void k_ahead_sure(Args g)
{
	for (int i = thread_id(); i < min(g.n, 200); i += thread_count()) {
		unsigned s = i;
		int at = 0;
		const int to = i * 37 % g.n;
		CCC(for policy(ahead(16)))
		for (int k = i & 7; k < to; k += 3) {
			const int x = g.in[k];
			CCC(if)
			if ((x & 7) < g.k)
				s = mix(s + x), at = k;
		}
		g.out[i] = s + at;
	}
}

__global__ void k_ahead_down(Args g)
{
	for (int i = thread_id(); i < min(g.n, 200); i += thread_count()) {
		unsigned s = i, turn = 0;
		long long k;
		CCC(for policy(ahead(5)))
		for (k = g.n - 1 - (i & 3); k >= (i & 31); k -= 2, ++turn) {
			CCC(if)
			if ((g.in[k] & 7) < g.k)
				s = mix(s + turn);
		}
		g.out[i] = s + (unsigned)k;
	}
}

__global__ void k_ahead_pointer(Args g)
{
	for (int i = thread_id(); i < min(g.n, 200); i += thread_count()) {
		unsigned s = i, n = 0;
		const int *const end = g.in + (300 - (i & 1) * (i & 63));
		CCC(for policy(ahead(32)))
		for (const int *p = g.in + (i & 15); p != end; ++p) {
			CCC(if)
			if ((*p & 15) < g.k)
				s = mix(s + *p), n++;
		}
		g.out[i] = s + n;
	}
}

__global__ void k_two_paths(Args g)
{
	unsigned s = 0, t = 1;
	CCC(for policy(ahead))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		const int x = g.in[i];
		CCC(if)
		if ((x & 7) < g.k)
			s = mix(s + t);
		CCC(if)
		if ((x & 24) == 8)
			t = mix(t ^ s);
	}
	g.per_thread[thread_id()] = s + t;
}

// A thread-local array that only the path uses.
__global__ void k_private(Args g)
{
	unsigned a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, s = 0;
	CCC(for policy(ahead))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		const int x = g.in[i];
		CCC(if)
		if ((x & 7) < g.k) {
			a[x >> 3 & 7] += s;
			s = mix(s + a[x >> 6 & 7]);
		}
	}
	g.per_thread[thread_id()] = s;
}

// The inner loop's result is carried through the iterations of both loops.
__global__ void k_flat(Args g)
{
	unsigned s = 0;
	CCC(for policy(flatten(5)))
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned x = g.in[i];
		CCC(for var)
		for (unsigned k = x & 15; k; --k)
			s = mix(s + k);
		if (s % 37 == 5)
			break;
		g.out[i] = s;
	}
	g.per_thread[thread_id()] = s;
}
#endif
// SPDX-License-Identifier: MIT
