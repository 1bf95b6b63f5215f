// SPDX-License-Identifier: MIT
// One thread per task, as in most kernels: one task in eight is long, and its length varies between regions, so
// blocks take different times. `grid` gives each resident block every G-th block of the launch; `grid(dynamic)` starts several times as
// many blocks with a smaller part each, which the GPU launches as others end. By hand: resident warps that fetch 32 tasks at a time from
// a counter, zero at each launch, with a stack for the long tasks.
#include "programs.cuh"

constexpr int REGION = 4096;
enum Lengths { EQUAL, TAIL, LATE };
struct Args { int n, steps, lengths; unsigned *next; uint32_t *out; };

// ---- the workload ---------------------------------------------------------------------------------------------------------
static __host__ __device__ __forceinline__ int length_of(const Args &g, int i)
{
	const uint32_t region = i / REGION;
	switch (g.lengths) {
	case EQUAL: return g.steps;
	case TAIL: return g.steps / 4 * min(64u, 0xffffffffu / (mix(region) | 1));  // Pareto: P(x > t) = 1/t, at most 64
	default: return (int)((long long)g.steps * 2 * i / g.n);
	}
}
static __device__ __forceinline__ bool goes_far(uint32_t x) { return x % 8 == 0; }
static __device__ __forceinline__ uint32_t go(uint32_t x, int steps)
{
	#pragma unroll 1
	for (int k = 0; k < steps; ++k)
		x = (x ^ x >> 15) * 0x2c1b3c6du + k;
	return x;
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= g.n)
		return;
	const uint32_t x = mix(i);
	if (goes_far(x))
		g.out[i] = go(x, length_of(g, i));
	else
		g.out[i] = x;
}

#define KERNEL(name, annotation) \
	_Pragma(annotation) \
	static __global__ void __launch_bounds__(BLOCK) name(Args g) \
	{ \
		const int i = blockIdx.x * BLOCK + threadIdx.x; \
		if (i >= g.n) \
			return; \
		const uint32_t x = mix(i); \
		_Pragma("ccc if") \
		if (goes_far(x)) \
			g.out[i] = go(x, length_of(g, i)); \
		else \
			g.out[i] = x; \
	}
KERNEL(k_ccc_strides, "ccc grid")
KERNEL(k_ccc, "ccc grid(dynamic)")

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ int tasks[WARPS][32];
	int *const stack = tasks[warp_id()], lane = lane_id(), top = 0;
	for (;;) {
		unsigned first = 0;
		if (lane == 0)
			first = atomicAdd(g.next, 32);
		first = __shfl_sync(FULL, first, 0);
		if (first >= (unsigned)g.n)
			break;
		int i = first + lane;
		const uint32_t x = mix(i);
		const bool far = i < g.n && goes_far(x);
		if (i < g.n && !far)
			g.out[i] = x;
		const unsigned votes = __ballot_sync(FULL, far);
		const int wanted = __popc(votes);
		if (top + wanted >= 32) {
			if (!far)
				i = stack[top - 1 - __popc(~votes & lanes_below())];
			top -= 32 - wanted;
			g.out[i] = go(mix(i), length_of(g, i));
		} else {
			if (far)
				stack[top + __popc(votes & lanes_below())] = i;
			top += wanted;
		}
		__syncwarp();
	}
	if (lane < top)
		g.out[stack[lane]] = go(mix(stack[lane]), length_of(g, stack[lane]));
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static void bench_tasks(Bench &b, const char *lengths, const Args &a)
{
	std::vector<uint32_t> want;
	const auto variant = [&](const char *name, void (*kernel)(Args), bool resident = false) -> Variant {
		const int blocks = resident ? fill_device(b.o, kernel) : (a.n + BLOCK - 1) / BLOCK;
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a] {
			const std::vector<uint32_t> got = to_host(a.out, a.n);
			if (want.empty())
				want = got;
			return !memcmp(got.data(), want.data(), got.size() * sizeof got[0]);
		}};
	};
	const auto reset = [=] {
		CHECK(cudaMemset(a.out, 0xff, a.n * sizeof *a.out));
		CHECK(cudaMemset(a.next, 0, sizeof *a.next));
	};
	char data[80];
	for (const bool dynamic : {false, true}) {
		snprintf(data, sizeof data, "%d steps, %s%s", a.steps, lengths, dynamic ? "; dynamic" : "");
		measure(b, data, reset, {variant("base", k_base), variant("annotated", dynamic ? k_ccc : k_ccc_strides),
			variant("by hand", k_hand, true)});
	}
}

int main(int argc, char **argv)
{
	Bench b{"tasks", read_options(argc, argv)};
	const int n = size_of_work(b.o, 1 << 24, 1 << 21, 20000);
	Args a{n, 0, 0, on_device<unsigned>(1), on_device<uint32_t>(n)};
	for (const int steps : {64, 512}) {
		a.steps = steps;
		static const char *const names[] = {"equal", "heavy tail", "dearer to the end"};
		for (a.lengths = EQUAL; a.lengths <= LATE; ++a.lengths)
			bench_tasks(b, names[a.lengths], a);
	}
	CHECK(cudaFree(a.out));
	CHECK(cudaFree(a.next));
	return b.all_right ? 0 : 1;
}
