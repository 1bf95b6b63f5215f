// SPDX-License-Identifier: MIT
// Particle-in-cell in one dimension: each particle is accelerated by the field of its cell and moves;
// some collide with a background gas. A step loads and stores 16 bytes of a particle and computes
// little: the loop is bound by memory.
//
// data a: 1 of 64 collides
// data b: 1 of 16
// data c: 1 of 4
//
// plan 0: for, if
// plan 1: queue(4)
// plan 2: ahead
// plan 3: stack
// plan 4: wait
#include "plans.h"

struct Particles {
	float *x, *vx, *vy, *vz;
	unsigned *seed;
	int *cell, *collisions;
};

__device__ __forceinline__ unsigned
lcg(unsigned &s)
{
	return s = s * 1664525u + 1013904223u;
}

__device__ __forceinline__ float
random01(unsigned &s)
{
	return (lcg(s) >> 8) * 0x1p-24f;
}

// Isotropic scattering in the frame of the gas, with the energy loss of the mass ratio
__device__ __forceinline__ void
scatter(float &vx, float &vy, float &vz, unsigned &s)
{
	float speed = sqrtf(vx * vx + vy * vy + vz * vz);
	float c = 1 - 2 * random01(s), phi = 6.2831853f * random01(s), st = sqrtf(fmaxf(0.0f, 1 - c * c));
	float loss = 1 - 0.02f * (1 - c), e = 0.5f * speed * speed;
	for (int k = 0; k < 4; k++) // inelastic channels
		if (random01(s) < 0.1f)
			e = fmaxf(0.5f * e, e - 0.01f * (k + 1));
	speed = sqrtf(2 * e) * loss;
	vx = speed * st * cosf(phi);
	vy = speed * st * sinf(phi);
	vz = speed * c;
}

__global__ void
push(Particles p, int n, const float *__restrict__ field, int cells, float dt, float length, unsigned rate)
{
	PLANS(for, for, for, for, for)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned s = p.seed[i];
		float x = p.x[i], vx = p.vx[i];
		int cell = p.cell[i];
		float w = x * cells / length - cell, e = (1 - w) * field[cell] + w * field[cell + 1];
		vx += e * dt;
		x += vx * dt;
		x = x < 0 ? x + length : x >= length ? x - length : x;
		p.x[i] = x;
		p.cell[i] = min(max((int)(x * cells / length), 0), cells - 1);
		unsigned draw = lcg(s) >> 16;
		p.vx[i] = vx;
		p.seed[i] = s;
		PLANS(if, if policy(queue(4)), if policy(ahead), if policy(stack), if policy(wait(8)))
		if (draw < rate) {
			float vy = p.vy[i], vz = p.vz[i];
			scatter(vx, vy, vz, s);
			p.collisions[i]++;
			p.vx[i] = vx;
			p.vy[i] = vy;
			p.vz[i] = vz;
		}
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv, 'c');
	const int n = options.size(1 << 23), cells = 4096;
	const float length = 1;
	unsigned rate = 65536 / (options.data == 'a' ? 64 : options.data == 'b' ? 16 : 4);
	Rng rng(1);
	std::vector<float> x(n), v(n), field(cells + 1);
	std::vector<unsigned> seed(n);
	std::vector<int> cell(n);
	for (int i = 0; i < n; i++) {
		x[i] = (i + 0.5f) / n; // sorted
		v[i] = rng.real(-0.1, 0.1);
		seed[i] = (unsigned)rng.next();
		cell[i] = std::min((int)(x[i] * cells / length), cells - 1);
	}
	for (float &f : field)
		f = rng.real(-0.01, 0.01);
	float *x0 = to_device(x), *v0 = to_device(v), *f = to_device(field);
	unsigned *s0 = to_device(seed);
	int *c0 = to_device(cell);
	Particles p = { device_zeros<float>(n), device_zeros<float>(n), device_zeros<float>(n),
		device_zeros<float>(n), device_zeros<unsigned>(n), device_zeros<int>(n), device_zeros<int>(n) };
	size_t bytes = n * sizeof(float);
	auto reset = [&] {
		CUDA_CHECK(cudaMemcpy(p.x, x0, bytes, cudaMemcpyDeviceToDevice));
		for (float *to : { p.vx, p.vy, p.vz })
			CUDA_CHECK(cudaMemcpy(to, v0, bytes, cudaMemcpyDeviceToDevice));
		CUDA_CHECK(cudaMemcpy(p.seed, s0, bytes, cudaMemcpyDeviceToDevice));
		CUDA_CHECK(cudaMemcpy(p.cell, c0, bytes, cudaMemcpyDeviceToDevice));
		CUDA_CHECK(cudaMemset(p.collisions, 0, bytes));
	};
	double ms = time_ms(options, reset, [&] {
		push<<<loop_blocks(n, 256), 256>>>(p, n, f, cells, 0.001f, length, rate);
	});
	Checksum sum;
	for (float *a : { p.x, p.vx, p.vy, p.vz })
		sum.device(a, n);
	sum.device(p.seed, n);
	sum.device(p.cell, n);
	sum.device(p.collisions, n);
	return report(sum, ms);
}
