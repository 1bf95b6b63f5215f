// SPDX-License-Identifier: MIT
// Monte Carlo neutron transport through a slab of several materials, one history a thread. Cross
// sections are looked up by binary search in an energy grid. A collision is an absorption, a
// fission, an inelastic or an elastic scattering. Data set b is a strong absorber.
#include "unseen.h"

struct CrossSection {
	float total, absorption, fission, inelastic;
};

struct Neutron {
	float x, mu, energy;
	uint64_t seed;
};

struct Problem {
	int materials, points, cells;
	float thickness; // of a cell
};

__device__ float
uniform(uint64_t &seed)
{
	seed = seed * 2806196910506780709ull + 1ull;
	return (seed >> 40) * 5.9604645e-8f;
}

__device__ int
grid_search(const float *__restrict__ grid, int n, float energy)
{
	int lo = 0, hi = n - 1;
	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;
		if (grid[mid] > energy)
			hi = mid;
		else
			lo = mid;
	}
	return lo;
}

__device__ CrossSection
lookup(const float *__restrict__ grid, const CrossSection *__restrict__ table, const Problem &problem,
	int material, float energy)
{
	int i = grid_search(grid, problem.points, energy);
	const CrossSection *row = table + (size_t)material * problem.points + i;
	float f = (energy - grid[i]) / (grid[i + 1] - grid[i]);
	f = fminf(fmaxf(f, 0.0f), 1.0f);
	CrossSection xs;
	xs.total = row[0].total + f * (row[1].total - row[0].total);
	xs.absorption = row[0].absorption + f * (row[1].absorption - row[0].absorption);
	xs.fission = row[0].fission + f * (row[1].fission - row[0].fission);
	xs.inelastic = row[0].inelastic + f * (row[1].inelastic - row[0].inelastic);
	return xs;
}

__global__ void
transport(int n, Problem problem, const float *__restrict__ grid, const CrossSection *__restrict__ table,
	const int *__restrict__ cell_material, float *track, int *events, unsigned *fissions)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= n)
		return;
	Neutron p;
	p.seed = (uint64_t)id * 0x9e3779b97f4a7c15ull + 7;
	p.x = problem.thickness * problem.cells * 0.5f;
	p.mu = 2 * uniform(p.seed) - 1;
	p.energy = 0.9f;
	float length = 0;
	int count = 0, cell = problem.cells / 2;
	bool alive = true;
	while (alive && count < 2000) {
		count++;
		CrossSection xs = lookup(grid, table, problem, cell_material[cell], p.energy);
		float collision = -__logf(1.0f - uniform(p.seed)) / xs.total;
		float mu = fabsf(p.mu) < 1e-4f ? copysignf(1e-4f, p.mu) : p.mu;
		float wall = (mu > 0 ? cell + 1 : cell) * problem.thickness;
		float boundary = fmaxf((wall - p.x) / mu, 0.0f);
		if (boundary < collision) {
			length += boundary;
			p.x = wall;
			cell += mu > 0 ? 1 : -1;
			if (cell < 0 || cell >= problem.cells)
				alive = false;
			continue;
		}
		length += collision;
		p.x += mu * collision;
		float r = uniform(p.seed) * xs.total;
		if (r < xs.absorption) {
			alive = false;
		} else if (r < xs.absorption + xs.fission) {
			float nu = 2.4f + 0.1f * p.energy;
			atomicAdd(&fissions[cell], (unsigned)(nu + uniform(p.seed)));
			alive = false;
		} else if (r < xs.absorption + xs.fission + xs.inelastic) {
			float t = 0.1f * p.energy, out;
			do // evaporation spectrum, by rejection
				out = -t * logf((1 - uniform(p.seed)) * (1 - uniform(p.seed)));
			while (out > p.energy);
			p.energy = out;
			p.mu = 2 * uniform(p.seed) - 1;
		} else {
			const float a = 12;
			float cosine = 2 * uniform(p.seed) - 1;
			p.energy *= (a * a + 2 * a * cosine + 1) / ((a + 1) * (a + 1));
			float lab = (1 + a * cosine) / sqrtf(a * a + 2 * a * cosine + 1);
			float phi = 6.2831853f * uniform(p.seed);
			p.mu = p.mu * lab + sqrtf(fmaxf((1 - p.mu * p.mu) * (1 - lab * lab), 0.0f)) * cosf(phi);
			p.mu = fminf(fmaxf(p.mu, -1.0f), 1.0f);
		}
		if (p.energy < 1e-6f)
			alive = false;
	}
	track[id] = length;
	events[id] = count;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(options.divergent ? 1 << 19 : 1 << 22);
	Problem problem = { 3, 16384, 32, options.divergent ? 2.0f : 8.0f };
	Rng rng(1);
	std::vector<float> grid(problem.points);
	for (int i = 0; i < problem.points; i++)
		grid[i] = (float)exp(log(1e-7) + (log(1.0) - log(1e-7)) * i / (problem.points - 1));
	std::vector<CrossSection> table;
	for (int m = 0; m < problem.materials; m++)
		for (int i = 0; i < problem.points; i++) {
			float resonance = rng.below(50) ? 1 : 6, scatter = 0.3f + 0.2f * m;
			CrossSection xs = { 0, 0.01f * (m + 1) * resonance, m == 1 ? 0.02f : 0, grid[i] > 0.01f ? 0.1f : 0 };
			if (!options.divergent)
				xs = { 0, 4, 0, 0 }, scatter = 0.02f;
			xs.total = xs.absorption + xs.fission + xs.inelastic + scatter;
			table.push_back(xs);
		}
	std::vector<int> material(problem.cells);
	for (int &m : material)
		m = rng.below(problem.materials);
	float *d_grid = to_device(grid), *track = device_zeros<float>(n);
	CrossSection *d_table = to_device(table);
	int *d_material = to_device(material), *events = device_zeros<int>(n);
	unsigned *fissions = device_zeros<unsigned>(problem.cells);
	double ms = time_ms(
		options,
		[&] { CUDA_CHECK(cudaMemset(fissions, 0, problem.cells * sizeof *fissions)); },
		[&] {
			transport<<<blocks_for(n, 256), 256>>>(
				n, problem, d_grid, d_table, d_material, track, events, fissions);
		});
	Checksum sum;
	sum.device(track, n);
	sum.device(events, n);
	sum.device(fissions, problem.cells);
	return report(sum, ms);
}
