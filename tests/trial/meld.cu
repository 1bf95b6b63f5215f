// Trial of `distribute`, and of `predict` on calls: arms of different shapes, types, operations. STRICT: no, some are refused.
#include <cuda_fp16.h>
#ifndef KERNELS
#define KERNELS "../trial/meld.cu"
#include "../gpu/gpu_test.cuh"
int main()
{
	RUN(d_plain);
	RUN(d_types);
	RUN(d_swap);
	RUN(d_commuted);
	RUN(d_atomics);
	RUN(d_atomic_kinds);
	RUN(d_calls);
	RUN(d_calls_other);
	RUN(d_loops);
	RUN(d_loop_nest);
	RUN(d_break);
	RUN(d_return);
	RUN(d_continue);
	RUN(d_one_longer);
	RUN(d_shared_global);
	RUN(d_volatile);
	RUN(d_vectors);
	RUN(d_bytes);
	RUN(d_predicates);
	RUN(d_nested);
	RUN(d_chain);
	RUN(d_asm);
	RUN(d_carry);
	RUN(d_local);
	RUN(d_local_two);
	RUN(d_store_order);
	RUN(d_load_after_store);
	RUN(d_select);
	RUN(d_switches);
	RUN(d_halves);
	RUN(d_doubles);
	RUN(d_unused_result);
	RUN(d_division);
	RUN(d_both_read_written);
	RUN(d_in_path);
	RUN(d_in_loop_uniform);
	RUN(d_const_operands);
	RUN(d_index_of_array);
	RUN(d_three_stores);
	RUN(d_compare_kinds);
	RUN(p_calls);
	RUN(p_calls_loop);
	RUN(p_calls_nested);
	RUN(p_calls_args);
	return finish();
}
#else
static __device__ __noinline__ unsigned walk(unsigned s, unsigned until)
{
	while (s % until)
		s = mix(s);
	return s;
}
static __device__ __noinline__ unsigned step2(unsigned s, unsigned until) { return mix(s * until) + 1; }
#define PER_THREAD \
	const int t = thread_id(), i = t % 800; \
	unsigned x = g.in[i];

__global__ void d_plain(Args g)
{
	PER_THREAD
	unsigned r;
	CCC(distribute)
	if (x & 1) {
		r = mix(x * 3 + 1);
		r = mix(r ^ 5);
	} else {
		r = mix(x * 5 + 7);
		r = mix(r ^ 9);
	}
	g.per_thread[t] = r;
}

__global__ void d_types(Args g)
{
	PER_THREAD
	float f = g.in4[i].x;
	double d = g.in_double[i];
	CCC(distribute)
	if (x & 1) {
		f = f * 3.f + 1.f;
		f = f * f - 2.f;
		x = mix(x) + 3;
		d = d * 2 + f;
	} else {
		d = d * 3. + 1.;
		d = d * d - 2.;
		x = mix(x) - 3;
		f = (float)d * f;
	}
	g.per_thread[t] = __float_as_uint(f) ^ (unsigned)__double_as_longlong(d) ^ x;
}

__global__ void d_swap(Args g)
{
	PER_THREAD
	unsigned a = x * 3, b = x * 5, c = x * 7;
	CCC(distribute)
	if (x & 1) {
		const unsigned s = mix(a) + mix(b);
		a = b, b = c, c = s;
	} else {
		const unsigned s = mix(b) + mix(c);
		c = a, a = b, b = s;
	}
	g.per_thread[t] = a + 3 * b + 5 * c;
}

__global__ void d_commuted(Args g)
{
	PER_THREAD
	unsigned a = x * 3, b = x >> 3, r;
	CCC(distribute)
	if (x & 1) {
		r = a - b;
		r = mix(r) * a;
		r = (b << (a & 7)) + r;
		r = r / (b | 1) + mix(b - r);
	} else {
		r = b - a;
		r = b * mix(r);
		r = r + (a << (b & 7));
		r = (a | 1) / (r | 1) + mix(r - a);
	}
	g.per_thread[t] = r;
}

