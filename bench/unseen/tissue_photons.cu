// SPDX-License-Identifier: MIT
// Photon packets in layered tissue (MCML): hop, drop, spin, and Russian roulette, one packet a
// thread. The absorbed weight is accumulated in a grid of fixed-point numbers. Data set b is one
// strongly absorbing layer.
#include "unseen.h"

#define MAX_LAYERS 8
#define DEPTH_BINS 512

struct Layer {
	float z0, z1, mua, mus, g, n;
};
struct Tissue {
	int layers;
	float bins_per_cm;
	Layer layer[MAX_LAYERS];
};
__constant__ Tissue tissue;

// Park-Miller minimal standard generator
__device__ float
rnd(unsigned &state)
{
	state = (unsigned)((unsigned long long)state * 48271ull % 2147483647ull);
	return state * 4.6566129e-10f;
}

__device__ float
fresnel(float n1, float n2, float ci, float *ct)
{
	float st = n1 / n2 * sqrtf(fmaxf(0.0f, 1 - ci * ci));
	if (st >= 1) {
		*ct = 0;
		return 1;
	}
	*ct = sqrtf(1 - st * st);
	float rs = (n1 * ci - n2 * *ct) / (n1 * ci + n2 * *ct);
	float rp = (n1 * *ct - n2 * ci) / (n1 * *ct + n2 * ci);
	return 0.5f * (rs * rs + rp * rp);
}

__device__ void
spin(float3 &u, float g, unsigned &rng)
{
	float cost;
	if (g == 0) {
		cost = 2 * rnd(rng) - 1;
	} else {
		float t = (1 - g * g) / (1 - g + 2 * g * rnd(rng));
		cost = fminf(fmaxf((1 + g * g - t * t) / (2 * g), -1.0f), 1.0f);
	}
	float sint = sqrtf(1 - cost * cost), phi = 6.2831853f * rnd(rng);
	float cosp = cosf(phi), sinp = sinf(phi);
	if (fabsf(u.z) > 0.99999f) {
		u = make_float3(sint * cosp, sint * sinp, u.z > 0 ? cost : -cost);
		return;
	}
	float t = sqrtf(1 - u.z * u.z);
	float3 v;
	v.x = sint * (u.x * u.z * cosp - u.y * sinp) / t + u.x * cost;
	v.y = sint * (u.y * u.z * cosp + u.x * sinp) / t + u.y * cost;
	v.z = -sint * cosp * t + u.z * cost;
	u = v;
}

__global__ void
photons(int n, unsigned long long *absorbed, float *reflected, int *hops)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= n)
		return;
	unsigned rng = 1 + (unsigned)((id * 2654435761u) % 2147483646u);
	for (int i = 0; i < 4; i++)
		rnd(rng);
	float z = 0, w = 1, escaped = 0;
	float3 u = make_float3(0, 0, 1);
	int at = 0, steps = 0;
	while (true) {
		Layer l = tissue.layer[at];
		float mut = l.mua + l.mus, s = -logf(fmaxf(rnd(rng), 1e-9f)) / mut;
		float edge = u.z > 0 ? (l.z1 - z) / u.z : u.z < 0 ? (l.z0 - z) / u.z : 1e9f;
		if (++steps > 4000)
			break;
		if (s > edge) { // to the boundary of the layer
			z = u.z > 0 ? l.z1 : l.z0;
			int next = at + (u.z > 0 ? 1 : -1);
			float outside = next < 0 || next >= tissue.layers ? 1.0f : tissue.layer[next].n, ct;
			float r = fresnel(l.n, outside, fabsf(u.z), &ct);
			if (rnd(rng) < r) {
				u.z = -u.z;
				continue;
			}
			if (next < 0 || next >= tissue.layers) {
				escaped = next < 0 ? w : -w;
				break;
			}
			u.x *= l.n / outside;
			u.y *= l.n / outside;
			u.z = copysignf(ct, u.z);
			at = next;
			continue;
		}
		z += u.z * s;
		float drop = w * l.mua / mut;
		w -= drop;
		int bin = min(max((int)(z * tissue.bins_per_cm), 0), DEPTH_BINS - 1);
		atomicAdd(&absorbed[bin], (unsigned long long)(drop * 1048576.0f));
		spin(u, l.g, rng);
		if (w < 1e-2f) {
			if (rnd(rng) > 0.1f)
				break;
			w *= 10;
		}
	}
	reflected[id] = escaped;
	hops[id] = steps;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int n = options.size(options.divergent ? 1 << 16 : 1 << 21);
	Tissue skin = { 4, DEPTH_BINS / 2.0f, { { 0, 0.02f, 8, 150, 0.75f, 1.5f }, { 0.02f, 0.3f, 3, 70, 0.8f, 1.4f },
		{ 0.3f, 0.5f, 6, 120, 0.9f, 1.4f }, { 0.5f, 2, 2, 60, 0.75f, 1.44f } } };
	Tissue ink = { 1, DEPTH_BINS / 0.02f, { { 0, 1e6f, 500, 20, 0, 1 } } };
	CUDA_CHECK(cudaMemcpyToSymbol(tissue, options.divergent ? &skin : &ink, sizeof(Tissue)));
	unsigned long long *absorbed = device_zeros<unsigned long long>(DEPTH_BINS);
	float *reflected = device_zeros<float>(n);
	int *hops = device_zeros<int>(n);
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(absorbed, 0, DEPTH_BINS * sizeof *absorbed)); },
		[&] { photons<<<blocks_for(n, 128), 128>>>(n, absorbed, reflected, hops); });
	Checksum sum;
	sum.device(absorbed, DEPTH_BINS);
	sum.device(reflected, n);
	sum.device(hops, n);
	return report(sum, ms);
}
