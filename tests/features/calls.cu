// SPDX-License-Identifier: MIT
// Function pointers, recursion, virtual functions, functions that are not inlined, with and without side effects, alloca, lambdas.
#ifndef KERNELS
#define KERNELS "calls.cu"
#include "features.cuh"
int main()
{
	cudaDeviceSetLimit(cudaLimitStackSize, 4096);
	RUN(pointer_path); RUN(pointer_own); RUN(recursion_path); RUN(recursion_own); RUN(virtual_path); RUN(virtual_own); RUN(pure_function); RUN(impure_function); RUN(by_reference); RUN(struct_return);
	RUN(alloca_path); RUN(alloca_own); RUN(lambda_path); RUN(lambda_stored); RUN(loop_in_function); RUN(called_twice); RUN(through_table); RUN(malloc_path); RUN(many_parameters); RUN(mutual);
	RUN(new_delete); RUN(static_local);
	return finish();
}
#else
typedef unsigned (*Op)(unsigned);
__device__ __noinline__ unsigned op_a(unsigned x) { return work(x) + 1; }
__device__ __noinline__ unsigned op_b(unsigned x) { return work(x) * 3; }
__device__ __noinline__ unsigned op_c(unsigned x) { return x ^ 0x1234; }
__device__ Op ops[3] = { op_a, op_b, op_c };
__global__ void pointer_path(G g)
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			g.out[i] = ops[x >> 4 & 1](x);
	}
}
LAUNCH(pointer_path)
__global__ void pointer_own(G g)
{
	FOR
	EACH(i) {
		unsigned x = ops[g.in[i] % 3](g.in[i]);
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(pointer_own)
__device__ __noinline__ unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void recursion_path(G g)
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			g.out[i] = fib(x >> 5 & 7);
	}
}
LAUNCH(recursion_path)
__global__ void recursion_own(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i] + fib(g.in[i] >> 3 & 3);
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(recursion_own)
struct Shape {
	__device__ virtual unsigned area(unsigned x) const = 0;
	__device__ virtual ~Shape() {}
};
struct Square : Shape {
	unsigned k;
	__device__ Square(unsigned k) : k(k) {}
	__device__ unsigned area(unsigned x) const override { return work(x) * k; }
};
struct Circle : Shape {
	unsigned k;
	__device__ Circle(unsigned k) : k(k) {}
	__device__ unsigned area(unsigned x) const override { return work(x + k) / 3; }
};
__global__ void virtual_path(G g)
{
	Square s(3);
	Circle c(5);
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			const Shape &p = x & 64 ? (const Shape &)s : (const Shape &)c;
			g.out[i] = p.area(x);
		}
	}
}
LAUNCH(virtual_path)
__global__ void virtual_own(G g)
{
	Square s(3);
	Circle c(5);
	FOR
	EACH(i) {
		const Shape *p = g.in[i] & 64 ? (const Shape *)&s : (const Shape *)&c;
		unsigned x = p->area(g.in[i]);
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(virtual_own)
__device__ __noinline__ unsigned pure(unsigned x, unsigned y) { return work(x) - y; }
__global__ void pure_function(G g)
{
	FOR
	EACH(i) {
		unsigned x = pure(g.in[i], i);
		IF
		if (rare(x))
			g.out[i] = pure(x, 3) + pure(i, x);
	}
}
LAUNCH(pure_function)
__device__ unsigned counter[64];
__device__ __noinline__ void bump(unsigned x) { atomicAdd(&counter[x & 63], x >> 6); }
__global__ void impure_function(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		bump(x);
		IF
		if (rare(x)) {
			g.out[i] = work(x);
			bump(work(x));
		}
	}
}
__global__ void bumped(G g)
{
	for (int k = threadIdx.x; k < 64; k += blockDim.x)
		g.count[k] = counter[k], counter[k] = 0;
}
inline void launch_impure_function(const G &g, int blocks, int block)
{
	impure_function<<<blocks, block>>>(g);
	bumped<<<1, 64>>>(g);
}
__device__ __noinline__ void split(unsigned x, unsigned &a, unsigned &b) { a = work(x), b = x >> 16; }
__global__ void by_reference(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned a, b;
			split(x, a, b);
			g.out[i] = a + b;
		}
	}
}
LAUNCH(by_reference)
struct Three {
	unsigned a, b;
	double c;
};
__device__ __noinline__ Three three(unsigned x) { return Three { work(x), x, x * 0.5 }; }
__global__ void struct_return(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			Three t = three(x);
			g.out[i] = t.a + t.b + (unsigned)t.c;
		}
	}
}
LAUNCH(struct_return)
__device__ __forceinline__ unsigned stack_work(unsigned x)
{
	int n = 1 + (x >> 3 & 7);
	unsigned *p = (unsigned *)alloca(n * 4), s = 0;
	for (int k = 0; k < n; k++)
		p[k] = x + k;
	for (int k = 0; k < n; k++)
		s = mix(s + p[(k * 3) % n]);
	return s;
}
__device__ __noinline__ unsigned stack_called(unsigned x) { return stack_work(x); }
__global__ void alloca_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = stack_called(x) + work(x);
	}
}
LAUNCH(alloca_path)
__global__ void alloca_own(G g)
{
	int n = 1 + (g.in[thread_id()] & 7);
	unsigned *p = (unsigned *)alloca(n * 4);
	for (int k = 0; k < n; k++)
		p[k] = mix(k);
	FOR
	EACH(i) {
		unsigned x = g.in[i] + p[i % n];
		IF
		if (rare(g.in[i]))
			g.out[i] = work(x);
	}
}
inline void launch_alloca_own(const G &g, int blocks, int block) { alloca_own<<<1, block>>>(g); }
template <class F> __device__ void for_each(const G &g, F f)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			f(i, x);
	}
}
__global__ void lambda_path(G g)
{
	unsigned k = g.in[0] & 15;
	for_each(g, [=](int i, unsigned x) { g.out[i] = work(x + k); });
	for_each(g, [&](int i, unsigned x) { g.out[i] += work(x ^ k); });
}
LAUNCH(lambda_path)
__global__ void lambda_stored(G g)
{
	auto f = [](unsigned x) { return work(x) >> 1; };
	unsigned (*p)(unsigned) = f;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = p(x);
	}
}
LAUNCH(lambda_stored)
__device__ __noinline__ unsigned whole_loop(const unsigned *in, unsigned *out, int n, int first, int step)
{
	unsigned s = 0;
	FOR
	for (int i = first; i < n; i += step) {
		unsigned x = in[i];
		IF
		if (rare(x)) {
			unsigned y = work(x);
			out[i] = y;
			s += y;
		}
	}
	return s;
}
__global__ void loop_in_function(G g) { g.thread[thread_id()] = whole_loop(g.in, g.out, g.n, thread_id(), threads()); }
LAUNCH(loop_in_function)
__global__ void called_twice(G g) // a function with an annotated loop, called by diverged lanes
{
	unsigned s = 0;
	if (threadIdx.x & 1)
		s = whole_loop(g.in, g.out, g.n / 2, thread_id(), threads());
	s += whole_loop(g.in + g.n / 2, g.out + g.n / 2, g.n / 2, thread_id(), threads());
	g.thread[thread_id()] = s;
}
LAUNCH(called_twice)
typedef unsigned (*Loop)(const unsigned *, unsigned *, int, int, int);
__device__ Loop loops[2] = { whole_loop, whole_loop };
__global__ void through_table(G g) { g.thread[thread_id()] = loops[threadIdx.x & 1](g.in, g.out, g.n, thread_id(), threads()); }
LAUNCH(through_table)
__global__ void malloc_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			unsigned *p = (unsigned *)malloc(16);
			for (int k = 0; k < 4; k++)
				p[k] = work(x + k);
			g.out[i] = p[x >> 4 & 3];
			free(p);
		}
	}
}
LAUNCH(malloc_path)
__device__ __noinline__ unsigned many(unsigned a, unsigned short b, double c, float d, unsigned long long e, unsigned char f, bool h, const unsigned *p)
{
	return a + b + (unsigned)c + (unsigned)d + (unsigned)(e >> 5) + f + (h ? work(a) : 1) + *p;
}
__global__ void many_parameters(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = many(x, x >> 3, x * 0.25, x * 0.5f, (unsigned long long)x << 20, x >> 7, x & 32, g.in + i);
	}
}
LAUNCH(many_parameters)
__device__ __noinline__ unsigned even(unsigned n, unsigned x);
__device__ __noinline__ unsigned uneven(unsigned n, unsigned x) { return n ? even(n - 1, mix(x)) + 1 : x; }
__device__ __noinline__ unsigned even(unsigned n, unsigned x) { return n ? uneven(n - 1, mix(x + n)) * 3 : work(x); }
__global__ void mutual(G g)
{
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x))
			g.out[i] = even(x >> 4 & 7, x);
	}
}
LAUNCH(mutual)
struct Item {
	unsigned a, b;
	__device__ Item(unsigned x) : a(work(x)), b(x) {}
	__device__ ~Item() { a = 0; }
};
__global__ void new_delete(G g)
{
	FOR
	EACH(i) {
		Item *p = new Item(g.in[i]);
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			g.out[i] = work(p->a) + p->b;
			delete p;
		} else
			delete p;
	}
}
LAUNCH(new_delete)
__device__ __noinline__ unsigned state(unsigned x)
{
	static __device__ unsigned seed = 7;
	return seed + work(x);
}
__global__ void static_local(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = state(x);
	}
}
LAUNCH(static_local)
#endif
