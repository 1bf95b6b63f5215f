// SPDX-License-Identifier: MIT
// Forces of molecular dynamics over a list of 128 neighbours, one thread per particle: those within the cutoff take the path, which is
// as long as that of an Ewald sum. Three sums are live out, in order. By hand: a lane selects the near ones of 32 neighbours, then runs them.
#include <cmath>
#include "programs.cuh"

constexpr int NEIGHBOURS = 128;

struct Args { int n; float cut2; const float4 *p; const int *neighbour; float4 *force; };

static __device__ __forceinline__ void add_force(float4 d, float q, float3 &f)
{
	const float inv = rsqrtf(d.w), i2 = inv * inv, s6 = i2 * i2 * i2 * 1e-6f, r = 0.3f * d.w * inv;
	float w = 48.0f * s6 * (s6 - 0.5f) * i2 + q * i2 * inv;
	w += q * (erfcf(r) * inv + 1.128379f * 0.3f * expf(-r * r)) * i2;
	f.x += w * d.x;
	f.y += w * d.y;
	f.z += w * d.z;
}
// w: the square of the distance
static __device__ __forceinline__ float4 offset(float4 a, float4 b)
{
	const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
	return make_float4(x, y, z, x * x + y * y + z * z);
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const float4 a = g.p[i];
		float3 f = make_float3(0, 0, 0);
		for (int k = 0; k < NEIGHBOURS; ++k) {
			const float4 b = g.p[g.neighbour[k * g.n + i]], d = offset(a, b);
			if (d.w < g.cut2)
				add_force(d, a.w * b.w, f);
		}
		g.force[i] = make_float4(f.x, f.y, f.z, 0);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const float4 a = g.p[i];
		float3 f = make_float3(0, 0, 0);
		#pragma ccc for
		for (int k = 0; k < NEIGHBOURS; ++k) {
			const float4 b = g.p[g.neighbour[k * g.n + i]], d = offset(a, b);
			#pragma ccc if
			if (d.w < g.cut2)
				add_force(d, a.w * b.w, f);
		}
		g.force[i] = make_float4(f.x, f.y, f.z, 0);
	}
}

static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	constexpr int U = 32;
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const float4 a = g.p[i];
		float3 f = make_float3(0, 0, 0);
		for (int first = 0; first < NEIGHBOURS; first += U) {
			unsigned m = 0;
#pragma unroll 8
			for (int u = 0; u < U; ++u)
				if (offset(a, g.p[g.neighbour[(first + u) * g.n + i]]).w < g.cut2)
					m |= 1u << u;
			for (; m; m &= m - 1) {
				const float4 b = g.p[g.neighbour[(first + __ffs(m) - 1) * g.n + i]];
				add_force(offset(a, b), a.w * b.w, f);
			}
		}
		g.force[i] = make_float4(f.x, f.y, f.z, 0);
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
static __global__ void make_particles(int n, float4 *p, int *neighbour)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const auto random = [&](unsigned k) { return (mix(i * 4u + k + 1) >> 8) * 0x1p-24f; };
		p[i] = make_float4(random(0), random(1), random(2), random(3) - 0.5f);
		for (int k = 0; k < NEIGHBOURS; ++k) {
			const int j = (i / 1024 * 1024 + (mix(i * unsigned(NEIGHBOURS) + k) >> 22)) % n;
			neighbour[k * n + i] = j != i ? j : (i + 1) % n;
		}
	}
}
static bool same(const std::vector<float4> &a, const std::vector<float4> &b)
{
	for (size_t i = 0; i < a.size(); ++i)
		if (!(std::fabs(a[i].x - b[i].x) <= 1e-2f * (std::fabs(b[i].x) + 1) && std::fabs(a[i].y - b[i].y) <= 1e-2f * (std::fabs(b[i].y) + 1)
			&& std::fabs(a[i].z - b[i].z) <= 1e-2f * (std::fabs(b[i].z) + 1)))
			return false;
	return true;
}

static void bench_cutoff(Bench &b, const Args &a)
{
	std::vector<float4> want;
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(a); }, [&want, a] {
			const std::vector<float4> got = to_host(a.force, a.n);
			if (want.empty())
				want = got;
			return same(got, want);
		}};
	};
	char data[32];
	snprintf(data, sizeof data, "cutoff %.2f", a.cut2);
	measure(b, data, [=] { CHECK(cudaMemset(a.force, 0xff, a.n * sizeof *a.force)); },
		{variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, a.n)});
}

int main(int argc, char **argv)
{
	Bench b{"md", read_options(argc, argv)};
	const int n = size_of_work(b.o, 1 << 20, 1 << 18, 600);
	float4 *const p = on_device<float4>(n), *const force = on_device<float4>(n);
	int *const neighbour = on_device<int>(size_t(n) * NEIGHBOURS);
	make_particles<<<1024, BLOCK>>>(n, p, neighbour);
	for (float cut : {0.02f, 0.1f, 0.35f})
		bench_cutoff(b, Args{n, cut, p, neighbour, force});
	CHECK(cudaFree(p));
	CHECK(cudaFree(force));
	CHECK(cudaFree(neighbour));
	return b.all_right ? 0 : 1;
}
