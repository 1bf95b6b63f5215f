// SPDX-License-Identifier: MIT
// Branches before which the threads of a block exchange work. STRICT: no, the tasks fit only for smaller blocks, and ptxccc says so.
#ifndef KERNELS
#define KERNELS "remap.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_two);
	RUN(k_if);
	RUN(k_chain);
	RUN(k_kept);
	RUN(k_types);
	RUN(k_predicates);
	RUN(k_threads);
	RUN(k_eight);
	RUN(k_together);
	RUN(k_turns);
	RUN(k_steps);
	RUN(k_after_return);
	RUN(k_twice);
	RUN(k_tile);
	RUN(k_calls);
	RUN(k_atomics);
	RUN(k_order);
	RUN(k_agree);
	RUN(k_bounds);
	RUN(k_end);
	return finish();
}
#else
// Threads without an item exit early.
__global__ void k_two(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], r;
	CCC(remap)
	if (x & 1) {
		r = x;
		while (r % 7)
			r = mix(r + 1);
	} else {
		r = mix(x) | 1;
		while (r % 9)
			r = mix(r) + x;
	}
	g.out[i] = r + x;
	g.per_thread[i] = r;
}

// One path, and threads that do not take it.
__global__ void k_if(Args g)
{
	int i = thread_id();
	CCC(remap)
	if (i < g.n && wants(g, i)) {
		unsigned x = g.in[i];
		while (x % 11)
			x = mix(x) + i;
		g.out[i] = x;
	}
}

__global__ void k_chain(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8 || g.in[i] % 13 == 1)
		return;
	unsigned x = g.in[i], r = 5;
	CCC(remap)
	if (x % 5 == 0)
		r = mix(x);
	else if (g.in[i + 1] & 1)
		for (r = x; r % 5; r = mix(r) + g.in[i + 2])
			;
	else if ((x >> 8) % 3) {
		r = __popc(x);
		g.out2[i] = r * 3;
	}
	g.out[i] = r;
}

// Paths that may leave their live-outs unchanged.
__global__ void k_kept(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i], a = x * 3, b = x * 5, c = x * 7;
	CCC(remap)
	if (x & 1) {
		if (x & 2)
			a = mix(a);
		b += g.in[i + 1];
	} else {
		while (c % 6)
			c = mix(c);
		if (c & 64)
			b = a;
	}
	g.out[i] = a ^ b;
	g.out2[i] = c - a;
}

__global__ void k_types(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	long long w = g.in64[i];
	double d = g.in_double[i];
	float4 v = g.in4[i];
	unsigned char byte = (unsigned char)g.in[i];
	unsigned short half = (unsigned short)(g.in[i] >> 8);
	CCC(remap)
	if (w & 4) {
		w = w * 3 + byte;
		d = d * 0.5 + v.x;
		half = (unsigned short)(half * 5 + byte);
		v.z += v.w;
	} else {
		w -= half;
		d += (double)w * 0.25;
		byte = (unsigned char)(byte ^ 0x5a);
		v.y *= v.x;
	}
	g.out[i] = (unsigned)w ^ (unsigned)(w >> 32) ^ byte ^ (unsigned)half << 8;
	g.out2[i] = __float_as_uint((float)d) ^ __float_as_uint(v.x + v.y) ^ __float_as_uint(v.z);
}

__global__ void k_predicates(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	bool odd = (x & 1) != 0, big = g.in[i + 1] > 0, three = x % 3 == 0, found = false;
	unsigned r = 0;
	CCC(remap)
	if ((x & 6) == 2) {
		for (unsigned k = 0; k < (x & 15); k++) {
			r += odd ? mix(k) : k;
			found = found || r % 5 == 1;
		}
		big = big != found;
	} else {
		r = big && !three ? x : mix(x);
		found = r & 8;
	}
	g.out[i] = r + (big ? 1u << 20 : 0) + (found ? 1u << 21 : 0) + odd;
}

// A path reads its owner's index.
__global__ void k_threads(Args g)
{
	int i = thread_id();
	CCC(remap)
	if (g.in[i] & 1) {
		if (i < g.n)
			g.out[i] = threadIdx.x * 3 + threadIdx.y * 7 + threadIdx.z;
		g.per_thread[i] = (threadIdx.x & 31) + blockIdx.x;
	} else {
		g.per_thread[i] = mix(threadIdx.x) + (unsigned)thread_id();
	}
}

__global__ void k_eight(Args g)
{
	int i = thread_id();
	unsigned x = i < g.n ? (unsigned)g.in[i] : 0, p = x % 9, r = x;
	CCC(remap)
	if (p == 0)
		r = mix(x) + 1;
	else if (p == 1)
		r = mix(x + 1) * 3;
	else if (p == 2)
		r = mix(x + 2) ^ 77;
	else if (p == 3)
		while (r % 4)
			r = mix(r);
	else if (p == 4)
		while (r % 5)
			r = mix(r);
	else if (p == 5)
		r = __brev(x);
	else if (p == 6)
		r = __clz(x) + g.k;
	else if (p == 7)
		r = x / (g.k + 1);
	if (i < g.n)
		g.out[i] = r;
}

