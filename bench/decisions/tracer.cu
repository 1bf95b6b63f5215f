// SPDX-License-Identifier: MIT
// A path tracer whose scene is built on the device by kernels of one thread. Rays end at bounces of very
// different number; one pixel a thread, several samples each.
//
// data a: spheres all around: up to 16 bounces
// data b: mostly sky
//
// plan 0: for on the samples, for var on the bounces
// plan 1: for on the samples, predict threshold(24) on the bounces
// plan 2: for on the samples, for var policy(flatten) on the bounces
// plan 3: for on the bounces, if policy(wait(16)) on the glass
#include "plans.h"

#define SPHERES 24

struct Sphere {
	float3 c;
	float r;
	int glass;
};
struct World {
	Sphere *spheres;
	int n;
};

__device__ __forceinline__ float
random01(unsigned &s)
{
	s = s * 1664525u + 1013904223u;
	return (s >> 8) * 0x1p-24f;
}

__global__ void
create_world(World *world, Sphere *spheres, float spread)
{
	if (threadIdx.x == 0 && blockIdx.x == 0) {
		unsigned s = 17;
		world->spheres = spheres;
		world->n = SPHERES;
		for (int i = 0; i < SPHERES; i++) {
			spheres[i].c = make_float3(spread * (random01(s) - 0.5f), spread * (random01(s) - 0.5f), -1 - 3 * random01(s));
			spheres[i].r = 0.2f + 0.4f * random01(s);
			spheres[i].glass = random01(s) < 0.2f;
		}
		if (spread < 4)
			for (int i = 0; i < 2; i++) // a shell around
				spheres[i].c = make_float3(0, 0, -1), spheres[i].r = 6, spheres[i].glass = 0;
	}
}

__global__ void
render_init(int width, int height, unsigned *seed)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x < width && y < height)
		seed[y * width + x] = (y * width + x) * 2654435761u + 1;
}

__global__ void
render(int width, int height, int samples, const World *world, unsigned *seed, float *image)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x >= width || y >= height)
		return;
	unsigned s = seed[y * width + x];
	float color = 0;
	PLANS(for, for, for)
	for (int k = 0; k < samples; k++) {
		float3 o = make_float3(0, 0, 1), d = make_float3((x + random01(s)) / width - 0.5f, (y + random01(s)) / height - 0.5f, -1);
		float light = 1;
		PLANS(for var, predict threshold(24), for var policy(flatten), for)
		for (int bounce = 0; bounce < 16; bounce++) {
			float near = 1e9f, len = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
			int hit = -1;
			d.x *= len, d.y *= len, d.z *= len;
			for (int i = 0; i < world->n; i++) {
				Sphere q = world->spheres[i];
				float ox = o.x - q.c.x, oy = o.y - q.c.y, oz = o.z - q.c.z;
				float b = ox * d.x + oy * d.y + oz * d.z, c = ox * ox + oy * oy + oz * oz - q.r * q.r, disc = b * b - c;
				if (disc > 0) {
					float root = sqrtf(disc), t = -b - root > 1e-3f ? -b - root : -b + root;
					if (t > 1e-3f && t < near)
						near = t, hit = i;
				}
			}
			if (hit < 0) {
				color += light * (0.5f + 0.5f * d.y);
				break;
			}
			Sphere q = world->spheres[hit];
			o.x += near * d.x, o.y += near * d.y, o.z += near * d.z;
			float nx = (o.x - q.c.x) / q.r, ny = (o.y - q.c.y) / q.r, nz = (o.z - q.c.z) / q.r;
			PLANS(, , , if policy(wait(16)))
			if (q.glass) {
				float cosine = d.x * nx + d.y * ny + d.z * nz, eta = cosine < 0 ? 1 / 1.5f : 1.5f;
				float k2 = 1 - eta * eta * (1 - cosine * cosine), r0 = 0.04f + 0.96f * powf(1 - fabsf(cosine), 5);
				if (k2 < 0 || random01(s) < r0) {
					d.x -= 2 * cosine * nx, d.y -= 2 * cosine * ny, d.z -= 2 * cosine * nz;
				} else {
					float f = eta * fabsf(cosine) - sqrtf(k2), sign = cosine < 0 ? 1 : -1;
					d.x = eta * d.x + sign * f * nx, d.y = eta * d.y + sign * f * ny, d.z = eta * d.z + sign * f * nz;
				}
			} else {
				float a = 6.2831853f * random01(s), c = 2 * random01(s) - 1, st = sqrtf(1 - c * c);
				d = make_float3(nx + st * cosf(a), ny + st * sinf(a), nz + c);
				light *= 0.7f;
			}
		}
	}
	image[y * width + x] = color / samples;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int side = options.side(512, 2, 32), samples = 16;
	World *world = device_zeros<World>(1);
	Sphere *spheres = device_zeros<Sphere>(SPHERES);
	unsigned *seed = device_zeros<unsigned>((size_t)side * side);
	float *image = device_zeros<float>((size_t)side * side);
	dim3 blocks(blocks_for(side, 128), side);
	create_world<<<1, 1>>>(world, spheres, options.divergent ? 3.0f : 40.0f);
	CUDA_CHECK(cudaDeviceSynchronize());
	double ms = time_ms(options, [&] {
		render_init<<<blocks, 128>>>(side, side, seed);
		render<<<blocks, 128>>>(side, side, samples, world, seed, image);
	});
	Checksum sum;
	sum.device(image, (size_t)side * side);
	return report(sum, ms);
}
