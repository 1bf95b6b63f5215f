// SPDX-License-Identifier: MIT
// Orbits of two kinds: an item is a point of the Mandelbrot set or of the Burning Ship set, and takes a thousand steps in both cases. A
// warp has items of both kinds, so each iteration runs both loops, each with half of the lanes. The whole state of an orbit begins and ends
// in its iteration, and the two arms are about equally frequent and long. Lanes look several items ahead, record the kind of each, and
// the warp runs those of one kind, then those of the other (Kato, Suda, Tamada: branch path unification).
//
//	cccnvcc -O3 -std=c++17 -arch=native unify.cu -o unify
//	unify [--items N] [--steps N] [--blocks N]      2^21 items, 1000 steps each; by default as many blocks as the GPU holds
//
// Prints the number of bounded orbits, ms, and "ok" or "WRONG" (each item against the CPU, in integer arithmetic).
#include "sample.cuh"

constexpr int THREADS = 256, LIMIT = 8192;      // fixed point: 4096 is 1

struct Orbit { int x, y; };

// One step of each kind; an orbit that exceeds the limit restarts.
__host__ __device__ inline void mandelbrot(Orbit &z, Orbit c)
{
	const int x = (z.x * z.x - z.y * z.y) / 4096 + c.x, y = z.x * z.y / 2048 + c.y;
	const bool out = abs(x) > LIMIT || abs(y) > LIMIT;
	z = {out ? c.x : x, out ? c.y : y};
}
__host__ __device__ inline void burning_ship(Orbit &z, Orbit c)
{
	const int a = abs(z.x), b = abs(z.y), x = (a * a - b * b) / 4096 + c.x, y = a * b / 2048 - c.y;
	const bool out = abs(x) + abs(y) > LIMIT;
	z = {out ? c.y : x, out ? c.x : y};
}
__host__ __device__ inline Orbit point(int item)
{
	return {(int)(random32(item * 2u) % 8192) - 6144, (int)(random32(item * 2u + 1) % 8192) - 4096};
}
__host__ __device__ inline bool is_ship(int item) { return random32(item ^ 0x5bd1e995) & 1; }
__host__ __device__ inline int end_of(Orbit z) { return z.x * 65536 + z.y; }

__global__ void __launch_bounds__(THREADS) orbits(int n, int steps, int *end)
{
	#pragma ccc for
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
		#pragma ccc unify
		if (is_ship(i)) {
			const Orbit c = point(i);
			Orbit z = c;
			for (int k = 0; k < steps; ++k)
				burning_ship(z, c);
			end[i] = end_of(z);
		} else {
			const Orbit c = point(i);
			Orbit z = c;
			for (int k = 0; k < steps; ++k)
				mandelbrot(z, c);
			end[i] = end_of(z);
		}
	}
}

static int on_cpu(int item, int steps)
{
	const Orbit c = point(item);
	Orbit z = c;
	for (int k = 0; k < steps; ++k)
		if (is_ship(item))
			burning_ship(z, c);
		else
			mandelbrot(z, c);
	return end_of(z);
}

int main(int argc, char **argv)
{
	int n = 1 << 21, steps = 1000;
	read_options(argc, argv, {{"items", &n}, {"steps", &steps}});
	Array<int> end(n);
	const int blocks = resident_blocks(orbits, THREADS);
	const float ms = best_ms([&] { end.fill(0xff); }, [&] { orbits<<<blocks, THREADS>>>(n, steps, end); });
	const std::vector<int> got = end.host();
	bool ok = true;
	for (int i = 0; i < n; i += n > 100000 ? 101 : 1)
		ok = ok && got[i] == on_cpu(i, steps);
	return result(ok, ms, "%d orbits of %d steps", n, steps);
}
