// SPDX-License-Identifier: MIT
// Dynamic work assignment (Kato, Suda and Tamada, appendix A-1): element i calls a function of 64 (512) dependent steps in[i] times, and
// its result is carried from one call to the next. By hand: the paper's kernelEnhanced, as one loop that all lanes execute together,
// with a counter per block; the same with a sequence per warp; and collected: an element with its intermediate result is a task that
// waits in the warp's stack when the warp cannot be filled. Annotated: `assign`, of the warp and of the block, and collected.
// Branch path unification (A-2): each element goes through one of two functions. By hand: the paper's kernelEnhanced. Annotated:
// `unify`, and both arms collected.
#include <string>
#include "programs.cuh"

struct Args { int n; const int *in; int *out; };        // in[i] > 0

template <int LOOP> static __host__ __device__ __forceinline__ int function(int v)
{
#pragma unroll
	for (int i = 0; i < LOOP; ++i)
		v = int(0xffffu & (unsigned(v) * unsigned(v) + unsigned(v)));
	return v;
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
template <int LOOP> static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
#pragma unroll 1
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		int v = g.in[i];
#pragma unroll 1
		for (int left = v; left; --left)
			v = function<LOOP>(v);
		g.out[i] = v;
	}
}

template <int LOOP> static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for policy(stack)
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		int v = g.in[i];
		#pragma ccc for var
		for (int left = v; left; --left)
			v = function<LOOP>(v);
		g.out[i] = v;
	}
}

template <int LOOP> static __global__ void __launch_bounds__(BLOCK) k_assign(Args g)
{
	#pragma ccc assign
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		int v = g.in[i];
		#pragma ccc for var
		for (int left = v; left; --left)
			v = function<LOOP>(v);
		g.out[i] = v;
	}
}

template <int LOOP> static __global__ void __launch_bounds__(BLOCK) k_block(Args g)
{
	#pragma ccc assign policy(block)
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		int v = g.in[i];
		#pragma ccc for var
		for (int left = v; left; --left)
			v = function<LOOP>(v);
		g.out[i] = v;
	}
}

// kernelEnhanced: number k of the block is element k % BLOCK of its k / BLOCK-th stride.
template <int LOOP> static __global__ void __launch_bounds__(BLOCK) k_counter(Args g)
{
	__shared__ int counter;
	if (threadIdx.x == 0)
		counter = BLOCK;
	__syncthreads();
	const auto element = [&](int k) { return blockIdx.x * BLOCK + k % BLOCK + k / BLOCK * (gridDim.x * BLOCK); };
	int i = element(threadIdx.x), left = i < g.n ? g.in[i] : 0, v = left;
#pragma unroll 1
	while (__any_sync(FULL, i < g.n)) {
		if (i < g.n) {
			v = function<LOOP>(v);
			if (--left == 0) {
				g.out[i] = v;
				i = element(atomicAdd(&counter, 1));
				if (i < g.n)
					left = v = g.in[i];
			}
		}
	}
}

template <int LOOP> static __global__ void __launch_bounds__(BLOCK) k_warp(Args g)
{
	const unsigned lane = lane_id(), first = blockIdx.x * BLOCK + warp_id() * 32;
	int next = 32, i = first + lane, left = i < g.n ? g.in[i] : 0, v = left;
	bool live = i < g.n;
	while (true) {
		if (live) {
			v = function<LOOP>(v);
			--left;
		}
		const bool need = live && left == 0;
		const unsigned needs = __ballot_sync(FULL, need);
		if (needs) {
			if (need) {
				g.out[i] = v;
				const int k = next + __popc(needs & lanes_below());
				i = first + k % 32 + k / 32 * (gridDim.x * BLOCK);
				live = i < g.n;
				if (live)
					left = v = g.in[i];
			}
			next += __popc(needs);
			if (!__any_sync(FULL, live))
				return;
		}
	}
}

struct Stack { int i[32], left[32], v[32]; };

template <int LOOP> static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ Stack stacks[WARPS];
	const unsigned warp = warp_id(), lane = lane_id();
	Stack &s = stacks[warp];
	int top = 0;
	for (int base = blockIdx.x * BLOCK + warp * 32; base < g.n; base += gridDim.x * BLOCK) {
		int i = base + lane, left = i < g.n ? g.in[i] : 0, v = left;
		for (;;) {
			const unsigned idle = __ballot_sync(FULL, left == 0);
			if (top < __popc(idle)) {       // not enough for a full warp: fetch 32 fresh elements
				const int at = top + __popc(~idle & lanes_below());
				if (left) {
					s.i[at] = i;
					s.left[at] = left;
					s.v[at] = v;
				}
				top += 32 - __popc(idle);
				__syncwarp();
				break;
			}
			if (!left) {
				const int at = top - 1 - __popc(idle & lanes_below());
				i = s.i[at];
				left = s.left[at];
				v = s.v[at];
			}
			top -= __popc(idle);
			__syncwarp();
			v = function<LOOP>(v);
			if (--left == 0)
				g.out[i] = v;
		}
	}
	if (int(lane) < top) {
		int v = s.v[lane];
		for (int left = s.left[lane]; left; --left)
			v = function<LOOP>(v);
		g.out[s.i[lane]] = v;
	}
}

// ---- branch path unification: element i goes through one of two functions, selected by in[i] ----------------------------------
constexpr int STEPS = 10000;

