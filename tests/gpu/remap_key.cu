// SPDX-License-Identifier: MIT
// Statements whose executions the threads of a block exchange by a key: switches, calls through pointers and of virtual functions,
// keys that are large numbers or addresses.
#ifndef KERNELS
#define KERNELS "remap_key.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_material);
	RUN(k_virtual);
	RUN(k_table);
	RUN(k_turns);
	RUN(k_together);
	RUN(k_large);
	RUN(k_two_keys);
	RUN(k_addresses);
	RUN(k_inside);
	RUN(k_chain);
	RUN(k_negative);
	return finish();
}
#else
#include <new>
// A switch; threads without an item exit early.
__global__ void k_material(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], kind = x % 5, r = 0;
	CCC(remap key(kind) paths(5))
	switch (kind) {
	case 0:
		for (r = x; r % 7; )
			r = mix(r);
		break;
	case 1: r = x * 3; break;
	case 2:
		r = x >> 3;
		if (x & 64)
			break;
		r = mix(r);
	case 3: r += g.in[i + 1]; break;
	default:
		for (r = ~x; r % 5; )
			r = mix(r) ^ x;
	}
	g.out[i] = r ^ x;
}

struct Surface {
	__device__ virtual unsigned shade(const int *in, unsigned x) const = 0;
};
struct Glass : Surface {
	__device__ unsigned shade(const int *in, unsigned x) const override
	{
		while (x % 6)
			x = mix(x) + in[x % 50];
		return x;
	}
};
struct Metal : Surface {
	__device__ unsigned shade(const int *in, unsigned x) const override
	{
		for (int i = 0; i < 5; i++)
			x = x * 5 + in[x % 20];
		return x;
	}
};
struct Wood : Surface {
	__device__ unsigned shade(const int *, unsigned x) const override { return x >> 1 ^ x; }
};

// Virtual functions; the thread's object is in global memory.
__global__ void k_virtual(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	long long *room = (long long *)g.out2 + i;
	const Surface *s = x % 3 == 0 ? (Surface *)new (room) Glass : x % 3 == 1 ? (Surface *)new (room) Metal : new (room) Wood;
	unsigned r = 0;
	CCC(remap key(x % 3) paths(3))
	r = s->shade(g.in, x);
	*room = 0;
	g.out[i] = r;
}

typedef unsigned (*Function)(unsigned, unsigned);
__device__ unsigned plus(unsigned a, unsigned b) { return a + mix(b); }
__device__ unsigned hash(unsigned a, unsigned b)
{
	while (a % 5)
		a = mix(a) + b;
	return a;
}
__device__ unsigned twist(unsigned a, unsigned b)
{
	for (unsigned k = 0; k < (b & 7); k++)
		a = a << 3 ^ a >> 5 ^ k;
	return a;
}
__device__ Function table[3] = { plus, hash, twist };

// Function pointers, in conditional code.
__global__ void k_table(Args g)
{
	int i = thread_id();
	unsigned x = i < g.n / 8 ? g.in[i] : 0, r = 1;
	if (x & 3) {
		CCC(remap key(x / 4 % 3))
		r = table[x / 4 % 3](x, r);
		r++;
	}
	g.per_thread[i] = r;
}

// In a loop that threads leave at different times, with values from one iteration to the next.
__global__ void k_turns(Args g)
{
	int i = thread_id();
	unsigned x = i < g.n / 8 ? g.in[i] : 0, r = x;
	for (unsigned k = 0; k < (x & 3); k++) {
		CCC(remap key((x + k) % 4) paths(4))
		if ((x + k) % 4 == 0) {
			while (r % 3)
				r = mix(r + k);
		} else {
			r = table[(x + k) % 3](r, k);
			x += r & 4;
		}
		r += k;
	}
	g.per_thread[i] = r ^ x;
}

// In a loop whose iterations all threads execute.
__global__ void k_together(Args g)
{
	int i = thread_id();
	unsigned x = g.in[i % 800], r = x;
	for (int k = 0; k < g.k; k++) {
		CCC(remap key(r & 7) paths(8))
		for (unsigned j = r & 7; j > 0; j--)
			r = mix(r) + j;
		r ^= x;
	}
	g.per_thread[i] = r;
}

// Keys that are hashed, and more values than buckets.
__global__ void k_large(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	CCC(remap key(x % 100 * 1000003) paths(7))
	for (unsigned k = x % 100; k > 0; k--)
		x = mix(x) + k;
	g.out[i] = x;
}

// Two values, which Head-or-Tail exchanges too.
__global__ void k_two_keys(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r = x;
	CCC(remap key(x & 1) paths(2))
	if (x & 1)
		while (r % 7)
			r = mix(r + 1);
	else
		r = mix(x) | 1;
	g.out[i] = r + x;
}

// The key is an address.
__global__ void k_addresses(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	Function f = table[x % 3];
	CCC(remap key(f) paths(16))
	x = f(x, 3);
	g.out[i] = x;
}

// Arithmetic, and a part of the statement that some threads bypass, with atomics.
__global__ void k_inside(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	CCC(remap key(x & 15) paths(16) threads(100))
	{
		if (x & 8)
			atomicAdd(&g.count[x & 7], x);
		for (unsigned k = 0; k < (x & 15); k++)
			g.out2[i] += mix(x + k);
		g.out[i] = g.out2[i] ^ x;
	}
}

// One exchange after the other.
__global__ void k_chain(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	double d = g.in_double[i];
	CCC(remap key(x % 3) paths(3))
	d = x % 3 ? d * 3 + x % 3 : d + 1;
	CCC(remap key((int)d % 6) paths(6))
	for (int k = 0; k < (int)d % 6; k++)
		d = d + 1;
	CCC(remap policy(partition) threads(64))
	if (x & 1)
		d = d * 2;
	else
		d = d + 5;
	g.out[i] = (unsigned)d;
}

// Negative keys.
__global__ void k_negative(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	int x = g.in[i], r = x;
	CCC(remap key(x % 4 - 2))
	while (r % 5)
		r = (int)(mix(r) >> 1);
	g.out[i] = r;
}
#endif
