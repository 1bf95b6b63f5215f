// SPDX-License-Identifier: MIT
// Photons in voxels, after Monte Carlo eXtreme: the properties of media and the detectors are in shared
// memory, each thread traces several photons, each voxel by voxel; scattering is one of many steps.
//
// data a: 1 of 16 steps scatters
// data b: all scatter
//
// plan 0: for on the steps, if on the scattering
// plan 1: for on the steps, if policy(wait(16))
// plan 2: for, predict threshold(8)
// plan 3: for on the steps, delay
#include "plans.h"

#define MEDIA 4

struct Medium {
	float mua, mus, g, n;
};

__device__ __forceinline__ float
random01(unsigned long long &s)
{
	unsigned long long x = s;
	x ^= x << 23;
	x ^= x >> 17;
	s = x ^= x << 5;
	return (unsigned)(x >> 40) * 0x1p-24f;
}

template <bool REFLECT> __global__ void
trace(int photons, int side, const unsigned char *__restrict__ voxel, const Medium *media, float scale, float *fluence, float *detected)
{
	__shared__ Medium medium[MEDIA];
	__shared__ float weights[128];
	if (threadIdx.x < MEDIA)
		medium[threadIdx.x] = media[threadIdx.x];
	weights[threadIdx.x] = 0;
	__syncthreads();
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long s = (id + 1) * 0x9e3779b97f4a7c15ull;
	for (int p = 0; p < photons; p++) {
		float x = 0.5f * side, y = 0.5f * side, z = 0.01f, ux = 0, uy = 0, uz = 1, w = 1;
		float left = -__logf(random01(s) + 1e-7f);
		PLANS(for, for, for, for)
		for (int step = 0; step < 500; step++) {
			if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side || w < 1e-3f)
				break;
			Medium m = medium[voxel[((int)z * side + (int)y) * side + (int)x]];
			float tx = ux > 0 ? (floorf(x) + 1 - x) / ux : ux < 0 ? (x - ceilf(x) + 1) / -ux : 1e9f;
			float ty = uy > 0 ? (floorf(y) + 1 - y) / uy : uy < 0 ? (y - ceilf(y) + 1) / -uy : 1e9f;
			float tz = uz > 0 ? (floorf(z) + 1 - z) / uz : uz < 0 ? (z - ceilf(z) + 1) / -uz : 1e9f;
			float d = fminf(tx, fminf(ty, tz)) + 1e-4f, length = left / (m.mus * scale);
			bool scatters = length < d;
			d = scatters ? length : d;
			x += ux * d;
			y += uy * d;
			z += uz * d;
			w *= __expf(-m.mua * d);
			left -= d * m.mus * scale;
			PLANS(if, if policy(wait(16)), , delay)
			if (scatters)
			PLANS(, , predict threshold(8)) {
				left = -__logf(random01(s) + 1e-7f);
				float q = (1 - m.g * m.g) / (1 - m.g + 2 * m.g * random01(s));
				float c = (1 + m.g * m.g - q * q) / (2 * m.g), st = sqrtf(fmaxf(0.0f, 1 - c * c));
				float phi = 6.2831853f * random01(s), sp, cp;
				sincosf(phi, &sp, &cp);
				if (fabsf(uz) < 0.9999f) {
					float t = rsqrtf(1 - uz * uz), vx = ux, vy = uy;
					ux = st * (vx * uz * cp - vy * sp) * t + vx * c;
					uy = st * (vy * uz * cp + vx * sp) * t + vy * c;
					uz = -st * cp / t + uz * c;
				} else {
					ux = st * cp;
					uy = st * sp;
					uz = uz > 0 ? c : -c;
				}
			} else if (REFLECT && z < 0) {
				z = -z;
				uz = -uz;
				w *= 0.5f;
			}
		}
		weights[threadIdx.x] += w;
	}
	fluence[id] = weights[threadIdx.x];
	detected[id] = (float)(s >> 40);
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int threads = options.size(1 << 17, 128) / 128 * 128, side = 32;
	Rng rng(11);
	std::vector<unsigned char> voxels(side * side * side);
	for (size_t i = 0; i < voxels.size(); i++)
		voxels[i] = i / (side * side * 8) % MEDIA;
	std::vector<Medium> media = { { 0.005f, 1, 0.01f, 1.37f }, { 0.002f, 2, 0.8f, 1.37f }, { 0.02f, 1.5f, 0.9f, 1.4f }, { 0.01f, 1, 0.5f, 1.5f } };
	unsigned char *voxel = to_device(voxels);
	Medium *m = to_device(media);
	float *fluence = device_zeros<float>(threads), *detected = device_zeros<float>(threads);
	float scale = options.divergent ? 0.06f : 20;
	double ms = time_ms(options, [&] {
		trace<true><<<threads / 128, 128>>>(4, side, voxel, m, scale, fluence, detected);
		trace<false><<<threads / 128, 128>>>(4, side, voxel, m, scale, fluence, detected);
	});
	Checksum sum;
	sum.device(fluence, threads);
	sum.device(detected, threads);
	return report(sum, ms);
}
