// SPDX-License-Identifier: MIT
// The three forms of Speculative Reconvergence (Damani and others, CGO 2020), with an annotation at each predicted point.
// Merge: a task looks up a random material and sums over its 4 to 321 nuclides, as RSBench does; each lane has its own tasks;
// drawn: the lanes of a warp draw them.
// Delay: one in several iterations has an expensive part. Call: both arms of a branch call one function. Nested: such a part in the
// inner loop of a merge.
// By hand: lanes vote on who continues; for the call, the compiler's own merge.
#include "programs.cuh"

static __device__ __forceinline__ float unit(unsigned s) { return __fmul_rn(__uint2float_rz(s), 2.3283064e-10f); }

// ---- merge ----------------------------------------------------------------------------------------------------------------
constexpr int MATERIALS = 12, NUCLIDES = 512;
static __constant__ int count_of[MATERIALS] = {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
static __constant__ float until[MATERIALS] = {0.140f, 0.192f, 0.467f, 0.601f, 0.755f, 0.819f, 0.885f, 0.940f, 0.948f, 0.963f,
	0.988f, 1.001f};

struct Merge { const float4 *nuclide; int tasks, stride, poles; float *out; };  // tasks: per lane

struct Lookup {
	float e;
	int j, n, first;        // the next nuclide, their number, the index of the first
	float xs[4];

	__device__ __forceinline__ void prolog(unsigned task)
	{
		unsigned s = task * 747796405u + 2891336453u;
		s = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
		s ^= s >> 22;
		e = __fadd_rn(0.25f, unit(s));
		s = s * 1664525u + 1013904223u;
		const float roll = unit(s);
		int m = 0;
		while (m < MATERIALS - 1 && roll >= until[m])
			++m;
		n = count_of[m];
		first = 13 * m;
		j = 0;
		xs[0] = xs[1] = xs[2] = xs[3] = 0;
	}
	__device__ __forceinline__ void body(const Merge &a)
	{
		const float4 q = a.nuclide[first + j];
		float d = __fsub_rn(e, q.x), m[4] = {0, 0, 0, 0};
#pragma unroll 4
		for (int p = 0; p < a.poles; ++p) {
			const float r = __fdividef(1.0f, fmaf(d, d, q.y)), re = __fmul_rn(fabsf(d), r), im = __fmul_rn(q.y, r);
			m[0] = fmaf(q.z, re, m[0]);
			m[1] = fmaf(q.w, im, m[1]);
			m[2] = fmaf(re, im, m[2]);
			m[3] = fmaf(im, im, m[3]);
			d = fmaf(d, -0.9375f, 0.171875f);
		}
		for (int k = 0; k < 4; ++k)
			xs[k] = __fadd_rn(xs[k], m[k]);
		++j;
	}
	__device__ __forceinline__ void epilog(const Merge &a, int task) const
	{
		float v = xs[0];
#pragma unroll
		for (int k = 1; k < 16; ++k)
			v = fmaf(v, 0.75f, xs[k & 3]);
		a.out[task] = v;
	}
};

static __global__ void __launch_bounds__(BLOCK) k_merge_base(Merge a)
{
	int task = blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll 1
	for (int k = 0; k < a.tasks; ++k, task += a.stride) {
		Lookup l;
		l.prolog(task);
#pragma unroll 1
		while (l.j < l.n)
			l.body(a);
		l.epilog(a, task);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_merge_ccc(Merge a)
{
	int task = blockIdx.x * BLOCK + threadIdx.x;
	#pragma ccc for
	for (int k = 0; k < a.tasks; ++k, task += a.stride) {
		Lookup l;
		l.prolog(task);
		#pragma ccc predict threshold(24)
		while (l.j < l.n)
			l.body(a);
		l.epilog(a, task);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_merge_hand(Merge a)
{
	int k = 0, task = blockIdx.x * BLOCK + threadIdx.x;
	bool done = a.tasks == 0;
	Lookup l;
	l.j = l.n = 0;
	if (!done)
		l.prolog(task);
	for (;;) {
		const bool ready = !done && l.j < l.n;
		const unsigned at = __ballot_sync(FULL, ready), live = __ballot_sync(FULL, !done);
		if (!live)
			return;
		if (__popc(at) >= 24 || at == live) {
			if (ready)
				l.body(a);
		} else if (!done && !ready) {
			l.epilog(a, task);
			++k;
			task += a.stride;
			done = k >= a.tasks;
			if (!done)
				l.prolog(task);
		}
	}
}

// The lanes of a warp take their tasks from one sequence, which contains those of all of them.
static __global__ void __launch_bounds__(BLOCK) k_drawn_ccc(Merge a)
{
	int task = blockIdx.x * BLOCK + threadIdx.x;
	#pragma ccc assign
	for (int k = 0; k < a.tasks; ++k, task += a.stride) {
		Lookup l;
		l.prolog(task);
		#pragma ccc predict threshold(24)
		while (l.j < l.n)
			l.body(a);
		l.epilog(a, task);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_drawn_hand(Merge a)
{
	const int lane = threadIdx.x & 31, first = blockIdx.x * BLOCK + threadIdx.x - lane;
	int next = 32, task = first + lane;
	bool done = a.tasks == 0;
	Lookup l;
	l.j = l.n = 0;
	if (!done)
		l.prolog(task);
	for (;;) {
		const bool ready = !done && l.j < l.n;
		const unsigned at = __ballot_sync(FULL, ready), live = __ballot_sync(FULL, !done);
		if (!live)
			return;
		if (__popc(at) >= 24 || at == live) {
			if (ready)
				l.body(a);
			continue;
		}
		const unsigned need = live & ~at;
		if (!done && !ready) {
			l.epilog(a, task);
			const int q = next + __popc(need & ((1u << lane) - 1));
			task = first + (q & 31) + (q >> 5) * a.stride;
			done = q >= 32 * a.tasks;
			if (!done)
				l.prolog(task);
		}
		next += __popc(need);
	}
}

static void bench_merge(Bench &b, int poles, int tasks)
{
	std::vector<float4> nuclide;
	for (int i = 0; i < NUCLIDES; ++i) {
		const float u = (i * 37 % NUCLIDES + 0.5f) / NUCLIDES;
		nuclide.push_back(make_float4(0.1f + u, 0.05f + 0.1f * u, 0.5f + 0.5f * u, 1.0f - 0.5f * u));
	}
	const int blocks = fill_device(b.o, k_merge_base), lanes = blocks * BLOCK;
	tasks = size_of_work(b.o, tasks, tasks / 4, 2);
	const Merge a{to_device(nuclide), tasks, lanes, poles, on_device<float>(size_t(lanes) * tasks)};
	std::vector<float> want;
	const auto variant = [&](const char *name, void (*kernel)(Merge)) -> Variant {
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a, lanes] {
			const std::vector<float> got = to_host(a.out, size_t(lanes) * a.tasks);
			if (want.empty())
				want = got;
			return got == want;
		}};
	};
	char data[40];
	snprintf(data, sizeof data, "merge, %d poles, %d tasks", poles, tasks);
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, size_t(lanes) * a.tasks * sizeof *a.out)); },
		{variant("base", k_merge_base), variant("annotated", k_merge_ccc), variant("by hand", k_merge_hand)});
	snprintf(data, sizeof data, "drawn, %d poles, %d tasks", poles, tasks);
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, size_t(lanes) * a.tasks * sizeof *a.out)); },
		{variant("base", k_merge_base), variant("annotated", k_drawn_ccc), variant("by hand", k_drawn_hand)});
	CHECK(cudaFree(const_cast<float4 *>(a.nuclide)));
	CHECK(cudaFree(a.out));
}

