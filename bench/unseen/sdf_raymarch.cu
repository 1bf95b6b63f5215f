// SPDX-License-Identifier: MIT
// Sphere tracing of a signed distance field, one pixel a thread: on a hit the normal by
// differences, a soft shadow and ambient occlusion. Data set a is a Mandelbulb over a plane, b a
// wall seen from the front.
#include "unseen.h"

struct Camera {
	float3 eye;
	float zoom;
	int width, height, scene;
};

__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 normalize(float3 a) { return rsqrtf(dot(a, a)) * a; }

__device__ float
mandelbulb(float3 p)
{
	float3 z = p;
	float dr = 1, r = 0;
	for (int i = 0; i < 6; i++) {
		r = sqrtf(dot(z, z));
		if (r > 2)
			break;
		float theta = acosf(fminf(fmaxf(z.z / fmaxf(r, 1e-6f), -1.0f), 1.0f)) * 8, phi = atan2f(z.y, z.x) * 8;
		float r2 = r * r, r4 = r2 * r2;
		dr = 8 * r4 * r2 * r * dr + 1;
		float zr = r4 * r4;
		z = zr * make_float3(sinf(theta) * cosf(phi), sinf(phi) * sinf(theta), cosf(theta)) + p;
	}
	return 0.5f * logf(fmaxf(r, 1e-6f)) * r / dr;
}

__device__ float
distance(const Camera &c, float3 p)
{
	if (c.scene == 0)
		return 2 - p.z;
	float plane = p.y + 1.1f;
	float bound = sqrtf(dot(p, p)) - 1.25f;
	if (bound > 0.2f)
		return fminf(plane, bound);
	return fminf(plane, mandelbulb(p));
}

__device__ float3
normal_at(const Camera &c, float3 p)
{
	const float h = 1e-3f;
	float d = distance(c, p);
	return normalize(make_float3(distance(c, p + make_float3(h, 0, 0)) - d,
		distance(c, p + make_float3(0, h, 0)) - d, distance(c, p + make_float3(0, 0, h)) - d) +
		make_float3(0, 1e-6f, 0));
}

__device__ float
soft_shadow(const Camera &c, float3 p, float3 light)
{
	float lit = 1, t = 0.02f;
	for (int i = 0; i < 32 && t < 4; i++) {
		float d = distance(c, p + t * light);
		if (d < 5e-4f)
			return 0;
		lit = fminf(lit, 8 * d / t);
		t += fmaxf(d, 0.01f);
	}
	return lit;
}

__global__ void
march(Camera c, float *image, unsigned char *steps)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= c.width || y >= c.height)
		return;
	float u = (2.0f * x - c.width) / c.height * c.zoom, v = (2.0f * y - c.height) / c.height * c.zoom;
	float3 dir = c.scene ? normalize(make_float3(u, v, 1.5f)) : make_float3(0, 0, 1), p = c.eye;
	if (c.scene == 0)
		p = p + make_float3(u, v, 0);
	float t = 0, color = 0.1f;
	int i;
	for (i = 0; i < 128; i++) {
		float3 q = p + t * dir;
		float d = distance(c, q);
		if (d < 5e-4f * (1 + t)) {
			float3 n = normal_at(c, q), light = normalize(make_float3(0.5f, 0.8f, -0.6f));
			float diffuse = fmaxf(dot(n, light), 0.0f), occlusion = 0;
			if (diffuse > 0)
				diffuse *= soft_shadow(c, q + 2e-3f * n, light);
			for (int k = 1; k <= 4; k++)
				occlusion += (0.03f * k - distance(c, q + (0.03f * k) * n)) / k;
			color = (0.2f + 0.8f * diffuse) * (1 - fminf(fmaxf(occlusion, 0.0f), 1.0f));
			break;
		}
		t += d;
		if (t > 12)
			break;
	}
	image[y * c.width + x] = color;
	steps[y * c.width + x] = i;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int width = options.side(options.divergent ? 768 : 2560, 2), height = width * 3 / 4;
	Camera camera = { make_float3(0, 0.1f, -2.6f), 1, width, height, options.divergent };
	float *image = device_zeros<float>(width * height);
	unsigned char *steps = device_zeros<unsigned char>(width * height);
	dim3 threads(16, 16), blocks(blocks_for(width, 16), blocks_for(height, 16));
	double ms = time_ms(options, [&] { march<<<blocks, threads>>>(camera, image, steps); });
	Checksum sum;
	sum.device(image, width * height);
	sum.device(steps, width * height);
	return report(sum, ms);
}
