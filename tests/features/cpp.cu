// SPDX-License-Identifier: MIT
// C++: classes with destructors in loop bodies, templates, lambdas, constexpr, namespaces, inheritance, iterators, structured bindings, and macros.
#ifndef KERNELS
#define KERNELS "cpp.cu"
#define HEADERS "cpp.cuh"
#include "features.cuh"
int main()
{
	RUN(destructor_own); RUN(destructor_path); RUN(destructor_around); RUN(range_for); RUN(template_kernel); RUN(template_policy); RUN(member_loop); RUN(constexpr_if); RUN(structured); RUN(init_if);
	RUN(variadic); RUN(recursive_template); RUN(operators); RUN(inherited); RUN(member_pointer); RUN(capture_this); RUN(nested_space); RUN(macro_loop); RUN(enum_switch); RUN(optional_tuple);
	RUN(aliases); RUN(pragma_unroll); RUN(bitfields); RUN(static_table); RUN(complex_numbers); RUN(move_only);
	return finish();
}
#else
struct Guard {
	unsigned *p, v;
	__device__ Guard(unsigned *p, unsigned v) : p(p), v(v) {}
	__device__ ~Guard() { *p += v; }
};
__global__ void destructor_own(G g)
{
	FOR
	EACH(i) {
		unsigned mine = 0, x = g.in[i];
		{
			Guard a(&mine, x & 7);
			if (x & 8)
				mine += 5;
		}
		IF
		if (rare(x))
			g.out[i] = work(mine);
	}
}
LAUNCH(destructor_own)
__global__ void destructor_path(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			Guard a(&g.out[i], work(x)), b(&g.out[i], 3);
			if (x & 16)
				continue;
			g.out[i] = 7;
		}
	}
}
LAUNCH(destructor_path)
__global__ void destructor_around(G g) // an object that lives for the whole iteration, which contains the path
{
	unsigned total = 0;
	SEQ
	EACH(i) {
		Guard a(&total, g.in[i] & 3);
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			total = work(total);
			if (x & 32)
				continue;
		}
		total ^= 5;
	}
	g.thread[thread_id()] = total;
}
LAUNCH(destructor_around)
struct Range {
	int first, last, step;
	struct It {
		int i, step, last;
		__device__ int operator*() const { return i; }
		__device__ It &operator++() { i += step; return *this; }
		__device__ bool operator!=(const It &) const { return i < last; }
	};
	__device__ It begin() const { return { first, step, last }; }
	__device__ It end() const { return { last, step, last }; }
};
__global__ void range_for(G g)
{
	FOR
	for (int i : Range { thread_id(), g.n, threads() }) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x);
	}
}
LAUNCH(range_for)
template <class T, int K> __global__ void template_kernel(G g)
{
	FOR
	EACH(i) {
		T x = (T)g.in[i];
		IF
		if (rare((unsigned)x))
			g.out[i] = work((unsigned)x) + K;
	}
}
inline void launch_template_kernel(const G &g, int blocks, int block)
{
	template_kernel<unsigned, 3><<<blocks, block>>>(g);
	template_kernel<unsigned short, 5><<<blocks, block>>>(g);
	template_kernel<long long, 7><<<blocks, block>>>(g);
}
template <bool WITH> __device__ unsigned choose(unsigned x)
{
	if (WITH)
		return work(x);
	return x + 1;
}
template <bool WITH> __global__ void template_policy(G g) // in one instance the compiler leaves no branch
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = choose<WITH>(x);
	}
}
inline void launch_template_policy(const G &g, int blocks, int block)
{
	template_policy<true><<<blocks, block>>>(g);
	template_policy<false><<<blocks, block>>>(g);
}
struct Solver {
	G g;
	unsigned salt, sum;
	__device__ Solver(const G &g) : g(g), salt(9), sum(0) {}
	__device__ void run()
	{
		FOR
		EACH(i) {
			unsigned x = g.in[i];
			IF
			if (rare(x)) {
				g.out[i] = work(x + salt);
				sum += x;
			}
		}
	}
};
__global__ void member_loop(G g)
{
	Solver s(g);
	s.run();
	g.thread[thread_id()] = s.sum;
}
LAUNCH(member_loop)
template <int K> __device__ void constexpr_body(const G &g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		if constexpr (K == 1) {
			IF
			if (rare(x))
				g.out[i] = work(x);
		} else
			g.f[i] = x & 255;
	}
}
__global__ void constexpr_if(G g)
{
	constexpr_body<1>(g);
	constexpr_body<2>(g);
}
LAUNCH(constexpr_if)
struct Pair {
	unsigned a;
	double b;
};
__device__ inline Pair pair_of(unsigned x) { return { work(x), x * 0.25 }; }
__global__ void structured(G g)
{
	FOR
	EACH(i) {
		auto [a, b] = Pair { g.in[i], g.in[i] * 0.5 };
		IF
		if (rare(a)) {
			auto [c, d] = pair_of(a);
			g.out[i] = c + (unsigned)(d + b);
		}
	}
}
LAUNCH(structured)
__global__ void init_if(G g)
{
	FOR
	EACH(i) {
		IF
		if (unsigned x = g.in[i]; rare(x))
			g.out[i] = work(x);
		else if (unsigned y = x >> 3; rare(y))
			g.out[i] = y;
	}
}
LAUNCH(init_if)
template <class... F> __device__ void all_of(const G &g, F... f)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = (f(x) + ...);
	}
}
__global__ void variadic(G g)
{
	all_of(g, [](unsigned x) { return work(x); }, [](unsigned x) { return x * 3; }, [k = g.n](unsigned x) { return mix(x) + k; });
}
LAUNCH(variadic)
template <int K> struct Power {
	__device__ static unsigned of(unsigned x) { return x * Power<K - 1>::of(x); }
};
template <> struct Power<0> {
	__device__ static unsigned of(unsigned) { return 1; }
};
__global__ void recursive_template(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = Power<21>::of(x | 1) + work(x);
	}
}
LAUNCH(recursive_template)
struct Vec {
	float x, y, z;
	__device__ Vec operator+(const Vec &o) const { return { x + o.x, y + o.y, z + o.z }; }
	__device__ Vec operator*(float s) const { return { x * s, y * s, z * s }; }
	__device__ float operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
	__device__ explicit operator bool() const { return x > 0; }
};
__global__ void operators(G g)
{
	Vec sum = { 0, 0, 0 };
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		Vec v = { (float)(x & 15), (float)(x >> 4 & 15), 1 };
		SIF
		if (rare(x)) {
			sum = sum * 0.5f + v;
			if (sum)
				g.f[i] = sum[x >> 9 & 1] + (work(x) & 3);
		}
	}
	g.thread[thread_id()] = __float_as_uint(sum.x + sum.y * 3 + sum.z * 5);
}
LAUNCH(operators)
struct Base {
	unsigned k;
	__device__ unsigned of(unsigned x) const { return x + k; }
};
struct Derived : Base {
	unsigned m;
	__device__ unsigned of(unsigned x) const { return Base::of(x) * m; }
};
__global__ void inherited(G g)
{
	Derived d;
	d.k = g.n & 7, d.m = 3;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(d.of(x));
	}
}
LAUNCH(inherited)
struct Ops {
	unsigned k;
	__device__ unsigned one(unsigned x) { return work(x) + k; }
	__device__ unsigned two(unsigned x) { return x * k; }
};
__global__ void member_pointer(G g)
{
	Ops o = { 5 };
	unsigned (Ops::*f)(unsigned) = &Ops::one;
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = (o.*f)(x);
	}
}
LAUNCH(member_pointer)
struct This {
	unsigned k;
	const G &g;
	__device__ void go()
	{
		auto f = [this](int i, unsigned x) { g.out[i] = work(x) + k; };
		FOR
		EACH(i) {
			unsigned x = g.in[i];
			IF
			if (rare(x))
				f(i, x);
		}
	}
};
__global__ void capture_this(G g) { This { 4, g }.go(); }
LAUNCH(capture_this)
namespace a { namespace b { namespace {
__device__ unsigned offset = 11;
__device__ void loop(const G &g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) + offset;
	}
}
} } }
__global__ void nested_space(G g) { a::b::loop(g); }
LAUNCH(nested_space)
#undef WHEN
#define WHEN(c) IF if (c)
__global__ void macro_loop(G g)
{
	FOR EACH(i) {
		unsigned x = g.in[i];
		WHEN(rare(x)) { g.out[i] = work(x); }
		WHEN(rare(x >> 3)) { g.f[i] = work(x) & 255; }
	}
}
LAUNCH(macro_loop)
enum class Kind : unsigned char { NONE, ADD, MUL };
__global__ void enum_switch(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		Kind k = (Kind)(x % 3);
		IF
		if (k != Kind::NONE && rare(x))
			g.out[i] = k == Kind::ADD ? work(x) + 1 : work(x) * 3;
	}
}
LAUNCH(enum_switch)
__global__ void optional_tuple(G g)
{
	FOR
	EACH(i) {
		cuda::std::optional<unsigned> o;
		if (rare(g.in[i]))
			o = g.in[i];
		IF
		if (o) {
			auto t = cuda::std::make_tuple(work(*o), *o * 0.5f);
			g.out[i] = cuda::std::get<0>(t) + (unsigned)cuda::std::get<1>(t);
		}
	}
}
LAUNCH(optional_tuple)
using Word = unsigned;
template <class T> using Ptr = T *;
__global__ void aliases(G g)
{
	const Ptr<const Word> in = g.in;
	Ptr<Word> out = g.out;
	auto &&n = g.n;
	FOR
	for (auto i = decltype(n + 0)(thread_id()); i < n; i += threads()) {
		const auto &x = in[i];
		IF
		if (rare(x))
			out[i] = work(x);
	}
}
LAUNCH(aliases)
__global__ void pragma_unroll(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i], y = 0;
#pragma unroll
		for (int k = 0; k < 4; k++)
			y += mix(x + k);
		IF
		if (rare(y)) {
#pragma unroll 2
			for (int k = 0; k < 9; k++)
				y = mix(y ^ k);
			g.out[i] = y;
		}
	}
}
LAUNCH(pragma_unroll)
struct Bits {
	unsigned a : 3, b : 7, c : 22;
	int d : 5;
};
__global__ void bitfields(G g)
{
	Bits s = { 1, 2, 3, -4 };
	SEQ
	EACH(i) {
		unsigned x = g.in[i];
		SIF
		if (rare(x)) {
			s.a += x, s.b ^= work(x), s.c = s.c * 5 + s.b, s.d -= s.a;
		}
		s.d++;
	}
	g.thread[thread_id()] = s.a + s.b * 8 + s.c * 1024 + s.d;
}
LAUNCH(bitfields)
__device__ constexpr unsigned primes[] = { 2, 3, 5, 7, 11, 13, 17, 19 };
__device__ constexpr unsigned square(unsigned x) { return x * x; }
__global__ void static_table(G g)
{
	constexpr unsigned k = square(12);
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x))
			g.out[i] = work(x) % primes[x >> 3 & 7] + k;
	}
}
LAUNCH(static_table)
__global__ void complex_numbers(G g)
{
	FORV
	EACH(i) {
		cuda::std::complex<float> z = 0, c((g.in[i] & 255) / 128.f - 1.5f, (g.in[i] >> 8 & 255) / 128.f - 1);
		unsigned k = 0;
		WHILE
		while (k < 40 && z.real() * z.real() + z.imag() * z.imag() < 4) {
			z = cuda::std::complex<float>(__fadd_rn(__fsub_rn(__fmul_rn(z.real(), z.real()), __fmul_rn(z.imag(), z.imag())), c.real()), __fadd_rn(__fmul_rn(2 * z.real(), z.imag()), c.imag()));
			k++;
		}
		g.out[i] = k;
	}
}
LAUNCH(complex_numbers)
struct Owner {
	unsigned *p;
	__device__ Owner(unsigned *p) : p(p) {}
	Owner(const Owner &) = delete;
	__device__ Owner(Owner &&o) : p(o.p) { o.p = nullptr; }
	__device__ ~Owner() { if (p) *p ^= 0x80; }
};
__device__ inline void consume(Owner o, unsigned x) { *o.p = work(x); }
__global__ void move_only(G g)
{
	FOR
	EACH(i) {
		unsigned x = g.in[i];
		IF
		if (rare(x)) {
			Owner o(&g.out[i]);
			consume(static_cast<Owner &&>(o), x);
		}
	}
}
LAUNCH(move_only)
#endif