// ---- delay ----------------------------------------------------------------------------------------------------------------
struct Delay { int n, size; unsigned cut, *out; };      // size: the expensive part has 20 * size multiply-adds

static __device__ __forceinline__ bool is_rare(const Delay &a, unsigned &s, float &e)
{
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	e = fmaf(e, 0.5f, unit(s));
#pragma unroll
	for (int k = 0; k < 4; ++k)
		e = fmaf(e, 0.875f, 0.125f);
	return s < a.cut;
}
static __device__ __forceinline__ unsigned expensive(const Delay &a, unsigned s)
{
	float f = unit(s);
#pragma unroll 1
	for (int q = 0; q < a.size; ++q) {
#pragma unroll
		for (int k = 0; k < 10; ++k) {
			f = fmaf(f, 2.0f, 1.0f);
			f = fmaf(f, 0.5f, -0.5f + 1.0f / 65536);
		}
	}
	return __float_as_uint(f);
}
static __device__ __forceinline__ float rest(float e)
{
#pragma unroll
	for (int k = 0; k < 6; ++k)
		e = fmaf(e, -0.75f, 0.25f);
	return e;
}

static __global__ void __launch_bounds__(BLOCK) k_delay_base(Delay a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u, sum = 0;
	float e = 0.5f;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		if (is_rare(a, s, e))
			sum += expensive(a, s);
		e = rest(e);
	}
	a.out[id] = sum ^ __float_as_uint(e);
}

static __global__ void __launch_bounds__(BLOCK) k_delay_ccc(Delay a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u, sum = 0;
	float e = 0.5f;
	#pragma ccc for
	for (int i = 0; i < a.n; ++i) {
		if (is_rare(a, s, e)) {
			#pragma ccc predict threshold(16)
			sum += expensive(a, s);
		}
		e = rest(e);
	}
	a.out[id] = sum ^ __float_as_uint(e);
}

