// SPDX-License-Identifier: MIT
// Fractal flame (CCC paper, section 6.1): each random point goes through one of ten variations, chosen at random, and is plotted
// or, to isolate divergence, summed. By hand: every point goes through a queue for its variation, and a variation runs when 32
// points wait for it.
#include <cmath>
#include "programs.cuh"
#include "ff.cuh"

constexpr unsigned NONE = 15;

struct Args { unsigned n, *out; };

// ---- the workload ---------------------------------------------------------------------------------------------------------
template <bool PLOT> static __device__ __forceinline__ void use(float2 z, unsigned *out, unsigned &sum)
{
	const int x = coordinate(z.x), y = coordinate(z.y);
	if (PLOT)
		atomicAdd(&out[y * SIDE + x], 1u);
	else
		sum += x + y;
}
template <bool PLOT> static __device__ __forceinline__ void finish(unsigned sum, unsigned *out)
{
	if (PLOT)
		return;
	const unsigned s = __reduce_add_sync(FULL, sum);
	if (lane_id() == 0)
		atomicAdd(reinterpret_cast<unsigned long long *>(out), s);
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
template <bool PLOT> static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	unsigned sum = 0;
	for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		unsigned variation;
		const float2 z = draw(i, variation);
		use<PLOT>(vary_any(variation, z), g.out, sum);
	}
	finish<PLOT>(sum, g.out);
}

// One if per variation: the cases of a switch share one tail, and the sum would be live out of each path into it.
template <bool PLOT> static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	unsigned sum = 0;
	#pragma ccc for policy(queue)
	for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		unsigned variation;
		const float2 z = draw(i, variation);
		#pragma ccc if warpwide
		if (variation == 1)
			use<PLOT>(vary<1>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 2)
			use<PLOT>(vary<2>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 3)
			use<PLOT>(vary<3>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 4)
			use<PLOT>(vary<4>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 5)
			use<PLOT>(vary<5>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 6)
			use<PLOT>(vary<6>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 7)
			use<PLOT>(vary<7>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 8)
			use<PLOT>(vary<8>(z), g.out, sum);
		#pragma ccc if warpwide
		if (variation == 9)
			use<PLOT>(vary<9>(z), g.out, sum);
		if (variation == 0)
			use<PLOT>(z, g.out, sum);
	}
	finish<PLOT>(sum, g.out);
}

// The lanes whose v has the bits that were voted on.
static __device__ __forceinline__ unsigned match(unsigned v, const unsigned (&votes)[4])
{
	unsigned m = FULL;
#pragma unroll
	for (int j = 0; j < 4; ++j)
		m &= v >> j & 1u ? votes[j] : ~votes[j];
	return m;
}
// Four votes on the bits of the variation group the lanes; lane v keeps the length of queue v.
template <bool PLOT> static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	__shared__ float2 queues[WARPS][VARIATIONS][64];
	const unsigned warp = warp_id(), lane = lane_id();
	auto &queue = queues[warp];
	unsigned sum = 0;
	int count = 0;
	for (unsigned base = blockIdx.x * BLOCK + warp * 32; base < g.n; base += gridDim.x * BLOCK) {
		unsigned variation, votes[4];
		const float2 z = draw(base + lane, variation);
		if (base + lane >= g.n)
			variation = NONE;
#pragma unroll
		for (int j = 0; j < 4; ++j)
			votes[j] = __ballot_sync(FULL, variation >> j & 1u);
		const int at = __shfl_sync(FULL, count, variation) + __popc(match(variation, votes) & lanes_below());
		if (variation != NONE)
			queue[variation][at] = z;
		if (lane < VARIATIONS)
			count += __popc(match(lane, votes));
		__syncwarp();
		for (unsigned ready = __ballot_sync(FULL, count >= 32); ready; ready &= ready - 1) {
			const unsigned v = __ffs(ready) - 1;
			const int left = __shfl_sync(FULL, count, v) - 32;
			if (lane == v)
				count = left;
			use<PLOT>(vary_any(v, queue[v][left + lane]), g.out, sum);
		}
		__syncwarp();           // orders the reads before the next pushes
	}
	for (unsigned v = 0; v < VARIATIONS; ++v) {
		const int left = __shfl_sync(FULL, count, v);
		if (int(lane) < left)
			use<PLOT>(vary_any(v, queue[v][lane]), g.out, sum);
	}
	finish<PLOT>(sum, g.out);
}

// ---- host -----------------------------------------------------------------------------------------------------------------
// Almost all points must be in the right pixel: the host's sine differs from the device's, and nvcc may contract products and sums
// differently in a case that is compiled alone.
static unsigned long long difference(bool plot, const std::vector<unsigned> &a, const std::vector<unsigned> &b)
{
	unsigned long long x, y, sum = 0;
	if (!plot) {
		memcpy(&x, a.data(), 8);
		memcpy(&y, b.data(), 8);
		return x > y ? x - y : y - x;
	}
	for (size_t i = 0; i < a.size(); ++i)
		sum += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
	return sum / 2;
}
static std::vector<unsigned> host_points(bool plot, unsigned n)
{
	std::vector<unsigned> out(plot ? SIDE * SIDE : 2);
	unsigned long long sum = 0;
	for (unsigned i = 0; i < n; ++i) {
		unsigned variation;
		const float2 z = draw(i, variation), w = vary_any(variation, z);
		const int x = coordinate(w.x), y = coordinate(w.y);
		if (plot)
			++out[y * SIDE + x];
		sum += x + y;
	}
	if (!plot)
		memcpy(out.data(), &sum, 8);
	return out;
}

template <bool PLOT> static void bench_points(Bench &b, unsigned n)
{
	const size_t words = PLOT ? SIDE * SIDE : 2;
	unsigned *const out = on_device<unsigned>(words);
	const unsigned some = std::min(n, 500009u);
	const std::vector<unsigned> host = host_points(PLOT, some);
	std::vector<unsigned> want;
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(Args{n, out}); }, [&, kernel, blocks] {
			const std::vector<unsigned> got = to_host(out, words);
			if (want.empty())
				want = got;
			CHECK(cudaMemset(out, 0, words * sizeof *out));
			kernel<<<blocks, BLOCK>>>(Args{some, out});
			return difference(PLOT, got, want) <= n / 1000 && difference(PLOT, to_host(out, words), host) <= some / 500;
		}};
	};
	char data[32];
	snprintf(data, sizeof data, "%u points %s", n, PLOT ? "plotted" : "summed");
	measure(b, data, [=] { CHECK(cudaMemset(out, 0, words * sizeof *out)); },
		{variant("base", k_base<PLOT>), variant("annotated", k_ccc<PLOT>),
			variant("by hand", k_hand<PLOT>), variant("one a thread", k_base<PLOT>, n)});
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	Bench b{"ff", read_options(argc, argv)};
	const unsigned n = size_of_work(b.o, 100000000u, 4000000u, 8003u);
	bench_points<true>(b, n);
	bench_points<false>(b, n);
	return b.all_right ? 0 : 1;
}
