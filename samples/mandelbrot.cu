// One thread per pixel, as in most CUDA kernels: there is no loop over tasks to collect from. '#pragma ccc grid' makes one (Figure 4
// of the CCC paper, without a change of the launch). Most points of the plane leave the circle within a few steps; those that do not
// are the paths, and take up to --depth steps.
//
//	cccnvcc -O3 -arch=native mandelbrot.cu -o mandelbrot
//	mandelbrot [--size N] [--depth N]                        8192 x 8192 pixels and 2000 steps by default
//
// Prints the size, the depth, ms, and "ok" or "WRONG" (every pixel of some rows, bit for bit, against the CPU; integer arithmetic).
// Exit code: 0 all ok, 1 a wrong result, 2 no GPU or an invalid command line.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "mandelbrot: %s: %s\n", what, cudaGetErrorString(e));
	exit(2);
}
#define CHECK(call) check(call, #call)

// A point of the plane and the constant of its orbit, as fixed-point numbers with 24 fractional bits.
struct Point {
	int x, y, cx, cy;
};

static __host__ __device__ int product(int a, int b)
{
	return (int)((long long)a * b >> 24);
}

// Returns the number of steps until the point leaves the circle, at most `most`.
static __host__ __device__ int steps(Point &p, int most)
{
	int n = 0;
	for (; n < most; ++n) {
		const int xx = product(p.x, p.x), yy = product(p.y, p.y);
		if (xx + yy > 4 << 24)
			break;
		p.y = 2 * product(p.x, p.y) + p.cy;
		p.x = xx - yy + p.cx;
	}
	return n;
}

static __host__ __device__ Point pixel(int x, int y, int size)
{
	const int cx = (int)((3LL * x << 24) / size) - (9 << 22), cy = (int)((3LL * y << 24) / size) - (3 << 23);
	return Point{cx, cy, cx, cy};
}

enum { FEW = 12 };

#pragma ccc grid independent
__global__ void __launch_bounds__(256) mandelbrot(int size, int depth, int *image)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= size || y >= size)
		return;
	Point p = pixel(x, y, size);
	const int n = steps(p, FEW);
	#pragma ccc if
	if (n == FEW)
		image[y * size + x] = n + steps(p, depth);
	else
		image[y * size + x] = n;
}

static float run(int size, int depth, int *image)
{
	const dim3 block(32, 8), grid((size + 31) / 32, (size + 7) / 8);
	float best = 1e30f, ms;
	cudaEvent_t start, stop;

	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	for (int r = 0; r < 4; ++r) {
		CHECK(cudaEventRecord(start));
		mandelbrot<<<grid, block>>>(size, depth, image);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(stop));
		CHECK(cudaEventSynchronize(stop));
		CHECK(cudaEventElapsedTime(&ms, start, stop));
		best = std::min(best, ms);
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	return best;
}

static bool right(int size, int depth, const std::vector<int> &image)
{
	for (int y = 0; y < size; y += std::max(1, size / 64))
		for (int x = 0; x < size; ++x) {
			Point p = pixel(x, y, size);
			int n = steps(p, FEW);
			n += n == FEW ? steps(p, depth) : 0;
			if (image[(size_t)y * size + x] != n)
				return false;
		}
	return true;
}

int main(int argc, char **argv)
{
	int size = 8192, depth = 2000, *image;
	for (int i = 1; i < argc; i += 2) {
		const int x = i + 1 < argc ? atoi(argv[i + 1]) : 0;
		if (!strcmp(argv[i], "--size") && x > 0 && x <= 32768)
			size = x;
		else if (!strcmp(argv[i], "--depth") && x > 0)
			depth = x;
		else {
			fprintf(stderr, "usage: mandelbrot [--size N] [--depth N]\n");
			return 2;
		}
	}
	const size_t n = (size_t)size * size;
	CHECK(cudaMalloc(&image, n * sizeof(int)));
	CHECK(cudaMemset(image, 0, n * sizeof(int)));
	const float ms = run(size, depth, image);
	std::vector<int> got(n);
	CHECK(cudaMemcpy(got.data(), image, n * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(image));
	const bool ok = right(size, depth, got);
	printf("%d x %d, %d steps: %.3f ms  %s\n", size, size, depth, ms, ok ? "ok" : "WRONG");
	return ok ? 0 : 1;
}
// SPDX-License-Identifier: MIT