__global__ void d_atomics(Args g)
{
	PER_THREAD
	unsigned old;
	CCC(distribute)
	if (x & 1) {
		const unsigned v = mix(x + 1);
		old = atomicAdd(g.out + t, v & 15);
		atomicAdd(g.count + (v & 31), 1);
	} else {
		const unsigned v = mix(x + 2);
		old = atomicAdd(g.out2 + t, v & 15);
		atomicAdd(g.count + 32 + (v & 31), 3);
	}
	g.per_thread[t] = old;
}

__global__ void d_atomic_kinds(Args g)
{
	PER_THREAD
	unsigned old;
	CCC(distribute)
	if (x & 1) {
		const unsigned v = mix(x + 1);
		old = atomicMax(g.out + t, v & 15);
		atomicXor(g.count + (v & 31), v);
		old += mix(old * 3 + v);
	} else {
		const unsigned v = mix(x + 2);
		old = atomicCAS(g.out + t, 0, v);
		atomicAnd(g.count + (v & 31), ~0u);
		old += mix(old * 5 + v);
	}
	g.per_thread[t] = old;
}

__global__ void d_calls(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1) {
		x = walk(x, 5);
		x = mix(x) + walk(x + 1, 3);
	} else {
		x = walk(x + 3, 7);
		x = mix(x) ^ walk(x + 5, 9);
	}
	g.per_thread[t] = x;
}

__global__ void d_calls_other(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1) {
		x = walk(x, 5);
		x = mix(x) + step2(x + 1, 3);
	} else {
		x = step2(x + 3, 7);
		x = mix(x) + walk(x + 5, 9);
	}
	g.per_thread[t] = x;
}

__global__ void d_loops(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1) {
		for (int k = 0; k < (int)(x >> 3 & 7); k++)
			x = mix(x + k);
	} else {
		for (int k = x >> 4 & 15; k > 0; k -= 2)
			x = mix(x - k);
	}
	g.per_thread[t] = x;
}

__global__ void d_loop_nest(Args g)
{
	PER_THREAD
	unsigned n = 0;
	CCC(distribute)
	if (x & 1) {
		for (int j = 0; j < (int)(x >> 8 & 3); j++)
			for (int k = 0; k < (int)(x >> 3 & 7); k++)
				n = mix(n + k * j + x);
	} else {
		for (int j = 0; j < (int)(x >> 3 & 7); j++)
			n = mix(n + x - j);
	}
	g.per_thread[t] = n;
}

__global__ void d_break(Args g)
{
	PER_THREAD
	for (int k = 0; k < g.k + 5; k++) {
		CCC(distribute)
		if (x & 1) {
			x = mix(x + k) + mix(k);
			if (x % 7 == 0)
				break;
			x++;
		} else {
			x = mix(x ^ k) - mix(k + 1);
			if (x % 5 == 0)
				break;
			x--;
		}
	}
	g.per_thread[t] = x;
}

__global__ void d_return(Args g)
{
	PER_THREAD
	g.per_thread[t] = 7;
	CCC(distribute)
	if (x & 1) {
		x = mix(x + 1) + mix(x);
		if (x % 7 == 0)
			return;
	} else {
		x = mix(x + 3) + mix(x ^ 5);
	}
	g.per_thread[t] = x;
}

__global__ void d_continue(Args g)
{
	PER_THREAD
	unsigned s = 0;
	for (int k = 0; k < g.k + 5; k++) {
		x = mix(x);
		CCC(distribute)
		if (x & 1) {
			s += mix(x + k) * mix(k);
			if (s % 3 == 0)
				continue;
			s++;
		} else {
			s -= mix(x ^ k) * mix(k + 1);
			if (s & 2)
				continue;
		}
		s = mix(s);
	}
	g.per_thread[t] = s;
}

