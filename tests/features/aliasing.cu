// SPDX-License-Identifier: MIT
// Unions, casts, constant and managed memory, device variables, parameters of each kind.
#ifndef KERNELS
#define KERNELS "aliasing.cu"
#include "features.cuh"
int main()
{
	RUN(union_bits); RUN(union_bytes); RUN(bytes_of_word); RUN(device_array); RUN(device_offset); RUN(constants); RUN(managed); RUN(grid_constant); RUN(by_value);
	RUN(const_restrict); RUN(volatile_own); RUN(volatile_path); RUN(generic_either); RUN(pointer_pairs); RUN(same_buffer); RUN(float_bits); RUN(wide_store); RUN(double_sum);
	RUN(restrict_lie_free); RUN(struct_copy);
	return finish();
}
#else
__global__ void union_bits(G g)
{
	FOR
	EACH(i) {
		union { unsigned u; float f; struct { unsigned short lo, hi; }; } x;
		x.u = g.in[i];
		IF
		if (rare(x.u)) {
			x.lo ^= work(x.hi);
			x.f = fabsf(x.f);
			g.out[i] = x.u;
		}
	}
}
LAUNCH(union_bits)
__global__ void union_bytes(G g) // a local array accessed through a union, with a run-time index
{
	FOR
	EACH(i) {
		union { unsigned u[2]; unsigned char b[8]; } x;
		x.u[0] = g.in[i], x.u[1] = mix(i);
		x.b[g.in[i] & 7] = 77;
		IF
		if (rare(g.in[i]))
			g.out[i] = work(x.u[0]) + x.b[(g.in[i] >> 3) & 7] + x.u[1];
	}
}
LAUNCH(union_bytes)
__global__ void bytes_of_word(G g)
{
	FOR
	EACH(i) {
		unsigned char *b = (unsigned char *)&g.out[i];
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			b[0] = work(x);
			b[3] = work(x + 1);
			((unsigned short *)b)[0] ^= 0x1111;
		}
	}
}
LAUNCH(bytes_of_word)
__device__ unsigned array[N];
__global__ void device_array(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		array[i] = x;
		IF
		if (rare(x))
			array[i] = work(x);
	}
	for (int i = thread_id(); i < g.n; i += threads())
		g.out[i] = array[i];
}
inline void launch_device_array(const G &g, int blocks, int block) { device_array<<<blocks, block>>>(g); }
__device__ unsigned pairs[2 * N];
__global__ void device_offset(G g)
{
	unsigned *odd = pairs + 1;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		pairs[2 * i] = x * 3;
		IF
		if (rare(x))
			odd[2 * i] = work(x);
	}
	for (int i = thread_id(); i < g.n; i += threads())
		g.out[i] = pairs[2 * i] + odd[2 * i];
}
LAUNCH(device_offset)
__constant__ unsigned table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
__constant__ float coeffs[4] = { 0.5f, 0.25f, 2.f, 1.5f };
__global__ void constants(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		float y = coeffs[x & 3];
		IF
		if (rare(x + table[i & 7]))
			g.out[i] = work(x) * table[(x >> 5) & 7], g.f[i] = y * coeffs[(x >> 9) & 3];
	}
}
LAUNCH(constants)
__managed__ unsigned shared_with_host[N];
__global__ void managed(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			shared_with_host[i] = work(x);
	}
}
__global__ void managed_out(G g)
{
	EACH(i)
		g.out[i] = shared_with_host[i];
}
inline void launch_managed(const G &g, int blocks, int block)
{
	for (unsigned &x : shared_with_host)
		x = 5;
	managed<<<blocks, block>>>(g);
	cudaDeviceSynchronize();
	managed_out<<<blocks, block>>>(g);
}
struct Big {
	G g;
	unsigned t[16];
	double d;
};
__global__ void grid_constant(const __grid_constant__ Big b)
{
	const G &g = b.g;
	const Big *p = &b;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + p->t[x >> 4 & 15] + (unsigned)p->d;
	}
}
inline Big big(const G &g)
{
	Big b = { g };
	for (int k = 0; k < 16; k++)
		b.t[k] = k * k;
	b.d = 17;
	return b;
}
inline void launch_grid_constant(const G &g, int blocks, int block) { grid_constant<<<blocks, block>>>(big(g)); }
__global__ void by_value(Big b) // the parameter is copied, indexed and written
{
	const G g = b.g;
	b.t[threadIdx.x & 15] += 5;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + b.t[x >> 4 & 15];
	}
}
inline void launch_by_value(const G &g, int blocks, int block) { by_value<<<blocks, block>>>(big(g)); }
__global__ void const_restrict(const unsigned *__restrict__ in, unsigned *__restrict__ out, int n)
{
	SEQ
	for (int i = thread_id(); i < n; i += threads()) {
		unsigned x = in[i];
		SIF
		if (rare(x))
			out[i] = work(x) + in[(i * 7) % n];
	}
}
inline void launch_const_restrict(const G &g, int blocks, int block) { const_restrict<<<blocks, block>>>(g.in, g.out, g.n); }
__global__ void volatile_own(G g)
{
	volatile unsigned *v = g.thread + thread_id();
	unsigned left = 0;
	SEQ
	EACH(i) {
		*v = *v + g.in[i] % 3;
		SIF
		if (rare(g.in[i]))
			left = work(left + g.in[i]);
	}
	*v = *v + left;
}
LAUNCH(volatile_own)
__global__ void volatile_path(G g)
{
	volatile unsigned *out = g.out;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			out[i] = x;
			out[i] = out[i] + work(out[i]);
		}
	}
}
LAUNCH(volatile_path)
__global__ void generic_either(G g) // shared or global memory, depending on the lane
{
	__shared__ unsigned s[THREADS];
	s[threadIdx.x] = threadIdx.x * 3;
	__syncthreads();
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		const unsigned *p = x & 64 ? s + threadIdx.x : g.in + (i * 3) % g.n;
		IF
		if (rare(x))
			g.out[i] = work(x) + *p;
	}
}
LAUNCH(generic_either)
__global__ void pointer_pairs(G g) // the path writes through a pointer that was stored
{
	unsigned *to[2] = { g.out, (unsigned *)g.f };
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			to[x >> 8 & 1][i] = work(x);
	}
}
LAUNCH(pointer_pairs)
__global__ void same_buffer(const unsigned *in, unsigned *a, unsigned *b, int n) // a and b overlap, at different offsets
{
	FOR
	for (int i = thread_id(); i < n; i += threads()) {
		unsigned x = in[i];
		b[2 * i] = x;
		IF
		if (rare(x))
			a[2 * i + 1] = work(x);
	}
}
inline void launch_same_buffer(const G &g, int blocks, int block) { same_buffer<<<blocks, block>>>(g.in, g.out, g.out, g.n / 2); }
__global__ void float_bits(G g) // the common code reads as int what the path of the previous loop wrote as float
{
	float last = 1;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		unsigned bits = __float_as_uint(last);
		g.out[i] = bits;
		SIF
		if (rare(x)) {
			last = __uint_as_float((work(x) & 0x7fffff) | 0x3f800000);
			*(float *)&g.out[i] = last;
		}
	}
	g.thread[thread_id()] = __float_as_uint(last);
}
LAUNCH(float_bits)
__global__ void wide_store(G g) // eight bytes at a time, over items of the same thread
{
	uint2 *p = (uint2 *)g.out;
	FOR
	for (int i = thread_id(); i < g.n / 2; i += threads()) {
		uint2 x = *(const uint2 *)&g.in[2 * i];
		IF
		if (rare(x.x))
			p[i] = make_uint2(work(x.x), work(x.y));
	}
}
LAUNCH(wide_store)
__global__ void double_sum(G g)
{
	double s = 0;
	long long t = 1;
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			s = s * 0.5 + (double)work(x);
			t = t * 6364136223846793005ll + (long long)s;
		}
	}
	g.thread[thread_id()] = (unsigned)t ^ (unsigned)(t >> 32) ^ (unsigned)s;
}
LAUNCH(double_sum)
__global__ void restrict_lie_free(unsigned *__restrict__ out, const unsigned *__restrict__ in, unsigned *__restrict__ th, int n)
{
	unsigned a = 1, b = 2;
	SEQ
	for (int i = thread_id(); i < n; i += threads()) {
		SIF
		if (rare(in[i] + (a & 0))) {
			unsigned t = a;
			a = b, b = work(t + in[i]); // swapped: each lane keeps both
		}
		out[i] = i;
	}
	th[thread_id()] = a + 3 * b;
}
inline void launch_restrict_lie_free(const G &g, int blocks, int block) { restrict_lie_free<<<blocks, block>>>(g.out, g.in, g.thread, g.n); }
struct Particle {
	float3 p;
	unsigned short kind;
	unsigned char flags[3];
	double e;
};
__global__ void struct_copy(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		Particle q = { make_float3(x & 15, x >> 4 & 15, 3), (unsigned short)x, { 1, 2, (unsigned char)(x >> 9) }, x * 0.5 };
		IF
		if (rare(x)) {
			Particle r = q;
			r.flags[x & 1] ^= 9, r.e += work(x);
			g.out[i] = (unsigned)r.e + r.kind + r.flags[0] + r.flags[1] * 3 + r.flags[2] * 5 + (unsigned)r.p.y;
		}
	}
}
LAUNCH(struct_copy)
#endif
