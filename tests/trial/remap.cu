// Trial of `remap`: sets of arriving threads, and live-outs. STRICT: no, some are refused.
#include <cuda_fp16.h>
#ifndef KERNELS
#define KERNELS "../trial/remap.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(m_partition);
	RUN(m_hot);
	RUN(m_dgi);
	RUN(m_continue_break);
	RUN(m_break_before);
	RUN(m_break_inside);
	RUN(m_return_inside);
	RUN(m_return_before_in_loop);
	RUN(m_results);
	RUN(m_results_packed);
	RUN(m_nested);
	RUN(m_switch);
	RUN(m_side_effects_in_test);
	RUN(m_array);
	RUN(m_array_out);
	RUN(m_volatile);
	RUN(m_uniform_if);
	RUN(m_divergent_if);
	RUN(m_atomics_out);
	RUN(m_two_in_row);
	RUN(m_two_of_many);
	RUN(m_barrier_behind);
	RUN(m_barrier_before);
	RUN(m_static_shared);
	RUN(m_once_a_block);
	RUN(m_swap);
	RUN(m_thread_behind);
	RUN(m_carry);
	RUN(m_half);
	RUN(m_calls_out);
	RUN(m_many_live);
	RUN(m_uninitialised);
	RUN(m_uneven_loop);
	RUN(m_nested_loops);
	RUN(m_loop_return_some);
	RUN(m_in_function);
	RUN(m_dense_else_if);
	RUN(m_predicates_kept);
	RUN(m_const_branch);
	RUN(m_hot_results);
	RUN(m_dgi_eight);
	RUN(m_dgi_loop);
	RUN(m_hot_loop);
	RUN(m_constant_results);
	RUN(m_do_while);
	RUN(m_lane_reads);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

#define CHAIN(name, clause) \
	__global__ void name(Args g) \
	{ \
		const int i = thread_id(); \
		if (i >= g.n / 8) \
			return; \
		unsigned x = g.in[i], r = i; \
		CCC(remap clause) \
		if (x % 3 == 0) \
			r = walk(x, 7) + threadIdx.x; \
		else if (x % 3 == 1) \
			g.out2[i] = walk(x, 9); \
		else \
			r += walk(x, 11) ^ i; \
		g.out[i] = r; \
	}
CHAIN(m_partition, policy(partition))
CHAIN(m_hot, policy(hot))
CHAIN(m_dgi, policy(dgi))

