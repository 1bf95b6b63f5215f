// SPDX-License-Identifier: MIT
// Particles move step by step; 3 of 100 steps end in a collision, which samples a new direction and
// a loss of energy from a long series. One particle a thread, with its own random numbers.
//
// data a: 3 of 100 steps
// data b: all steps of a particle of 32 collide, and those of its warp
//
// plan 0: for, if
// plan 1: for, predict threshold(16) on the collision
// plan 2: for, if policy(wait(8))
// plan 3: grid, while
#include "plans.h"

__device__ __forceinline__ float
random01(unsigned &s)
{
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	return (s >> 8) * 0x1p-24f;
}

PLANS(, , , grid)
__global__ void
transport(int n, int steps, float3 *position, float *energy, bool rare)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned s = i * 2654435761u + 12345u;
	s |= 1;
	float3 p = make_float3(0, 0, 0), u = make_float3(0, 0, 1);
	float e = 1, rate = rare ? 0.03f : i / 32 % 32 == 0 ? 1.0f : 0.0f;
	PLANS(for, for, for, while)
	for (int k = 0; k < steps; k++) {
		float d = 0.1f * random01(s);
		p.x += d * u.x;
		p.y += d * u.y;
		p.z += d * u.z;
		PLANS(if, , if policy(wait(8)))
		if (random01(s) < rate)
		PLANS(, predict threshold(16)) {
			float mu = 2 * random01(s) - 1, phi = 6.2831853f * random01(s), sum = 1, term = 1;
			for (int j = 1; j < 40; j++) { // an expansion of the loss
				term *= mu * e / j + 0.01f;
				sum += term;
			}
			float st = sqrtf(1 - mu * mu);
			u = make_float3(st * cosf(phi), st * sinf(phi), mu);
			e *= 1 / (1 + 0.01f * fabsf(sum));
		}
	}
	position[i] = p;
	energy[i] = e;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int n = options.size(1 << 20);
	float3 *position = device_zeros<float3>(n);
	float *energy = device_zeros<float>(n);
	double ms = time_ms(options, [&] {
		transport<<<blocks_for(n, 256), 256>>>(n, 200, position, energy, options.divergent);
	});
	Checksum sum;
	sum.device(position, n);
	sum.device(energy, n);
	return report(sum, ms);
}
