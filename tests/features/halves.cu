// SPDX-License-Identifier: MIT
// half, bfloat16 and pairs of them, small integers and vectors: in the common code, in paths, in the context of a task, and loop-carried.
#ifndef KERNELS
#define KERNELS "halves.cu"
#define HEADERS "halves.cuh"
#include "features.cuh"
int main()
{
	RUN(half_context); RUN(half_carried); RUN(half2_context); RUN(half2_fma); RUN(bf16_context); RUN(bf162_carried); RUN(half_atomic); RUN(bytes4); RUN(shorts); RUN(chars_carried);
	RUN(half_compare); RUN(longs); RUN(doubles); RUN(half_array); RUN(half_sum); RUN(int128); RUN(predicates); RUN(half_convert); RUN(minmax_half); RUN(vector_context);
	return finish();
}
#else
__global__ void half_context(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		__half h = __ushort2half_rn(x & 1023), k = __hmul(h, __float2half(0.25f));
		IF
		if (rare(x)) {
			h = __hfma(h, k, __float2half(1.f));
			for (int j = 0; j < 5; j++)
				h = __hadd(__hmul(h, k), h);
			g.out[i] = __half_as_ushort(h) + work(x);
		}
	}
}
LAUNCH(half_context)
__global__ void half_carried(G g)
{
	__half s = __float2half(0.5f);
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			s = __hadd(__hmul(s, __float2half(0.5f)), __ushort2half_rn(work(x) & 255));
	}
	g.thread[thread_id()] = __half_as_ushort(s);
}
LAUNCH(half_carried)
__global__ void half2_context(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		__half2 h = __halves2half2(__ushort2half_rn(x & 255), __ushort2half_rn(x >> 8 & 255));
		IF
		if (rare(x)) {
			__half2 r = __hmul2(h, __lowhigh2highlow(h));
			*(__half2 *)&g.out[i] = __hadd2(r, __float2half2_rn(work(x) & 15));
		}
	}
}
LAUNCH(half2_context)
__global__ void half2_fma(G g)
{
	__half2 s = __float2half2_rn(1.f);
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		__half2 h = __halves2half2(__ushort2half_rn(x & 7), __ushort2half_rn(x >> 8 & 7));
		SIF
		if (rare(x)) {
			s = __hfma2(s, __float2half2_rn(0.5f), h);
			if (__hbgt2(s, __float2half2_rn(5.f)))
				s = h2sqrt(s);
			g.out[i] = work(x);
		}
	}
	*(__half2 *)&g.thread[thread_id()] = s;
}
LAUNCH(half2_fma)
__global__ void bf16_context(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		__nv_bfloat16 h = __float2bfloat16(x & 1023), k = __hmul(h, __float2bfloat16(0.25f));
		IF
		if (rare(x))
			g.out[i] = __bfloat16_as_ushort(__hfma(h, k, h)) + work(x);
	}
}
LAUNCH(bf16_context)
__global__ void bf162_carried(G g)
{
	__nv_bfloat162 s = __float2bfloat162_rn(0.f);
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			s = __hfma2(s, __float2bfloat162_rn(0.75f), __floats2bfloat162_rn(work(x) & 63, x & 31));
	}
	*(__nv_bfloat162 *)&g.thread[thread_id()] = s;
}
LAUNCH(bf162_carried)
__global__ void half_atomic(G g) // small numbers: sums are exact
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			atomicAdd((__half2 *)&g.count[work(x) & 63], __half2(__float2half(1.f), __float2half(x & 1 ? 1.f : 0.f)));
	}
}
LAUNCH(half_atomic)
__global__ void bytes4(G g)
{
	FOR
	EACH(i) {
		uchar4 b = *(const uchar4 *)&g.in[i];
		IF
		if ((b.x & 7) == 3) {
			b.x ^= work(b.y), b.z = b.w + b.x;
			*(uchar4 *)&g.out[i] = b;
		}
	}
}
LAUNCH(bytes4)
__global__ void shorts(G g)
{
	short a = 1;
	unsigned short b = 65535;
	SEQ
	EACH(i) {
		short2 s = *(const short2 *)&g.in[i];
		SIF
		if ((s.x & 7) == 3) {
			a = a * s.y + (short)work(s.x);
			b += a;
			g.out[i] = (unsigned)(int)a;
		}
	}
	g.thread[thread_id()] = (unsigned)a * 3 + b;
}
LAUNCH(shorts)
__global__ void chars_carried(G g)
{
	signed char c = -3;
	bool odd = false;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			c = c / 2 + (signed char)work(x);
			odd = !odd;
		}
		if (odd)
			c++;
	}
	g.thread[thread_id()] = (unsigned)(int)c * 2 + odd;
}
LAUNCH(chars_carried)
__global__ void half_compare(G g)
{
	const __half limit = __float2half(900.f);
	FOR
	EACH(i) {
		__half h = __ushort2half_rn(g.in[i] & 1023);
		IF
		if (__hgt(h, limit))
			g.out[i] = work(__half_as_ushort(__hsub(h, limit)));
	}
}
LAUNCH(half_compare)
__global__ void longs(G g)
{
	unsigned long long s = 7;
	FOR
	for (long long i = thread_id(); i < g.n; i += threads()) {
		unsigned long long x = (unsigned long long)g.in[i] << 32 | i;
		IF
		if (rare(x >> 32)) {
			x *= 0x9e3779b97f4a7c15ull;
			x ^= x >> 29;
			g.out[i] = work(x) ^ (unsigned)(x >> 40) ^ (unsigned)__umul64hi(x, x);
			s += x;
		}
	}
	g.thread[thread_id()] = s ^ s >> 32;
}
LAUNCH(longs)
__global__ void doubles(G g)
{
	FOR
	EACH(i) {
		double d = g.in[i] * 0.001, e = d * d;
		IF
		if (rare(g.in[i])) {
			double r = d / (e + 1) + sqrt(e);
			g.out[i] = (unsigned)(long long)(r * 1000) + work(i);
		}
	}
}
LAUNCH(doubles)
__global__ void half_array(G g)
{
	__shared__ __half t[64];
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		t[k] = __float2half(k * 0.5f);
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.f[i] = __half2float(t[x >> 4 & 63]) + (work(x) & 7);
	}
}
LAUNCH(half_array)
__global__ void half_sum(G g) // a sum in half: without reassociate its order is kept, or the path is not collected
{
	__half s = __float2half(0.f);
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			s = __hadd(s, __ushort2half_rn(work(x) & 1023));
	}
	g.thread[thread_id()] = __half_as_ushort(s);
}
LAUNCH(half_sum)
__global__ void int128(G g)
{
	unsigned __int128 s = 1;
	FOR
	EACH(i) {
		unsigned __int128 x = ((unsigned __int128)mix(i) << 64) | g.in[i];
		IF
		if (rare(g.in[i])) {
			unsigned __int128 y = x * x + x;
			g.out[i] = (unsigned)(y >> 70) + work(i);
			s += y;
		}
	}
	g.thread[thread_id()] = (unsigned)(s >> 3) ^ (unsigned)(s >> 99);
}
LAUNCH(int128)
__global__ void predicates(G g) // predicates in the context of a task, and live out of it
{
	bool last = false;
	unsigned c = 0;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		bool a = x & 16, b = (x >> 7) % 3 == 0;
		SIF
		if (rare(x)) {
			unsigned y = work(x);
			if (a != b)
				y += 3;
			if (last)
				y ^= 0x55;
			last = (y & 1) && !b;
			g.out[i] = y + (a ? 100 : 0);
		}
		c += last;
	}
	g.thread[thread_id()] = c;
}
LAUNCH(predicates)
__global__ void half_convert(G g)
{
	FOR
	EACH(i) {
		float f = (g.in[i] & 0xffff) * 0.01f;
		__nv_bfloat16 b = __float2bfloat16_rz(f);
		__half h = __float2half_ru(f);
		IF
		if (rare(g.in[i]))
			g.out[i] = (unsigned)__half2int_rd(h) * 3 + (unsigned)(int)__bfloat162float(b) + work(i);
	}
}
LAUNCH(half_convert)
__global__ void minmax_half(G g)
{
	__half2 m = __float2half2_rn(0.f);
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned w = work(x);
			m = __hmax2(m, __halves2half2(__ushort2half_rn(w & 1023), __ushort2half_rn(w >> 12 & 1023)));
		}
	}
	*(__half2 *)&g.thread[thread_id()] = m;
}
LAUNCH(minmax_half)
__global__ void vector_context(G g) // vectors loaded in the common code and used in the path
{
	const uint4 *in = (const uint4 *)g.in;
	FOR
	for (int i = thread_id(); i < g.n / 4; i += threads()) {
		uint4 v = in[i];
		ushort4 w = *(const ushort4 *)&in[i];
		IF
		if (rare(v.x)) {
			v.x = work(v.x), v.y += w.z, v.z ^= w.w * w.x, v.w -= w.y;
			((uint4 *)g.out)[i] = v;
		}
	}
}
LAUNCH(vector_context)
#endif
