// SPDX-License-Identifier: MIT
// Cross sections by the multipole method (RSBench): a lookup sums over the nuclides of a material, and
// for each over the poles of a window, in complex numbers. One lookup a thread. Terms are multiples of
// 2^-8, so that the sums are exact in any order.
//
// data a: 12 materials of 4 to 64 nuclides
// data b: one material
//
// plan 0: for on the nuclides, for var on the poles
// plan 1: for on the nuclides, predict threshold(24) on the poles
// plan 2: for on the nuclides, for var policy(flatten) on the poles
// plan 3: grid on the kernel, for var policy(flatten) on the nuclides
// plan 4: for on the nuclides, for var policy(expand) on the poles
#include "plans.h"

#define MATERIALS 12
#define WINDOWS 32

struct Pole {
	float re, im, rt, ra;
};
__constant__ int nuclides_of[MATERIALS];

__device__ __forceinline__ uint64_t
next(uint64_t &s)
{
	return s = s * 6364136223846793005ull + 1442695040888963407ull;
}

__device__ __forceinline__ float
fixed(float x)
{
	return rintf(x * 256);
}

PLANS(, , , grid)
__global__ void
lookups(int n, int materials, const int *__restrict__ list, const Pole *__restrict__ poles, const int2 *__restrict__ window,
	float4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	uint64_t seed = i * 0x9e3779b97f4a7c15ull + 1;
	float energy = (next(seed) >> 40) * 0x1p-24f;
	int material = (next(seed) >> 33) % materials;
	float total = 0, absorbed = 0, fission = 0;
	PLANS(for, for, for, for var policy(flatten), for)
	for (int k = 0; k < nuclides_of[material]; k++) {
		int nuclide = list[material * 64 + k], w = min((int)(energy * WINDOWS), WINDOWS - 1);
		int2 range = window[nuclide * WINDOWS + w];
		float micro = fixed(0.1f * energy), absorb = 0;
		PLANS(for var, predict threshold(24), for var policy(flatten), , for var policy(expand) reassociate)
		for (int p = range.x; p < range.y; p++) {
			Pole pole = poles[p];
			float dr = pole.re - energy, di = pole.im, d = 1 / (dr * dr + di * di);
			float zr = dr * d, zi = -di * d, phase = __sinf(3 * energy * zr);
			micro += fixed(pole.rt * zr - phase * zi);
			absorb += fixed(pole.ra * (zr + zi * phase));
		}
		total += micro;
		absorbed += absorb;
		fission += floorf(0.3f * absorb);
	}
	out[i] = make_float4(total, absorbed, fission, energy);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 19), nuclides = 128;
	int counts[MATERIALS] = { 64, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9 };
	if (!options.divergent)
		counts[0] = 20;
	Rng rng(7);
	std::vector<int> lists(MATERIALS * 64);
	for (int &l : lists)
		l = rng.below(nuclides);
	std::vector<Pole> poles;
	std::vector<int2> windows;
	for (int w = 0; w < nuclides * WINDOWS; w++) {
		int first = (int)poles.size(), count = 1 + rng.below(options.divergent ? 12 : 1) + (options.divergent ? 0 : 5);
		for (int p = 0; p < count; p++)
			poles.push_back({ (float)rng.real(), (float)rng.real(0.01, 0.1), (float)rng.real(), (float)rng.real() });
		windows.push_back(make_int2(first, (int)poles.size()));
	}
	CUDA_CHECK(cudaMemcpyToSymbol(nuclides_of, counts, sizeof counts));
	int *list = to_device(lists);
	Pole *p = to_device(poles);
	int2 *window = to_device(windows);
	float4 *out = device_zeros<float4>(n);
	double ms = time_ms(options, [&] {
		lookups<<<blocks_for(n, 256), 256>>>(n, options.divergent ? MATERIALS : 1, list, p, window, out);
	});
	Checksum sum;
	sum.device(out, n);
	return report(sum, ms);
}
