// Trial of operations in paths and loops: library calls, fences, cache operators, packed arithmetic, memory ordering. STRICT: no.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <assert.h>
#ifndef KERNELS
#define KERNELS "../trial/opcodes.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(o_printf);
	RUN(o_assert);
	RUN(o_trap);
	RUN(o_malloc);
	RUN(o_memcpy);
	RUN(o_memset_struct);
	RUN(o_clock);
	RUN(o_nanosleep);
	RUN(o_fence);
	RUN(o_fence_rest);
	RUN(o_cache_hints);
	RUN(o_constant);
	RUN(o_dp4a);
	RUN(o_simd);
	RUN(o_math);
	RUN(o_double_math);
	RUN(o_integer64);
	RUN(o_virtual);
	RUN(o_function_pointer);
	RUN(o_alloca);
	RUN(o_activemask);
	RUN(o_shuffle_rest);
	RUN(o_ballot_behind);
	RUN(o_any_path);
	RUN(o_syncwarp);
	RUN(o_prefetch);
	RUN(o_isspace);
	RUN(o_byte_stores);
	RUN(o_vector_stores);
	RUN(o_atomics64);
	RUN(o_atomic_float);
	RUN(o_atomic_half);
	RUN(o_atomic_block);
	RUN(o_atomic_shared);
	RUN(o_cas_loop);
	RUN(o_fetch_and_use);
	RUN(o_funnel);
	RUN(o_wide_multiply);
	RUN(o_bitfields);
	RUN(o_bf16);
	RUN(o_sin_far);
	RUN(o_recursive_path);
	RUN(o_uninitialised_way);
	RUN(o_long_switch);
	RUN(o_shared_per_thread);
	RUN(o_volatile_shared);
	RUN(o_device_counter);
	RUN(o_static_local);
	return finish();
}
#else
#define PATH(name, ...) \
	__global__ void name(Args g) \
	{ \
		CCC(for) \
		GRID_STRIDE(i) { \
			unsigned x = g.in[i]; \
			CCC(if) \
			if (x & 4) { \
				x = heavy(x); \
				__VA_ARGS__ \
				g.out[i] = x; \
			} \
			g.out2[i] = i; \
		} \
	}
__device__ __forceinline__ unsigned heavy(unsigned x)
{
	while (x % 9)
		x = mix(x);
	return x;
}
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}

