// SPDX-License-Identifier: MIT
// The Mandelbrot set, one pixel a thread.
//
// data a: the whole set, up to 1000 iterations
// data b: a part outside, where neighbours escape together
//
// plan 0: grid, while
// plan 1: grid and while policy(queue), for blocks of up to 256 threads
// plan 2: the same, with four iterations a task
// plan 3: grid, for var policy(flatten)
#include "plans.h"

PLANS(grid, grid threads(256), grid threads(256), grid)
__global__ void
mandelbrot(int width, int height, int limit, float x0, float y0, float scale, int *iterations)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x >= width)
		return;
	float cr = x0 + x * scale, ci = y0 + y * scale, zr = 0, zi = 0;
	int k = 0;
	PLANS(while, while policy(queue), while policy(queue) unroll(4), for var policy(flatten))
	while (k < limit && zr * zr + zi * zi < 4) {
		float t = zr * zr - zi * zi + cr;
		zi = 2 * zr * zi + ci;
		zr = t;
		k++;
	}
	iterations[y * width + x] = k;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	const int side = options.side(2048, 2, 32);
	int *iterations = device_zeros<int>((size_t)side * side);
	float x0 = options.divergent ? -2.0f : 0.5f, y0 = options.divergent ? -1.25f : 0.5f;
	double ms = time_ms(options, [&] {
		mandelbrot<<<dim3(blocks_for(side, 256), side), 256>>>(side, side, 1000, x0, y0, 2.5f / side, iterations);
	});
	Checksum sum;
	sum.device(iterations, (size_t)side * side);
	return report(sum, ms);
}
