// SPDX-License-Identifier: MIT
// Path tracing of spheres (in the manner of smallpt), one pixel a thread: diffuse, mirror and glass
// materials, Russian roulette. In data set b all spheres are diffuse, and paths have four bounces.
#include "unseen.h"

enum Material { DIFFUSE, MIRROR, GLASS };
struct Vec {
	float x, y, z;
	__host__ __device__ Vec(float x = 0, float y = 0, float z = 0) : x(x), y(y), z(z) {}
	__device__ Vec operator+(const Vec &b) const { return Vec(x + b.x, y + b.y, z + b.z); }
	__device__ Vec operator-(const Vec &b) const { return Vec(x - b.x, y - b.y, z - b.z); }
	__device__ Vec operator*(float s) const { return Vec(x * s, y * s, z * s); }
	__device__ Vec mult(const Vec &b) const { return Vec(x * b.x, y * b.y, z * b.z); }
	__device__ float dot(const Vec &b) const { return x * b.x + y * b.y + z * b.z; }
	__device__ Vec
	cross(const Vec &b) const
	{
		return Vec(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x);
	}
	__device__ Vec norm() const { return *this * rsqrtf(dot(*this)); }
};
struct Sphere {
	Vec center, emission, color;
	float radius;
	int material;
};
struct Ray {
	Vec o, d;
};

__device__ float
random01(uint2 &s) // multiply with carry
{
	s.x = 36969 * (s.x & 65535) + (s.x >> 16);
	s.y = 18000 * (s.y & 65535) + (s.y >> 16);
	return (((s.x << 16) + s.y) >> 8) * (1.0f / 16777216.0f);
}

__device__ bool
intersect(const Ray &r, const Sphere *__restrict__ spheres, int n, float &t, int &id)
{
	t = 1e20f;
	for (int i = 0; i < n; i++) {
		Vec op = spheres[i].center - r.o;
		float b = op.dot(r.d), det = b * b - op.dot(op) + spheres[i].radius * spheres[i].radius;
		if (det < 0)
			continue;
		det = sqrtf(det);
		float near = b - det, far = b + det, hit = near > 2e-2f ? near : far > 2e-2f ? far : 1e20f;
		if (hit < t) {
			t = hit;
			id = i;
		}
	}
	return t < 1e19f;
}

__device__ Vec
radiance(Ray r, const Sphere *__restrict__ spheres, int n, int most, uint2 &seed)
{
	Vec sum, mask(1, 1, 1);
	for (int depth = 0; depth < most; depth++) {
		float t;
		int id = 0;
		if (!intersect(r, spheres, n, t, id))
			break;
		const Sphere &s = spheres[id];
		Vec x = r.o + r.d * t, normal = (x - s.center).norm(), nl = normal.dot(r.d) < 0 ? normal : normal * -1;
		sum = sum + mask.mult(s.emission);
		Vec f = s.color;
		if (depth >= 4) {
			float p = fmaxf(f.x, fmaxf(f.y, f.z));
			if (random01(seed) >= p)
				break;
			f = f * (1 / p);
		}
		mask = mask.mult(f);
		switch (s.material) {
		case DIFFUSE: {
			float phi = 6.2831853f * random01(seed), r2 = random01(seed), r2s = sqrtf(r2);
			Vec w = nl, u = (fabsf(w.x) > 0.1f ? Vec(0, 1, 0) : Vec(1, 0, 0)).cross(w).norm(), v = w.cross(u);
			r = { x, (u * cosf(phi) * r2s + v * sinf(phi) * r2s + w * sqrtf(1 - r2)).norm() };
			break;
		}
		case MIRROR:
			r = { x, r.d - normal * 2 * normal.dot(r.d) };
			break;
		case GLASS: {
			Vec reflected = r.d - normal * 2 * normal.dot(r.d);
			bool into = normal.dot(nl) > 0;
			float nnt = into ? 1 / 1.5f : 1.5f, ddn = r.d.dot(nl), cos2t = 1 - nnt * nnt * (1 - ddn * ddn);
			if (cos2t < 0) {
				r = { x, reflected };
				break;
			}
			Vec refracted = (r.d * nnt - normal * ((into ? 1 : -1) * (ddn * nnt + sqrtf(cos2t)))).norm();
			float c = 1 - (into ? -ddn : refracted.dot(normal)), re = 0.04f + 0.96f * c * c * c * c * c;
			float p = 0.25f + 0.5f * re;
			if (random01(seed) < p) {
				mask = mask * (re / p);
				r = { x, reflected };
			} else {
				mask = mask * ((1 - re) / (1 - p));
				r = { x, refracted };
			}
			break;
		}
		}
	}
	return sum;
}

__global__ void
render(int width, int height, int samples, int most, const Sphere *spheres, int n, float3 *image)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	uint2 seed = make_uint2(x * 1973u + 9277u * y + 1, y * 26699u + x * 31u + 77);
	Vec color;
	for (int s = 0; s < samples; s++) {
		float dx = (x + random01(seed)) / width - 0.5f, dy = (y + random01(seed)) / height - 0.5f;
		Ray ray = { Vec(50, 45, 160), Vec(dx, dy, -1).norm() };
		color = color + radiance(ray, spheres, n, most, seed) * (1.0f / samples);
	}
	image[y * width + x] = make_float3(color.x, color.y, color.z);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	bool a = options.divergent;
	int side = options.side(512, 2);
	std::vector<Sphere> scene = { { Vec(1e4 + 1, 40, 80), Vec(), Vec(.75, .25, .25), 1e4, DIFFUSE },
		{ Vec(-1e4 + 99, 40, 80), Vec(), Vec(.25, .25, .75), 1e4, DIFFUSE },
		{ Vec(50, 40, 1e4), Vec(), Vec(.75, .75, .75), 1e4, DIFFUSE },
		{ Vec(50, 40, -1e4 + 170), Vec(), Vec(), 1e4, DIFFUSE },
		{ Vec(50, 1e4, 80), Vec(), Vec(.75, .75, .75), 1e4, DIFFUSE },
		{ Vec(50, -1e4 + 81, 80), Vec(), Vec(.75, .75, .75), 1e4, DIFFUSE },
		{ Vec(27, 16, 47), Vec(), Vec(.99, .99, .99), 16, a ? MIRROR : DIFFUSE },
		{ Vec(73, 16, 78), Vec(), Vec(.99, .99, .99), 16, a ? GLASS : DIFFUSE },
		{ Vec(50, 681, 81), Vec(12, 12, 12), Vec(), 600, DIFFUSE } };
	Sphere *spheres = to_device(scene);
	float3 *image = device_zeros<float3>(side * side);
	dim3 threads(8, 8), blocks(blocks_for(side, 8), blocks_for(side, 8));
	double ms = time_ms(options, [&] {
		render<<<blocks, threads>>>(side, side, 4, a ? 24 : 4, spheres, (int)scene.size(), image);
	});
	Checksum sum;
	sum.device(image, side * side);
	return report(sum, ms);
}