__global__ void d_one_longer(Args g)
{
	PER_THREAD
	unsigned r = x;
	CCC(distribute)
	if (x & 1) {
		r = mix(r + 1);
	} else {
		r = mix(r + 2);
		g.out[t] = r;
		r = mix(r + 3);
		if (r & 1)
			g.out2[t] = r;
		r = mix(r + 4);
	}
	g.per_thread[t] = r;
}

__global__ void d_shared_global(Args g)
{
	__shared__ unsigned own[1024];
	PER_THREAD
	const int b = block_rank();
	own[b] = x;
	unsigned r;
	CCC(distribute)
	if (x & 1) {
		own[b] += mix(x);
		r = own[b] * 3;
		own[b] = mix(r);
	} else {
		g.out[t] += mix(x);
		r = g.out[t] * 5;
		g.out[t] = mix(r);
	}
	g.per_thread[t] = r + own[b];
}

__global__ void d_volatile(Args g)
{
	PER_THREAD
	volatile unsigned *p = g.out + t, *q = g.out2 + t;
	CCC(distribute)
	if (x & 1) {
		*p = mix(x);
		*p += 3;
		x = *p;
	} else {
		*q = mix(x + 1);
		*q ^= 5;
		x = *q;
	}
	g.per_thread[t] = x;
}

__global__ void d_vectors(Args g)
{
	PER_THREAD
	float4 v;
	CCC(distribute)
	if (x & 1) {
		v = g.in4[i];
		v.x = v.x * 2 + v.y;
		v.z = v.w * 3.f;
	} else {
		v = g.in4[i + 1];
		v.y = v.y * 3 + v.x;
		v.w = v.z * 2.f;
	}
	g.per_thread[t] = __float_as_uint(v.x + v.y * 2 + v.z * 3 + v.w);
}

__global__ void d_bytes(Args g)
{
	PER_THREAD
	unsigned char c = (unsigned char)x;
	short h = (short)(x >> 4);
	signed char s = (signed char)(x >> 8);
	CCC(distribute)
	if (x & 1) {
		c = (unsigned char)(c * 3 + s);
		h = (short)(h * c - 5);
		s = (signed char)(s + h);
	} else {
		h = (short)(h * 5 + s);
		c = (unsigned char)(c * h - 7);
		s = (signed char)(s - c);
	}
	g.per_thread[t] = c + (h << 8) + s * 77;
}

__global__ void d_predicates(Args g)
{
	PER_THREAD
	bool a = x & 2, b = x & 4, c = x % 3 == 0;
	CCC(distribute)
	if (x & 1) {
		a = b != (mix(x) % 3 == 0);
		b = !c && a;
		x = mix(x) + (b ? 3 : 5);
	} else {
		b = a == (mix(x + 1) % 5 == 0);
		c = a || b;
		x = mix(x) - (c ? 7 : 9);
	}
	g.per_thread[t] = x * 8 + a + 2 * b + 4 * c;
}

__global__ void d_nested(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1) {
		CCC(distribute)
		if (x & 2)
			x = mix(x + 1) * mix(x);
		else
			x = mix(x + 2) * mix(x + 3);
	} else {
		if (x & 4)
			x = mix(x + 5) * mix(x ^ 1);
		else
			x = mix(x + 6) * mix(x ^ 3);
	}
	g.per_thread[t] = x;
}

__global__ void d_chain(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x % 3 == 0)
		x = mix(x + 1) * mix(x);
	else
		CCC(distribute)
		if (x % 3 == 1)
			x = mix(x + 2) * mix(x + 3);
		else
			x = mix(x + 7) * mix(x + 5);
	g.per_thread[t] = x;
}

