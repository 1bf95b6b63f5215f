// SPDX-License-Identifier: MIT
// Memory divergence avoidance (section 4.2 of the CCC paper): some lanes need elements of two float4 or one float each, which are
// loaded by the lane that runs the path, or by the owner. The loop annotated without `coalesced` takes the place of the hand-written version.
#include "programs.cuh"

struct Args { const float4 *a, *b; const float *c; const unsigned *key; unsigned below; int n, rounds; float4 *out; };

static __device__ __forceinline__ float4 grind(float4 a, float4 b, int rounds)
{
	for (int q = 0; q < rounds; ++q) {
		a.x = fmaf(a.x, b.x, a.y);
		a.y = fmaf(a.y, b.y, a.z);
		a.z = fmaf(a.z, b.z, a.w);
		a.w = fmaf(a.w, b.w, a.x);
	}
	return a;
}
static __device__ __forceinline__ float4 all_of(float x) { return make_float4(x, x, x, x); }
#define GRID_STRIDE(i) for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK)

static __global__ void __launch_bounds__(BLOCK) k_wide_base(Args g)
{
	GRID_STRIDE(i)
		if (g.key[i] < g.below)
			g.out[i] = grind(g.a[i], g.b[i], g.rounds);
}
static __global__ void __launch_bounds__(BLOCK) k_wide_with(Args g)
{
	#pragma ccc for policy(queue)
	GRID_STRIDE(i) {
		#pragma ccc if coalesced
		if (g.key[i] < g.below)
			g.out[i] = grind(g.a[i], g.b[i], g.rounds);
	}
}
static __global__ void __launch_bounds__(BLOCK) k_wide_without(Args g)
{
	#pragma ccc for policy(queue)
	GRID_STRIDE(i) {
		#pragma ccc if
		if (g.key[i] < g.below)
			g.out[i] = grind(g.a[i], g.b[i], g.rounds);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_word_base(Args g)
{
	GRID_STRIDE(i)
		if (g.key[i] < g.below)
			g.out[i] = grind(all_of(g.c[i]), all_of(0.5f), g.rounds);
}
static __global__ void __launch_bounds__(BLOCK) k_word_with(Args g)
{
	#pragma ccc for policy(queue)
	GRID_STRIDE(i) {
		#pragma ccc if coalesced
		if (g.key[i] < g.below)
			g.out[i] = grind(all_of(g.c[i]), all_of(0.5f), g.rounds);
	}
}
static __global__ void __launch_bounds__(BLOCK) k_word_without(Args g)
{
	#pragma ccc for policy(queue)
	GRID_STRIDE(i) {
		#pragma ccc if
		if (g.key[i] < g.below)
			g.out[i] = grind(all_of(g.c[i]), all_of(0.5f), g.rounds);
	}
}

static void bench_loads(Bench &b, const char *data, const Args &a, void (*const kernels[3])(Args))
{
	static const char *const names[] = {"base", "coalesced", "without"};
	std::vector<float4> want;
	std::vector<Variant> variants;
	for (int k = 0; k < 3; ++k) {
		void (*const kernel)(Args) = kernels[k];
		const int blocks = fill_device(b.o, kernels[0]);
		variants.push_back({names[k], [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a] {
			const std::vector<float4> got = to_host(a.out, a.n);
			if (want.empty())
				want = got;
			return !memcmp(got.data(), want.data(), got.size() * sizeof got[0]);
		}});
	}
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0, a.n * sizeof *a.out)); }, variants);
}

int main(int argc, char **argv)
{
	static void (*const wide[])(Args) = {k_wide_base, k_wide_with, k_wide_without};
	static void (*const word[])(Args) = {k_word_base, k_word_with, k_word_without};
	Bench b{"coalesced", read_options(argc, argv)};
	const int n = size_of_work(b.o, 1 << 24, 1 << 21, 5000);
	std::vector<float4> a(n, make_float4(0.5f, 0.25f, 0.125f, 1.0f));
	std::vector<float> c(n, 0.75f);
	std::vector<unsigned> key(n);
	for (int i = 0; i < n; ++i)
		key[i] = mix(i);
	const Args g{to_device(a), to_device(a), to_device(c), to_device(key), 0, n, 25, on_device<float4>(n)};
	for (int lanes : {1, 4, 8, 16})
		for (int k = 0; k < 2; ++k) {
			char data[40];
			Args x = g;
			x.below = 0xffffffffu / 32 * lanes;
			snprintf(data, sizeof data, "%s, %d of 32 lanes", k ? "one float" : "two float4", lanes);
			bench_loads(b, data, x, k ? word : wide);
		}
	return b.all_right ? 0 : 1;
}
