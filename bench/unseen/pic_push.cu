// SPDX-License-Identifier: MIT
// Particle-in-cell: Boris push of charged particles in gridded fields, with rare collisions with a
// background gas by the null-collision method. Data set a collides; b has a thin gas.
#include "unseen.h"

struct Particles {
	float *x, *y, *z, *vx, *vy, *vz;
};

struct Step {
	int cells;        // of the periodic grid, each side
	float dt, qm;     // time step, charge by mass
	float frequency;  // null-collision probability of a step
	int substeps;
};

__device__ __forceinline__ unsigned
xorshift(unsigned &s)
{
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	return s;
}

__device__ __forceinline__ float
random01(unsigned &s)
{
	return (xorshift(s) >> 8) * (1.0f / 16777216.0f);
}

__device__ float3
gather(const float4 *__restrict__ field, int n, float x, float y, float z)
{
	int i = (int)x, j = (int)y, k = (int)z;
	float fx = x - i, fy = y - j, fz = z - k;
	float3 sum = make_float3(0, 0, 0);
#pragma unroll
	for (int corner = 0; corner < 8; corner++) {
		int a = (i + (corner & 1)) % n, b = (j + (corner >> 1 & 1)) % n, c = (k + (corner >> 2)) % n;
		float w = (corner & 1 ? fx : 1 - fx) * (corner & 2 ? fy : 1 - fy) * (corner & 4 ? fz : 1 - fz);
		float4 f = __ldg(&field[(c * n + b) * n + a]);
		sum.x += w * f.x;
		sum.y += w * f.y;
		sum.z += w * f.z;
	}
	return sum;
}

__device__ float
wrap(float x, float n)
{
	x -= floorf(x / n) * n;
	return x >= n ? 0.0f : x;
}

// Elastic or charge-exchange collision: the new direction is sampled by rejection.
__device__ void
collide(float3 &v, unsigned &s)
{
	float speed = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
	float sigma = 1.0f / (1.0f + 4.0f * speed * speed);
	if (random01(s) > sigma)
		return; // null collision
	if (random01(s) < 0.3f) { // charge exchange with a thermal atom
		float r = sqrtf(-2.0f * logf(1.0f - random01(s))) * 0.05f, phi = 6.2831853f * random01(s);
		v = make_float3(r * cosf(phi), r * sinf(phi), 0.05f * (random01(s) - 0.5f));
		return;
	}
	float a, b, q;
	do { // Marsaglia: a point on the sphere
		a = 2 * random01(s) - 1;
		b = 2 * random01(s) - 1;
		q = a * a + b * b;
	} while (q >= 1.0f);
	float root = 2 * sqrtf(1 - q);
	float loss = 1.0f - 0.1f * random01(s);
	v = make_float3(speed * loss * a * root, speed * loss * b * root, speed * loss * (1 - 2 * q));
}

__global__ void
push(Particles in, Particles out, const float4 *__restrict__ e, const float4 *__restrict__ b,
	Step step, int n)
{
	for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
		float x = in.x[p], y = in.y[p], z = in.z[p];
		float3 v = make_float3(in.vx[p], in.vy[p], in.vz[p]);
		unsigned seed = p * 747796405u + 2891336453u;
		seed |= 1;
		for (int s = 0; s < step.substeps; s++) {
			float3 ef = gather(e, step.cells, x, y, z), bf = gather(b, step.cells, x, y, z);
			float h = 0.5f * step.dt * step.qm;
			v.x += h * ef.x, v.y += h * ef.y, v.z += h * ef.z;
			float tx = h * bf.x, ty = h * bf.y, tz = h * bf.z;
			float f = 2 / (1 + tx * tx + ty * ty + tz * tz);
			float ux = v.x + v.y * tz - v.z * ty, uy = v.y + v.z * tx - v.x * tz, uz = v.z + v.x * ty - v.y * tx;
			v.x += f * (uy * tz - uz * ty) + h * ef.x;
			v.y += f * (uz * tx - ux * tz) + h * ef.y;
			v.z += f * (ux * ty - uy * tx) + h * ef.z;
			if (random01(seed) < step.frequency)
				collide(v, seed);
			x = wrap(x + v.x * step.dt, step.cells);
			y = wrap(y + v.y * step.dt, step.cells);
			z = wrap(z + v.z * step.dt, step.cells);
		}
		out.x[p] = x, out.y[p] = y, out.z[p] = z;
		out.vx[p] = v.x, out.vy[p] = v.y, out.vz[p] = v.z;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 20), cells = options.side(64, 3, 8);
	Step step = { cells, 0.1f, 1.0f, options.divergent ? 0.08f : 1e-6f, 8 };
	Rng rng(2);
	std::vector<float4> e(cells * cells * cells), b(e.size());
	for (size_t i = 0; i < e.size(); i++) {
		e[i] = make_float4(rng.real(-1, 1), rng.real(-1, 1), rng.real(-1, 1), 0);
		b[i] = make_float4(0, 0, rng.real(0.5, 1), 0);
	}
	std::vector<float> start[6];
	for (int k = 0; k < 6; k++)
		for (int p = 0; p < n; p++) // sorted by cell, as codes keep them
			start[k].push_back(k == 2 ? (float)(p * (double)cells / n) * 0.999f :
				k < 2 ? rng.real(0, cells) * 0.999 : rng.real(-0.5, 0.5));
	Particles in = { to_device(start[0]), to_device(start[1]), to_device(start[2]), to_device(start[3]),
		to_device(start[4]), to_device(start[5]) };
	Particles out = { device_zeros<float>(n), device_zeros<float>(n), device_zeros<float>(n),
		device_zeros<float>(n), device_zeros<float>(n), device_zeros<float>(n) };
	float4 *de = to_device(e), *db = to_device(b);
	double ms = time_ms(options, [&] {
		push<<<std::min(blocks_for(n, 128), 4096), 128>>>(in, out, de, db, step, n);
	});
	Checksum sum;
	for (float *p : { out.x, out.y, out.z, out.vx, out.vy, out.vz })
		sum.device(p, n);
	return report(sum, ms);
}