__global__ void d_asm(Args g)
{
	PER_THREAD
	unsigned r = x;
	CCC(distribute)
	if (x & 1) {
		asm volatile("prmt.b32 %0, %1, %2, 0x1032;" : "=r"(r) : "r"(x), "r"(r));
		asm volatile("bfi.b32 %0, %1, %0, 3, 9;" : "+r"(r) : "r"(x));
		asm volatile("shf.l.wrap.b32 %0, %0, %1, 5;" : "+r"(r) : "r"(x));
		asm volatile("lop3.b32 %0, %0, %1, 77, 0x96;" : "+r"(r) : "r"(x));
	} else {
		asm volatile("prmt.b32 %0, %1, %2, 0x2301;" : "=r"(r) : "r"(x), "r"(r));
		asm volatile("bfi.b32 %0, %1, %0, 5, 7;" : "+r"(r) : "r"(x));
		asm volatile("shf.r.wrap.b32 %0, %0, %1, 7;" : "+r"(r) : "r"(x));
		asm volatile("lop3.b32 %0, %0, %1, 99, 0xe8;" : "+r"(r) : "r"(x));
	}
	g.per_thread[t] = r;
}

__global__ void d_carry(Args g)
{
	PER_THREAD
	unsigned lo = x, hi = 3;
	CCC(distribute)
	if (x & 1) {
		asm volatile("add.cc.u32 %0, %0, %2;\n\taddc.u32 %1, %1, %2;" : "+r"(lo), "+r"(hi) : "r"(x * 5));
		lo = mix(lo) + mix(hi);
	} else {
		asm volatile("sub.cc.u32 %0, %0, %2;\n\tsubc.u32 %1, %1, 0;" : "+r"(lo), "+r"(hi) : "r"(x * 3));
		lo = mix(lo) - mix(hi);
	}
	g.per_thread[t] = lo ^ hi;
}

__global__ void d_local(Args g)
{
	PER_THREAD
	unsigned a[8];
	for (int k = 0; k < 8; k++)
		a[k] = mix(x + k);
	CCC(distribute)
	if (x & 1) {
		a[x >> 4 & 7] += mix(a[x >> 7 & 7]);
		x = a[x >> 9 & 7] * 3;
	} else {
		a[x >> 5 & 7] -= mix(a[x >> 8 & 7]);
		x = a[x >> 10 & 7] * 5;
	}
	g.per_thread[t] = x + a[x & 7];
}

__global__ void d_local_two(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1) {
		unsigned a[8];
		for (int k = 0; k < 8; k++)
			a[k] = mix(x + k);
		x += a[x & 7] + a[x >> 6 & 7];
	} else {
		unsigned b[6];
		for (int k = 0; k < 6; k++)
			b[k] = mix(x ^ k);
		x ^= b[x % 6] + b[x / 64 % 6];
	}
	g.per_thread[t] = x;
}

__global__ void d_store_order(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1) {
		g.out[t] = mix(x);
		g.out2[t] = mix(x + 1);
		g.out[t] = mix(x + 2);
	} else {
		g.out2[t] = mix(x + 4);
		g.out[t] = mix(x + 5);
		g.out2[t] = mix(x + 6);
	}
}

__global__ void d_load_after_store(Args g)
{
	PER_THREAD
	unsigned r;
	CCC(distribute)
	if (x & 1) {
		g.out[t] = mix(x);
		r = g.out2[t] + g.out[t] * 3;
		g.out2[t] = r;
	} else {
		r = g.out[t] + mix(x);
		g.out[t] = r;
		r += g.out2[t] * 7;
		g.out[t] += g.out2[t] + 1;
	}
	g.per_thread[t] = r;
}

__global__ void d_select(Args g)
{
	PER_THREAD
	unsigned r = 0;
	CCC(distribute)
	if (x & 1) {
		r = x & 2 ? mix(x) : mix(x + 1);
		if (x & 4)
			r++;
		r = max(r, x) + min(r, 77u);
	} else {
		r = x & 8 ? mix(x + 2) : mix(x + 3);
		if (!(x & 16))
			r--;
		r = min(r, x) + max(r, 99u);
	}
	g.per_thread[t] = r;
}

