// SPDX-License-Identifier: MIT
// Ray tracing of spheres, after chapter 6 of "CUDA by Example": one thread per ray, all rays
// parallel, from random places. At each sphere, few lanes of a warp have a ray that hits it, and
// compute depth and colour while the others wait.
//
// A ray keeps the closest hit, so the iterations of the loop over spheres are not independent, and
// no work may move to another lane. `policy(ahead)` requires neither: each lane first runs the cheap
// test for up to 32 spheres and selects those that it hits. Then all lanes run the path together,
// each for its own next hit, in order. The result is the same bit for bit. The policy requires
// that an iteration without the path has no effect and does not read anything that the path
// computes.
//
//	cccnvcc -O3 -std=c++17 -arch=native rt.cu -o rt
//	rt [--rays N] [--blocks B]              2^23 rays by default

#include "sample.cuh"

constexpr int SPHERES = 80, SIDE = 1024;

struct Sphere { float red, green, blue, radius, x, y, z; };
static __constant__ Sphere on_device[SPHERES];

// Positive if the ray hits. Uses fmaf, so that CPU and GPU round alike.
__host__ __device__ inline float depth_squared(float x, float y, const Sphere &s)
{
	const float dx = x - s.x, dy = y - s.y;
	return fmaf(-dx, dx, fmaf(-dy, dy, s.radius * s.radius));
}
__host__ __device__ inline unsigned colour(float red, float green, float blue)
{
	return (unsigned)(red * 255) | (unsigned)(green * 255) << 8 | (unsigned)(blue * 255) << 16;
}

__host__ __device__ inline unsigned trace(float x, float y, const Sphere *sphere)
{
	float red = 0, green = 0, blue = 0, nearest = 0;
	#pragma ccc for policy(ahead)
	for (int s = 0; s < SPHERES; ++s) {
		const float d2 = depth_squared(x, y, sphere[s]);
		#pragma ccc if
		if (d2 > 0) {
			const float d = sqrtf(d2), shade = d / sphere[s].radius;
			if (d + sphere[s].z > nearest) {
				nearest = d + sphere[s].z;
				red = sphere[s].red * shade;
				green = sphere[s].green * shade;
				blue = sphere[s].blue * shade;
			}
		}
	}
	return colour(red, green, blue);
}

__global__ void render(int n, const float2 *ray, unsigned *image)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		image[i] = trace(ray[i].x, ray[i].y, on_device);
}

int main(int argc, char **argv)
{
	int n = 1 << 23;
	read_options(argc, argv, {{"rays", &n}});
	std::vector<Sphere> sphere;
	for (unsigned s = 0; s < SPHERES; ++s) {
		const auto random = [&](int k, float range) { return range * random01(8 * s + k); };
		sphere.push_back({random(0, 1), random(1, 1), random(2, 1), 20 + random(3, 100),
			random(4, SIDE), random(5, SIDE), 1 + random(6, SIDE)});
	}
	std::vector<float2> rays(n);
	for (int i = 0; i < n; ++i)
		rays[i] = make_float2(SIDE * random01(2 * i + 1000), SIDE * random01(2 * i + 1001));

	CHECK(cudaMemcpyToSymbol(on_device, sphere.data(), sizeof on_device));
	Array<float2> ray(rays);
	Array<unsigned> image(n);
	const int blocks = resident_blocks(render, 256);
	const float ms =
		best_ms([&] { image.fill(0xff); }, [&] { render<<<blocks, 256>>>(n, ray, image); });

	const std::vector<unsigned> got = image.host();
	bool ok = true;
	for (int i = 0; i < n; ++i)
		ok = ok && got[i] == trace(rays[i].x, rays[i].y, sphere.data());
	return result(ok, ms, "%d rays, %d spheres", n, SPHERES);
}
