// SPDX-License-Identifier: MIT
// The voltage inside a grounded shell that contains seven charged balls, computed by random walks (Muller, walk on spheres). Each step
// goes in a random direction, as far as the nearest surface is away, until the walk touches a surface. The mean of the voltages at the
// ends is the voltage at the origin. The number of steps is unknown in advance. With `assign`, a lane whose walk has ended draws the next
// walk of its warp (Kato, Suda and Tamada, dynamic work assignment). The annotation of the inner loop lets it do so after any step, instead
// of only when the walks of all lanes have ended. A walk stays with the lane that began it, so no state moves between lanes.
//
//	cccnvcc -O3 -std=c++17 -arch=native assign.cu -o assign
//	assign [--walks N]                              2^24 walks by default, as many threads as the GPU holds
//
// Prints the number of walks, their mean, ms, and "ok" or "WRONG" (the end of each walk, bit for bit, against the CPU).

#include "sample.cuh"

struct Ball { float x, y, z, radius, volts; };
constexpr float NEAR = 1.0f / 4096;             // a walk this close touches the surface

// Uses only operations that GPU and CPU round alike: fmaf, and square roots of sums without products.
struct Walk { unsigned seed; float x, y, z, far, volts; };

static __host__ __device__ float random11(unsigned &seed)
{
	seed = seed * 1664525u + 1013904223u;
	return (float)((int)seed >> 8) / 8388608.0f;
}

static __host__ __device__ float length(float x, float y, float z)
{
	return sqrtf(fmaf(x, x, fmaf(y, y, z * z)));
}

// Finds the nearest surface: sets the walk's distance to it, and its voltage.
static __host__ __device__ void look(Walk &w)
{
	constexpr int BALLS = 7;
	constexpr Ball ball[BALLS] = {
		{0.0f, 0.0f, 0.0f, 0.25f, 1}, {0.5f, 0.0f, 0.25f, 0.125f, -2},
		{-0.5f, 0.25f, 0.0f, 0.125f, 3}, {0.0f, 0.625f, 0.0f, 0.0625f, -4},
		{0.0f, -0.5f, 0.5f, 0.125f, 5}, {0.25f, -0.5f, -0.5f, 0.125f, -6},
		{-0.25f, -0.125f, -0.75f, 0.0625f, 7},
	};
	w.far = 1 - length(w.x, w.y, w.z);
	w.volts = 0;
#pragma unroll
	for (int k = 0; k < BALLS; ++k) {
		const Ball b = ball[k];
		const float far = length(w.x - b.x, w.y - b.y, w.z - b.z) - b.radius;
		if (far < w.far) {
			w.far = far;
			w.volts = b.volts;
		}
	}
}

static __host__ __device__ void step(Walk &w)
{
	const float x = random11(w.seed), y = random11(w.seed), z = random11(w.seed);
	const float part = w.far / fmaxf(length(x, y, z), NEAR);
	w.x = fmaf(x, part, w.x);
	w.y = fmaf(y, part, w.y);
	w.z = fmaf(z, part, w.z);
	look(w);
}

// The first step has length 0 and only finds the nearest surface. This keeps the code outside the steps, which few lanes run, short.
static __host__ __device__ Walk start(int i)
{
	Walk w = {random32(i + 1u), 0, 0, 0, 0, 0};
	w.x = random11(w.seed) / 2;
	w.y = random11(w.seed) / 2;
	w.z = random11(w.seed) / 2;
	return w;
}

__global__ void __launch_bounds__(256) walks(int n, float *volts)
{
	#pragma ccc assign
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		Walk w = start(i);
		#pragma ccc while
		do
			step(w);
		while (w.far > NEAR);
		volts[i] = w.volts;
	}
}

static float on_cpu(int i)
{
	Walk w = start(i);
	do
		step(w);
	while (w.far > NEAR);
	return w.volts;
}

int main(int argc, char **argv)
{
	int n = 1 << 24;
	read_options(argc, argv, {{"walks", &n}});
	Array<float> volts(n);
	const int blocks = resident_blocks(walks, 256);
	const float ms =
		best_ms([&] { volts.fill(0xff); }, [&] { walks<<<blocks, 256>>>(n, volts); });

	const std::vector<float> got = volts.host();
	const int every = std::max(1, n >> 20);
	double sum = 0;
	bool ok = true;
	for (int i = 0; i < n; ++i) {
		sum += got[i];
		ok = ok && (i % every || got[i] == on_cpu(i));
	}
	return result(ok, ms, "%d walks, %.4f V", n, sum / n);
}