__global__ void d_switches(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1) {
		switch (x / 2 % 5) {
		case 0: x = mix(x); break;
		case 1: x += 3;
		case 2: x = mix(x + 5); break;
		case 4: x ^= 7;
		}
	} else {
		switch (x / 2 % 5) {
		case 0: x = mix(x + 9); break;
		case 1: x += 4;
		case 2: x = mix(x + 8); break;
		case 4: x ^= 3;
		}
	}
	g.per_thread[t] = x;
}

__global__ void d_halves(Args g)
{
	PER_THREAD
	__half h = __float2half((float)(x & 15)), k = __float2half((float)(x >> 4 & 15));
	__half2 p = __halves2half2(h, k);
	CCC(distribute)
	if (x & 1) {
		h = __hfma(h, k, h);
		p = __hmul2(p, p);
		k = __hsub(k, h);
	} else {
		k = __hfma(k, h, k);
		p = __hadd2(p, __half2half2(k));
		h = __hadd(h, k);
	}
	g.per_thread[t] = (unsigned)(int)__half2float(h) + 3 * (unsigned)(int)__half2float(k) + 5 * (unsigned)(int)__low2float(p) + (unsigned)(int)__high2float(p);
}

__global__ void d_doubles(Args g)
{
	PER_THREAD
	double d = g.in_double[i], e = g.in_double[i + 1];
	CCC(distribute)
	if (x & 1) {
		d = d * e + 1;
		e = sqrt(d * d + 3) - e;
	} else {
		e = e * d - 2;
		d = sqrt(e * e + 5) + d;
	}
	const unsigned long long b = __double_as_longlong(d) ^ __double_as_longlong(e) << 1;
	g.per_thread[t] = (unsigned)b ^ (unsigned)(b >> 32);
}

__global__ void d_unused_result(Args g)
{
	PER_THREAD
	unsigned old = 0;
	CCC(distribute)
	if (x & 1) {
		atomicExch(g.out + t, mix(x));
		old = mix(x + 1);
	} else {
		old = atomicExch(g.out + t, mix(x + 3));
		old += mix(x);
	}
	g.per_thread[t] = old;
}

// Lanes of the other arm must not divide, nor load from their own addresses.
__global__ void d_division(Args g)
{
	PER_THREAD
	const int d = x & 1 ? 0 : (int)(x & 6) | 2;
	int r;
	CCC(distribute)
	if (d == 0)
		r = (int)mix(x) / 7 + g.in[(x >> 3) % 800];
	else
		r = (int)mix(x + 1) / d + g.in[(d * 31) % 800] + 1000 % d;
	g.per_thread[t] = r;
}

__global__ void d_both_read_written(Args g)
{
	PER_THREAD
	unsigned a = x, b = x * 3;
	CCC(distribute)
	if (x & 1) {
		a = mix(b) + a;
		b = mix(a) - b;
		a = mix(b) * a;
	} else {
		b = mix(a) + b;
		a = mix(b) - a;
		b = mix(a) * b;
	}
	g.per_thread[t] = a ^ b * 7;
}

__global__ void d_in_path(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned x = g.in[i];
		CCC(if)
		if (wants(g, i)) {
			unsigned r = i;
			CCC(distribute)
			if (x & 16)
				r = walk(mix(x + 3) * mix(r), 5);
			else
				r = walk(mix(x + 5) * mix(r ^ 3), 7);
			g.out[i] = r;
		}
	}
}

__global__ void d_in_loop_uniform(Args g)
{
	PER_THREAD
	for (int k = 0; k < 2 * g.k + 3; k++) {
		CCC(distribute)
		if (k & 1)
			x = mix(x + 3) * mix(x) + k;
		else
			x = mix(x + 5) * mix(x ^ 3) - k;
	}
	g.per_thread[t] = x;
}