static __global__ void __launch_bounds__(BLOCK) k_delay_hand(Delay a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u, sum = 0;
	float e = 0.5f;
	int i = 0;
	bool at = false;
	for (;;) {
		const unsigned waiting = __ballot_sync(FULL, at), live = __ballot_sync(FULL, i < a.n);
		if (!live)
			break;
		bool ends = false;
		if (__popc(waiting) >= 16 || waiting == live) {
			if (at) {
				sum += expensive(a, s);
				ends = true;
			}
		} else if (i < a.n && !at) {
			at = is_rare(a, s, e);
			ends = !at;
		}
		if (ends) {
			e = rest(e);
			++i;
			at = false;
		}
	}
	a.out[id] = sum ^ __float_as_uint(e);
}

// ---- call -----------------------------------------------------------------------------------------------------------------
static __device__ __noinline__ float foo(float x, int size)
{
#pragma unroll 1
	for (int q = 0; q < size; ++q) {
#pragma unroll
		for (int k = 0; k < 10; ++k) {
			x = fmaf(x, 2.0f, 1.0f);
			x = fmaf(x, 0.5f, -0.5f);
		}
	}
	return x;
}
static __device__ __forceinline__ float before(bool c, float x)
{
	if (c) {
#pragma unroll
		for (int k = 0; k < 8; ++k)
			x = fmaf(x, 0.75f, 0.125f);
	} else {
#pragma unroll
		for (int k = 0; k < 20; ++k)
			x = fmaf(x, -0.625f, 0.25f);
	}
	return x;
}
static __device__ __forceinline__ float behind(bool c, float x) { return c ? fmaf(x, 0.5f, 0.25f) : fmaf(x, x, -0.5f); }
static __device__ __forceinline__ bool next(const Delay &a, unsigned &s, float &x)
{
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	x = fmaf(x, 0.25f, __fmul_rn(unit(s), 0.5f));
	return s < a.cut;
}

static __global__ void __launch_bounds__(BLOCK) k_call_base(Delay a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u;
	float x = 0, sum = 0;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		if (next(a, s, x)) {
			x = before(true, x);
			x = foo(x, a.size);
			x = behind(true, x);
		} else {
			x = before(false, x);
			x = foo(x, a.size);
			x = behind(false, x);
		}
		sum = __fadd_rn(sum, x);
	}
	a.out[id] = __float_as_uint(sum);
}

static __global__ void __launch_bounds__(BLOCK) k_call_ccc(Delay a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u;
	float x = 0, sum = 0;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		if (next(a, s, x)) {
			x = before(true, x);
			#pragma ccc predict
			x = foo(x, a.size);
			x = behind(true, x);
		} else {
			x = before(false, x);
			#pragma ccc predict
			x = foo(x, a.size);
			x = behind(false, x);
		}
		sum = __fadd_rn(sum, x);
	}
	a.out[id] = __float_as_uint(sum);
}

static __global__ void __launch_bounds__(BLOCK) k_call_hand(Delay a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	unsigned s = id * 2654435761u | 1u;
	float x = 0, sum = 0;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		const bool c = next(a, s, x);
		x = before(c, x);
		x = foo(x, a.size);
		x = behind(c, x);
		sum = __fadd_rn(sum, x);
	}
	a.out[id] = __float_as_uint(sum);
}

// ---- nested: an inner loop of 0 to 63 rounds, one in 16 of which has the expensive part -----------------------------------------
struct Nested {
	unsigned s, sum;
	float e;

	__device__ __forceinline__ Nested() : s((blockIdx.x * BLOCK + threadIdx.x) * 2654435761u | 1u), sum(0), e(0.5f) {}
	__device__ __forceinline__ int rounds()         // the square makes large numbers rare
	{
		s = s * 747796405u + 2891336453u;
		e = rest(e);
		const unsigned r = s >> 26;
		return r * r >> 6;
	}
	__device__ __forceinline__ void finish(const Delay &a) const
	{
		a.out[blockIdx.x * BLOCK + threadIdx.x] = sum ^ __float_as_uint(e);
	}
};

static __global__ void __launch_bounds__(BLOCK) k_nested_base(Delay a)
{
	Nested l;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		const int rounds = l.rounds();
#pragma unroll 1
		for (int k = 0; k < rounds; ++k)
			if (is_rare(a, l.s, l.e))
				l.sum += expensive(a, l.s);
	}
	l.finish(a);
}

