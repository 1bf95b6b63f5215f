// SPDX-License-Identifier: MIT
// Material cross sections, as in Monte Carlo neutron transport (XSBench). A particle in one of
// twelve materials sums over the 4 to 321 nuclides of the material and looks up its energy in the
// table of each. One particle in seven is in fuel, so nearly every warp has a lane with 321
// iterations, for which the other lanes wait.
//
// `for var` makes one list of the lookups of all lanes, and each lane takes every 32nd (policy
// expand). The two sums are live out of the loop, and `reduction` allows their order to change. The
// binary search is part of the iteration and equally long for all. `predict.cu` covers the case
// where the order must not change.
//
//	cccnvcc -O3 -std=c++17 -arch=native crosssections.cu -o crosssections
//	crosssections [--particles N] [--blocks B]      2^20 particles by default

#include "sample.cuh"

constexpr int MATERIALS = 12, NUCLIDES = 330, POINTS = 64;
static const int count_of[MATERIALS] = {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
static __constant__ int count_on_device[MATERIALS];

// One nuclide's table, in ascending order of energy.
struct Point { float energy, total, fission; };

__host__ __device__ inline float energy_of(int particle) { return random01(2 * particle + 1); }
__host__ __device__ inline int material_of(int particle)
{
	const unsigned r = random32(particle + 0x9e3779b9u) % 1000;
	return r < 140 ? 0 : 1 + (int)(r % (MATERIALS - 1));
}

// The nuclide's cross sections at this energy, interpolated between two points of its table.
__host__ __device__ inline float2 look_up(const Point *table, float energy)
{
	int low = 0;
	for (int step = POINTS / 2; step; step /= 2)
		if (table[low + step].energy <= energy)
			low += step;
	const Point a = table[low], b = table[low + 1];
	const float f = (energy - a.energy) / (b.energy - a.energy);
	return make_float2(
		a.total + f * (b.total - a.total), a.fission + f * (b.fission - a.fission));
}

__global__ void sum_up(int n, const Point *tables, float2 *out)
{
	#pragma ccc for
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const float energy = energy_of(i);
		const int count = count_on_device[material_of(i)];
		float total = 0, fission = 0;
		#pragma ccc for var policy(expand) reduction(+: total, fission)
		for (int k = 0; k < count; ++k) {
			const float2 s = look_up(tables + k * (POINTS + 1), energy);
			total += s.x;
			fission += s.y;
		}
		out[i] = make_float2(total, fission);
	}
}

int main(int argc, char **argv)
{
	int n = 1 << 20;
	read_options(argc, argv, {{"particles", &n}});
	std::vector<Point> points;
	for (int k = 0; k < NUCLIDES; ++k)
		for (int p = 0; p <= POINTS; ++p) {
			const unsigned seed = 1000 * k + 3 * p;
			const float beyond = p % POINTS ? 0.9f * random01(seed) : 0;
			const float energy = ((float)p + beyond) / POINTS;
			points.push_back({energy, random01(seed + 1), random01(seed + 2)});
		}

	Array<Point> tables(points);
	Array<float2> out(n);
	CHECK(cudaMemcpyToSymbol(count_on_device, count_of, sizeof count_of));
	const int blocks = resident_blocks(sum_up, 256);
	const float ms =
		best_ms([&] { out.fill(0xff); }, [&] { sum_up<<<blocks, 256>>>(n, tables, out); });

	const std::vector<float2> got = out.host();
	bool ok = true;
	long long lookups = 0;
	for (int i = 0; i < n; ++i) {
		const int count = count_of[material_of(i)];
		double total = 0, fission = 0;
		for (int k = 0; k < count; ++k) {
			const float2 s = look_up(&points[k * (POINTS + 1)], energy_of(i));
			total += s.x;
			fission += s.y;
		}
		lookups += count;
		ok = ok && close_to(got[i].x, total, 1e-3) && close_to(got[i].y, fission, 1e-3);
	}
	return result(ok, ms, "%d particles, %lld lookups", n, lookups);
}
