// SPDX-License-Identifier: MIT
// A walk of random length: photons in a slab of fog, one thread per photon. Free path, absorption and direction are drawn from a generator
// of the photon's own, so the number of steps is unknown in advance: where absorption ends most walks, it is distributed
// exponentially, and the longest of a warp has four times the mean. By hand: a lane whose photon has ended fetches the warp's next one.
#include "programs.cuh"

struct Args { int n; float depth, albedo, g; uint2 *out; };        // out: steps and fate, and the distance travelled
enum Fate { BACK, THROUGH, ABSORBED };
struct Photon { float z, w, way; uint32_t seed; int steps; };       // w: cosine of the angle between its direction and the slab's normal

static __device__ __forceinline__ float draw(uint32_t &seed)       // in (0, 1)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return __fmaf_rn(float(seed >> 8), 0x1p-24f, 0x1p-25f);
}
static __device__ __forceinline__ Photon emit(int i)
{
	return {0, 1, 0, mix(i + 0x9e3779b9u) | 1, 0};
}
// One free path and the event at its end. Returns a fate, or -1.
static __device__ __forceinline__ int step(const Args &g, Photon &p)
{
	const float path = -__logf(draw(p.seed));
	p.z = __fmaf_rn(path, p.w, p.z);
	p.way = __fadd_rn(p.way, path);
	++p.steps;
	if (p.z < 0)
		return BACK;
	if (p.z > g.depth)
		return THROUGH;
	if (draw(p.seed) >= g.albedo)
		return ABSORBED;
	// Henyey-Greenstein phase function, and an azimuth
	const float f = __fdividef(1 - g.g * g.g, __fmaf_rn(2 * g.g, draw(p.seed), 1 - g.g));
	const float mu = __fdividef(__fmaf_rn(-f, f, __fmaf_rn(g.g, g.g, 1)), 2 * g.g);
	const float side = __fsqrt_rn(fmaxf(0, __fmul_rn(__fmaf_rn(-mu, mu, 1), __fmaf_rn(-p.w, p.w, 1))));
	const float w = __fmaf_rn(p.w, mu, __fmul_rn(side, __cosf(6.2831853f * draw(p.seed))));
	p.w = fminf(1, fmaxf(-1, w));
	return -1;
}
static __device__ __forceinline__ uint2 result(const Photon &p, int fate)
{
	return make_uint2(p.steps * 4 + fate, __float_as_uint(p.way));
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		Photon p = emit(i);
		int fate = -1;
		while (fate < 0)
			fate = step(g, p);
		g.out[i] = result(p, fate);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc assign
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		Photon p = emit(i);
		int fate = -1;
		#pragma ccc while
		while (fate < 0)
			fate = step(g, p);
		g.out[i] = result(p, fate);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	const int warps = gridDim.x * WARPS, warp = blockIdx.x * WARPS + warp_id();
	const int share = (g.n + warps - 1) / warps, end = min(g.n, (warp + 1) * share);
	int next = warp * share + 32, i = warp * share + lane_id();
	Photon p = emit(i);
	while (__any_sync(FULL, i < end)) {
		const int fate = i < end ? step(g, p) : -1;
		const unsigned done = __ballot_sync(FULL, fate >= 0);
		if (fate >= 0) {
			g.out[i] = result(p, fate);
			i = next + __popc(done & lanes_below());
			p = emit(i);
		}
		next += __popc(done);
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static void bench_fog(Bench &b, const char *data, const Args &a)
{
	std::vector<uint2> want;
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a] {
			const std::vector<uint2> got = to_host(a.out, a.n);
			if (want.empty())
				want = got;
			return got[0].x < ~0u && !memcmp(got.data(), want.data(), got.size() * sizeof got[0]);
		}};
	};
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, a.n * sizeof *a.out)); },
		{variant("base", k_base), variant("annotated", k_ccc), variant("by hand", k_hand), variant("one a thread", k_base, a.n)});
}

int main(int argc, char **argv)
{
	Bench b{"walk", read_options(argc, argv)};
	const int n = size_of_work(b.o, 1 << 24, 1 << 21, 1500);
	uint2 *const out = on_device<uint2>(n);
	bench_fog(b, "thin", Args{n, 4, 0.99f, 0.5f, out});
	bench_fog(b, "thick, 1 in 40 absorbs", Args{n, 1000, 0.975f, 0.9f, out});
	CHECK(cudaFree(out));
	return b.all_right ? 0 : 1;
}
