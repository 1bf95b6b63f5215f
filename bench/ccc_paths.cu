// SPDX-License-Identifier: MIT
// A path tracer: diffuse, mirror and glass spheres, one thread per sample of a pixel. Paths leave for the sky, or Russian roulette
// ends them, so the lanes of a warp follow a few to dozens of rays. By hand: a lane whose path has ended fetches the warp's next one.
#include "programs.cuh"

enum Kind { DIFFUSE, MIRROR, GLASS };
struct Sphere { float4 at; float4 colour; int kind; };      // at.w: the radius; colour.w: emission
constexpr int SPHERES = 12, WIDTH = 512;

struct Args { int n, closed; float4 *out; };                // out: red, green, blue, and the number of rays
struct Path { float3 at, to, weight, light; uint32_t seed; int rays; };
static __constant__ Sphere spheres[SPHERES];

static __device__ __forceinline__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
static __device__ __forceinline__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
static __device__ __forceinline__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
static __device__ __forceinline__ float3 operator*(float3 a, float4 b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
static __device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static __device__ __forceinline__ float3 unit(float3 a) { return rsqrtf(dot(a, a)) * a; }
static __device__ __forceinline__ float draw(uint32_t &seed)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return float(seed >> 8) * 0x1p-24f;
}

static __device__ __forceinline__ Path camera(int i)
{
	const uint32_t seed = mix(i + 0x9e3779b9u) | 1;
	Path p = {make_float3(0, 0.5f, -6), {}, make_float3(1, 1, 1), make_float3(0, 0, 0), seed, 0};
	const float x = float(i % WIDTH) + draw(p.seed), y = float(i / WIDTH % WIDTH) + draw(p.seed);
	p.to = unit(make_float3(x * (1.0f / WIDTH) - 0.5f, 0.5f - y * (1.0f / WIDTH), 1));
	return p;
}
// Traces one ray of the path and sets the next one. Returns whether the path continues.
static __device__ __forceinline__ bool trace(const Args &g, Path &p)
{
	float near = 1e20f;
	int hit = -1;
	++p.rays;
#pragma unroll 1
	for (int k = 0; k < SPHERES - !g.closed; ++k) {           // the last sphere encloses all others
		const float4 s = spheres[k].at;
		const float3 d = make_float3(s.x, s.y, s.z) - p.at;
		const float b = dot(d, p.to), e = b * b - dot(d, d) + s.w * s.w;
		if (e > 0) {
			const float root = sqrtf(e), t = b - root > 1e-3f ? b - root : b + root;
			if (t > 1e-3f && t < near) {
				near = t;
				hit = k;
			}
		}
	}
	if (hit < 0) {
		const float up = 0.5f * p.to.y + 0.5f;
		p.light = p.light + p.weight * make_float4(1 - 0.5f * up, 1 - 0.3f * up, 1, 0);
		return false;
	}
	const Sphere s = spheres[hit];
	p.light = p.light + s.colour.w * p.weight;
	p.weight = p.weight * s.colour;
	if (p.rays > 4) {
		const float go_on = fminf(0.95f, fmaxf(p.weight.x, fmaxf(p.weight.y, p.weight.z)));
		if (draw(p.seed) >= go_on)
			return false;
		p.weight = __fdividef(1, go_on) * p.weight;
	}
	p.at = p.at + near * p.to;
	float3 normal = __fdividef(1, s.at.w) * (p.at - make_float3(s.at.x, s.at.y, s.at.z));
	const bool inside = dot(normal, p.to) > 0;
	if (inside)
		normal = -1.0f * normal;
	const float c = -dot(normal, p.to);
	if (s.kind == DIFFUSE) {
		const float z = 2 * draw(p.seed) - 1, r = sqrtf(1 - z * z);
		float sine, cosine;
		__sincosf(6.2831853f * draw(p.seed), &sine, &cosine);
		p.to = unit(normal + make_float3(0.999f * r * cosine, 0.999f * r * sine, 0.999f * z));
		return true;
	}
	if (s.kind == GLASS) {
		const float eta = inside ? 1.5f : 1 / 1.5f, k = 1 - eta * eta * (1 - c * c), m = 1 - c;
		if (k > 0 && draw(p.seed) >= 0.04f + 0.96f * m * m * m * m * m) {
			p.to = unit(eta * p.to + (eta * c - sqrtf(k)) * normal);
			return true;
		}
	}
	p.to = unit(p.to + 2 * c * normal);
	return true;
}
static __device__ __forceinline__ float4 result(const Path &p)
{
	return make_float4(p.light.x, p.light.y, p.light.z, float(p.rays));
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		Path p = camera(i);
		while (trace(g, p))
			;
		g.out[i] = result(p);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	#pragma ccc assign
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		Path p = camera(i);
		#pragma ccc while
		while (trace(g, p))
			;
		g.out[i] = result(p);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	const int warps = gridDim.x * WARPS, warp = blockIdx.x * WARPS + warp_id();
	int next = 32, i = warp * 32 + lane_id();
	Path p = camera(i);
	while (__any_sync(FULL, i < g.n)) {
		const bool done = i < g.n && !trace(g, p);
		const unsigned all = __ballot_sync(FULL, done);
		if (done) {
			g.out[i] = result(p);
			const int k = next + __popc(all & lanes_below());
			i = (k / 32 * warps + warp) * 32 + k % 32;
			p = camera(i);
		}
		next += __popc(all);
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static void make_scene()
{
	Sphere s[SPHERES] = {
		{{0, -1000, 0, 999}, {0.7f, 0.7f, 0.7f, 0}, DIFFUSE}, {{0, 0, 0, 1}, {1, 1, 1, 0}, GLASS},
		{{-2.2f, 0, 0.6f, 1}, {0.9f, 0.3f, 0.2f, 0}, DIFFUSE}, {{2.2f, 0, 0.6f, 1}, {0.9f, 0.9f, 0.9f, 0}, MIRROR},
	};
	for (int k = 4; k < SPHERES - 1; ++k)
		s[k] = {{-3.5f + k - 4, -0.65f, -1.6f + 0.5f * float(k % 3), 0.35f}, {0.3f + 0.08f * k, 0.9f - 0.05f * k, 0.6f, k == 7 ? 2.0f : 0}, k % 3};
	s[SPHERES - 1] = {{0, 0, 0, 30}, {0.92f, 0.92f, 0.92f, 0.2f}, DIFFUSE};
	CHECK(cudaMemcpyToSymbol(spheres, s, sizeof s));
}

static void bench_scene(Bench &b, const char *data, const Args &a)
{
	std::vector<float4> want;
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a] {
			const std::vector<float4> got = to_host(a.out, a.n);
			if (want.empty())
				want = got;
			return got[0].w > 0 && !memcmp(got.data(), want.data(), got.size() * sizeof got[0]);
		}};
	};
	measure(b, data, [=] { CHECK(cudaMemset(a.out, 0xff, a.n * sizeof *a.out)); },
		{variant("base", k_base), variant("annotated", k_ccc), variant("by hand", k_hand), variant("one a thread", k_base, a.n)});
}

int main(int argc, char **argv)
{
	Bench b{"paths", read_options(argc, argv)};
	const int n = size_of_work(b.o, WIDTH * WIDTH * 32, WIDTH * WIDTH * 4, 1200);
	float4 *const out = on_device<float4>(n);
	make_scene();
	bench_scene(b, "under the sky", Args{n, 0, out});
	bench_scene(b, "in a closed room", Args{n, 1, out});
	CHECK(cudaFree(out));
	return b.all_right ? 0 : 1;
}
