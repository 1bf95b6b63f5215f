// SPDX-License-Identifier: MIT
// Short-range molecular dynamics forces: Lennard-Jones and a screened charge within a cut-off, by
// cell lists in a periodic box; one atom a thread. Data set a has clusters, b a lattice.
#include "unseen.h"

struct Box {
	float length;
	int cells;
};

__device__ __forceinline__ float
minimum_image(float d, float length)
{
	if (d > 0.5f * length)
		d -= length;
	else if (d < -0.5f * length)
		d += length;
	return d;
}

__global__ void
forces(int n, Box box, const float4 *__restrict__ atoms, const int *__restrict__ cell_start,
	float cutoff2, float4 *force)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 me = atoms[i];
	float inv = box.cells / box.length;
	int cx = min((int)(me.x * inv), box.cells - 1), cy = min((int)(me.y * inv), box.cells - 1);
	int cz = min((int)(me.z * inv), box.cells - 1);
	float fx = 0, fy = 0, fz = 0, energy = 0;
	for (int dz = -1; dz <= 1; dz++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int x = (cx + dx + box.cells) % box.cells, y = (cy + dy + box.cells) % box.cells;
				int z = (cz + dz + box.cells) % box.cells, c = (z * box.cells + y) * box.cells + x;
				for (int j = cell_start[c]; j < cell_start[c + 1]; j++) {
					if (j == i)
						continue;
					float4 other = atoms[j];
					float rx = minimum_image(me.x - other.x, box.length);
					float ry = minimum_image(me.y - other.y, box.length);
					float rz = minimum_image(me.z - other.z, box.length);
					float r2 = rx * rx + ry * ry + rz * rz;
					if (r2 < cutoff2) {
						r2 = fmaxf(r2, 0.2f);
						float s2 = 1 / r2, s6 = s2 * s2 * s2, r = sqrtf(r2);
						float screened = me.w * other.w * expf(-r) / r;
						float f = (48 * s6 * (s6 - 0.5f) + screened * (1 + r)) * s2;
						fx += f * rx;
						fy += f * ry;
						fz += f * rz;
						energy += 4 * s6 * (s6 - 1) + screened;
					}
				}
			}
	force[i] = make_float4(fx, fy, fz, 0.5f * energy);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int side = options.side(60, 3, 8), n = side * side * side;
	const float cutoff = 2.5f;
	float spacing = 1.1f, length = side * spacing;
	Box box = { length, std::max(3, (int)(length / cutoff)) };
	Rng rng(26);
	std::vector<float4> atoms(n);
	float cx = 0, cy = 0, cz = 0;
	for (int i = 0; i < n; i++) {
		float charge = i & 1 ? 0.5f : -0.5f;
		if (options.divergent) { // clusters of 40 atoms on average, of which a third evaporated
			if (rng.below(40) == 0 || i == 0)
				cx = rng.real(0, length), cy = rng.real(0, length), cz = rng.real(0, length);
			bool gas = rng.below(3) == 0;
			auto put = [&](float c) {
				double x = gas ? rng.real(0, length) : c + rng.real(-1.8, 1.8);
				return (float)fmod(x + length, length);
			};
			atoms[i].x = put(cx), atoms[i].y = put(cy), atoms[i].z = put(cz), atoms[i].w = charge;
		} else {
			atoms[i] = make_float4((i % side + 0.5f) * spacing, (i / side % side + 0.5f) * spacing,
				(i / side / side + 0.5f) * spacing, charge);
		}
	}
	auto cell_of = [&](const float4 &a) {
		float inv = box.cells / length;
		int x = std::min((int)(a.x * inv), box.cells - 1), y = std::min((int)(a.y * inv), box.cells - 1);
		return (std::min((int)(a.z * inv), box.cells - 1) * box.cells + y) * box.cells + x;
	};
	std::vector<int> start(box.cells * box.cells * box.cells + 1);
	for (const float4 &a : atoms)
		start[cell_of(a) + 1]++;
	std::partial_sum(start.begin(), start.end(), start.begin());
	std::vector<float4> sorted(n);
	std::vector<int> at(start.begin(), start.end() - 1);
	for (const float4 &a : atoms)
		sorted[at[cell_of(a)]++] = a;
	float4 *d_atoms = to_device(sorted), *force = device_zeros<float4>(n);
	int *d_start = to_device(start);
	double ms = time_ms(options, [&] {
		forces<<<blocks_for(n, 128), 128>>>(
			n, box, d_atoms, d_start, cutoff * cutoff, force);
	});
	Checksum sum;
	sum.device(force, n);
	return report(sum, ms);
}
