// SPDX-License-Identifier: MIT
// FAST-9 corner detection with a tile of the image in shared memory: an early test of four pixels,
// the test of the circle, the score by bisection of the threshold, an orientation for corners. Data
// set a is a textured image, b a smooth gradient.
#include "unseen.h"

#define TILE_W 32
#define TILE_H 8
#define HALO 3
#define PITCH (TILE_W + 2 * HALO)

__constant__ signed char circle_x[16] = { 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3, -3, -3, -2, -1 };
__constant__ signed char circle_y[16] = { -3, -3, -2, -1, 0, 1, 2, 3, 3, 3, 2, 1, 0, -1, -2, -3 };

__device__ bool
has_arc(const unsigned char *center, int threshold)
{
	int c = *center;
	unsigned brighter = 0, darker = 0;
	for (int k = 0; k < 16; k++) {
		int d = center[circle_y[k] * PITCH + circle_x[k]] - c;
		if (d > threshold)
			brighter |= 1u << k;
		else if (d < -threshold)
			darker |= 1u << k;
	}
	brighter |= brighter << 16; // the circle twice, for arcs across its end
	darker |= darker << 16;
	const int shifts[] = { 1, 2, 4, 1 }; // bits that begin 2, 4, 8, 9 set bits
	for (int shift : shifts) {
		brighter &= brighter >> shift;
		darker &= darker >> shift;
	}
	return brighter || darker;
}

__global__ void
detect(const unsigned char *__restrict__ image, int width, int height, int threshold,
	unsigned char *score, float *angle)
{
	__shared__ unsigned char tile[(TILE_H + 2 * HALO) * PITCH];
	int x0 = blockIdx.x * TILE_W - HALO, y0 = blockIdx.y * TILE_H - HALO;
	for (int i = threadIdx.y * TILE_W + threadIdx.x; i < (TILE_H + 2 * HALO) * PITCH; i += TILE_W * TILE_H) {
		int x = min(max(x0 + i % PITCH, 0), width - 1), y = min(max(y0 + i / PITCH, 0), height - 1);
		tile[i] = image[(size_t)y * width + x];
	}
	__syncthreads();
	int x = blockIdx.x * TILE_W + threadIdx.x, y = blockIdx.y * TILE_H + threadIdx.y;
	if (x >= width || y >= height)
		return;
	size_t out = (size_t)y * width + x;
	score[out] = 0;
	angle[out] = 0;
	if (x < HALO || y < HALO || x >= width - HALO || y >= height - HALO)
		return;
	const unsigned char *center = &tile[(threadIdx.y + HALO) * PITCH + threadIdx.x + HALO];
	int c = *center, far = 0;
	far += abs(center[-3 * PITCH] - c) > threshold;
	far += abs(center[3 * PITCH] - c) > threshold;
	far += abs(center[-3] - c) > threshold;
	far += abs(center[3] - c) > threshold;
	if (far < 2 || !has_arc(center, threshold))
		return;
	int lo = threshold, hi = 255; // the largest threshold at which it is a corner
	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;
		if (has_arc(center, mid))
			lo = mid;
		else
			hi = mid;
	}
	score[out] = lo;
	int mx = 0, my = 0;
	for (int dy = -3; dy <= 3; dy++)
		for (int dx = -3; dx <= 3; dx++) {
			if (dx * dx + dy * dy > 9)
				continue;
			int v = center[dy * PITCH + dx];
			mx += dx * v;
			my += dy * v;
		}
	angle[out] = atan2f(my, mx);
}

// Suppresses corners that are no local maximum of the score.
__global__ void
suppress(const unsigned char *__restrict__ score, int width, int height, unsigned char *corner,
	unsigned *count)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	int s = score[y * width + x];
	if (s) {
		for (int dy = -1; dy <= 1 && s; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int other = score[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
				if (other > s) {
					s = 0;
					break;
				}
			}
		if (s)
			atomicAdd(count, 1u);
	}
	corner[y * width + x] = s;
}

int
main(int argc, char **argv)
{
	Options options(argc, argv);
	int width = options.side(4096, 2, 64), height = width, pixels = width * height;
	Rng rng(35);
	std::vector<unsigned char> image(pixels);
	for (int i = 0; i < pixels; i++)
		image[i] = options.divergent ? 100 + (rng.next() >> 60) : (i % width + i / width) * 255 / (2 * width);
	for (int r = 0; options.divergent && r < pixels / 300; r++) { // small rectangles
		int x = rng.below(width - 12), y = rng.below(height - 12), w = 2 + rng.below(10),
		    h = 2 + rng.below(10), shade = rng.below(256);
		for (int j = y; j < y + h; j++)
			memset(&image[(size_t)j * width + x], shade, w);
	}
	unsigned char *in = to_device(image), *score = device_zeros<unsigned char>(pixels),
		      *corner = device_zeros<unsigned char>(pixels);
	float *angle = device_zeros<float>(pixels);
	unsigned *count = device_zeros<unsigned>(1);
	dim3 threads(TILE_W, TILE_H), blocks(blocks_for(width, TILE_W), blocks_for(height, TILE_H));
	double ms = time_ms(options, [&] { CUDA_CHECK(cudaMemset(count, 0, sizeof *count)); }, [&] {
		detect<<<blocks, threads>>>(in, width, height, 24, score, angle);
		suppress<<<blocks, threads>>>(score, width, height, corner, count);
	});
	Checksum sum;
	sum.device(corner, pixels);
	sum.device(angle, pixels);
	sum.device(count, 1);
	return report(sum, ms);
}
