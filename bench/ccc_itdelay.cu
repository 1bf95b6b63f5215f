// SPDX-License-Identifier: MIT
// SYN-ITDELAY, the synthetic kernel of iteration delaying (Han and Abdelrahman, GPGPU-4, 2011, 4.1.1): a loop with some 20
// instructions outside its branch and 20 * r in each arm, which half of the lanes take. The state of the random numbers and the value
// are loop-carried. By hand: the paper's figure 5, with a vote or alternating arms.
#include "programs.cuh"

struct Syn { int n, r; unsigned cut, *out; };

// The multiply-with-carry generator of CUDAMCML.
struct Mwc {
	unsigned long long s;
	__device__ explicit Mwc(unsigned id) : s((unsigned long long)(id * 2654435761u + 12345u) | 1ull << 33)
	{
		for (int k = 0; k < 4; ++k)
			next();
	}
	__device__ unsigned next() { return unsigned(s = unsigned(s) * 4294883355ull + (s >> 32)); }
};

template <int SIDE> static __device__ __forceinline__ float side(float v, int r)
{
	constexpr float M = SIDE ? 2.0f : 4.0f, A = SIDE ? 1.0f : 3.0f, W = 1.0f / M;
	constexpr float B = SIDE ? -0.5f + 1.0f / 8192 : -0.75f - 1.0f / 4096;
#pragma unroll 1
	for (int q = 0; q < r; ++q) {
#pragma unroll
		for (int k = 0; k < 10; ++k) {
			v = fmaf(v, M, A);
			v = fmaf(v, W, B);
		}
	}
	return v;
}
static __device__ __forceinline__ float rest(float v)
{
#pragma unroll
	for (int k = 0; k < 6; ++k) {
		v = fmaf(v, 8.0f, 7.0f);
		v = fmaf(v, 0.125f, -0.875f);
	}
	return v;
}

static __global__ void __launch_bounds__(BLOCK) k_base(Syn a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	Mwc g(id);
	float v = 0.5f;
#pragma unroll 1
	for (int i = 0; i < a.n; ++i) {
		if (g.next() < a.cut)
			v = side<1>(v, a.r);
		else
			v = side<0>(v, a.r);
		v = rest(v);
	}
	a.out[id] = __float_as_uint(v) ^ unsigned(g.s);
}

#define ANNOTATED(NAME, ANNOTATION)                                                                                            \
	static __global__ void __launch_bounds__(BLOCK) NAME(Syn a)                                                            \
	{                                                                                                                      \
		const int id = blockIdx.x * BLOCK + threadIdx.x;                                                               \
		Mwc g(id);                                                                                                     \
		float v = 0.5f;                                                                                                \
		_Pragma("ccc for")                                                                                             \
		for (int i = 0; i < a.n; ++i) {                                                                                \
			_Pragma(ANNOTATION)                                                                                    \
			if (g.next() < a.cut)                                                                                  \
				v = side<1>(v, a.r);                                                                           \
			else                                                                                                   \
				v = side<0>(v, a.r);                                                                           \
			v = rest(v);                                                                                           \
		}                                                                                                              \
		a.out[id] = __float_as_uint(v) ^ unsigned(g.s);                                                                \
	}
ANNOTATED(k_majority, "ccc delay policy(majority)")
ANNOTATED(k_live, "ccc delay policy(live)")
ANNOTATED(k_cycle, "ccc delay policy(cycle(1, 1)) idle")
ANNOTATED(k_passed_over, "ccc delay policy(cycle(1, 1))")

// ---- by hand --------------------------------------------------------------------------------------------------------------
struct Lane {
	Mwc g;
	float v = 0.5f;
	int i = 0;
	bool delayed = false, c = false;
	__device__ explicit Lane(unsigned id) : g(id) {}
	__device__ void test(const Syn &a)
	{
		if (!delayed)
			c = g.next() < a.cut;
	}
	__device__ void run(const Syn &a, bool which)
	{
		delayed = c != which;
		if (delayed)
			return;
		v = rest(c ? side<1>(v, a.r) : side<0>(v, a.r));
		++i;
	}
};