__global__ void m_continue_break(Args g)
{
	unsigned s = 0;
	for (int k = 0; k < g.k + 2; k++) {
		const unsigned x = g.in[(thread_id() + k * 31) % 800];
		if (x % 7 == 1)
			continue;
		if (x % 7 == 2)
			break;
		CCC(remap)
		if (x & 4)
			s += walk(x + k, 7);
		else
			s = walk(s + k, 5) + 1;
		if (s % 13 == 1)
			break;
		if (s % 13 == 2)
			continue;
		s = mix(s);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void m_break_before(Args g)
{
	unsigned s = thread_id();
	for (int k = 0; k < g.k + 3; k++) {
		s = mix(s + k);
		if (s % 5 == 0)
			break;
		CCC(remap)
		if (s & 1)
			s = walk(s, 7);
		else
			g.count[0] = 0;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void m_break_inside(Args g)
{
	unsigned s = thread_id();
	for (int k = 0; k < g.k + 3; k++) {
		s = mix(s + k);
		CCC(remap)
		if (s & 1) {
			s = walk(s, 7);
			if (s % 5 == 0)
				break;
		} else {
			s = walk(s, 5);
		}
	}
	g.per_thread[thread_id()] = s;
}

__global__ void m_return_inside(Args g)
{
	unsigned s = g.in[thread_id() % 800];
	CCC(remap)
	if (s & 1) {
		s = walk(s, 7);
		if (s % 5 == 0)
			return;
	} else {
		s = walk(s, 5);
	}
	g.per_thread[thread_id()] = s;
}

__global__ void m_return_before_in_loop(Args g)
{
	unsigned s = thread_id();
	for (int k = 0; k < g.k + 3; k++) {
		s = mix(s + k);
		if (s % 9 == 0) {
			g.per_thread[thread_id()] = k + 1000;
			return;
		}
		CCC(remap)
		if (s & 1)
			s = walk(s, 7);
		else if (s & 2)
			s = walk(s, 5) + 3;
		g.per_thread[thread_id()] = s;
	}
	g.per_thread[thread_id()] += s;
}

__global__ void m_results(Args g)
{
	const int i = thread_id();
	unsigned char c = (unsigned char)g.in[i % 800];
	short h = (short)(g.in[i % 800] >> 3);
	long long w = g.in64[i % 800];
	double d = g.in_double[i % 800];
	float f = g.in4[i % 800].x;
	bool b = c & 1, e = h & 2;
	CCC(remap)
	if (w & 8) {
		c = (unsigned char)(c * 3), h = (short)(h - c), w ^= h;
		b = !b;
		d = d * 2 + c;
	} else if (w & 16) {
		f = f * 0.5f + h;
		e = b != e;
		w = (long long)(w * 5);
	} else {
		c = (unsigned char)(c + h), d -= f, b = e;
		h = (short)walk(h, 3);
	}
	g.per_thread[i] = (unsigned)w + (unsigned)(w >> 32) + c * 3 + h * 5 + b * 7 + e * 11 + __float_as_uint(f) + (unsigned)(long long)d;
}

struct alignas(16) Packed { unsigned a, b; float c, d; };
__global__ void m_results_packed(Args g)
{
	const int i = thread_id();
	float4 v = g.in4[i % 800], u = make_float4(1, 2, 3, 4);
	Packed p = {1, 2, 3.f, 4.f};
	CCC(remap)
	if (v.x > v.y) {
		u = g.in4[(i + 1) % 800];
		p.a = walk((unsigned)v.x, 5);
	} else {
		u.y = v.z;
		p = Packed{walk((unsigned)v.y, 6), 5, v.w, 1.f};
	}
	g.per_thread[i] = __float_as_uint(u.x + u.y * 2 + u.z * 3 + u.w * 4) ^ p.a ^ p.b ^ __float_as_uint(p.c + p.d);
}

__global__ void m_nested(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800];
	CCC(remap)
	if (x & 1) {
		CCC(remap)
		if (x & 2)
			x = walk(x, 5);
		else
			x = walk(x, 7) + i;
	} else {
		CCC(remap)
		if (x & 4)
			x = walk(x, 9);
	}
	g.per_thread[i] = x;
}

__global__ void m_switch(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], r = 0;
	CCC(remap)
	if (x % 4 == 0) {
		switch (x / 4 % 5) {
		case 0: r += 3;
		case 1: r = walk(x, 5); break;
		case 2: r ^= 7;
		default: r += x; break;
		case 4: goto out;
		}
		r++;
	out:
		r += 2;
	} else if (x % 4 == 1) {
		r = walk(x, 6);
	}
	g.per_thread[i] = r;
}

__global__ void m_side_effects_in_test(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], r = 0;
	CCC(remap)
	if (atomicAdd(g.count + 1, 1), x % 4 == 0)
		r = walk(x, 5);
	else if (atomicAdd(g.count + 2, 1), x % 4 == 1)
		r = walk(x, 6);
	else if (atomicAdd(g.count + 3, r + 1), x % 4 == 3)
		r = walk(x, 7);
	g.per_thread[i] = r;
}

__global__ void m_array(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], r = 0;
	CCC(remap)
	if (x & 1) {
		unsigned a[8];
		for (int k = 0; k < 8; k++)
			a[k] = mix(x + k);
		for (int k = 0; k < 8; k++)
			r += a[a[k] & 7] * k;
	} else {
		r = walk(x, 7);
	}
	g.per_thread[i] = r;
}

__global__ void m_array_out(Args g)
{
	const int i = thread_id();
	unsigned a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	unsigned x = g.in[i % 800];
	CCC(remap)
	if (x & 1)
		a[x >> 4 & 7] = walk(x, 5);
	else
		a[x >> 5 & 7] += walk(x, 7);
	g.per_thread[i] = a[x >> 4 & 7] + a[x >> 9 & 7];
}

__global__ void m_volatile(Args g)
{
	const int i = thread_id();
	volatile unsigned *p = g.per_thread + i;
	unsigned x = g.in[i % 800];
	*p = x;
	CCC(remap)
	if (x & 1)
		*p += walk(x, 5);
	else
		*p ^= walk(x, 7);
	*p += 1;
}