// A loop that all threads of the block leave at once, and that contains barriers.
__global__ void k_together(Args g)
{
	__shared__ unsigned tile[1024];
	unsigned s = 0;
	for (int first = blockIdx.x * block_size(); first < g.n; first += thread_count()) {
		int i = min(first + block_rank(), g.n - 1);
		tile[block_rank()] = g.in[i];
		__syncthreads();
		unsigned x = tile[block_size() - 1 - block_rank()], r = x;
		CCC(remap)
		if (x & 4)
			while (r % 3)
				r = mix(r) + first;
		else
			r = mix(r) + tile[block_rank()];
		s += r;
		g.out2[first] = first;
		__syncthreads();
	}
	g.per_thread[thread_id()] = s;
}

// Threads leave the loop at different times.
__global__ void k_turns(Args g)
{
	unsigned s = thread_id();
	for (int i = thread_id(); i < g.n; i += thread_count() + (i & 1)) {
		unsigned x = g.in[i] + s;
		CCC(remap)
		if (x % 3 == 0)
			while (x % 7)
				x = mix(x) + i;
		else if (x % 3 == 1)
			x = mix(x);
		s += x;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void k_steps(Args g)
{
	int i = thread_id();
	unsigned s = i;
	for (int step = 0; step < g.k + 3; step++) {
		if (i + step < g.n / 8) {
			unsigned x = g.in[i + step] + s;
			CCC(remap threads(64))
			if (x & 2)
				while (x % 5)
					x = mix(x) + step;
			else
				x = mix(x ^ step);
			s = x;
		}
		s++;
	}
	g.per_thread[i] = s;
}

__global__ void k_after_return(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned s = g.in[i];
	for (int step = 0; step < g.k + 2; step++) {
		unsigned x = s + step;
		CCC(remap)
		if (x & 2)
			while (x % 5)
				x = mix(x) + step;
		else if (x & 1)
			x = mix(x ^ step);
		s = x;
		if (s % 31 == 3)
			break;
	}
	g.out[i] = s;
}

__global__ void k_twice(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	CCC(remap)
	if (x & 1)
		x = mix(x);
	else
		while (x % 3)
			x = mix(x);
	if (x % 7 == 2)
		return;
	CCC(remap)
	if (x & 8)
		while (x % 5)
			x = mix(x) + i;
	else
		x += 3;
	g.out[i] = x;
}

// Barriers before and after, shared memory read in a path.
__global__ void k_tile(Args g)
{
	__shared__ unsigned tile[1024], back[1024];
	int i = thread_id(), t = block_rank();
	tile[t] = g.in[i];
	__syncthreads();
	unsigned x = tile[(t + 1) % block_size()];
	CCC(remap)
	if (x & 1)
		back[t] = mix(x) + tile[t];
	else
		back[t] = x / 3;
	__syncthreads();
	g.out[i] = back[(t + 5) % block_size()];
}

__noinline__ __device__ unsigned work(const int *in, unsigned x)
{
	while (x % 6)
		x = mix(x) + in[x % 50];
	return x;
}

__global__ void k_calls(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	CCC(remap)
	if (x & 1)
		x = work(g.in, x);
	else
		x = work(g.in + 1, x + 1) + 1;
	g.out[i] = x;
}

__global__ void k_atomics(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	CCC(remap)
	if (x & 1)
		atomicAdd(&g.count[x & 63], mix(x));
	else if (x & 2)
		atomicMax(&g.count[x & 31], x);
}

// A path reads what its thread wrote before, and the thread reads after it what the path wrote.
__global__ void k_order(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	volatile unsigned *out = g.out;
	out[i] = g.in[i];
	CCC(remap)
	if (out[i] & 1) {
		out[i] = mix(out[i]);
		g.out2[i] = out[i] + 1;
	} else {
		g.out2[i] = out[i] * 3;
		out[i] = 7;
	}
	g.per_thread[i] = out[i] + g.out2[i];
}

// Warps, or whole blocks, whose threads all take the same path.
__global__ void k_agree(Args g)
{
	int i = thread_id();
	unsigned x = g.in[i], r;
	CCC(remap)
	if ((x + block_rank() / 32 + blockIdx.x) % 5 < (g.k & 1 ? 0 : 5))
		r = mix(x);
	else
		r = mix(x) + 1;
	CCC(remap)
	if (block_rank() / 32 & 1)
		r = mix(r);
	else
		r ^= 3;
	g.per_thread[i] = r;
}

__global__ void __launch_bounds__(64) k_bounds(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	CCC(remap policy(partition))
	if (x & 1)
		while (x % 3)
			x = mix(x);
	else
		x = mix(x) * 3;
	g.out[i] = x;
}

// No code follows the branch.
__global__ void k_end(Args g)
{
	int i = thread_id();
	if (i >= g.n / 8)
		return;
	unsigned x = g.in[i];
	CCC(remap)
	if (x & 1) {
		while (x % 3)
			x = mix(x);
		g.out[i] = x;
	} else {
		g.out2[i] = mix(x) * 3;
	}
}
#endif