// In the paper both functions are the same; nvcc would then leave no branch.
static __host__ __device__ __forceinline__ int function_a(int v)
{
#pragma unroll 100
	for (int i = 0; i < STEPS; ++i)
		v = 0xffff & (v * v + v);
	return v;
}
static __host__ __device__ __forceinline__ int function_b(int v)
{
#pragma unroll 100
	for (int i = 0; i < STEPS; ++i)
		v = 0xffff & (v * v ^ v);
	return v;
}
static __host__ __device__ __forceinline__ bool chooses_a(int v) { return v & 4; }

static __global__ void __launch_bounds__(BLOCK) k_sides(Args g)
{
#pragma unroll 1
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK)
		g.out[i] = chooses_a(g.in[i]) ? function_a(i) : function_b(i);
}

static __global__ void __launch_bounds__(BLOCK) k_unify(Args g)
{
	#pragma ccc for
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		#pragma ccc unify
		if (chooses_a(g.in[i]))
			g.out[i] = function_a(i);
		else
			g.out[i] = function_b(i);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_collect_sides(Args g)
{
	#pragma ccc for policy(stack)
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		#pragma ccc if else
		if (chooses_a(g.in[i]))
			g.out[i] = function_a(i);
		else
			g.out[i] = function_b(i);
	}
}

// kernelEnhanced of A-2: each thread searches for its next element of either arm in turn. (As printed, it skips the first one and
// never terminates.)
static __global__ void __launch_bounds__(BLOCK) k_search(Args g)
{
	const int first = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
	int a = first, b = first;
	while (a < g.n || b < g.n) {
		int use = -1;
#pragma unroll 1
		for (; a < g.n && use < 0; a += step)
			if (chooses_a(g.in[a]))
				use = a;
		if (use >= 0)
			g.out[use] = function_a(use);
		use = -1;
#pragma unroll 1
		for (; b < g.n && use < 0; b += step)
			if (!chooses_a(g.in[b]))
				use = b;
		if (use >= 0)
			g.out[use] = function_b(use);
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
// Runs the kernels. The first one is checked against the first elements, the others against the first one.
static void compare(Bench &b, const char *data, const std::vector<int> &in, std::vector<int> want,
	std::initializer_list<std::pair<const char *, void (*)(Args)>> kernels)
{
	const int n = (int)in.size(), some = (int)want.size();
	const Args a{n, to_device(in), on_device<int>(n)};
	bool first = true;
	std::vector<Variant> variants;
	for (const auto &k : kernels) {
		const int blocks = fill_device(b.o, k.second);
		const auto kernel = k.second;
		variants.push_back({k.first, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&, a, n, some] {
			const std::vector<int> got = to_host(a.out, n);
			if (first && std::equal(want.begin(), want.begin() + some, got.begin()))
				want = got;
			first = false;
			return got == want;
		}});
	}
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, n * sizeof *a.out)); }, variants);
	CHECK(cudaFree(const_cast<int *>(a.in)));
	CHECK(cudaFree(a.out));
}

template <int LOOP> static void bench_counts(Bench &b, const char *data, bool skewed)
{
	const int n = size_of_work(b.o, 132 * 2048 * 32, 132 * 2048 * 4, 1500);
	std::vector<int> in(n), want(std::min(n, 20000));
	for (int i = 0; i < n; ++i) {
		const unsigned r = mix(i + 1) >> 8;
		in[i] = !skewed ? 1 + r % 64 : r % 8 ? 1 + r / 8 % 8 : 64 + r / 8 % 192;
	}
	for (size_t i = 0; i < want.size(); ++i) {
		want[i] = in[i];
		for (int left = in[i]; left; --left)
			want[i] = function<LOOP>(want[i]);
	}
	const std::string name = data;
	compare(b, data, in, want, {{"base", k_base<LOOP>}, {"annotated", k_assign<LOOP>}, {"by hand", k_counter<LOOP>}});
	compare(b, (name + "; of the block").c_str(), in, want,
		{{"base", k_base<LOOP>}, {"annotated", k_block<LOOP>}, {"by hand", k_counter<LOOP>}});
	compare(b, (name + "; by hand: of the warp").c_str(), in, want,
		{{"base", k_base<LOOP>}, {"annotated", k_assign<LOOP>}, {"by hand", k_warp<LOOP>}});
	compare(b, (name + "; collected").c_str(), in, want,
		{{"base", k_base<LOOP>}, {"annotated", k_ccc<LOOP>}, {"by hand", k_hand<LOOP>}});
}

static void bench_sides(Bench &b, const char *data, int each)
{
	const int n = size_of_work(b.o, 132 * 2048 * each, 132 * 2048 * each / 8, 300);
	std::vector<int> in(n), want(std::min(n, 2000));
	for (int i = 0; i < n; ++i)
		in[i] = mix(i + 1) >> 8;
	for (size_t i = 0; i < want.size(); ++i)
		want[i] = chooses_a(in[i]) ? function_a((int)i) : function_b((int)i);
	compare(b, data, in, want, {{"base", k_sides}, {"annotated", k_unify}, {"by hand", k_search}});
	compare(b, (std::string(data) + "; collected").c_str(), in, want,
		{{"base", k_sides}, {"annotated", k_collect_sides}, {"by hand", k_search}});
}

int main(int argc, char **argv)
{
	Bench b{"kato", read_options(argc, argv)};
	bench_counts<64>(b, "1 to 64 calls", false);
	bench_counts<64>(b, "few, or 64 to 255 calls", true);
	bench_counts<512>(b, "few, or 64 to 255 calls, 512 steps", true);
	b.program = "kato, unify";
	bench_sides(b, "two sides, 10,000 steps, 16 a thread", 16);
	bench_sides(b, "two sides, 10,000 steps, 64 a thread", 64);
	return b.all_right ? 0 : 1;
}