PATH(o_printf, if (x == 12345) printf("%u %d\n", x, i);)
PATH(o_assert, assert(x != 1u << 31);)
PATH(o_trap, if (x == 0xdeadbeefu) __trap();)
PATH(o_malloc, if (x == 77) { unsigned *p = (unsigned *)malloc(16); if (p) { p[1] = x; x += p[1]; free(p); } })
__global__ void o_memcpy(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned x = g.in[i];
		CCC(if)
		if (x & 4) {
			unsigned char b[12];
			memcpy(b, (const char *)(g.in + i) + (x >> 3 & 3), 8);
			x = heavy(x);
			unsigned r = 0;
			for (int k = 0; k < 8; k++)
				r = r * 31 + b[(k + x) & 7];
			g.out[i] = r;
		}
	}
}
struct Big { unsigned a[6]; double d; unsigned char c[5]; };
__global__ void o_memset_struct(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		Big b;
		memset(&b, 0, sizeof b);
		b.a[0] = g.in[i], b.d = g.in_double[i], b.c[4] = (unsigned char)i, b.a[5] = i;
		CCC(if)
		if (b.a[0] & 4) {
			const unsigned x = heavy(b.a[0]);
			g.out[i] = x + b.a[5] + (unsigned)(long long)b.d + b.c[4];
		}
	}
}
PATH(o_clock, const long long t = clock64(); if (t == 77) x++;)
PATH(o_nanosleep, __nanosleep(10);)
PATH(o_fence, g.count[0] = 1; __threadfence(); x++;)
__global__ void o_fence_rest(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4)
			g.out[i] = heavy(g.in[i]);
		__threadfence_block();
		g.out2[i] = i;
	}
}
PATH(o_cache_hints, x += __ldg(g.in + i + 1) + __ldcs(g.in + i + 2) + __ldcv(g.in + i + 3); __stcs(g.out + i, x); __stwt(g.out + i, x + 1);)
__constant__ unsigned table_of[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
PATH(o_constant, x += table_of[x & 15];)
PATH(o_dp4a, x = __dp4a((int)x, g.in[i + 1], 7); x = __dp2a_lo((int)x, (int)x, 5);)
PATH(o_simd, x = __vadd4(x, g.in[i + 1]); x = __vabsdiffu2(x, 0x12345678); x = __vmaxs4(x, 7); x ^= __vcmpgtu2(x, 0x4000);)
PATH(o_math, float f = (float)(x & 1023) * .37f; f = sinf(f) + expf(-f) + powf(f, .3f) + fmodf(f, 1.7f) + __fdividef(f, 3.f) + rsqrtf(f + 1) + erff(f); x ^= __float_as_uint(f);)
PATH(o_double_math, double d = (x & 1023) * .37; d = sin(d) + log(d + 1) + fmod(d, 1.7) + cbrt(d); x ^= (unsigned)__double_as_longlong(d);)
PATH(o_integer64, long long w = g.in64[i]; w = w / ((int)(x & 255) + 1) + w % 1000003; w ^= (long long)__umul64hi((unsigned long long)w, 0x9e3779b97f4a7c15ull); x ^= (unsigned)(w >> 9);)

struct Shape { __device__ virtual unsigned area(unsigned x) const { return x; } };
struct Square : Shape { __device__ unsigned area(unsigned x) const override { return walk(x, 7); } };
__global__ void o_virtual(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4) {
			Shape a;
			Square b;
			const Shape *s = g.in[i] & 8 ? &a : &b;
			g.out[i] = s->area(g.in[i]);
		}
	}
}
typedef unsigned (*Fun)(unsigned, unsigned);
static __device__ __noinline__ unsigned other(unsigned x, unsigned y) { return mix(x ^ y); }
__device__ Fun funs[2] = {walk, other};
__global__ void o_function_pointer(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const Fun f = funs[g.in[i] & 1];
		CCC(if)
		if (g.in[i] & 4)
			g.out[i] = f(g.in[i], 7);
	}
}
PATH(o_alloca, unsigned *p = (unsigned *)alloca(16 + (x & 31) * 4); p[x & 3] = x; x += p[x & 3];)
PATH(o_activemask, if (__activemask() == 0) x++;)
__global__ void o_shuffle_rest(Args g)
{
	const int rounds = g.n / thread_count();
	CCC(for)
	for (int k = 0; k < rounds; k++) {
		const int i = thread_id() + k * thread_count();
		CCC(if)
		if (g.in[i] & 4)
			g.out[i] = heavy(g.in[i]);
		if (block_size() % 32 == 0)
			g.out2[i] = __shfl_xor_sync(~0u, i, 1);
	}
}
__global__ void o_ballot_behind(Args g)
{
	unsigned s = 0;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4)
			s += heavy(g.in[i]);
	}
	if (block_size() % 32 == 0)
		s += __ballot_sync(~0u, s & 1);
	g.per_thread[thread_id()] = s;
}
PATH(o_any_path, x += __any_sync(__activemask(), 1);)
__global__ void o_syncwarp(Args g)
{
	CCC(for)
	for (int k = 0; k < 5; k++) {
		const int i = thread_id() + 32 * k;
		CCC(if)
		if (g.in[i] & 4)
			g.out[thread_id()] += heavy(g.in[i]);
		__syncwarp();
	}
}
PATH(o_prefetch, asm volatile("prefetch.global.L2 [%0];" :: "l"(g.in + i));)
PATH(o_isspace, x += __isGlobal(g.in + i) + 2 * __isShared(g.in);)
__global__ void o_byte_stores(Args g)
{
	unsigned char *const b = (unsigned char *)g.out;
	unsigned short *const h = (unsigned short *)g.out2;
	CCC(for)
	for (int i = thread_id(); i < 2 * g.n; i += thread_count()) {
		CCC(if)
		if (mix(i) & 4) {
			const unsigned x = heavy(mix(i));
			b[i] = (unsigned char)x;
			h[i] = (unsigned short)(x >> 8);
		}
	}
}
__global__ void o_vector_stores(Args g)
{
	CCC(for)
	for (int i = thread_id(); i < g.n / 4; i += thread_count()) {
		const float4 v = g.in4[i];
		CCC(if)
		if (g.in[i] & 4) {
			const unsigned x = heavy(g.in[i]);
			((uint4 *)g.out)[i] = make_uint4(x, __float_as_uint(v.x), __float_as_uint(v.y * v.z), x * 3);
			((uint2 *)g.out2)[2 * i] = make_uint2(__float_as_uint(v.w), x);
		}
	}
}
PATH(o_atomics64, atomicAdd((unsigned long long *)g.count, (unsigned long long)x << 20); atomicMax((long long *)g.count + 1, (long long)g.in64[i]); atomicXor((unsigned long long *)g.count + 2, (unsigned long long)x << 30);)
PATH(o_atomic_float, atomicAdd((float *)g.count, (float)(x & 15)); atomicAdd((double *)(g.count + 2), (double)(x & 31));)
PATH(o_atomic_half, atomicAdd((__half2 *)g.count + (x & 63), __floats2half2_rn(0.f, 0.f));)
PATH(o_atomic_block, atomicAdd_block(g.per_thread + thread_id(), x); atomicOr_system(g.count + 32 + (x & 31), x);)
__global__ void o_atomic_shared(Args g)
{
	__shared__ unsigned bins[64];
	for (int k = block_rank(); k < 64; k += block_size())
		bins[k] = 0;
	__syncthreads();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4)
			atomicAdd(bins + (heavy(g.in[i]) & 63), 1);
	}
	__syncthreads();
	for (int k = block_rank(); k < 64; k += block_size())
		atomicAdd(g.count + k, bins[k]);
}
__global__ void o_cas_loop(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4) {
			const unsigned x = heavy(g.in[i]);
			unsigned old = g.count[x & 7], seen;
			while ((seen = atomicCAS(g.count + (x & 7), old, max(old, x))) != old)
				old = seen;
		}
	}
}
// Slots: their contents form a set.
__global__ void o_fetch_and_use(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4) {
			const unsigned x = heavy(g.in[i]), slot = atomicAdd(g.count, 1);
			g.out[slot] = 1;
			atomicXor(g.count + 1, x);
			g.out2[i] = slot - slot + x;
		}
	}
}
PATH(o_funnel, x = __funnelshift_l(x, g.in[i + 1], x & 63) ^ __funnelshift_rc(x, 7, x >> 3); x = __byte_perm(x, i, x & 0x7777); x = __brev(x) + __ffs(x) + __clzll(x);)
PATH(o_wide_multiply, const unsigned __int128 w = (unsigned __int128)g.in64[i] * x + x; x = (unsigned)(w >> 70) ^ (unsigned)w; x += __mulhi((int)x, 77) + __mul24(x, 9) + __usad(x, 5, 7);)
struct Bits { unsigned a : 5, b : 11, c : 16; };
__global__ void o_bitfields(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		Bits b = {(unsigned)i, (unsigned)g.in[i] >> 3, 7};
		CCC(if)
		if (g.in[i] & 4) {
			b.b += heavy(g.in[i]);
			b.c = b.a * b.b;
			g.out[i] = b.c << 16 | b.b;
		}
		g.out2[i] = b.a;
	}
}
__global__ void o_bf16(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const __nv_bfloat16 b = __float2bfloat16((float)(g.in[i] & 127));
		const __nv_bfloat162 p = __halves2bfloat162(b, b);
		const __half h = __ushort_as_half((unsigned short)(g.in[i] & 0x3fff));
		CCC(if)
		if (g.in[i] & 4) {
			const unsigned x = heavy(g.in[i]);
			g.out[i] = x + (unsigned)__bfloat162float(__hmul(b, b)) + (unsigned)__low2float(__hadd2(p, p)) + __half_as_ushort(__hadd(h, h));
		}
	}
}
PATH(o_sin_far, const float f = (float)x * 3e5f; x ^= __float_as_uint(sinf(f) * cosf(f));)
__device__ __noinline__ unsigned deep(unsigned x, int n) { return n <= 0 ? x : deep(mix(x), n - 1) + deep(x + 1, n - 2); }
PATH(o_recursive_path, x += deep(x, 3);)
__global__ void o_uninitialised_way(Args g)
{
	unsigned keep;
	CCC(for)
	GRID_STRIDE(i) {
		if (i == thread_id())
			keep = g.in[i];
		CCC(if)
		if (g.in[i] & 4)
			g.out[i] = heavy(g.in[i]) + keep;
	}
}
__global__ void o_long_switch(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		CCC(switch paths(6))
		switch (x % 12) {
		case 0: g.out[i] = walk(x, 3); break;
		case 1: g.out[i] = walk(x, 5); break;
		case 2: g.out[i] = walk(x, 7); break;
		case 3: g.out[i] = walk(x, 9); break;
		case 4: g.out[i] = walk(x, 11);
		case 5: g.out2[i] = walk(x, 13); break;
		case 6: g.out2[i] = walk(x, 15); break;
		case 7: break;
		case 8: case 9: g.out2[i] = walk(x, 17); break;
		default: g.out2[i] = 1;
		}
	}
}
__global__ void o_shared_per_thread(Args g)
{
	__shared__ unsigned own[256];
	if (block_size() > 256)
		return;
	CCC(for)
	GRID_STRIDE(i) {
		own[block_rank()] = g.in[i];
		CCC(if)
		if (g.in[i] & 4)
			g.out[i] = heavy(g.in[i]);
		g.out2[i] = own[block_rank()];
	}
}
__global__ void o_volatile_shared(Args g)
{
	__shared__ volatile unsigned own[1024];
	own[block_rank()] = thread_id();
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4)
			g.out[i] = heavy(g.in[i]) + own[block_rank()];
	}
}
__device__ unsigned done_count;
__global__ void o_device_counter(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4) {
			g.out[i] = heavy(g.in[i]);
			atomicAdd(&done_count, 1);
		}
	}
}
__global__ void o_static_local(Args g)
{
	static __device__ unsigned counter;
	CCC(for)
	GRID_STRIDE(i) {
		CCC(if)
		if (g.in[i] & 4) {
			atomicAdd(&counter, 1u);
			g.out[i] = heavy(g.in[i]);
		}
	}
}
#endif
// SPDX-License-Identifier: MIT
