// Photons in a slab. Each step ends inside the slab, where the photon scatters, or at a face, where it is reflected or leaves. Both cases
// are long, and the lanes of a warp diverge at every step. The whole state of a photon (place, direction, weight, random numbers) is
// carried from step to step, so no work can move to another lane. `delay` lets the lanes of one side continue while the others wait for
// their side's turn, so that a warp runs one side per round (Han and Abdelrahman, iteration delaying).
//
//	cccnvcc -O3 -arch=native delay.cu -o delay
//	delay [--photons N] [--steps N]                 2^17 photons, one per thread; 60 steps each
//
// Prints one line: photons that left by either face, ms, and "ok" or "WRONG" (each thread's tally, bit for bit, against the CPU).
// Exit code: 0 ok, 1 a wrong result, 2 no GPU or an invalid command line.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "delay: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

// Uses only operations that GPU and CPU round alike: fmaf, division, square roots.
struct Photon {
	unsigned seed;
	float z, u, w;                  // depth in [0, 1]; cosine of the direction; weight
	unsigned escaped[2], light;     // photons that left, by face; hash of their weights' bits
};

static __host__ __device__ float random01(unsigned &seed)
{
	seed = seed * 1664525u + 1013904223u;
	return (float)(seed >> 8) / 16777216.0f;
}

static __host__ __device__ void start(Photon &p)
{
	p.z = 0;
	p.u = 1;
	p.w = 1;
}

// The end of the step if there were no faces.
static __host__ __device__ float fly(Photon &p)
{
	const float x = random01(p.seed);
	return fmaf(p.u, 0.125f * x / (1.0625f - x), p.z);
}

// Fresnel equations for unpolarised light of eight colours.
static __host__ __device__ void at_face(Photon &p, float z)
{
	const float c = fabsf(p.u), s2 = fmaf(-c, c, 1.0f);
	float reflected = 0;
	for (int colour = 0; colour < 8; ++colour) {
		const float n = 1.25f + (float)colour / 64, inside = fmaf(-s2, n * n, 1.0f);
		const float t = inside > 0 ? sqrtf(inside) : 0.0f;
		const float rs = fmaf(n, c, -t) / fmaf(n, c, t), rp = fmaf(n, t, -c) / fmaf(n, t, c);
		reflected = fmaf(rs, rs, fmaf(rp, rp, reflected));
	}
	const int face = z > 0;
	if (random01(p.seed) * 16 < reflected) {
		p.z = (float)face;
		p.u = -p.u;
		return;
	}
	++p.escaped[face];
	p.light = p.light * 5 + (unsigned)(p.w * 16777216.0f);
	start(p);
}

// Henyey-Greenstein scattering; one scattering consists of eight small deflections.
static __host__ __device__ void scatter(Photon &p, float z)
{
	const float g = 0.75f;
	float u = p.u;
	for (int k = 0; k < 8; ++k) {
		const float q = (1 - g * g) / fmaf(2 * g, random01(p.seed), 1 - g), c = (fmaf(-q, q, 1 + g * g)) / (2 * g);
		const float s = sqrtf(fmaxf(fmaf(-c, c, 1.0f), 0.0f) * fmaxf(fmaf(-u, u, 1.0f), 0.0f));
		u = fminf(fmaxf(fmaf(u, c, (random01(p.seed) - 0.5f) * s), -1.0f), 1.0f);
	}
	p.z = z;
	p.u = u;
	p.w *= 0.9375f;
	if (p.w < 0.0625f)
		start(p);
}

static __host__ __device__ Photon fresh(unsigned id)
{
	Photon p = {id * 2654435761u + 12345u, 0, 0, 0, {0, 0}, 0};
	start(p);
	return p;
}

__global__ void walk(int n, int steps, Photon *out)
{
	const int id = blockIdx.x * blockDim.x + threadIdx.x;
	if (id >= n)
		return;
	Photon p = fresh(id);
	#pragma ccc for
	for (int i = 0; i < steps; ++i) {
		const float z = fly(p);
		#pragma ccc delay policy(cycle(1,2))
		if (z < 0 || z > 1)
			at_face(p, z);
		else
			scatter(p, z);
	}
	out[id] = p;
}

static Photon on_cpu(unsigned id, int steps)
{
	Photon p = fresh(id);
	for (int i = 0; i < steps; ++i) {
		const float z = fly(p);
		if (z < 0 || z > 1)
			at_face(p, z);
		else
			scatter(p, z);
	}
	return p;
}

int main(int argc, char **argv)
{
	int n = 1 << 17, steps = 60;
	for (int i = 1; i < argc; i += 2) {
		const int x = i + 1 < argc ? atoi(argv[i + 1]) : 0;
		if (!strcmp(argv[i], "--photons") && x > 0)
			n = x;
		else if (!strcmp(argv[i], "--steps") && x > 0)
			steps = x;
		else {
			fprintf(stderr, "usage: delay [--photons N] [--steps N]\n");
			return 2;
		}
	}
	Photon *out;
	cudaEvent_t begin, end;
	float best = 1e30f, ms;
	CHECK(cudaMalloc(&out, n * sizeof *out));
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	for (int r = 0; r < 4; ++r) {
		CHECK(cudaEventRecord(begin));
		walk<<<(n + 127) / 128, 128>>>(n, steps, out);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&ms, begin, end));
		best = std::min(best, ms);
	}
	std::vector<Photon> got(n);
	CHECK(cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
	bool ok = true;
	unsigned long long escaped[2] = {0, 0};
	for (int id = 0; id < n; ++id) {
		const Photon want = on_cpu(id, steps);
		ok = ok && !memcmp(&want, &got[id], sizeof want);
		escaped[0] += got[id].escaped[0];
		escaped[1] += got[id].escaped[1];
	}
	printf("front %llu, back %llu, %.3f ms  %s\n", escaped[0], escaped[1], best, ok ? "ok" : "WRONG");
	CHECK(cudaFree(out));
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
