// Values of every type in the context: each is used outside the path as well, so that it is computed before the path.
#ifndef KERNELS
#define KERNELS "types.cu"
#include "gpu_test.cuh"
int main()
{
	RUN(k_predicates);
	RUN(k_bytes);
	RUN(k_shorts);
	RUN(k_int64);
	RUN(k_float);
	RUN(k_double);
	RUN(k_float4);
	RUN(k_half_words);
	RUN(k_mixed);
	RUN(k_pointers);
	RUN(k_many);
	return finish();
}
#else
__global__ void k_predicates(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const bool a = g.in[i] & 16, b = g.in[i] % 3 == 0, c = g.in64[i] > 12345;
		if (a)
			atomicAdd(g.out2 + i, 1);
		if (b)
			atomicAdd(g.out2 + i, 10);
		if (c)
			atomicAdd(g.out2 + i, 100);
		CCC(if)
		if (wants(g, i)) {
			if (a)
				atomicAdd(g.out + i, 1);
			if (b)
				atomicAdd(g.out + i, 10);
			if (c || (a && b))
				atomicAdd(g.out + i, 100);
		}
		if (b != c)
			atomicAdd(g.out2 + i, 1000);
	}
}

__global__ void k_bytes(Args g)
{
	const signed char *in = (const signed char *)g.in;
	const unsigned char *inu = (const unsigned char *)g.in;
	CCC(for)
	GRID_STRIDE(i) {
		const signed char a = in[i];
		const unsigned char b = inu[i + 1], c = inu[i + 2];
		g.out2[i] = a * 3 + b * c;
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(a) ^ (b << 3) ^ (c * b);
	}
}

__global__ void k_shorts(Args g)
{
	const short *in = (const short *)g.in;
	const unsigned short *inu = (const unsigned short *)g.in;
	CCC(for)
	GRID_STRIDE(i) {
		short a = in[i];
		unsigned short b = inu[i + 1], c = inu[i + 2] * b;
		a += c;
		g.out2[i] = a * 3 + (b >> 2) + c;
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(a) ^ (b << 3) ^ c;
		g.out2[i] += b;
	}
}

__global__ void k_int64(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const long long a = g.in64[i], b = a * g.in64[i + 1];
		const unsigned long long c = (unsigned long long)b >> 7;
		g.out2[i] = (unsigned)(c ^ a);
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix((unsigned)(a / ((b & 1023) + 1) + c % 1000003));
	}
}

__global__ void k_float(Args g)
{
	const float *in = (const float *)g.in4;
	CCC(for)
	GRID_STRIDE(i) {
		const float a = in[i], b = a * in[i + 1];
		g.out2[i] = (unsigned)(b + a);
		CCC(if)
		if (wants(g, i))
			g.out[i] = __float_as_uint(__fsqrt_rn(__fadd_rn(__fmul_rn(a, b), 1.5f)));
	}
}

__global__ void k_double(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const double a = g.in_double[i], b = a * g.in_double[i + 1];
		g.out2[i] = (unsigned)(b + a);
		CCC(if)
		if (wants(g, i)) {
			const long long bits = __double_as_longlong(__dsqrt_rn(__dadd_rn(__dmul_rn(a, b), 0.5)));
			g.out[i] = (unsigned)(bits ^ bits >> 32);
		}
	}
}

__global__ void k_float4(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const float4 v = g.in4[i];
		g.out2[i] = (unsigned)(v.x + v.y + v.z + v.w);
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix((unsigned)(v.x * 2) ^ (unsigned)(v.y * 3) ^ (unsigned)(v.z * 5) ^ (unsigned)(v.w * 7));
	}
}

// Vectors of small elements: ld.v4.u8 and ld.v2.u16.
__global__ void k_half_words(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const uchar4 c = reinterpret_cast<const uchar4 *>(g.in)[i];
		const ushort2 s = reinterpret_cast<const ushort2 *>(g.in)[i + 1];
		g.out2[i] = c.x + 3 * c.y + 5 * c.z + 7 * c.w + s.x * s.y;
		CCC(if)
		if (wants(g, i))
			g.out[i] = mix(c.x ^ c.y << 8 ^ c.z << 16 ^ c.w << 24) ^ s.x ^ s.y << 16;
	}
}

__global__ void k_mixed(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		const double d = g.in_double[i];
		const long long l = g.in64[i];
		const float f = g.in4[i].y;
		const unsigned char c = reinterpret_cast<const unsigned char *>(g.in)[4 * i];
		const short s = reinterpret_cast<const short *>(g.in)[2 * i + 1];
		const bool p = l % 3 == 0, q = d > f;
		g.out2[i] = (unsigned)d + (unsigned)l + (unsigned)f + c + s + p + 2 * q;
		CCC(if)
		if (wants(g, i)) {
			unsigned x = (unsigned)(d * 3) ^ (unsigned)(l >> 5) ^ (unsigned)(f * 2) ^ c << 20 ^ s;
			if (p)
				x = mix(x);
			if (q)
				x = mix(x + 1);
			g.out[i] = x;
		}
		if (p && q)
			g.out2[i] += 1000;
	}
}

// Pointers, one of them generic (global or shared memory).
__global__ void k_pointers(Args g)
{
	__shared__ unsigned table[64];
	if (block_rank() == 0)
		for (int j = 0; j < 64; ++j)
			table[j] = mix(j);
	__syncthreads();
	CCC(for)
	GRID_STRIDE(i) {
		const unsigned *from = g.in[i] & 16 ? table + (g.in[i] >> 5 & 63) : (const unsigned *)g.in + i;
		unsigned *to = g.in[i] & 32 ? g.out + i : g.out2 + i;
		if (g.in[i] % 10 == 0)
			atomicAdd(to, *from);
		CCC(if)
		if (wants(g, i))
			atomicAdd(to, mix(*from));
	}
}

// More words than most kernels have room for: 128 threads at most.
__global__ void __launch_bounds__(128) k_many(Args g)
{
	CCC(for)
	GRID_STRIDE(i) {
		unsigned v[24], sum = 0;
#pragma unroll
		for (int j = 0; j < 24; ++j)
			sum += v[j] = g.in[(i + j * 17) % g.n] * (j + 1);
		g.out2[i] = sum;
		CCC(if)
		if (wants(g, i)) {
			unsigned x = sum;
#pragma unroll
			for (int j = 0; j < 24; ++j)
				x = mix(x ^ v[j]);
			g.out[i] = x;
		}
	}
}
#endif
// SPDX-License-Identifier: MIT