__global__ void m_uniform_if(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800];
	if (g.in[blockIdx.x] & 1) {
		CCC(remap)
		if (x & 1)
			x = walk(x, 5);
		else
			x = walk(x, 7);
	}
	g.per_thread[i] = x;
}

__global__ void m_divergent_if(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800];
	if (x & 8) {
		x++;
		CCC(remap)
		if (x & 1)
			x = walk(x, 5);
		else
			x = walk(x, 7);
		x *= 3;
	} else {
		x = mix(x);
	}
	g.per_thread[i] = x;
}

__global__ void m_atomics_out(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], old = 0;
	CCC(remap)
	if (x & 1)
		old = atomicExch(g.out + i, walk(x, 5));
	else
		old = atomicCAS(g.out2 + i, 0, walk(x, 7)) + 1;
	g.per_thread[i] = old + g.out[i] + g.out2[i];
}

__global__ void m_two_in_row(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800];
	CCC(remap)
	if (x & 1)
		x = walk(x, 5);
	else
		x = walk(x, 7) + 1;
	CCC(remap)
	if (x & 2)
		x = walk(x, 9);
	else
		x = walk(x, 11) + i;
	g.per_thread[i] = x;
}

// Only two threads of the block arrive.
__global__ void m_two_of_many(Args g)
{
	const int i = thread_id();
	if (block_rank() != 0 && block_rank() != block_size() - 1)
		return;
	unsigned x = g.in[i % 800];
	CCC(remap)
	if (x & 1)
		x = walk(x, 5);
	else
		x = walk(x, 7) + 1;
	g.per_thread[i] = x;
}

__global__ void m_barrier_behind(Args g)
{
	__shared__ unsigned tile[1024];
	const int i = thread_id();
	unsigned x = g.in[i % 800];
	CCC(remap)
	if (x & 1)
		x = walk(x, 5);
	else
		x = walk(x, 7) + 1;
	tile[block_rank()] = x;
	__syncthreads();
	g.per_thread[i] = tile[block_size() - 1 - block_rank()];
}

__global__ void m_barrier_before(Args g)
{
	__shared__ unsigned tile[1024];
	const int i = thread_id();
	tile[block_rank()] = g.in[i % 800];
	__syncthreads();
	unsigned x = tile[block_size() - 1 - block_rank()];
	CCC(remap)
	if (x & 1)
		x = walk(tile[(block_rank() + 1) % block_size()], 5);
	else
		x = walk(x, 7) + 1;
	g.per_thread[i] = x;
}

// Each thread's own word of shared memory, read by the thread that runs the task.
__global__ void m_static_shared(Args g)
{
	__shared__ unsigned own[1024];
	const int i = thread_id();
	own[block_rank()] = g.in[i % 800];
	unsigned x = own[block_rank()];
	CCC(remap)
	if (x & 1)
		own[block_rank()] += walk(x, 5);
	else
		x = walk(own[block_rank()], 7) + 1;
	g.per_thread[i] = own[block_rank()] + x;
}

__global__ void m_once_a_block(Args g)
{
	const int i = thread_id();
	CCC(remap)
	if (block_rank() == 0)
		g.per_thread[i] = walk(i, 5);
	else if (block_rank() == 31)
		g.per_thread[i] = walk(i, 7);
	else
		g.per_thread[i] = 5;
}

__global__ void m_swap(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], y = g.in[(i + 1) % 800], z = x ^ y;
	CCC(remap)
	if (x & 1) {
		const unsigned t = x;
		x = y, y = t;
	} else if (x & 2) {
		const unsigned t = x;
		x = y, y = z, z = t;
	} else {
		z = walk(z, 5);
	}
	g.per_thread[i] = x + 3 * y + 5 * z;
}

__global__ void m_thread_behind(Args g)
{
	unsigned x = g.in[thread_id() % 800];
	CCC(remap)
	if (x & 1)
		x = walk(x + threadIdx.x, 5) + blockIdx.x;
	else
		x = walk(x, 7) + (threadIdx.y << 8) + threadIdx.z;
	unsigned lane;
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	g.per_thread[thread_id()] = x + lane * 1000 + threadIdx.x;
}

