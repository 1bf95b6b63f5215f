// SPDX-License-Identifier: MIT
// Ray tracing of spheres with parallel rays ("CUDA by Example", chapter 6), one thread per ray: few lanes hit the warp's current
// sphere. The closest hit is live out of the path. By hand: a lane selects those of 20 spheres that it hits, then tests only these.
#include <cmath>
#include "programs.cuh"

constexpr int SPHERES = 80;

struct Sphere { float r, g, b, radius, x, y, z; };
static __constant__ Sphere c_sphere[SPHERES];

struct Args { int n; const float2 *rays; uint32_t *image; };

// No expression here leaves the compiler a choice of contraction.
static __host__ __device__ __forceinline__ float disc(float ox, float oy, const Sphere &s)     // > 0: hit; depth squared
{
	const float dx = ox - s.x, dy = oy - s.y;
	return fmaf(-dx, dx, fmaf(-dy, dy, s.radius * s.radius));
}
static __host__ __device__ __forceinline__ float depth(float q, float r2, float z, float &n)
{
	const float dz = sqrtf(q);
	n = dz / sqrtf(r2);
	return dz + z;
}
static __host__ __device__ __forceinline__ uint32_t colour(float r, float g, float b)
{
	return uint32_t(r * 255.f) | uint32_t(g * 255.f) << 8 | uint32_t(b * 255.f) << 16;
}

// ---- original, annotated, by hand -----------------------------------------------------------------------------------------
static __host__ __device__ __forceinline__ uint32_t trace(float2 o, const Sphere *sphere)
{
	float r = 0, g = 0, b = 0, maxz = 0;
	for (int s = 0; s < SPHERES; ++s) {
		const float q = disc(o.x, o.y, sphere[s]);
		if (q > 0) {
			float n;
			const float t = depth(q, sphere[s].radius * sphere[s].radius, sphere[s].z, n);
			if (t > maxz) {
				maxz = t;
				r = sphere[s].r * n;
				g = sphere[s].g * n;
				b = sphere[s].b * n;
			}
		}
	}
	return colour(r, g, b);
}
static __global__ void __launch_bounds__(BLOCK) k_base(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK)
		g.image[i] = trace(g.rays[i], c_sphere);
}

static __device__ __forceinline__ uint32_t trace_ccc(float2 o, const Sphere *sphere)
{
	float r = 0, g = 0, b = 0, maxz = 0;
	#pragma ccc for
	for (int s = 0; s < SPHERES; ++s) {
		const float q = disc(o.x, o.y, sphere[s]);
		#pragma ccc if
		if (q > 0) {
			float n;
			const float t = depth(q, sphere[s].radius * sphere[s].radius, sphere[s].z, n);
			if (t > maxz) {
				maxz = t;
				r = sphere[s].r * n;
				g = sphere[s].g * n;
				b = sphere[s].b * n;
			}
		}
	}
	return colour(r, g, b);
}
static __global__ void __launch_bounds__(BLOCK) k_ccc(Args g)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK)
		g.image[i] = trace_ccc(g.rays[i], c_sphere);
}

// The data of a lane's own spheres is in shared memory, because lanes read different ones.
static __global__ void __launch_bounds__(BLOCK) k_hand(Args g)
{
	constexpr int U = 20;
	__shared__ float4 place[SPHERES];
	__shared__ float2 red_green[SPHERES];
	__shared__ float blue[SPHERES];
	for (int s = threadIdx.x; s < SPHERES; s += BLOCK) {
		const Sphere &c = c_sphere[s];
		place[s] = make_float4(c.x, c.y, c.radius * c.radius, c.z);
		red_green[s] = make_float2(c.r, c.g);
		blue[s] = c.b;
	}
	__syncthreads();
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < g.n; i += gridDim.x * BLOCK) {
		const float2 o = g.rays[i];
		float red = 0, green = 0, b = 0, maxz = 0;
		for (int first = 0; first < SPHERES; first += U) {
			unsigned m = 0;
#pragma unroll
			for (int u = 0; u < U; ++u)
				if (disc(o.x, o.y, c_sphere[first + u]) > 0)
					m |= 1u << u;
			for (; m; m &= m - 1) {
				const int s = first + __ffs(m) - 1;
				const float4 c = place[s];
				const float dx = o.x - c.x, dy = o.y - c.y;
				float n;
				const float t = depth(fmaf(-dx, dx, fmaf(-dy, dy, c.z)), c.z, c.w, n);
				if (t > maxz) {
					maxz = t;
					red = red_green[s].x * n;
					green = red_green[s].y * n;
					b = blue[s] * n;
				}
			}
		}
		g.image[i] = colour(red, green, b);
	}
}