// Figure 5a; delaying stops once a lane has finished.
static __global__ void __launch_bounds__(BLOCK) k_hand_majority(Syn a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	Lane l(id);
	bool stop = false;
	for (;;) {
		l.test(a);
		bool which = l.c;
		if (!stop)
			which = __popc(__ballot_sync(FULL, l.c)) >= 16;
		l.run(a, which);
		if (!stop)
			stop = __any_sync(FULL, l.i >= a.n);
		if (l.i >= a.n)
			break;
	}
	a.out[id] = __float_as_uint(l.v) ^ unsigned(l.g.s);
}

static __global__ void __launch_bounds__(BLOCK) k_hand_live(Syn a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	Lane l(id);
	for (;;) {
		const bool live = l.i < a.n;
		if (live)
			l.test(a);
		const unsigned yes = __ballot_sync(FULL, live && l.c), no = __ballot_sync(FULL, live && !l.c);
		if (!(yes | no))
			break;
		const bool which = !no || (yes && 32 * __popc(yes) >= 16 * __popc(yes | no));
		if (live)
			l.run(a, which);
	}
	a.out[id] = __float_as_uint(l.v) ^ unsigned(l.g.s);
}

// Figure 5b without idle removal: lanes need no information about each other.
static __global__ void __launch_bounds__(BLOCK) k_hand_cycle(Syn a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	Lane l(id);
	int turn = -1;
	while (l.i < a.n) {
		l.test(a);
		if (++turn == 2)
			turn = 0;
		l.run(a, turn >= 1);
	}
	a.out[id] = __float_as_uint(l.v) ^ unsigned(l.g.s);
}

static __global__ void __launch_bounds__(BLOCK) k_hand_passed_over(Syn a)
{
	const int id = blockIdx.x * BLOCK + threadIdx.x;
	Lane l(id);
	int turn = -1;
	for (;;) {
		const bool live = l.i < a.n;
		if (live)
			l.test(a);
		const unsigned yes = __ballot_sync(FULL, live && l.c), no = __ballot_sync(FULL, live && !l.c);
		if (!(yes | no))
			break;
		if (++turn == 2)
			turn = 0;
		const bool which = turn >= 1 ? yes != 0 : no == 0;
		if (live)
			l.run(a, which);
	}
	a.out[id] = __float_as_uint(l.v) ^ unsigned(l.g.s);
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static void bench_rule(Bench &b, const char *rule, int r, void (*annotated)(Syn), void (*by_hand)(Syn))
{
	const int blocks = fill_device(b.o, k_base), n = blocks * BLOCK;
	const Syn a{size_of_work(b.o, 240000, 24000, 3000) / (40 * r + 40), r, 0x80000000u, on_device<unsigned>(n)};
	std::vector<unsigned> want;
	const auto variant = [&](const char *name, void (*kernel)(Syn)) -> Variant {
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a, n] {
			const std::vector<unsigned> got = to_host(a.out, n);
			if (want.empty())
				want = got;
			return got == want;
		}};
	};
	char data[40];
	snprintf(data, sizeof data, "%s, r = %d", rule, r);
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, n * sizeof *a.out)); },
		{variant("base", k_base), variant("annotated", annotated), variant("by hand", by_hand)});
	CHECK(cudaFree(a.out));
}

int main(int argc, char **argv)
{
	Bench b{"SYN-ITDELAY", read_options(argc, argv)};
	for (int r : {8, 50}) {
		bench_rule(b, "majority", r, k_majority, k_hand_majority);
		bench_rule(b, "live", r, k_live, k_hand_live);
		bench_rule(b, "cycle, idle", r, k_cycle, k_hand_cycle);
		bench_rule(b, "cycle", r, k_passed_over, k_hand_passed_over);
	}
	return b.all_right ? 0 : 1;
}
