// SPDX-License-Identifier: MIT
// Branches nested in a remapped one: the threads of a block exchange the leaves. STRICT: no, one of them is in a loop, and ptxccc says so.
#ifndef KERNELS
#define KERNELS "remap_nested.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_leaves);
	RUN(k_layers);
	RUN(k_both);
	RUN(k_before);
	RUN(k_turns);
	RUN(k_by_cost);
	RUN(k_conditions);
	RUN(k_in_loop);
	RUN(k_sequence);
	RUN(k_deferred);
	RUN(k_past);
	RUN(k_loads);
	RUN(k_atomic);
	return finish();
}
#else
// Code before the nested branch and after it, a side without a statement, and live-outs.
__global__ void k_leaves(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], a = x * 3, b = x * 5;
	CCC(remap)
	if (x & 1) {
		g.out2[i] = b;
		a += g.in[i + 1];
		CCC(remap)
		if (a & 6)
			while (a % 7)
				a = mix(a);
		else if (a & 8)
			b = mix(a);
		b ^= a;
	} else {
		while (b % 5)
			b = mix(b);
	}
	g.out[i] = a ^ b;
}

// Three layers, and threads that take no leaf.
__global__ void k_layers(Args g)
{
	int i = thread_id();
	if (i < g.n / 8) {
		unsigned x = g.in[i], r = 1;
		CCC(remap)
		if (x & 3) {
			CCC(remap)
			if (x & 4) {
				r = g.in[i + 2];
				CCC(remap)
				if (r & 1)
					while (r % 9)
						r = mix(r);
				else
					r = mix(r) | 1;
			} else if (x & 8) {
				r = mix(x) >> 3;
			}
		}
		g.out[i] = r;
	}
}

__global__ void k_both(Args g)
{
	int i = thread_id();
	unsigned x = i < g.n / 8 ? g.in[i] : 7, r = x;
	CCC(remap threads(128))
	if (x & 1) {
		CCC(remap)
		if (x & 2)
			r = mix(r);
		else
			while (r % 6)
				r = mix(r);
		r += 3;
	} else if (x & 4) {
		CCC(remap)
		if (x & 2)
			r = mix(r) + 1;
		else
			r = r * 7 + g.in[i % 64];
	} else {
		r = 0;
	}
	if (i < g.n / 8)
		g.out[i] = r;
}

// A loop before the nested branch, and a value that only one arm computes.
__global__ void k_before(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap)
	if (x & 1) {
		unsigned y = x;
		while (y % 5)
			y = mix(y) + 1;
		CCC(remap)
		if (y & 32)
			r = y * 3;
		else
			while (r % 8)
				r = mix(r) + y;
		g.out2[i] = y ^ r;
	} else {
		r = mix(x);
	}
	g.out[i] = r;
}

// In a loop that threads leave at different times.
__global__ void k_turns(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	for (unsigned k = 0; k < (x >> 4) % 6; k++) {
		unsigned y = g.in[(i + 37 * k) % (g.n / 8)];
		CCC(remap)
		if (y & 1) {
			r += k;
			CCC(remap)
			if (r & 2)
				while (r % 5)
					r = mix(r) + y;
			else
				r ^= y;
			r *= 3;
		} else {
			r = mix(r);
		}
	}
	g.out[i] = r;
}

// Without an annotation: the sides are long.
__global__ void k_by_cost(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap policy(partition))
	if (x & 1) {
		if (x & 2)
			for (unsigned k = 0; k < 100; k++)
				r = mix(r) + k;
		else
			for (unsigned k = 0; k < 90; k++)
				r = mix(r ^ k) * 3;
		r ^= x;
	} else {
		if (g.in[i + 1] & 2)
			for (unsigned k = 0; k < 80; k++)
				r = mix(r + k) ^ k;
	}
	g.out[i] = r;
}

__global__ void k_conditions(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap policy(partition))
	if (x & 1) {
		CCC(remap)
		if (x & 2 && g.in[i + 1] & 1 || g.in[i + 2] % 7 == 0)
			while (r % 10)
				r = mix(r);
		else
			r = mix(r) + 1;
	} else {
		r = __popc(x);
	}
	g.out[i] = r;
}

// Not taken: the nested branch is in a loop.
__global__ void k_in_loop(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap)
	if (x & 1)
		for (unsigned k = 0; k < x % 5; k++) {
			CCC(remap)
			if (r & 1)
				while (r % 3)
					r = mix(r) + k;
			else
				r = mix(r);
		}
	else
		r = mix(r) * 5;
	g.out[i] = r;
}

// The code before the nested branch does not decide, and tasks execute it.
__global__ void k_deferred(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap)
	if (x & 1) {
		for (unsigned k = 0; k < 20; k++)
			r = mix(r) + k;
		g.out2[i] = r;
		CCC(remap)
		if (x * 5 & 32)
			while (r % 5)
				r = mix(r);
		else if (x & 64)
			r ^= x;
		r += 7;
	} else {
		r = mix(r) * 5;
	}
	g.out[i] = r;
}

// The same, for threads that take no leaf, and in both arms.
__global__ void k_past(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap)
	if (x & 1) {
		r = mix(mix(mix(mix(r)))) % 1000;
		g.out2[i] = mix(r);
		CCC(remap)
		if (x & 2)
			g.out[i] = r / (x & 15 | 1);
	} else {
		unsigned s = mix(mix(mix(r)) + i);
		g.out2[i] = s;
		CCC(remap)
		if (x & 4) {
			CCC(remap)
			if (x & 8)
				g.out[i] = s % 77;
			else
				while (s % 6)
					s = mix(s);
		}
		g.per_thread[i] = s;
	}
}

// The conditions load values, and nothing is written before them.
__global__ void k_loads(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap)
	if (x & 1) {
		for (unsigned k = 0; k < 20; k++)
			r = mix(r) / 3;
		unsigned y = g.in[(x >> 8) % 100];
		CCC(remap)
		if (g.in[y % 200] & 3)
			while (r % 5)
				r = mix(r) + y;
		else
			r ^= x;
	} else {
		r = mix(r) * 5;
	}
	g.out[i] = r;
}

// The condition depends on an atomic operation, which is executed once.
__global__ void k_atomic(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap)
	if (x & 1) {
#pragma unroll
		for (unsigned k = 0; k < 20; k++)
			r = mix(r) / 3;
		unsigned y = atomicAdd(&g.out2[i], x | 1) + x;
		CCC(remap)
		if (y & 2)
			while (r % 5)
				r = mix(r) + y;
		else
			r ^= x;
	} else {
		r = mix(r) * 5;
	}
	g.out[i] = r;
}

// The second nested branch is not taken.
__global__ void k_sequence(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap)
	if (x & 1) {
		CCC(remap)
		if (r & 2)
			while (r % 3)
				r = mix(r);
		CCC(remap)
		if (r & 4)
			r = mix(r) + 2;
		else
			while (r % 11)
				r = mix(r) + 5;
	} else {
		r = mix(r) * 5;
	}
	g.out[i] = r;
}
#endif