__global__ void d_const_operands(Args g)
{
	PER_THREAD
	unsigned r;
	float f;
	CCC(distribute)
	if (x & 1) {
		r = (x << 3 | 5) + 0xffffffffu / (x | 1);
		f = 1e-40f * (float)x + 0x1p100f;
		r = mix(r) + __umulhi(x, 0x80000001u);
	} else {
		r = (x << 31 | 7) + 12u / (x | 1);
		f = __int_as_float(0x7f800000) * (float)x + 1.f;
		r = mix(r) + __umulhi(x, 3u);
	}
	g.per_thread[t] = r + __float_as_uint(f);
}

__global__ void d_index_of_array(Args g)
{
	PER_THREAD
	CCC(distribute)
	if (x & 1)
		g.out[t] = g.in[(i * 3 + 1) % 800] + g.in[(i + 7) % 800] * g.k;
	else
		g.out2[t] = (unsigned)g.in64[(i * 3 + 1) % 800] + (unsigned)g.in64[(i + 7) % 800] * g.n;
}

__global__ void d_three_stores(Args g)
{
	PER_THREAD
	unsigned char *const c = (unsigned char *)(g.out + t);
	unsigned short *const s = (unsigned short *)(g.out2 + t);
	CCC(distribute)
	if (x & 1) {
		c[0] = (unsigned char)mix(x);
		c[1] = (unsigned char)mix(x + 1);
		s[1] = (unsigned short)mix(x + 2);
	} else {
		s[0] = (unsigned short)mix(x + 3);
		s[1] = (unsigned short)mix(x + 4);
		c[3] = (unsigned char)mix(x + 5);
	}
}

__global__ void d_compare_kinds(Args g)
{
	PER_THREAD
	const float f = g.in4[i].x, h = g.in4[i].y;
	unsigned r = 0;
	CCC(distribute)
	if (x & 1) {
		if ((int)x < (int)mix(x))
			r = mix(r + 3);
		if (f < h)
			r += mix(x) * 5;
	} else {
		if (x < mix(x))
			r = mix(r + 5);
		if (!(f >= h))
			r += mix(x + 1) * 7;
	}
	g.per_thread[t] = r;
}

__global__ void p_calls(Args g)
{
	PER_THREAD
	if (x & 1) {
		CCC(predict)
		x = walk(x, 5);
		x++;
	} else {
		x = mix(x);
		CCC(predict)
		x = walk(x, 7) ^ 3;
	}
	g.per_thread[t] = x;
}

__global__ void p_calls_loop(Args g)
{
	PER_THREAD
	for (int k = 0; k < (int)(x & 7); k++) {
		if (x % 3 == 0) {
			CCC(predict)
			x = walk(x + k, 5);
			if (x & 8)
				continue;
			x = x * 5 + 1;
		} else if (x % 3 == 1) {
			CCC(predict)
			x = walk(x ^ k, 7);
			if (x % 11 == 3)
				break;
		} else {
			x = mix(x);
		}
	}
	g.per_thread[t] = x;
}

__global__ void p_calls_nested(Args g)
{
	PER_THREAD
	if (x & 1) {
		if (x & 2) {
			CCC(predict)
			x = walk(x, 5) + 1;
		} else {
			x = mix(x);
		}
	} else {
		for (int k = 0; k < 3; k++) {
			if (x % 5 == 0)
				break;
			x = mix(x + k);
		}
		CCC(predict)
		x = walk(x, 7);
	}
	g.per_thread[t] = x;
}

static __device__ __noinline__ double mixed(unsigned char c, double d, float4 v, unsigned *p) { *p += c; return d * c + v.y; }
__global__ void p_calls_args(Args g)
{
	PER_THREAD
	double d = g.in_double[i];
	if (x & 1) {
		CCC(predict)
		d = mixed((unsigned char)x, d, g.in4[i], g.out + t);
	} else {
		CCC(predict)
		d = mixed((unsigned char)(x >> 3), d + 1, make_float4(1, 2, 3, 4), g.out2 + t);
		d *= 2;
	}
	g.per_thread[t] = (unsigned)(long long)d;
}
#endif
// SPDX-License-Identifier: MIT