static __global__ void __launch_bounds__(BLOCK) k_nested_ccc(Delay a)
{
	Nested l;
	#pragma ccc for
	for (int i = 0; i < a.n; ++i) {
		const int rounds = l.rounds();
		#pragma ccc predict threshold(24)
		for (int k = 0; k < rounds; ++k)
			if (is_rare(a, l.s, l.e)) {
				#pragma ccc predict threshold(16)
				l.sum += expensive(a, l.s);
			}
	}
	l.finish(a);
}

static __global__ void __launch_bounds__(BLOCK) k_nested_loop(Delay a)
{
	Nested l;
	#pragma ccc for
	for (int i = 0; i < a.n; ++i) {
		const int rounds = l.rounds();
		#pragma ccc predict threshold(24)
		for (int k = 0; k < rounds; ++k)
			if (is_rare(a, l.s, l.e))
				l.sum += expensive(a, l.s);
	}
	l.finish(a);
}

static __global__ void __launch_bounds__(BLOCK) k_nested_part(Delay a)
{
	Nested l;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		const int rounds = l.rounds();
		#pragma ccc for
		for (int k = 0; k < rounds; ++k)
			if (is_rare(a, l.s, l.e)) {
				#pragma ccc predict threshold(16)
				l.sum += expensive(a, l.s);
			}
	}
	l.finish(a);
}

static __global__ void __launch_bounds__(BLOCK) k_nested_hand(Delay a)
{
	Nested l;
	int i = 0, left = 0;
	bool at = false;
	for (;;) {
		const unsigned live = __ballot_sync(FULL, i < a.n || left), waiting = __ballot_sync(FULL, at),
			inner = __ballot_sync(FULL, left && !at);
		if (!live)
			break;
		if (__popc(waiting) >= 16 || waiting == live) {
			if (at) {
				l.sum += expensive(a, l.s);
				--left;
				at = false;
			}
		} else if (__popc(inner) >= 24 || (waiting | inner) == live) {
			if (left && !at) {
				at = is_rare(a, l.s, l.e);
				left -= !at;
			}
		} else if (i < a.n && !left) {
			left = l.rounds();
			++i;
		}
	}
	l.finish(a);
}

// ---- host -----------------------------------------------------------------------------------------------------------------
struct Named { const char *name; void (*kernel)(Delay); };

static void bench_lanes(Bench &b, const char *data, Delay a, const std::vector<Named> &kernels)
{
	const int blocks = fill_device(b.o, kernels[0].kernel), n = blocks * BLOCK;
	a.out = on_device<unsigned>(n);
	std::vector<unsigned> want;
	std::vector<Variant> variants;
	for (const Named &k : kernels)
		variants.push_back({k.name, [=] { k.kernel<<<blocks, BLOCK>>>(a); }, [&want, a, n] {
			const std::vector<unsigned> got = to_host(a.out, n);
			if (want.empty())
				want = got;
			return got == want;
		}});
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, n * sizeof *a.out)); }, variants);
	CHECK(cudaFree(a.out));
}

static int iterations(const Options &o, int instructions)
{
	return std::max(3, size_of_work(o, 160000, 16000, 4000) / instructions);
}

int main(int argc, char **argv)
{
	const std::vector<Named> delay{{"base", k_delay_base}, {"annotated", k_delay_ccc}, {"by hand", k_delay_hand}};
	const std::vector<Named> call{{"base", k_call_base}, {"annotated", k_call_ccc}, {"by hand", k_call_hand}};
	const std::pair<const char *, Named> nested[] = {{"nested", {"annotated", k_nested_ccc}},
		{"nested, loop alone", {"annotated", k_nested_loop}}, {"nested, part alone", {"annotated", k_nested_part}}};
	Bench b{"predict", read_options(argc, argv)};
	char data[40];
	bench_merge(b, 8, 64);
	bench_merge(b, 32, 32);
	for (int size : {8, 32}) {
		snprintf(data, sizeof data, "delay, %d FMAs, 1 in 16", 20 * size);
		bench_lanes(b, data, {iterations(b.o, 20 * size + 60), size, 0xffffffffu / 16, nullptr}, delay);
	}
	for (int size : {5, 20}) {
		snprintf(data, sizeof data, "call, %d FMAs", 20 * size);
		bench_lanes(b, data, {iterations(b.o, 40 * size + 60), size, 0x80000000u, nullptr}, call);
	}
	for (int size : {4, 32})
		for (const auto &way : nested) {
			snprintf(data, sizeof data, "%s, %d FMAs, 1 in 16", way.first, 20 * size);
			bench_lanes(b, data, {iterations(b.o, 40 * size + 600), size, 0xffffffffu / 16, nullptr},
				{{"base", k_nested_base}, way.second, {"by hand", k_nested_hand}});
		}
	return b.all_right ? 0 : 1;
}
