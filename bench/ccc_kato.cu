// SPDX-License-Identifier: MIT
// Dynamic work assignment (Kato, Suda and Tamada, appendix A-1): element i calls a function of 64 dependent steps in[i] times, and
// what it has reached goes from one call to the next. By hand: an element with what it has reached is a task that waits in the
// warp's stack when the warp cannot be filled.
#include "programs.cuh"

constexpr int LOOP = 64;

struct Args { int n; const int *in; int *out; };        // in[i] > 0

static __host__ __device__ __forceinline__ int function(int v)
{
#pragma unroll
	for (int i = 0; i < LOOP; ++i)
		v = int(0xffffu & (unsigned(v) * unsigned(v) + unsigned(v)));
	return v;
}

// ---- as it is, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
#pragma unroll 1
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		int v = g.in[i];
#pragma unroll 1
		for (int left = v; left; --left)
			v = function(v);
		g.out[i] = v;
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc for policy(stack)
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		int v = g.in[i];
		#pragma ccc for var
		for (int left = v; left; --left)
			v = function(v);
		g.out[i] = v;
	}
}

struct Stack { int i[32], left[32], v[32]; };

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ Stack stacks[WARPS];
	const unsigned warp = warp_id(), lane = lane_id();
	Stack &s = stacks[warp];
	int top = 0;
	for (int base = blockIdx.x * BLOCK + warp * 32; base < g.n; base += gridDim.x * BLOCK) {
		int i = base + lane, left = i < g.n ? g.in[i] : 0, v = left;
		for (;;) {
			const unsigned idle = __ballot_sync(FULL, left == 0);
			if (top < __popc(idle)) {       // not enough for a full warp: go for 32 fresh elements
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
			v = function(v);
			if (--left == 0)
				g.out[i] = v;
		}
	}
	if (int(lane) < top) {
		int v = s.v[lane];
		for (int left = s.left[lane]; left; --left)
			v = function(v);
		g.out[s.i[lane]] = v;
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static void bench_counts(Bench &b, const char *data, bool skewed)
{
	const int n = size_of_work(b.o, 132 * 2048 * 32, 132 * 2048 * 4, 1500);
	std::vector<int> in(n), want(n);
	for (int i = 0; i < n; ++i) {
		const unsigned r = mix(i + 1) >> 8;
		in[i] = !skewed ? 1 + r % 64 : r % 8 ? 1 + r / 8 % 8 : 64 + r / 8 % 192;
	}
	const int some = std::min(n, 20000);
	for (int i = 0; i < some; ++i) {
		want[i] = in[i];
		for (int left = in[i]; left; --left)
			want[i] = function(want[i]);
	}
	const Args a{n, to_device(in), on_device<int>(n)};
	bool first = true;
	const auto variant = [&](const char *name, void (*kernel)(Args)) -> Variant {
		const int blocks = fill_device(b.o, kernel);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&, a, n, some] {
			const std::vector<int> got = to_host(a.out, n);
			if (first && std::equal(want.begin(), want.begin() + some, got.begin()))
				want = got;
			first = false;
			return got == want;
		}};
	};
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, n * sizeof *a.out)); },
		{variant("base", k_base), variant("annotated", k_ccc), variant("by hand", k_hand)});
	CHECK(cudaFree(const_cast<int *>(a.in)));
	CHECK(cudaFree(a.out));
}

int main(int argc, char **argv)
{
	Bench b{"kato", read_options(argc, argv)};
	bench_counts(b, "1 to 64 calls", false);
	bench_counts(b, "few, or 64 to 255 calls", true);
	return b.all_right ? 0 : 1;
}