__global__ void m_carry(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], lo, hi = 0;
	asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(lo) : "r"(x * 5), "r"(x));
	asm volatile("addc.u32 %0, %1, 0;" : "=r"(hi) : "r"(hi));
	CCC(remap)
	if (x & 1)
		asm volatile("sub.cc.u32 %0, %1, %2;\n\tsubc.u32 %3, 0, 0;" : "=r"(lo), "+r"(x), "+r"(lo), "=r"(hi));
	else
		lo = walk(x, 7);
	g.per_thread[i] = lo + hi;
}

__global__ void m_half(Args g)
{
	const int i = thread_id();
	__half h = __float2half((float)(g.in[i % 800] & 63));
	__half2 p = __float2half2_rn((float)(g.in[i % 800] >> 6 & 63));
	CCC(remap)
	if (g.in[i % 800] & 1)
		h = __hmul(h, __float2half(3.f)), p = __hadd2(p, p);
	else
		p = __hmul2(p, __half2half2(h)), h = __hneg(h);
	g.per_thread[i] = (unsigned)(int)__half2float(h) + (unsigned)(int)__low2float(p) * 7;
}

__device__ __noinline__ void outs(unsigned x, unsigned *a, unsigned *b) { *a = x * 3, *b = mix(x); }
__global__ void m_calls_out(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], a = 1, b = 2;
	CCC(remap)
	if (x & 1)
		outs(x, &a, &b);
	else
		outs(walk(x, 5), &b, &a);
	g.per_thread[i] = a + 5 * b;
}

__global__ void m_many_live(Args g)
{
	const int i = thread_id();
	unsigned v[24];
	for (int k = 0; k < 24; k++)
		v[k] = mix(g.in[i % 800] + k);
	CCC(remap threads(128))
	if (v[0] & 1)
		for (int k = 0; k < 24; k++)
			v[k] += v[(k + 1) % 24];
	else
		for (int k = 0; k < 24; k += 2)
			v[k] ^= v[23 - k] * 5;
	unsigned r = 0;
	for (int k = 0; k < 24; k++)
		r = r * 31 + v[k];
	g.per_thread[i] = r;
}

// r is undefined on one path, and not read there.
__global__ void m_uninitialised(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], r;
	const bool set = x & 1;
	CCC(remap)
	if (set)
		r = walk(x, 5);
	else
		g.out2[i] = walk(x, 7);
	if (set)
		g.per_thread[i] = r;
}

__global__ void m_uneven_loop(Args g)
{
	unsigned s = thread_id();
	for (int k = 0; k < (int)(mix(thread_id()) % 5); k++) {
		CCC(remap)
		if (s & 1)
			s = walk(s, 7) + k;
		else
			s = walk(s, 5) ^ k;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void m_nested_loops(Args g)
{
	unsigned s = thread_id();
	for (int j = 0; j < (int)(mix(thread_id() + 1) % 3); j++) {
		s += j;
		for (int k = 0; k < (int)(mix(thread_id() + j) % 4); k++) {
			CCC(remap)
			if (s & 1)
				s = walk(s, 7) + k;
			else
				s = walk(s, 5) ^ k;
			if (s % 17 == 3)
				goto out;
		}
	}
out:
	g.per_thread[thread_id()] = s;
}

__global__ void m_loop_return_some(Args g)
{
	unsigned s = thread_id();
	if (g.in[thread_id() % 800] % 5 == 0)
		return;
	for (int k = 0; k < g.k + 1; k++) {
		if (g.in[(thread_id() + k) % 800] % 11 == 0)
			return;
		CCC(remap)
		if (s & 1)
			s = walk(s, 7) + k;
		else if (s & 2)
			s = walk(s, 5) ^ k;
		else
			s = mix(s);
		g.per_thread[thread_id()] = s;
	}
	if (s & 4)
		return;
	g.out[thread_id()] = s;
}

__device__ __noinline__ unsigned remapped(unsigned x)
{
	CCC(remap)
	if (x & 1)
		x = walk(x, 5);
	else
		x = walk(x, 7) + 1;
	return x;
}
__global__ void m_in_function(Args g)
{
	g.per_thread[thread_id()] = remapped(g.in[thread_id() % 800]);
}

__global__ void m_dense_else_if(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], r = 0;
	CCC(remap)
	if (x % 16 == 0) r = walk(x, 3);
	else if (x % 16 == 1) r = walk(x, 5);
	else if (x % 16 == 2) r = walk(x, 7);
	else if (x % 16 == 3) r = walk(x, 9);
	else if (x % 16 == 4) r = walk(x, 11);
	else if (x % 16 == 5) r = walk(x, 13);
	else if (x % 16 == 6) r = walk(x, 15);
	else if (x % 16 == 7) r = walk(x, 17);
	else if (x % 16 == 8) r = walk(x, 19);
	else if (x % 16 == 9) r = walk(x, 21);
	g.per_thread[i] = r;
}

__global__ void m_predicates_kept(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800];
	const bool a = x & 8, b = x & 16, c = x % 3 == 0, d = x % 5 == 0;
	CCC(remap)
	if (a != b)
		x = walk(x, 5) + (c ? 3 : 7);
	else
		x = (c || d ? walk(x, 7) : mix(x));
	g.per_thread[i] = x + a + 2 * b + 4 * c + 8 * d;
	if (c && !d)
		g.out[i] = x;
}

