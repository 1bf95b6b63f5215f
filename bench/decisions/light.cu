// SPDX-License-Identifier: MIT
// Light transport in a slab with spherical inclusions: photons scatter until they leave or are absorbed;
// at the rare inclusions they are refracted through several shells. Many photons a thread.
//
// data a: 1 of 32 events is at an inclusion
// data b: no inclusions, thin slab
//
// plan 0: assign, for var on the events
// plan 1: for, predict threshold(24) on the events, predict threshold(8) on the inclusion
// plan 2: for, while on the events
// plan 3: for on the events, if policy(wait(8)) on the inclusion
// plan 4: assign, predict on both
#include "plans.h"

__device__ __forceinline__ float
random01(unsigned &s)
{
	s = s * 747796405u + 2891336453u;
	unsigned w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
	return ((w >> 22 ^ w) >> 8) * 0x1p-24f;
}

__global__ void
photons(int n, float depth, float inclusions, float albedo, float *weight, float *left)
{
	PLANS(assign, for, for, , assign)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned s = i * 0x9e3779b9u;
		float z = 0, mu = 1, w = 1;
		PLANS(for var, predict threshold(24), while, for, predict threshold(24))
		while (z >= 0 && z < depth && w > 1e-3f) {
			z -= mu * __logf(random01(s) + 1e-7f);
			w *= albedo;
			PLANS(, , , if policy(wait(8)))
			if (random01(s) < inclusions)
			PLANS(, predict threshold(8), , , predict threshold(8)) {
				float b = random01(s), t = 1;
				for (int shell = 0; shell < 12; shell++) {
					float si = fminf(b * (1 + 0.02f * shell), 0.999f), ci = sqrtf(1 - si * si);
					float st = si / 1.1f, ct = sqrtf(1 - st * st);
					float rs = (ci - 1.1f * ct) / (ci + 1.1f * ct), rp = (ct - 1.1f * ci) / (ct + 1.1f * ci);
					t *= 1 - 0.5f * (rs * rs + rp * rp);
					b = st;
				}
				w *= t;
				mu = mu * (1 - 0.3f * b);
			}
			float g = 0.8f, q = (1 - g * g) / (1 - g + 2 * g * random01(s));
			float c = (1 + g * g - q * q) / (2 * g);
			mu = mu * c + sqrtf(fmaxf(0.0f, (1 - mu * mu) * (1 - c * c))) * __cosf(6.2831853f * random01(s));
			mu = fminf(fmaxf(mu, -1.0f), 1.0f);
		}
		weight[i] = w;
		left[i] = z;
	}
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 20);
	float *weight = device_zeros<float>(n), *left = device_zeros<float>(n);
	double ms = time_ms(options, [&] {
		photons<<<loop_blocks(n, 256), 256>>>(n, options.divergent ? 20.0f : 0.5f, options.divergent ? 1.0f / 32 : 0,
			options.divergent ? 0.99f : 0.5f, weight, left);
	});
	Checksum sum;
	sum.device(weight, n);
	sum.device(left, n);
	return report(sum, ms);
}
