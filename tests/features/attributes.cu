// SPDX-License-Identifier: MIT
// FLAGS: --extended-lambda
// CCC: --ccc-max-regs=48
// Attributes of kernels and functions, extended and generic lambdas, Thrust with annotated loops in its functors, statements with attributes.
#ifndef KERNELS
#define KERNELS "attributes.cu"
#define HEADERS "attributes.cuh"
#include "features.cuh"
int main()
{
	RUN(max_registers); RUN(bounds_three); RUN(anonymous); RUN(of_template); RUN(likely); RUN(pure_attribute); RUN(extended); RUN(both_sides); RUN(generic_lambda); RUN(thrust_each);
	RUN(thrust_transform); RUN(statement_expression); RUN(declared_condition); RUN(pragma_pairs); RUN(nested_functions); RUN(arch_branches); RUN(assume); RUN(align_attribute); RUN(one_line);
	return finish();
}
#else
__global__ void __maxnreg__(40) max_registers(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(max_registers)
__global__ void __launch_bounds__(128, 4, 1) bounds_three(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(bounds_three)
namespace {
__global__ void hidden_kernel(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
}
inline void launch_anonymous(const G &g, int blocks, int block) { hidden_kernel<<<blocks, block>>>(g); }
template <auto F, int... K> static __global__ void of(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = F(x) + (K + ... + 0);
	}
}
__device__ unsigned plus_one(unsigned x) { return work(x) + 1; }
inline void launch_of_template(const G &g, int blocks, int block) { of<plus_one, 1, 2, 3><<<blocks, block>>>(g); }
__global__ void likely(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (__builtin_expect(rare(x), 0))
			g.out[i] = work(x);
		if (__builtin_expect(x == 0xdeadbeef, 0))
			g.f[i] = 1;
	}
}
LAUNCH(likely)
__device__ __noinline__ __attribute__((const)) unsigned constant_function(unsigned x) { return work(x); }
__device__ __noinline__ __attribute__((pure)) unsigned pure_f(const unsigned *p, int i) { return work(p[i]); }
__global__ void pure_attribute(G g)
{
	FOR
	EACH(i) {
		unsigned x = constant_function(g.in[i]);
		IF
		if (rare(x))
			g.out[i] = pure_f(g.in, i) + constant_function(x + 1);
	}
}
LAUNCH(pure_attribute)
template <class F> __global__ void apply(F f) { f(thread_id(), threads()); }
inline void launch_extended(const G &g, int blocks, int block) // the loop is in a lambda of the host function
{
	G h = g;
	apply<<<blocks, block>>>([=] __device__(int first, int step) {
		FOR
		for (int i = first; i < h.n; i += step) {
			unsigned x = h.in[i];
			IF
			if (rare(x))
				h.out[i] = work(x);
		}
	});
}
inline void launch_both_sides(const G &g, int blocks, int block)
{
	G h = g;
	auto f = [=] __host__ __device__(int first, int step) {
		FOR
		for (int i = first; i < h.n; i += step) {
			unsigned x = h.in[i];
			IF
			if ((x & 7) == 3) {
				for (int k = 0; k < 20; k++)
					x = (x ^ x >> 15) * 0x85ebca6bu;
				h.out[i] = x;
			}
		}
	};
	apply<<<blocks, block>>>(f);
}
__global__ void generic_lambda(G g)
{
	auto loop = [&](auto first, auto last, auto body) {
		FOR
		for (auto i = first; i < last; i += threads()) {
			unsigned x = g.in[i];
			IF
			if (rare(x))
				body(i, x);
		}
	};
	loop(thread_id(), g.n / 2, [&](int i, unsigned x) { g.out[i] = work(x); });
	loop((long long)thread_id() + g.n / 2, (long long)g.n, [&](long long i, unsigned x) { g.out[i] = work(x) * 3; });
}
LAUNCH(generic_lambda)
struct Functor {
	G g;
	__device__ void operator()(int t) const
	{
		FOR
		for (int i = t; i < g.n; i += 64) {
			unsigned x = g.in[i];
			IF
			if (rare(x))
				g.out[i] = work(x);
		}
	}
};
inline void launch_thrust_each(const G &g, int blocks, int block)
{
	thrust::for_each(thrust::device, thrust::make_counting_iterator(0), thrust::make_counting_iterator(64), Functor { g });
}
struct Sum {
	const unsigned *in;
	int n;
	__device__ unsigned operator()(int t) const
	{
		unsigned s = 0;
		FOR
		for (int i = t; i < n; i += 40) {
			unsigned x = in[i];
			IF
			if (rare(x))
				s += work(x);
		}
		return s;
	}
};
inline void launch_thrust_transform(const G &g, int blocks, int block)
{
	thrust::transform(thrust::device, thrust::make_counting_iterator(0), thrust::make_counting_iterator(40), thrust::device_pointer_cast(g.out), Sum { g.in, g.n });
}
__global__ void statement_expression(G g)
{
	FOR
	EACH(i) {
		unsigned x = ({ unsigned t = g.in[i]; t & 1 ? t : t ^ 6; });
		IF
		if (({ bool b = rare(x); b; }))
			g.out[i] = work(x);
	}
}
LAUNCH(statement_expression)
__global__ void declared_condition(G g)
{
	int i = thread_id();
	FOR
	while (bool more = i < g.n) {
		unsigned x = g.in[i] + more;
		IF
		if (unsigned y = x & 15; unsigned z = y == 3 ? x : 0)
			g.out[i] = work(z) + y;
		i += threads();
	}
}
LAUNCH(declared_condition)
__global__ void pragma_pairs(G g)
{
#pragma nv_diag_suppress 177
	FOR
#pragma unroll 1
	EACH(i) {
		unsigned x = g.in[i], unused;
		IF
#pragma nv_diag_default 177
		if (rare(x)) {
#pragma unroll 4
			for (int k = 0; k < 10; k++)
				x = mix(x + k);
			g.out[i] = x;
		}
	}
}
LAUNCH(pragma_pairs)
__global__ void nested_functions(G g)
{
	struct Local {
		__device__ static void loop(const G &g)
		{
			FOR
			EACH(i) {
				struct Inner {
					unsigned x;
					__device__ bool operator()() const { return rare(x); }
				} c = { g.in[i] };
				IF
				if (c())
					g.out[i] = work(c.x);
			}
		}
	};
	Local::loop(g);
}
LAUNCH(nested_functions)
__global__ void arch_branches(G g)
{
#if __CUDA_ARCH__ >= 900
	FOR
	EACH(i) {
#else
	EACH(i) {
#endif
		unsigned x = g.in[i];
#if __CUDA_ARCH__ >= 700
		IF
#endif
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(arch_branches)
__global__ void assume(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		__builtin_assume(x < 0x80000000u);
		IF
		if (rare(x)) {
			if (x >= 0x80000000u)
				__builtin_unreachable();
			g.out[i] = work(x);
		}
	}
}
LAUNCH(assume)
struct __align__(16) Aligned {
	unsigned a[3];
};
__global__ void align_attribute(G g)
{
	FOR
	EACH(i) {
		Aligned t = { { g.in[i], g.in[i] * 3, 7 } };
		IF
		if (rare(t.a[0])) {
			Aligned u = t;
			u.a[1] += work(u.a[0]);
			g.out[i] = u.a[0] + u.a[1] + u.a[2];
		}
	}
}
LAUNCH(align_attribute)
__global__ void one_line(G g) { FOR EACH(i) { unsigned x = g.in[i]; IF if (rare(x)) g.out[i] = work(x); else if (x & 1) { IF if (rare(x >> 4)) g.f[i] = 1; } } }
LAUNCH(one_line)
#endif