__global__ void m_const_branch(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800];
	CCC(remap)
	if (g.k > 100)
		x = walk(x, 5);
	else
		x = walk(x, 7) + 1;
	g.per_thread[i] = x;
}

__global__ void m_hot_results(Args g)
{
	const int i = thread_id();
	double d = g.in_double[i % 800];
	bool b = false;
	unsigned x = g.in[i % 800];
	CCC(remap policy(hot))
	if (x & 3) {
		d = d * 3 + walk(x, 5);
		b = (x >> 4) & 1;
	} else {
		x = walk(x, 9);
		d = -d;
	}
	g.per_thread[i] = (unsigned)(long long)d + x + b;
}

__global__ void m_dgi_eight(Args g)
{
	const int i = thread_id();
	unsigned x = i < g.n ? (unsigned)g.in[i] : 3, r = x;
	CCC(remap policy(dgi))
	if (x % 9 == 0) r = walk(x, 3);
	else if (x % 9 == 1) r = walk(x, 5) + i;
	else if (x % 9 == 2) r = walk(x, 7) + threadIdx.x;
	else if (x % 9 == 4) r = walk(x, 9) ^ i;
	else if (x % 9 == 5) r += 7;
	else if (x % 9 == 6) r = walk(x, 11);
	else if (x % 9 == 7) g.out2[i] = walk(x, 13);
	g.per_thread[i] = r;
}

__global__ void m_dgi_loop(Args g)
{
	unsigned s = 0;
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned x = g.in[i];
		CCC(remap policy(dgi))
		if (x % 3 == 0)
			x = walk(x, 5);
		else if (x % 3 == 1)
			x = walk(x, 7) + s;
		s += x;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void m_hot_loop(Args g)
{
	unsigned s = 0;
	for (int i = thread_id(); i < g.n; i += thread_count()) {
		unsigned x = g.in[i];
		if (x % 11 == 0)
			continue;
		CCC(remap policy(hot))
		if (x & 1)
			x = walk(x, 5);
		else
			x = walk(x, 7) + s;
		s += x;
		if (s % 19 == 0)
			break;
	}
	g.per_thread[thread_id()] = s;
}

__global__ void m_constant_results(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], r, q;
	CCC(remap)
	if (x & 1) {
		r = 3, q = walk(x, 5);
	} else {
		r = 5, q = 0;
		g.out2[i] = walk(x, 7);
	}
	g.per_thread[i] = r * q + r;
}

__global__ void m_do_while(Args g)
{
	unsigned s = thread_id(), n = 0;
	do {
		CCC(remap)
		if (s & 1)
			s = walk(s, 7) + n;
		else
			s = mix(s);
		n++;
	} while (s % 4 && n < 9);
	g.per_thread[thread_id()] = s + n;
}

// The special registers of the lane that runs the task differ from those of the owner.
__global__ void m_lane_reads(Args g)
{
	const int i = thread_id();
	unsigned x = g.in[i % 800], r = 0;
	CCC(remap)
	if (x & 1) {
		unsigned lane, mask, warp = block_rank() / 32;
		asm("mov.u32 %0, %%laneid;" : "=r"(lane));
		asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
		r = lane + mix(mask) + warp;
	} else {
		r = walk(x, 7);
	}
	g.per_thread[i] = r;
}
#endif
// SPDX-License-Identifier: MIT
