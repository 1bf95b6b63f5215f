// SPDX-License-Identifier: MIT
// Direct volume rendering: front-to-back compositing along a ray, empty voxels skipped, shading by
// the gradient where the opacity is high, early ray termination. Data set a has sparse blobs, b fog.
#include "unseen.h"

struct Volume {
	const unsigned char *data;
	int n;
};

__device__ float
sample(const Volume &v, float x, float y, float z)
{
	x = fminf(fmaxf(x, 0.0f), v.n - 1.001f);
	y = fminf(fmaxf(y, 0.0f), v.n - 1.001f);
	z = fminf(fmaxf(z, 0.0f), v.n - 1.001f);
	int i = (int)x, j = (int)y, k = (int)z;
	float fx = x - i, fy = y - j, fz = z - k;
	const unsigned char *p = v.data + ((size_t)k * v.n + j) * v.n + i;
	int dy = v.n, dz = v.n * v.n;
	float a = p[0] + fx * (p[1] - p[0]), b = p[dy] + fx * (p[dy + 1] - p[dy]);
	float c = p[dz] + fx * (p[dz + 1] - p[dz]), d = p[dz + dy] + fx * (p[dz + dy + 1] - p[dz + dy]);
	float e = a + fy * (b - a), f = c + fy * (d - c);
	return e + fz * (f - e);
}

__device__ bool
box_hit(float3 o, float3 d, float size, float &t0, float &t1)
{
	float ax = -o.x / d.x, bx = (size - o.x) / d.x, ay = -o.y / d.y, by = (size - o.y) / d.y;
	float az = -o.z / d.z, bz = (size - o.z) / d.z;
	t0 = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.0f));
	t1 = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
	return t0 < t1;
}

__global__ void
raycast(Volume volume, const float4 *__restrict__ transfer, int width, int height, float3 right, float3 up,
	float3 forward, float4 *image)
{
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f, n = volume.n;
	float3 d = make_float3(forward.x + u * right.x + v * up.x, forward.y + u * right.y + v * up.y,
		forward.z + u * right.z + v * up.z);
	float3 o = make_float3(n * (0.5f - 1.6f * forward.x), n * (0.5f - 1.6f * forward.y),
		n * (0.5f - 1.6f * forward.z));
	float t, last;
	float4 sum = make_float4(0, 0, 0, 0);
	if (box_hit(o, d, n, t, last)) {
		for (; t < last; t += 0.5f) {
			float px = o.x + t * d.x, py = o.y + t * d.y, pz = o.z + t * d.z;
			float density = sample(volume, px, py, pz);
			float4 c = transfer[(int)density];
			if (c.w <= 0)
				continue;
			float light = 1;
			if (c.w > 0.04f) {
				float gx = sample(volume, px + 1, py, pz) - sample(volume, px - 1, py, pz);
				float gy = sample(volume, px, py + 1, pz) - sample(volume, px, py - 1, pz);
				float gz = sample(volume, px, py, pz + 1) - sample(volume, px, py, pz - 1);
				float length = sqrtf(gx * gx + gy * gy + gz * gz) + 1e-6f;
				light = 0.3f + 0.7f * fabsf(gx * d.x + gy * d.y + gz * d.z) / length;
			}
			float w = c.w * (1 - sum.w);
			sum.x += w * c.x * light;
			sum.y += w * c.y * light;
			sum.z += w * c.z * light;
			sum.w += w;
			if (sum.w > 0.98f)
				break;
		}
	}
	image[y * width + x] = sum;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.side(128, 3), width = options.side(1024, 2), height = width * 3 / 4;
	std::vector<unsigned char> data((size_t)n * n * n, options.divergent ? 0 : 40);
	Rng rng(12);
	for (int blob = 0; options.divergent && blob < 60; blob++) {
		int r = 2 + rng.below(n / 10 + 1), bx = rng.below(n), by = rng.below(n), bz = rng.below(n);
		for (int z = std::max(0, bz - r); z < std::min(n, bz + r); z++)
			for (int y = std::max(0, by - r); y < std::min(n, by + r); y++)
				for (int x = std::max(0, bx - r); x < std::min(n, bx + r); x++) {
					float q = ((x - bx) * (x - bx) + (y - by) * (y - by) + (z - bz) * (z - bz)) / (float)(r * r);
					unsigned char &voxel = data[((size_t)z * n + y) * n + x];
					if (q < 1)
						voxel = std::max<int>(voxel, (1 - q) * 255);
				}
	}
	std::vector<float4> transfer(256);
	for (int i = 0; i < 256; i++)
		transfer[i] = make_float4(i / 255.0f, 1 - i / 255.0f, 0.5f, i < 20 ? 0 : i < 90 ? 0.003f : 0.12f);
	Volume volume = { to_device(data), n };
	float4 *table = to_device(transfer), *image = device_zeros<float4>(width * height);
	float3 forward = make_float3(0.48f, 0.6f, 0.64f), right = make_float3(0.8f, 0, -0.6f),
	       up = make_float3(-0.36f, 0.8f, -0.48f);
	if (!options.divergent) // along an axis, inside the box: all rays have the same length
		forward = make_float3(0.001f, 0.001f, 1), right = make_float3(0.3f, 0, 0), up = make_float3(0, 0.3f, 0);
	double ms = time_ms(options, [&] {
		raycast<<<dim3(blocks_for(width, 16), blocks_for(height, 16)), dim3(16, 16)>>>(
			volume, table, width, height, right, up, forward, image);
	});
	Checksum sum;
	sum.device(image, width * height);
	return report(sum, ms);
}
