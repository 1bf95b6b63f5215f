// SPDX-License-Identifier: MIT
// Forces between particles, as in molecular dynamics: one thread per particle, with a list of 128
// neighbours, one in six of which is within the cutoff. Only those are expensive: an error function
// and an exponential (Ewald summation), while other lanes wait.
//
// Each neighbour adds to three sums of the particle. `policy(ahead)` leaves the sums in their lanes
// and adds in the same order: a lane selects which of its next 32 neighbours are near, then runs the
// path for those, together with the other lanes. No work moves to another lane, and no promise is
// needed. The distances of near neighbours are computed twice, so it gains where the path is much
// more expensive than the test. For Lennard-Jones alone it is not: do not annotate that loop.
//
//	cccnvcc -O3 -std=c++17 -arch=native md.cu -o md
//	md [--particles N] [--blocks B]         2^19 particles by default

#include "sample.cuh"

constexpr int NEIGHBOURS = 128, CELL = 1024;
constexpr float CUTOFF2 = 0.1f;

struct Force { float x, y, z; };

// The vector from b to a; w: the square of the distance.
__host__ __device__ inline float4 offset(float4 a, float4 b)
{
	const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
	return make_float4(x, y, z, x * x + y * y + z * z);
}
// Lennard-Jones force, and the near part of the Ewald sum for charges whose product is q.
__host__ __device__ inline void add_force(float4 d, float q, Force &f)
{
	const float inv = 1 / sqrtf(d.w), i2 = inv * inv, s6 = i2 * i2 * i2 * 1e-6f, r = 0.3f / inv;
	const float w =
		48 * s6 * (s6 - 0.5f) * i2 + q * i2 * (erfcf(r) * inv + 0.3385f * expf(-r * r));
	f.x += w * d.x;
	f.y += w * d.y;
	f.z += w * d.z;
}

// Neighbour k of particle i is neighbour[k * n + i], so the lanes' reads are coalesced.
__host__ __device__ inline Force force_on(
	int i, int n, const float4 *particle, const int *neighbour)
{
	const float4 me = particle[i];
	Force f = {0, 0, 0};
	#pragma ccc for policy(ahead)
	for (int k = 0; k < NEIGHBOURS; ++k) {
		const float4 other = particle[neighbour[(size_t)k * n + i]], d = offset(me, other);
		#pragma ccc if
		if (d.w < CUTOFF2)
			add_force(d, me.w * other.w, f);
	}
	return f;
}

__global__ void forces(int n, const float4 *particle, const int *neighbour, Force *force)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		force[i] = force_on(i, n, particle, neighbour);
}

int main(int argc, char **argv)
{
	int n = 1 << 19;
	read_options(argc, argv, {{"particles", &n}});
	n = std::max(n, 2);
	std::vector<float4> place(n);                   // w: charge
	std::vector<int> list((size_t)NEIGHBOURS * n);
	for (int i = 0; i < n; ++i) {
		place[i] = make_float4(random01(4 * i), random01(4 * i + 1), random01(4 * i + 2),
			random01(4 * i + 3) - 0.5f);
		const int cell = i / CELL * CELL, size = std::min(CELL, n - cell);
		for (int k = 0; k < NEIGHBOURS; ++k) {
			const int j = cell + (int)(random32(NEIGHBOURS * i + k) % (unsigned)size);
			list[(size_t)k * n + i] = j != i ? j : (i + 1) % n;
		}
	}

	Array<float4> particle(place);
	Array<int> neighbour(list);
	Array<Force> force(n);
	const int blocks = resident_blocks(forces, 256);
	const float ms = best_ms([&] { force.fill(0xff); },
		[&] { forces<<<blocks, 256>>>(n, particle, neighbour, force); });

	const std::vector<Force> got = force.host();
	bool ok = true;
	for (int i = 0; i < n; i += 1 + n / 20000) {
		const Force want = force_on(i, n, place.data(), list.data());
		ok = ok && close_to(got[i].x, want.x, 1e-2) && close_to(got[i].y, want.y, 1e-2) &&
			close_to(got[i].z, want.z, 1e-2);
	}
	return result(ok, ms, "%d particles", n);
}