// ---- host -----------------------------------------------------------------------------------------------------------------
struct Scene { const char *name; bool random; float shrink; };

static float random_below(uint32_t i, float range) { return range * float(mix(i) >> 8) / 16777216.f; }

// The book's spheres (radii 20 to 120 in an image of 1024 pixels), scaled with the image.
static std::vector<Sphere> make_spheres(int width, int height, float shrink)
{
	const float unit = width / 1024.f;
	std::vector<Sphere> sphere;
	for (uint32_t k = 1000; k < 1000 + 8 * SPHERES; k += 8)
		sphere.push_back({random_below(k, 1), random_below(k + 1, 1), random_below(k + 2, 1),
			(random_below(k + 3, 100) + 20) * unit * shrink, random_below(k + 4, width), random_below(k + 5, height),
			random_below(k + 6, 1000) * unit + 1});
	return sphere;
}
// Pixel by pixel, row by row, or at random places of the image.
static std::vector<float2> make_rays(int width, int height, bool random)
{
	std::vector<float2> rays(size_t(width) * height);
	for (uint32_t i = 0; i < rays.size(); ++i)
		rays[i] = random ? make_float2(random_below(2 * i + 1, width), random_below(2 * i + 2, height)) :
			make_float2(i % width, i / width);
	return rays;
}
// Checks one of 61 rays, bit for bit.
static bool right_image(const std::vector<uint32_t> &image, const std::vector<float2> &rays, const std::vector<Sphere> &sphere)
{
	for (size_t i = 0; i < rays.size(); i += 61)
		if (image[i] != trace(rays[i], sphere.data()))
			return false;
	return true;
}

static void bench_scene(Bench &b, const Scene &scene)
{
	const int width = size_of_work(b.o, 4096, 1024, 64), height = size_of_work(b.o, 2160, 1024, 40);
	const std::vector<Sphere> sphere = make_spheres(width, height, scene.shrink);
	const std::vector<float2> rays = make_rays(width, height, scene.random);
	CHECK(cudaMemcpyToSymbol(c_sphere, sphere.data(), SPHERES * sizeof(Sphere)));
	const int n = int(rays.size());
	float2 *const d_rays = to_device(rays);
	uint32_t *const image = on_device<uint32_t>(n);
	std::vector<uint32_t> want;
	const auto variant = [&](const char *name, void (*kernel)(Args), size_t tasks = 0) -> Variant {
		const int blocks = fill_device(b.o, kernel, tasks);
		return {name, [=] { kernel<<<blocks, BLOCK>>>(Args{n, d_rays, image}); }, [&] {
			const std::vector<uint32_t> got = to_host(image, n);
			if (want.empty())
				want = got;
			return got == want && right_image(got, rays, sphere);
		}};
	};
	measure(b, scene.name, [=] { CHECK(cudaMemset(image, 0xff, n * sizeof *image)); },
		{variant("base", k_base), variant("annotated", k_ccc),
			variant("by hand", k_hand), variant("one a thread", k_base, n)});
	CHECK(cudaFree(d_rays));
	CHECK(cudaFree(image));
}

int main(int argc, char **argv)
{
	Bench b{"rt", read_options(argc, argv)};
	for (const Scene &scene : {Scene{"pixels in rows", false, 1}, Scene{"small spheres", false, .25f}, Scene{"random rays", true, 1}})
		bench_scene(b, scene);
	return b.all_right ? 0 : 1;
}
