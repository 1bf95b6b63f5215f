// SPDX-License-Identifier: MIT
// Builds Verlet lists: for each atom the atoms with larger numbers within the cut-off plus a skin,
// except bonded ones, from linked cells; one atom a thread, lists stored column by column. Data
// set a mixes dense and empty regions, b has one density.
#include "unseen.h"

#define MAX_NEIGHBORS 128
#define MAX_BONDS 4

struct Atoms {
	int n;
	const double *x, *y, *z;
	const int *bonds; // MAX_BONDS of each, -1 where there are fewer
};

__global__ void
build(Atoms atoms, double side, int cells, const int *__restrict__ head,
	const int *__restrict__ next, double radius2, int *list, int *count, int *overflow)
{
	int stride = blockDim.x * gridDim.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < atoms.n; i += stride) {
		const double x = atoms.x[i], y = atoms.y[i], z = atoms.z[i];
		const int cx = min((int)(x / side), cells - 1),
			  cy = min((int)(y / side), cells - 1),
			  cz = min((int)(z / side), cells - 1);
		int found = 0;
		for (int k = max(cz - 1, 0); k <= min(cz + 1, cells - 1); k++) {
			for (int j = max(cy - 1, 0); j <= min(cy + 1, cells - 1); j++) {
				for (int l = max(cx - 1, 0); l <= min(cx + 1, cells - 1); l++) {
					int other = head[(k * cells + j) * cells + l];
					while (other >= 0) {
						if (other > i) {
							double dx = x - atoms.x[other], dy = y - atoms.y[other], dz = z - atoms.z[other];
							if (dx * dx + dy * dy + dz * dz <= radius2) {
								bool excluded = false;
								for (int b = 0; b < MAX_BONDS; b++) {
									int bonded = atoms.bonds[i * MAX_BONDS + b];
									if (bonded < 0)
										break;
									if (bonded == other) {
										excluded = true;
										break;
									}
								}
								if (!excluded) {
									if (found < MAX_NEIGHBORS)
										list[(size_t)found * atoms.n + i] = other;
									found++;
								}
							}
						}
						other = next[other];
					}
				}
			}
		}
		count[i] = min(found, MAX_NEIGHBORS);
		if (found > MAX_NEIGHBORS)
			atomicMax(overflow, found);
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(1 << 18);
	const double radius = 1;
	int cells = std::max(3, (int)cbrt(n / 8.0));
	double length = cells * radius;
	Rng rng(27);
	std::vector<double> position[3] = { std::vector<double>(n), std::vector<double>(n), std::vector<double>(n) };
	std::vector<int> bonds(n * MAX_BONDS, -1), head(cells * cells * cells, -1), next(n);
	for (int i = 0; i < n; i++) {
		double droplet = options.divergent && rng.below(4) ? 0.6 : 1; // a dense corner
		for (int k = 0; k < 3; k++)
			position[k][i] = rng.real(0, length * droplet);
		if (options.divergent && i > 0 && rng.below(2))
			for (int k = 0; k < 3; k++) // a molecule
				position[k][i] = std::min(length, fabs(position[k][i - 1] + rng.real(-0.3, 0.3)));
		if (!options.divergent) { // 8 atoms in each cell, in order
			int c = (int)((long long)i * (cells * cells * cells) / n);
			position[0][i] = (c % cells + rng.real()) * radius;
			position[1][i] = (c / cells % cells + rng.real()) * radius;
			position[2][i] = (c / cells / cells + rng.real()) * radius;
		}
		for (int b = 0; b < (int)(options.divergent ? rng.below(MAX_BONDS + 1) : 2); b++)
			bonds[i * MAX_BONDS + b] = std::min(n - 1, i + b + 1);
	}
	for (int i = n - 1; i >= 0; i--) {
		int c = 0;
		for (int k = 2; k >= 0; k--)
			c = c * cells + std::min((int)(position[k][i] / radius), cells - 1);
		next[i] = head[c];
		head[c] = i;
	}
	Atoms atoms = { n, to_device(position[0]), to_device(position[1]), to_device(position[2]),
		to_device(bonds) };
	int *d_head = to_device(head), *d_next = to_device(next), *overflow = device_zeros<int>(1);
	int *list = device_zeros<int>((size_t)n * MAX_NEIGHBORS), *count = device_zeros<int>(n);
	int blocks = std::min(blocks_for(n, 128), 132 * 16);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(overflow, 0, sizeof(int))); }, [&] {
		build<<<blocks, 128>>>(atoms, radius, cells, d_head, d_next, radius * radius, list, count, overflow);
	});
	Checksum sum;
	sum.device(list, (size_t)n * MAX_NEIGHBORS);
	sum.device(count, n);
	sum.device(overflow, 1);
	return report(sum, ms);
}
